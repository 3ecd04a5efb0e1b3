//! The lines that objects and events are read from.

use std::collections::BTreeSet;

use tarsy_evidence::{Node, Shape};

/// From 1.
pub(super) type Taken = BTreeSet<usize>;

/// Marks the lines of a document, from its first to that on which its last value begins: texts may take several of them. Returns
/// that one.
pub(super) fn take(node: &Node, taken: &mut Taken) -> usize {
    let last = match &node.shape {
        Shape::Scalar(text) => {
            let more = text.lines().count();
            let behind = if more > 1 { more } else { 0 };
            taken.extend((1..=behind).map(|line| node.line + line));
            node.line
        }
        Shape::List(items) => items.iter().map(|item| take(item, taken)).max().unwrap_or(node.line),
        Shape::Map(entries) => {
            let values = entries.iter().map(|entry| take(&entry.value, taken));
            values.max().unwrap_or(node.line)
        }
    };
    taken.extend(node.line..=last);
    last
}
