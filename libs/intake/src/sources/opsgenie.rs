//! The webhooks of Opsgenie and of Jira Service Management. They sign nothing; a bearer token, or a user and a password,
//! stand in the custom headers.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::alert::{Draft, Status};
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Ignored, Received};

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let action = root.at("action").required("the action, such as Create")?;
    let Some(status) = status(&action) else {
        return Ok(Received::Ignored(Ignored::Event(action)));
    };
    let alert = root.at("alert");
    alert.object()?;
    let id = alert.at("alertId").text();
    let mut draft = Draft {
        title: alert.at("message").text(),
        severity: alert.at("priority").text(),
        status,
        labels: labels(&alert),
        fingerprint: alert.at("alias").text().or_else(|| id.clone()),
        source_id: id,
        starts_at: alert.at("createdAt").time(),
        ends_at: alert.at("updatedAt").time(),
        raw: root.raw(),
        notes: root.notes(),
        ..Draft::default()
    };
    if let Some(text) = alert.at("description").annotation() {
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

fn labels(alert: &Node<'_>) -> BTreeMap<String, String> {
    let mut labels = Labels::default();
    labels.add_text("entity", &alert.at("entity"));
    let details = alert.at("details");
    for (name, value) in details.texts() {
        labels.add(&name, &value);
    }
    for tag in alert.at("tags").list() {
        if let Some(text) = tag.text() {
            labels.add_tag(&text);
        }
    }
    labels.done()
}
