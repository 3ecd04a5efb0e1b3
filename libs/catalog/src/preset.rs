//! A preset is one word for several keys of its block: those that are not written there have its values.

use crate::yaml::{Entry, Kind, Node};

/// Where a preset stands, `*` for any key, its word, and the keys that it sets.
type Preset = (&'static [&'static str], &'static str, &'static [(&'static str, &'static str)]);

/// The key of the word.
const KEY: &str = "preset";
const SLOW: &[(&str, &str)] = &[("first_token", "10m"), ("stall", "2m"), ("answer", "30m")];
const SHORT: &[(&str, &str)] = &[
    ("session_retention_days", "90"),
    ("prompt_retention_days", "14"),
    ("tool_result_retention_days", "14"),
    ("alert_retention_days", "7"),
    ("record_retention_days", "30"),
];
const PRESETS: [Preset; 3] = [
    (&["defaults", "llm_timeouts"], "slow", SLOW),
    (&["llm_providers", "*", "llm_timeouts"], "slow", SLOW),
    (&["system", "retention"], "short", SHORT),
];

/// Adds what the presets of a file set, at the places of their words.
pub(crate) fn expand(root: &mut Node) {
    for (place, word, keys) in PRESETS {
        at(root, place, word, keys);
    }
}

fn at(node: &mut Node, place: &[&str], word: &str, keys: &[(&str, &str)]) {
    let Kind::Map(entries) = &mut node.kind else { return };
    if let Some((step, rest)) = place.split_first() {
        let named = entries.iter_mut().filter(|entry| *step == "*" || entry.key == *step);
        return named.for_each(|entry| at(&mut entry.value, rest, word, keys));
    }
    let Some(written) = entries.iter().find(|entry| entry.key == KEY) else { return };
    let is_it = matches!(&written.value.kind, Kind::Scalar { text, .. } if text == word);
    if !is_it {
        // What the word is not, the reader of the file says.
        return;
    }
    let (key, value) = (written.place, written.value.place);
    for (name, text) in keys {
        let set =
            || Kind::Scalar { text: (*text).to_owned(), written: (*text).to_owned(), plain: true };
        match entries.iter_mut().find(|entry| entry.key == *name) {
            Some(entry) if !entry.value.is_null() => {}
            Some(entry) => entry.value.kind = set(),
            None => entries.push(Entry {
                key: (*name).to_owned(),
                place: key,
                value: Node { place: value, kind: set() },
            }),
        }
    }
}
