//! Messages of services that have no form of their own here: what their names and lines say, as of tools that are not known.

use serde_json::{Value, json};

use crate::alert::Draft;
use crate::json::Node;
use crate::title::title_of;
use crate::usual;

/// The alert of a message, of which `inner` is the JSON.
pub(super) fn message(root: &Node<'_>, inner: Option<Value>, text: String) -> Draft {
    let subject = root.at("Subject").text();
    if let Some((event, object)) = inner.as_ref().and_then(pair) {
        let labels = [("resource".to_owned(), object.clone())].into_iter().collect();
        let title = Some(format!("{object}: {event}"));
        let raw = inner.unwrap_or_default();
        return Draft { title, labels, raw, notes: root.notes(), ..Draft::default() };
    }
    let payload = inner.clone().unwrap_or_else(|| json!({"message": text}));
    let mut drafts = usual::read(&payload).drafts;
    let read = if drafts.len() == 1 { drafts.pop() } else { None };
    Draft {
        title: subject.or_else(|| title_of(&text)),
        raw: inner.unwrap_or(Value::String(text)),
        notes: root.notes(),
        ..read.unwrap_or_default()
    }
}

/// What happened and to what, of a message such as `{"ElastiCache:FailoverComplete": "carts"}`.
fn pair(message: &Value) -> Option<(String, String)> {
    let object = message.as_object().filter(|object| object.len() == 1)?;
    let (name, value) = object.iter().next()?;
    let (_, event) = name.split_once(':')?;
    let is_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    let value = value.as_str().filter(|value| is_word(value) && is_word(event))?;
    Some((event.to_owned(), value.to_owned()))
}
