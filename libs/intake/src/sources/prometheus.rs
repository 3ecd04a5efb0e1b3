//! The alerts of a group as Alertmanager writes them; Grafana writes them the same way, with more members.

use serde_json::Value;

use crate::alert::{Draft, Status};
use crate::json::{Node, ParseError};
use crate::limits::MAX_ALERTS;
use crate::names::{fill_from_labels, first};

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

pub(super) fn parse(payload: &Value) -> Result<Payload<'_>, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let alerts = root.at("alerts");
    if alerts.is_absent() {
        return Err(alerts.error("is missing", "send the alerts of the group as a list"));
    }
    let group_key = root.at("groupKey").text()?;
    let status = status(&root.at("status"))?.unwrap_or_default();
    let left_out = root.at("truncatedAlerts").text()?.and_then(|text| text.parse().ok());
    let alerts = alerts.list(MAX_ALERTS)?.into_iter().map(|node| alert(node, status));
    let mut alerts = alerts.collect::<Result<Vec<_>, _>>()?;
    let page = root.at("externalURL").text()?;
    for alert in &mut alerts {
        alert.draft.group_key.clone_from(&group_key);
        alert.draft.link("Source", page.as_deref());
    }
    Ok(Payload { left_out: left_out.unwrap_or_default(), alerts })
}

fn alert(node: Node<'_>, of_group: Status) -> Result<Parsed<'_>, ParseError> {
    node.object()?;
    let mut draft = Draft {
        status: status(&node.at("status"))?.unwrap_or(of_group),
        labels: node.at("labels").labels()?,
        annotations: node.at("annotations").annotations()?,
        fingerprint: node.at("fingerprint").text()?,
        starts_at: node.at("startsAt").time()?,
        ends_at: node.at("endsAt").time()?,
        labels_identify: true,
        raw: node.raw(),
        ..Draft::default()
    };
    let [summary, more @ ..] = TITLES;
    draft.title = first(&draft.annotations, &[summary])
        .or_else(|| draft.labels.get("alertname").cloned())
        .or_else(|| first(&draft.annotations, &more));
    fill_from_labels(&mut draft);
    draft.link("Alert rule", node.at("generatorURL").text()?.as_deref());
    for (name, title) in [
        ("runbook_url", "Runbook"),
        ("dashboard_url", "Dashboard"),
        ("dashboard", "Dashboard"),
        ("grafana_url", "Dashboard"),
    ] {
        let url = draft.annotations.get(name).cloned();
        draft.link(title, url.as_deref());
    }
    Ok(Parsed { draft, node })
}

fn status(node: &Node<'_>) -> Result<Option<Status>, ParseError> {
    match node.text()?.as_deref() {
        None => Ok(None),
        Some("firing") => Ok(Some(Status::Firing)),
        Some("resolved") => Ok(Some(Status::Resolved)),
        Some(_) => Err(node.error("is no status", "send firing or resolved")),
    }
}
