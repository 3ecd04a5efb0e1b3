//! Values of Kubernetes Secrets, however they are printed: YAML, JSON, JSON inside strings, `kubectl describe`.
//!
//! Three readers look at the same text: [`flow`] at everything in braces (JSON, YAML in braces, Python's way to print),
//! [`block`] at indented YAML, [`fragments`] at what has no `kind`. None needs the text to be whole or valid: prose, log
//! lines and cuts around an object do not hide it. They only find places, the text itself is never printed anew.

mod block;
mod flow;
mod fragments;
mod strings;

use std::ops::Range;

/// How deep a string inside a string inside a string is read.
const MAX_DEPTH: usize = 4;

/// The kinds that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// No kind was seen (yet).
    #[default]
    Unknown,
    /// A Secret.
    Secret,
    /// A list of Secrets, whose items need no kind.
    SecretList,
    /// Anything else.
    Other,
}

impl Kind {
    fn named(name: &str) -> Self {
        match name {
            "Secret" => Self::Secret,
            "SecretList" => Self::SecretList,
            _ => Self::Other,
        }
    }
}

/// The fields of a Secret that hold its values.
fn is_data_key(key: &str) -> bool {
    matches!(key, "data" | "stringData")
}

/// Finds the values of all Secrets in a text.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    find_in(text, 0, &mut found);
    fragments::find(text, &mut found);
    found
}

fn find_in(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    // A text that was cut may have the data and not the kind.
    let worth_it = text.contains("Secret")
        || (depth == 0 && (text.contains("data:") || text.contains("\"data\"")));
    if depth > MAX_DEPTH || !worth_it {
        return;
    }
    flow::find(text, depth, found);
    block::find(text, found);
}

/// Whether a value is nothing to hide.
fn is_nothing(value: &str) -> bool {
    matches!(value.trim(), "" | "null" | "~" | "None" | "nil" | "\"\"" | "''")
        || crate::spans::is_mask(value.trim())
}
