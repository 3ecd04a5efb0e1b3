//! The parts of the bench.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Memory,
    Chunks,
    Viewers,
    Text,
    Claims,
    Intake,
    Events,
    Calls,
    Turns,
    Session,
    Sessions,
    Pages,
    Masking,
}

impl Part {
    /// What is measured, in this order: the memory of what has not worked yet first, and what needs no product last.
    const ALL: [Self; 13] = [
        Self::Memory,
        Self::Chunks,
        Self::Viewers,
        Self::Text,
        Self::Claims,
        Self::Intake,
        Self::Events,
        Self::Calls,
        Self::Turns,
        Self::Session,
        Self::Sessions,
        Self::Pages,
        Self::Masking,
    ];

    /// All of them, or those of these names.
    pub(crate) fn named(names: &[String]) -> anyhow::Result<Vec<Self>> {
        if names.is_empty() {
            return Ok(Self::ALL.to_vec());
        }
        names.iter().map(|name| Self::of(name)).collect()
    }

    fn of(name: &str) -> anyhow::Result<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name).ok_or_else(|| {
            anyhow::anyhow!(
                "there is no part {name}: name some of {}, or lists to measure it alone",
                names()
            )
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Chunks => "chunks",
            Self::Viewers => "viewers",
            Self::Text => "text",
            Self::Claims => "claims",
            Self::Intake => "intake",
            Self::Events => "events",
            Self::Calls => "calls",
            Self::Turns => "turns",
            Self::Session => "session",
            Self::Sessions => "sessions",
            Self::Pages => "pages",
            Self::Masking => "masking",
        }
    }
}

/// How the bench is called.
pub(crate) fn usage() -> String {
    format!(
        "tarsy-bench [--tiny] [PART...]    measures the parts named, else all of: {}\n\
         tarsy-bench lists [SESSIONS [URL]] measures lists with so many sessions, alone\n\
         tarsy-bench stored [SESSIONS]     measures investigations beside none and so many sessions, alone\n\
         --tiny takes few samples, so that the bench itself is tested",
        names()
    )
}

fn names() -> String {
    Part::ALL.map(Part::name).join(", ")
}
