//! The alerts of a group as Alertmanager writes them; Grafana writes them the same way, with more members. Prometheus pushes
//! them without a group.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::status_word::status_of;
use crate::alert::{Content, Draft, Status};
use crate::json::{Node, ParseError};
use crate::limits::MAX_ALERTS;
use crate::names::{fill_from_labels, first};

const TEST: &str = "TestAlert";
/// Rules that always fire: that of kube-prometheus, and the names that it had before and has elsewhere.
const HEARTBEATS: [&str; 4] = ["Watchdog", "DeadMansSwitch", "DeadMansSnitch", "AlwaysFiring"];
const TITLES: [&str; 4] = ["summary", "title", "description", "message"];

/// The alerts of a group.
#[derive(Debug)]
pub(super) struct Payload<'a> {
    /// How many alerts the source left out.
    pub(super) left_out: u64,
    pub(super) alerts: Vec<Parsed<'a>>,
}

/// One alert, and its place for what only one of the sources writes.
#[derive(Debug)]
pub(super) struct Parsed<'a> {
    pub(super) draft: Draft,
    pub(super) node: Node<'a>,
}

/// The alerts of a webhook, or those that Prometheus and vmalert push to Alertmanager: a list, without a group. What was pushed
/// has no state; it is over once its end is not after `now`.
pub(super) fn parse(payload: &Value, now: Timestamp) -> Result<Payload<'_>, ParseError> {
    let root = Node::root(payload);
    let alerts = if is_pushed(payload) { root.clone() } else { root.object()?.at("alerts") };
    if alerts.is_absent() {
        return Err(alerts.error("is missing", "send the alerts of the group as a list"));
    }
    let group_key = root.at("groupKey").text();
    let status = status(&root.at("status"), Status::Firing);
    let left_out: Option<u64> =
        root.at("truncatedAlerts").text().and_then(|text| text.parse().ok());
    let (alerts, more) = alerts.alerts(MAX_ALERTS);
    let mut alerts: Vec<_> = alerts.into_iter().map(|node| alert(node, status)).collect();
    let page = root.at("externalURL").text();
    for alert in &mut alerts {
        alert.end(now);
        alert.draft.group_key.clone_from(&group_key);
        alert.draft.link("Source", page.as_deref());
    }
    Ok(Payload { left_out: left_out.unwrap_or_default() + more, alerts })
}

/// A list of alerts, or one alone.
fn is_pushed(payload: &Value) -> bool {
    let has_labels = |one: &Value| one.get("labels").is_some_and(Value::is_object);
    match payload {
        Value::Array(alerts) => alerts.first().is_some_and(has_labels),
        one => has_labels(one) && one.get("alerts").is_none(),
    }
}

impl Parsed<'_> {
    fn end(&mut self, now: Timestamp) {
        let has_ended = self.draft.ends_at.is_some_and(|end| end <= now);
        if has_ended && self.node.at("status").is_absent() {
            self.draft.status = Status::Resolved;
        }
    }
}

fn alert(node: Node<'_>, of_group: Status) -> Parsed<'_> {
    if let Err(error) = node.object() {
        return Parsed { draft: Draft::not_understood(node.raw(), &error), node };
    }
    let mut draft = Draft {
        status: status(&state(&node), of_group),
        labels: node.at("labels").texts(),
        annotations: node.at("annotations").texts(),
        fingerprint: node.at("fingerprint").text(),
        // The API of Prometheus has another name for it.
        starts_at: node.at("startsAt").time().or_else(|| node.at("activeAt").time()),
        ends_at: node.at("endsAt").time(),
        labels_identify: true,
        raw: node.raw(),
        notes: node.notes(),
        ..Draft::default()
    };
    let [summary, more @ ..] = TITLES;
    draft.title = first(&draft.annotations, &[summary])
        .or_else(|| first(&draft.labels, &[summary]))
        .or_else(|| draft.labels.get("alertname").cloned())
        .or_else(|| first(&draft.annotations, &more));
    draft.content = content(&draft.labels);
    fill_from_labels(&mut draft);
    draft.link("Alert rule", node.at("generatorURL").text().as_deref());
    for (name, title) in [
        ("runbook_url", "Runbook"),
        ("dashboard_url", "Dashboard"),
        ("dashboard", "Dashboard"),
        ("grafana_url", "Dashboard"),
    ] {
        let url = draft.annotations.get(name).cloned();
        draft.link(title, url.as_deref());
    }
    Parsed { draft, node }
}

/// What the button *Test* of Grafana sends has two labels, and no rule of anybody has both.
fn content(labels: &BTreeMap<String, String>) -> Content {
    let label = |name: &str| labels.get(name).map(String::as_str).unwrap_or_default();
    let name = label("alertname");
    if name == TEST && label("instance") == "Grafana" {
        Content::Test
    } else if HEARTBEATS.contains(&name) {
        Content::Heartbeat
    } else {
        Content::Problem
    }
}

/// Alertmanager's API has the state in an object, and that of Prometheus without one.
fn state<'a>(node: &Node<'a>) -> Node<'a> {
    let status = node.at("status");
    if status.object().is_ok() {
        status.at("state")
    } else if status.is_absent() {
        node.at("state")
    } else {
        status
    }
}

/// The status of an alert, or of its group where it has none of its own.
fn status(node: &Node<'_>, of_group: Status) -> Status {
    let Some(text) = node.text() else { return of_group };
    status_of(&text).unwrap_or_else(|| {
        node.unknown(of_group.as_str());
        of_group
    })
}
