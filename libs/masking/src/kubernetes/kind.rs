//! Kinds of objects, and the fields of a Secret.

use crate::spans::is_mask;

/// The kinds that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// No kind was seen (yet).
    #[default]
    Unknown,
    Secret,
    /// A list of Secrets, whose items need no kind.
    SecretList,
    /// Anything else.
    Other,
}

impl Kind {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "Secret" => Self::Secret,
            "SecretList" => Self::SecretList,
            _ => Self::Other,
        }
    }
}

/// The fields of a Secret that hold its values.
pub(super) fn is_data_key(key: &str) -> bool {
    matches!(key, "data" | "stringData")
}

/// Whether a value is nothing to hide.
pub(super) fn is_nothing(value: &str) -> bool {
    let value = value.trim();
    matches!(value, "" | "null" | "~" | "None" | "nil" | "\"\"" | "''")
        || is_mask(value)
        || is_hidden(value)
}

/// Whether `kubectl diff` has hidden the value: `***`, `*** (before)`, `*** (after)`.
fn is_hidden(value: &str) -> bool {
    let rest = value.trim_start_matches('*');
    rest.len() < value.len() && matches!(rest, "" | " (before)" | " (after)")
}
