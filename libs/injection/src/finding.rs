//! What was found, and how much of it is kept.

/// The most findings of one text.
pub const MAX_FINDINGS: usize = 20;
/// The longest excerpt, in characters.
pub const MAX_EXCERPT: usize = 200;

/// What a text that is addressed to a model wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// That the model drops its instructions, or takes new ones.
    Override,
    /// That it takes the text as a message of its system or of another role: tokens of chat templates, forged turns.
    Role,
    /// It speaks to the model as such.
    Address,
    /// That it calls a tool.
    ToolRequest,
    /// That it hides something from people, or does without their approval.
    Concealment,
    /// That it sends secrets, its instructions or its conversation somewhere.
    Disclosure,
    /// That it reports a given conclusion.
    Conclusion,
}

impl Kind {
    /// The word that is stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::Role => "role",
            Self::Address => "address",
            Self::ToolRequest => "tool_request",
            Self::Concealment => "concealment",
            Self::Disclosure => "disclosure",
            Self::Conclusion => "conclusion",
        }
    }
}

/// A place where a text addresses a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    /// From 1.
    pub line: usize,
    /// The line, or the part of it around the place; of encoded text, what it decodes to.
    pub excerpt: String,
}
