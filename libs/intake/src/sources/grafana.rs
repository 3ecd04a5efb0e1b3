//! The webhooks of Grafana's unified alerting. Grafana signs its requests (version 12 and later), or sends a bearer token,
//! or a user and a password.

use jiff::Timestamp;
use serde_json::Value;

use super::prometheus::{self, Parsed};
use crate::alert::Alert;
use crate::json::{Node, ParseError};
use crate::received::{Group, Ignored, Received};

const LINKS: [(&str, &str); 4] = [
    ("dashboardURL", "Dashboard"),
    ("panelURL", "Panel"),
    ("imageURL", "Screenshot"),
    ("silenceURL", "Silence"),
];

pub(crate) fn receive(
    source: &str,
    payload: &Value,
    now: Timestamp,
) -> Result<Received, ParseError> {
    let parsed = prometheus::parse(payload, now)?;
    if parsed.alerts.is_empty() {
        return Ok(Received::Ignored(Ignored::Empty));
    }
    let organization = Node::root(payload).at("orgId").text();
    let alerts = parsed.alerts.into_iter();
    let alerts = alerts.map(|alert| map(source, alert, organization.as_deref())).collect();
    Ok(Received::Alerts(Group { left_out: parsed.left_out, ..Group::of(alerts) }))
}

fn map(source: &str, parsed: Parsed<'_>, organization: Option<&str>) -> Alert {
    let Parsed { mut draft, node } = parsed;
    for (name, title) in LINKS {
        draft.link(title, node.at(name).text().as_deref());
    }
    // A fingerprint is that of the labels, which an alert of another organization may have, too.
    if let (Some(fingerprint), Some(id)) = (&mut draft.fingerprint, organization) {
        *fingerprint = format!("{id}/{fingerprint}");
    }
    draft.finish(source)
}
