//! Event notifications of Amazon RDS through SNS, and of services that write them the same way (Aurora, Neptune, DocumentDB,
//! Redshift, DMS): "Amazon RDS event notification",
//! <https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.html>.

use serde_json::Value;

use super::super::members::{all_labels, annotation, first_text};
use crate::alert::Draft;
use crate::fingerprint::digest;
use crate::json::Node;
use crate::labels::Labels;
use crate::notes::Notes;

const IDS: [&str; 2] = ["Source ID", "SourceId"];
/// An event's id is the page about all events, with its own id as the fragment.
const FRAGMENT: char = '#';

pub(super) fn is_event(message: &Value) -> bool {
    let has = |name: &str| message.get(name).is_some();
    has("Event Source") && (IDS.iter().any(|name| has(name)) || has("Source ARN"))
}

pub(super) fn event(message: &Value, topic: &str, notes: Notes) -> Draft {
    let root = Node::named(Some(message), "/Message".to_owned(), notes);
    let id = first_text(&root, &IDS);
    let arn = first_text(&root, &["Source ARN"]);
    let event = first_text(&root, &["Event ID"]);
    let event = event.map(|id| id.rsplit(FRAGMENT).next().unwrap_or(&id).to_owned());
    let name = id.clone().or_else(|| arn.clone());
    let resource = arn.or_else(|| id.clone()).unwrap_or_default();
    let message = first_text(&root, &["Event Message"]);
    let title = match (name, message) {
        (Some(name), Some(message)) => Some(format!("{name}: {message}")),
        (name, message) => message.or(name),
    };
    let mut labels = Labels::default();
    labels.add_text("source_type", &root.at("Event Source"));
    for (label, value) in [("source_id", &id), ("event_id", &event)] {
        if let Some(value) = value {
            labels.add(label, value);
        }
    }
    all_labels(&mut labels, &root.at("Tags"));
    let kind = event.unwrap_or_default();
    let mut draft = Draft {
        title,
        service: id,
        labels: labels.done(),
        fingerprint: Some(digest([topic, resource.as_str(), kind.as_str()])),
        group_key: Some(format!("resource:{resource}")),
        starts_at: root.at("Event Time").utc(),
        notes: root.notes(),
        raw: root.raw(),
        ..Draft::default()
    };
    annotation(&mut draft, "message", &root.at("Event Message"));
    draft.link("Resource", first_text(&root, &["Identifier Link"]).as_deref());
    draft
}
