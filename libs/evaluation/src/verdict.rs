//! The structured verdict of a session, as far as it is scored.

use serde::{Deserialize, Serialize};

/// The most likely cause, and the others in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedVerdict {
    #[serde(flatten)]
    pub first: StatedCause,
    #[serde(default)]
    pub alternatives: Vec<StatedCause>,
}

/// A cause of a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedCause {
    /// One sentence.
    pub cause: String,
    /// A word in `snake_case`.
    #[serde(default)]
    pub category: String,
    #[serde(default)]
    pub object: Option<StatedObject>,
}

/// What a cause belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedObject {
    #[serde(default)]
    pub kind: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub namespace: Option<String>,
}

impl StatedVerdict {
    /// The causes in their order, the most likely one first.
    pub fn causes(&self) -> impl Iterator<Item = &StatedCause> {
        std::iter::once(&self.first).chain(&self.alternatives)
    }
}

impl StatedCause {
    /// The object and what is wrong with it.
    pub(crate) fn text(&self) -> String {
        format!("{}: {}", self.object_text(), self.cause)
    }

    /// Kind, name and namespace of the object; empty without one.
    pub(crate) fn object_text(&self) -> String {
        let Some(StatedObject { kind, name, namespace }) = &self.object else {
            return String::new();
        };
        format!("{kind} {name} {}", namespace.as_deref().unwrap_or_default())
    }
}
