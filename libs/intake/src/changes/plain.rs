//! TARSy's own form of a change: an object, a list of them, or CloudEvents with such an object as their data.

use http::HeaderMap;
use serde_json::Value;

use super::fields::{first, read_time, text};
use crate::change::{Change, MAX_CHANGES};
use crate::sources::cloudevents;

/// The names of kinds, as `kind` has them.
const KINDS: [&str; 12] = [
    "deployment",
    "configuration",
    "secret",
    "scaling",
    "node",
    "release",
    "feature_flag",
    "commit",
    "package",
    "unit",
    "kernel",
    "other",
];
const TEXTS: [&str; 5] = ["/text", "/title", "/summary", "/message", "/description"];
const TIMES: [&str; 3] = ["/time", "/occurred_at", "/timestamp"];

/// What is wrong with a change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct ChangeError {
    /// The field, with its place in a list, such as `[2].text`.
    pub field: String,
    /// The rest of a sentence that begins with the field.
    pub problem: String,
}

impl ChangeError {
    fn new(place: &str, field: &str, problem: impl Into<String>) -> Self {
        let place = if place.is_empty() { field.to_owned() } else { format!("{place}.{field}") };
        Self { field: place.trim_end_matches('.').to_owned(), problem: problem.into() }
    }
}

/// The changes of a request that is JSON: plain, or CloudEvents in whatever mode.
pub fn changes_in(headers: &HeaderMap, body: Value) -> Result<Vec<Change>, ChangeError> {
    read_changes(&cloudevents::with_attributes(headers, body))
}

/// The changes of a payload, within their bounds.
pub(crate) fn read_changes(payload: &Value) -> Result<Vec<Change>, ChangeError> {
    let (list, is_list) = match payload {
        Value::Array(items) => (items.as_slice(), true),
        one => (std::slice::from_ref(one), false),
    };
    if list.is_empty() || list.len() > MAX_CHANGES {
        let problem = format!("has {} changes; send 1 to {MAX_CHANGES}", list.len());
        return Err(ChangeError::new("", "the body", problem));
    }
    let read = |(index, value): (usize, &Value)| {
        let place = if is_list { format!("[{index}]") } else { String::new() };
        one(value, &place).map(Change::bounded)
    };
    list.iter().enumerate().map(read).collect()
}

fn one(value: &Value, place: &str) -> Result<Change, ChangeError> {
    if !value.is_object() {
        let place = if place.is_empty() { "the body" } else { place };
        return Err(ChangeError::new("", place, "is no object; send a change, or a CloudEvent"));
    }
    if value.get("specversion").is_some() {
        return cloud_event(value, place);
    }
    plain(value, place)
}

/// What the data of an event leaves out is read from its attributes.
fn cloud_event(event: &Value, place: &str) -> Result<Change, ChangeError> {
    let data = event.get("data").filter(|data| data.is_object()).unwrap_or(&Value::Null);
    let of_event = event.pointer("/data").and_then(Value::as_str).map(str::to_owned);
    let data_place = if place.is_empty() { "data".to_owned() } else { format!("{place}.data") };
    let mut with_text = data.clone();
    if first(data, &TEXTS).is_none() {
        let words = of_event.or_else(|| {
            let kind = text(event, "/type")?;
            let subject = text(event, "/subject").unwrap_or_default();
            Some(format!("{kind} {subject}").trim().to_owned())
        });
        if !with_text.is_object() {
            with_text = Value::Object(serde_json::Map::new());
        }
        if let (Some(members), Some(words)) = (with_text.as_object_mut(), words) {
            members.insert("text".to_owned(), words.into());
        }
    }
    let change = plain(&with_text, &data_place)?;
    let identity =
        text(event, "/id").map(|id| format!("{} {id}", text(event, "/source").unwrap_or_default()));
    Ok(Change {
        source_id: change.source_id.or(identity),
        object: change.object.or_else(|| text(event, "/subject")),
        occurred_at: match change.occurred_at {
            None => time(event, place)?,
            known => known,
        },
        ..change
    })
}

fn plain(value: &Value, place: &str) -> Result<Change, ChangeError> {
    let kind = text(value, "/kind").unwrap_or_else(|| "other".to_owned()).to_lowercase();
    if !KINDS.contains(&kind.as_str()) {
        let problem = format!("is {kind:?}; write one of {}", KINDS.join(", "));
        return Err(ChangeError::new(place, "kind", problem));
    }
    let what = first(value, &TEXTS).ok_or_else(|| {
        ChangeError::new(place, "text", "is missing; write what changed, in a sentence")
    })?;
    Ok(Change {
        source_id: text(value, "/id"),
        kind,
        object: text(value, "/object"),
        service: text(value, "/service"),
        namespace: text(value, "/namespace"),
        cluster: text(value, "/cluster"),
        host: text(value, "/host"),
        environment: text(value, "/environment"),
        author: text(value, "/author"),
        link: first(value, &["/link", "/url"]),
        text: what,
        occurred_at: time(value, place)?,
    })
}

fn time(value: &Value, place: &str) -> Result<Option<jiff::Timestamp>, ChangeError> {
    let Some(stated) = first(value, &TIMES) else { return Ok(None) };
    let wrong = || {
        let problem = format!("is {stated:?}; write a time such as 2026-02-11T09:41:20Z");
        ChangeError::new(place, "time", problem)
    };
    read_time(&stated).map(Some).ok_or_else(wrong)
}
