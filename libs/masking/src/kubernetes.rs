//! Values of Kubernetes Secrets, however they are printed: YAML, JSON, JSON inside strings, `kubectl describe`.
//!
//! Three readers look at the same text: [`flow`] at everything in braces (JSON, YAML in braces, Python's way to print),
//! [`block`] at indented YAML, [`fragments`] at what has no `kind`. None needs the text to be whole or valid: prose, log
//! lines and cuts around an object do not hide it. They only find places, the text itself is never printed anew.

mod block;
mod flow;
mod fragments;
mod kind;
mod margin;

use std::ops::Range;

use memchr::memmem;

/// How deep a string inside a string inside a string is read.
const MAX_DEPTH: usize = 4;

/// What is known of a text before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// Whether it is all there is, not a part of something longer.
    pub(crate) is_whole: bool,
    /// Whether it is in a list of Secrets, whose items need no kind.
    pub(crate) in_list: bool,
}

/// Finds the values of all Secrets in a text.
pub(crate) fn find(text: &str, look: Look) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let scope = flow::Scope {
        depth: 0,
        in_list: look.in_list,
        is_part: !look.is_whole,
        nested: Some(nested),
    };
    find_in(text, scope, &mut found);
    fragments::find(text, look.is_whole, &mut found);
    found
}

/// Finds the values in a text that is the value of a string.
fn nested(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    find_in(
        text,
        flow::Scope { depth, in_list: false, is_part: false, nested: Some(nested) },
        found,
    );
}

fn find_in(text: &str, scope: flow::Scope, found: &mut Vec<Range<usize>>) {
    // A text that was cut may have the data and not the kind.
    let has = |word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let worth_it = has("Secret")
        || has("stringData")
        || (scope.depth == 0 && (has("data:") || has("\"data\"")));
    if scope.depth > MAX_DEPTH || !worth_it {
        return;
    }
    flow::find(text, scope, found);
    block::find(text, scope, found);
}
