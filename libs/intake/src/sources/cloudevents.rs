//! Events of CloudEvents 1.0 over HTTP, in binary, structured and batched mode. What an event means is in its data, which a
//! mapping describes; without one, usual names are looked for.

use std::collections::BTreeMap;

use http::HeaderMap;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::mapping::Mapping;
use super::members::first_text;
use super::status_word::status_of;
use crate::alert::Draft;
use crate::body::{self, Body, Illegible};
use crate::fingerprint::{digest, of_content};
use crate::json::Node;
use crate::labels::Labels;
use crate::limits::MAX_ALERTS;
use crate::names::{fill_from_labels, first};
use crate::received::{Group, Ignored, Received};
use crate::title::title_of;
use crate::usual;

/// The types of structured and batched mode begin so.
const STRUCTURED: &str = "application/cloudevents";
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

/// The event, or the list of a batch, as structured mode writes it, whatever its type.
pub(crate) fn read(headers: &HeaderMap, body: &[u8]) -> Result<Body, Illegible> {
    let mut event = attributes(headers);
    let content_type = body::content_type(headers).to_ascii_lowercase();
    if event.is_empty() || content_type.starts_with(STRUCTURED) {
        return body::read(headers, body);
    }
    let mut notes = Vec::new();
    if !body.is_empty() {
        let data = match body::read(headers, body) {
            Ok(read) => {
                notes = read.notes;
                read.payload
            }
            Err(_) => body::raw(headers, body),
        };
        event.insert("data".to_owned(), data);
    }
    Ok(Body { payload: Value::Object(event), notes })
}

/// The attributes that binary mode has in headers.
fn attributes(headers: &HeaderMap) -> Map<String, Value> {
    let mut event = Map::new();
    for (name, value) in headers {
        let Some(attribute) = name.as_str().strip_prefix(HEADER_PREFIX) else { continue };
        // Values are percent-encoded UTF-8, in quotes if they have blanks.
        let text = String::from_utf8_lossy(value.as_bytes());
        let text = percent_decode_str(text.trim_matches('"')).decode_utf8_lossy().into_owned();
        event.insert(attribute.to_owned(), text.into());
    }
    event
}

/// The event of a request in binary mode, with its body as data; another body as it is.
pub(crate) fn with_attributes(headers: &HeaderMap, body: Value) -> Value {
    let mut event = attributes(headers);
    let content_type = body::content_type(headers).to_ascii_lowercase();
    if event.is_empty() || content_type.starts_with(STRUCTURED) {
        return body;
    }
    event.insert("data".to_owned(), body);
    Value::Object(event)
}

pub(crate) fn receive(source: &str, mapping: Option<&Mapping>, payload: &Value) -> Received {
    let (events, left_out) = match payload {
        Value::Array(_) => Node::root(payload).alerts(MAX_ALERTS),
        _ => (vec![Node::root(payload)], 0),
    };
    let ids: Option<Vec<_>> = events.iter().map(id).collect();
    let mut drafts: Vec<_> = events.iter().flat_map(|event| of_event(event, mapping)).collect();
    if drafts.is_empty() {
        return Received::Ignored(Ignored::Empty);
    }
    let left_out = left_out + drafts.len().saturating_sub(MAX_ALERTS) as u64;
    drafts.truncate(MAX_ALERTS);
    let delivery_id = ids.map(|ids| digest(ids.iter().map(String::as_str)));
    let alerts = drafts.into_iter().map(|draft| draft.finish(source)).collect();
    Received::Alerts(Group { delivery_id, left_out, ..Group::of(alerts) })
}

/// What identifies an event: its source and its id.
fn id(event: &Node<'_>) -> Option<String> {
    Some(format!("{} {}", event.at("source").text()?, event.at("id").text()?))
}

fn of_event(event: &Node<'_>, mapping: Option<&Mapping>) -> Vec<Draft> {
    if let Err(error) = event.object() {
        return vec![Draft::not_understood(event.raw(), &error)];
    }
    if let Some(mapping) = mapping {
        return mapping.read(event.value().unwrap_or(&Value::Null));
    }
    for name in ["specversion", "id", "source", "type"] {
        if event.at(name).is_absent() {
            event.at(name).note("is missing, which every CloudEvent has");
        }
    }
    vec![alert(event)]
}

fn alert(event: &Node<'_>) -> Draft {
    let data = event.at("data");
    let subject = event.at("subject").text();
    let kind = event.at("type").text().unwrap_or_default();
    let title = first_text(&data, &TITLES);
    let title = title.or_else(|| title_of(data.value().and_then(Value::as_str)?));
    let usual = data.value().filter(|data| data.is_object()).map(usual::facts).unwrap_or_default();
    let title = title.or_else(|| usual::title(data.value().filter(|data| data.is_object())?));
    let [severity, service, namespace, cluster] = usual;
    let status = first_text(&data, &["status", "state"]);
    let last = kind.rsplit('.').next().and_then(status_of);
    let mut draft = Draft {
        title: title
            .or_else(|| subject.clone())
            .or_else(|| Some(kind.clone()).filter(|kind| !kind.is_empty())),
        severity: first_text(&data, &["severity", "priority"]).or(severity),
        status: status.as_deref().and_then(status_of).or(last).unwrap_or_default(),
        service: first_text(&data, &["service"]).or(service),
        namespace: first_text(&data, &["namespace"]).or(namespace),
        cluster: first_text(&data, &["cluster"]).or(cluster),
        labels: labels(event, &data),
        annotations: data.at("annotations").texts(),
        fingerprint: fingerprint(event, &data),
        group_key: first_text(&data, &["group_key", "groupKey"]),
        source_id: event.at("id").text(),
        raw: event.raw(),
        notes: event.notes(),
        ..Draft::default()
    };
    draft.starts_at = data.at("startsAt").time().or(event.at("time").time());
    draft.ends_at = data.at("endsAt").time().or(event.at("time").time());
    let runbook = first(&draft.annotations, &["runbook_url"]);
    draft.link("Runbook", runbook.as_deref());
    draft.link("Alert", first_text(&data, &["url", "link"]).as_deref());
    fill_from_labels(&mut draft);
    draft
}

/// Without one of its own, events of one type about the same subject have the same. From the start to the end of an alert
/// their types differ in the last part. Events without a subject are told apart by their data.
fn fingerprint(event: &Node<'_>, data: &Node<'_>) -> Option<String> {
    let own = first_text(data, &["fingerprint"]);
    let (of, subject) = (event.at("source").text(), event.at("subject").text());
    let kind = event.at("type").text().unwrap_or_default();
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
    own.or(key)
}

/// The attributes of the event that are labels, and the labels of its data.
fn labels(event: &Node<'_>, data: &Node<'_>) -> BTreeMap<String, String> {
    let mut labels = Labels::default();
    labels.add_text("event_source", &event.at("source"));
    labels.add_text("event_type", &event.at("type"));
    labels.add_text("subject", &event.at("subject"));
    let attributes = event.value().and_then(Value::as_object).into_iter().flatten();
    for (name, value) in attributes {
        let is_extension = !ATTRIBUTES.contains(&name.as_str()) && name != BASE64_DATA;
        if is_extension && !value.is_object() && !value.is_array() {
            labels.add_text(name, &event.at(name));
        }
    }
    let own = data.at("labels");
    for (name, value) in own.texts() {
        labels.add(&name, &value);
    }
    labels.done()
}
