//! Events of CloudEvents 1.0 over HTTP, in binary, structured and batched mode. What an event means is in its data, which a
//! mapping describes; without one, usual names are looked for.

use std::collections::BTreeMap;

use http::HeaderMap;
use http::header::CONTENT_TYPE;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::mapping::Mapping;
use super::status_word::status_of;
use crate::alert::Draft;
use crate::fingerprint::{digest, of_content};
use crate::json::{self, Labels, Node, ParseError};
use crate::limits::MAX_ALERTS;
use crate::names::{fill_from_labels, first};
use crate::received::{Group, Ignored, Received};
use crate::title::title_of;

const STRUCTURED: &str = "application/cloudevents+json";
const BATCHED: &str = "application/cloudevents-batch+json";
const HEADER_PREFIX: &str = "ce-";
/// The attributes that the specification defines; all others are extensions.
const ATTRIBUTES: [&str; 9] = [
    "specversion",
    "id",
    "source",
    "type",
    "subject",
    "time",
    "datacontenttype",
    "dataschema",
    "data",
];
const BASE64_DATA: &str = "data_base64";
/// The members of the data that name an alert, the best first.
const TITLES: [&str; 6] = ["title", "summary", "alertname", "message", "name", "description"];

/// The event, or the list of a batch, as structured mode writes it.
pub(crate) fn read(headers: &HeaderMap, body: &[u8]) -> Result<Value, ParseError> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default();
    let content_type = content_type.trim().to_ascii_lowercase();
    if content_type == STRUCTURED || content_type == BATCHED {
        return json::parse(body);
    }
    let mut event = Map::new();
    for (name, value) in headers {
        let Some(attribute) = name.as_str().strip_prefix(HEADER_PREFIX) else { continue };
        // Values are percent-encoded UTF-8, in quotes if they have blanks.
        let text = String::from_utf8_lossy(value.as_bytes());
        let text = percent_decode_str(text.trim_matches('"')).decode_utf8_lossy().into_owned();
        event.insert(attribute.to_owned(), text.into());
    }
    if event.is_empty() {
        let fix = format!("send the headers ce-id, ce-source and ce-type, or {STRUCTURED}");
        return Err(ParseError::new("", "is no CloudEvent", fix));
    }
    if !body.is_empty() {
        let text = || String::from_utf8_lossy(body).into_owned().into();
        event.insert("data".to_owned(), json::parse(body).unwrap_or_else(|_| text()));
    }
    Ok(Value::Object(event))
}

pub(crate) fn receive(
    source: &str,
    mapping: Option<&Mapping>,
    payload: &Value,
) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    let events = if payload.is_array() { root.list(MAX_ALERTS)? } else { vec![root] };
    let mut ids = Vec::new();
    let mut drafts = Vec::new();
    for event in &events {
        ids.push(check(event)?);
        match mapping {
            Some(mapping) => drafts.extend(mapping.read(event.value().unwrap_or(&Value::Null))?),
            None => drafts.push(alert(event)?),
        }
        if drafts.len() > MAX_ALERTS {
            let fix = format!("send at most {MAX_ALERTS} at once");
            return Err(event.error("has too many alerts", fix));
        }
    }
    if drafts.is_empty() {
        return Ok(Received::Ignored(Ignored::Empty));
    }
    let delivery_id = digest(ids.iter().map(String::as_str));
    let alerts = drafts.into_iter().map(|draft| draft.finish(source)).collect();
    Ok(Received::Alerts(Group { delivery_id: Some(delivery_id), ..Group::of(alerts) }))
}

/// Checks what every event has, and returns what identifies it: its source and its id.
fn check(event: &Node<'_>) -> Result<String, ParseError> {
    event.object()?;
    let version = event.at("specversion");
    if version.required("specversion 1.0")? != "1.0" {
        return Err(version.error("is not known", "send events of CloudEvents 1.0"));
    }
    let id = event.at("id").required("the event's id")?;
    let source = event.at("source").required("the event's source")?;
    event.at("type").required("the event's type")?;
    Ok(format!("{source} {id}"))
}

fn alert(event: &Node<'_>) -> Result<Draft, ParseError> {
    let data = event.at("data");
    let subject = event.at("subject").text()?;
    let kind = event.at("type").required("the event's type")?;
    let title = first_text(&data, &TITLES)?;
    let title = title.or_else(|| title_of(data.value().and_then(Value::as_str)?));
    let status = first_text(&data, &["status", "state"])?;
    let last = kind.rsplit('.').next().and_then(status_of);
    let mut draft = Draft {
        title: title.or_else(|| subject.clone()).or_else(|| Some(kind.clone())),
        severity: first_text(&data, &["severity", "priority"])?,
        status: status.as_deref().and_then(status_of).or(last).unwrap_or_default(),
        service: first_text(&data, &["service"])?,
        namespace: first_text(&data, &["namespace"])?,
        cluster: first_text(&data, &["cluster"])?,
        labels: labels(event, &data)?,
        annotations: data.at("annotations").annotations()?,
        fingerprint: fingerprint(event, &data)?,
        group_key: first_text(&data, &["group_key", "groupKey"])?,
        source_id: event.at("id").text()?,
        raw: event.raw(),
        ..Draft::default()
    };
    draft.starts_at = data.at("startsAt").time()?.or(event.at("time").time()?);
    draft.ends_at = data.at("endsAt").time()?.or(event.at("time").time()?);
    let runbook = first(&draft.annotations, &["runbook_url"]);
    draft.link("Runbook", runbook.as_deref());
    draft.link("Alert", first_text(&data, &["url", "link"])?.as_deref());
    fill_from_labels(&mut draft);
    Ok(draft)
}

/// Without one of its own, events of one type about the same subject have the same. From the start to the end of an alert
/// their types differ in the last part. Events without a subject are told apart by their data.
fn fingerprint(event: &Node<'_>, data: &Node<'_>) -> Result<Option<String>, ParseError> {
    let own = first_text(data, &["fingerprint"])?;
    let (of, subject) = (event.at("source").text()?, event.at("subject").text()?);
    let kind = event.at("type").text()?.unwrap_or_default();
    let kind = match kind.rsplit_once('.') {
        Some((kind, last)) if status_of(last).is_some() => kind,
        _ => kind.as_str(),
    };
    let key = match (of, subject) {
        (Some(of), Some(subject)) => Some(digest([of.as_str(), kind, &subject])),
        (Some(of), None) => {
            Some(of_content(&format!("{of} {kind}"), &BTreeMap::new(), &data.raw()))
        }
        (None, _) => None,
    };
    Ok(own.or(key))
}

/// The attributes of the event that are labels, and the labels of its data.
fn labels(event: &Node<'_>, data: &Node<'_>) -> Result<BTreeMap<String, String>, ParseError> {
    let mut labels = Labels::default();
    labels.add_text("event_source", &event.at("source"))?;
    labels.add_text("event_type", &event.at("type"))?;
    labels.add_text("subject", &event.at("subject"))?;
    let attributes = event.value().and_then(Value::as_object).into_iter().flatten();
    for (name, value) in attributes {
        let is_extension = !ATTRIBUTES.contains(&name.as_str()) && name != BASE64_DATA;
        if is_extension && !value.is_object() && !value.is_array() {
            labels.add_text(name, &event.at(name))?;
        }
    }
    let own = data.at("labels");
    for (name, value) in own.labels()? {
        labels.add(&own, &name, &value)?;
    }
    Ok(labels.done())
}

/// The first of these members that has a text; others may be anything.
fn first_text(data: &Node<'_>, names: &[&str]) -> Result<Option<String>, ParseError> {
    for name in names {
        let node = data.at(name);
        let is_scalar = node.value().is_some_and(|value| !value.is_object() && !value.is_array());
        if is_scalar && let Some(text) = node.text()? {
            return Ok(Some(text));
        }
    }
    Ok(None)
}
