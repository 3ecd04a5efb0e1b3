//! The webhooks of Opsgenie and of Jira Service Management. They sign nothing; a bearer token, or a user and a password,
//! stand in the custom headers.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::alert::{Draft, Status};
use crate::json::{Labels, Node, ParseError};
use crate::names::fill_from_labels;
use crate::received::{Group, Ignored, Received};

/// The most tags of an alert; Opsgenie allows 20.
const MAX_TAGS: usize = 50;

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let action = root.at("action").required("the action, such as Create")?;
    let Some(status) = status(&action) else {
        return Ok(Received::Ignored(Ignored::Event(action)));
    };
    let alert = root.at("alert");
    alert.object()?;
    let id = alert.at("alertId").required("the alert's id")?;
    let mut draft = Draft {
        title: alert.at("message").text()?,
        severity: alert.at("priority").text()?,
        status,
        labels: labels(&alert)?,
        fingerprint: alert.at("alias").text()?.or_else(|| Some(id.clone())),
        source_id: Some(id),
        starts_at: alert.at("createdAt").time_millis()?,
        ends_at: alert.at("updatedAt").time_nanos()?,
        raw: root.raw(),
        ..Draft::default()
    };
    if let Some(text) = alert.at("description").annotation()? {
        draft.annotations.insert("description".to_owned(), text);
    }
    fill_from_labels(&mut draft);
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}

fn status(action: &str) -> Option<Status> {
    match action {
        "Create" | "UnAcknowledge" => Some(Status::Firing),
        "Acknowledge" => Some(Status::Acknowledged),
        "Close" | "Delete" => Some(Status::Resolved),
        _ => None,
    }
}

fn labels(alert: &Node<'_>) -> Result<BTreeMap<String, String>, ParseError> {
    let mut labels = Labels::default();
    labels.add_text("entity", &alert.at("entity"))?;
    let details = alert.at("details");
    for (name, value) in details.labels()? {
        labels.add(&details, &name, &value)?;
    }
    for tag in alert.at("tags").list(MAX_TAGS)? {
        if let Some(text) = tag.text()? {
            labels.add_tag(&tag, &text)?;
        }
    }
    Ok(labels.done())
}
