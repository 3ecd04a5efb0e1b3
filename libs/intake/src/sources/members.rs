//! How sources read the members of an object.

use serde_json::Value;

use crate::alert::Draft;
use crate::json::Node;
use crate::labels::Labels;

/// The first of these members that has a text; a list or an object is none.
pub(super) fn first_text(of: &Node<'_>, names: &[&str]) -> Option<String> {
    let mut nodes = names.iter().map(|name| of.at(name));
    nodes.find_map(|node| {
        let is_scalar = node.value().is_some_and(|value| !value.is_object() && !value.is_array());
        if is_scalar { node.text() } else { None }
    })
}

/// The entries of a list, at most so many; what is more is noted.
pub(super) fn list<'a>(node: &Node<'a>, most: usize) -> Vec<Node<'a>> {
    let mut entries = node.list();
    if entries.len() > most {
        node.note(&format!("has {} entries, of which {most} are read", entries.len()));
        entries.truncate(most);
    }
    entries
}

/// Labels that are the members of an object.
pub(super) fn all_labels(labels: &mut Labels, node: &Node<'_>) {
    for name in node.value().and_then(Value::as_object).into_iter().flat_map(|object| object.keys())
    {
        labels.add_text(name, &node.at(name));
    }
}

pub(super) fn annotation(draft: &mut Draft, name: &str, node: &Node<'_>) {
    if let Some(text) = node.annotation() {
        draft.annotations.insert(name.to_owned(), text);
    }
}

/// The last part of a path or ARN.
pub(super) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(path)
}
