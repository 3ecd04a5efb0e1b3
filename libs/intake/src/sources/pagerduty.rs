//! The webhooks of PagerDuty, version 3, about incidents. PagerDuty signs the body; it sends an event again for hours, so
//! that the time in it is no bound: an event is recognized by its id.

use std::collections::BTreeMap;

use serde_json::Value;

use super::status_word::status_of;
use crate::alert::{Draft, Status};
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Ignored, Received};

const PING: &str = "pagey.ping";
/// The events whose data is an incident.
const INCIDENT_EVENTS: [&str; 11] = [
    "incident.triggered",
    "incident.acknowledged",
    "incident.unacknowledged",
    "incident.resolved",
    "incident.reopened",
    "incident.escalated",
    "incident.delegated",
    "incident.reassigned",
    "incident.priority_updated",
    "incident.service_updated",
    "incident.incident_type.changed",
];

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let event = Node::root(payload).at("event");
    event.object()?;
    let kind = event.at("event_type").required("the type of the event")?;
    if kind == PING {
        return Ok(Received::Ignored(Ignored::Ping));
    }
    if !INCIDENT_EVENTS.contains(&kind.as_str()) {
        return Ok(Received::Ignored(Ignored::Event(kind)));
    }
    let draft = incident(&event)?;
    let delivery_id = event.at("id").text();
    Ok(Received::Alerts(Group { delivery_id, ..Group::of(vec![draft.finish(source)]) }))
}

fn incident(event: &Node<'_>) -> Result<Draft, ParseError> {
    let incident = event.at("data");
    incident.object()?;
    let id = incident.at("id").text();
    let priority = incident.at("priority").at("summary").text();
    let mut draft = Draft {
        title: incident.at("title").text(),
        severity: priority.or(incident.at("urgency").text()),
        status: status(&incident.at("status")),
        service: incident.at("service").at("summary").text(),
        labels: labels(&incident),
        fingerprint: incident.at("incident_key").text().or_else(|| id.clone()),
        source_id: id,
        starts_at: incident.at("created_at").time(),
        ends_at: event.at("occurred_at").time(),
        raw: event.raw(),
        notes: event.notes(),
        ..Draft::default()
    };
    fill_from_labels(&mut draft);
    draft.link("Incident", incident.at("html_url").text().as_deref());
    draft.link("Service", incident.at("service").at("html_url").text().as_deref());
    Ok(draft)
}

fn labels(incident: &Node<'_>) -> BTreeMap<String, String> {
    let mut labels = Labels::default();
    labels.add_text("urgency", &incident.at("urgency"));
    labels.add_text("priority", &incident.at("priority").at("summary"));
    labels.add_text("service", &incident.at("service").at("summary"));
    labels.add_text("escalation_policy", &incident.at("escalation_policy").at("summary"));
    labels.add_text("incident_type", &incident.at("incident_type").at("name"));
    for team in incident.at("teams").list() {
        labels.add_text("team", &team.at("summary"));
    }
    labels.done()
}

fn status(node: &Node<'_>) -> Status {
    node.text().as_deref().and_then(status_of).unwrap_or_else(|| {
        node.unknown(Status::Firing.as_str());
        Status::Firing
    })
}
