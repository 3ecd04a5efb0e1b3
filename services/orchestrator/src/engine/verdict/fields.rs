//! The members of a model's JSON object, read one by one: what cannot be used is left out and noted.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tarsy_domain::verdict::Evidence;

use crate::prompts::evidence_id;

/// Notes of one answer; a model that makes more mistakes made the last ones in the same way.
const MAX_NOTES: usize = 30;

/// What models write in the place of a text that there is none of.
const NOTHING: [&str; 4] = ["null", "none", "n/a", "undefined"];

/// The members that are still to be read, and what was noted. A note names members and none of their values, so that it can
/// stand where no text of a model does.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    members: Map<String, Value>,
    pub(crate) notes: Vec<String>,
}

impl Fields {
    pub(crate) fn new(members: Map<String, Value>) -> Self {
        Self { members, notes: Vec::new() }
    }

    pub(crate) fn note(&mut self, member: &str, what: &str) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(format!("{member}: {what}"));
        }
    }

    /// A member that is there and not null.
    fn take(&mut self, member: &str) -> Option<Value> {
        self.members.remove(member).filter(|value| !value.is_null())
    }

    /// A text that is not empty; a number counts as its digits.
    pub(crate) fn text(&mut self, member: &str) -> Option<String> {
        let value = self.take(member)?;
        let read = text(&value);
        if read.is_none() && !value.is_string() {
            self.note(member, "it is no text, and was left out");
        }
        read
    }

    /// A word of a closed list, however it is capitalized.
    pub(crate) fn word<T: DeserializeOwned>(&mut self, member: &str) -> Option<T> {
        let value = self.take(member)?;
        let read = word(&value);
        if read.is_none() {
            self.note(member, "it is none of the words, and was left out");
        }
        read
    }

    pub(crate) fn object<T>(
        &mut self,
        member: &str,
        read: impl Fn(&Map<String, Value>) -> Option<T>,
    ) -> Option<T> {
        let found = match self.take(member)? {
            Value::Object(members) => read(&members),
            _ => None,
        };
        if found.is_none() {
            self.note(member, "it lacks what it needs, and was left out");
        }
        found
    }

    /// The usable items of a list; a single value counts as a list of one. None if it is missing.
    pub(crate) fn list<T>(
        &mut self,
        member: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = match self.take(member) {
            Some(Value::Array(items)) => items,
            Some(single) => vec![single],
            None => {
                self.note(member, "it is missing");
                return None;
            }
        };
        let usable: Vec<T> = items.iter().filter_map(read).collect();
        let lost = items.len() - usable.len();
        if lost > 0 {
            self.note(member, &format!("{lost} of {} could not be used", items.len()));
        }
        Some(usable)
    }
}

/// The text that a value is; a number counts as its digits.
pub(crate) fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let is_nothing = NOTHING.iter().any(|nothing| text.eq_ignore_ascii_case(nothing));
    (!text.is_empty() && !is_nothing).then_some(text)
}

/// A word as our enums write it.
pub(super) fn word<T: DeserializeOwned>(value: &Value) -> Option<T> {
    let word = value.as_str()?.trim().to_lowercase().replace([' ', '-'], "_");
    serde_json::from_value(Value::String(word)).ok()
}

/// The line that a model refers to: by its number, alone or before its text, or by its text.
pub(super) fn line(value: &Value, lines: &[Evidence]) -> Option<Evidence> {
    let named = text(value)?;
    let id = named.trim_start_matches('[').split(|sign: char| !sign.is_ascii_alphanumeric()).next();
    let is_named = |index: usize| id.is_some_and(|id| id.eq_ignore_ascii_case(&evidence_id(index)));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut all = lines.iter().enumerate();
    let found = all.find(|(index, line)| is_named(*index) || words(&line.text) == words(&named));
    found.map(|(_, line)| line.clone())
}
