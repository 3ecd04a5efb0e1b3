//! The webhooks of Alertmanager, version 4. Alertmanager signs nothing: it sends a bearer token, or a user and a password.

use jiff::Timestamp;
use serde_json::Value;

use super::prometheus;
use crate::json::{Node, ParseError};
use crate::received::{Group, Ignored, Received};

const VERSION: &str = "4";

pub(crate) fn receive(
    source: &str,
    payload: &Value,
    now: Timestamp,
) -> Result<Received, ParseError> {
    let version = Node::root(payload).at("version");
    let is_other = version.text().is_some_and(|version| version != VERSION);
    let payload = prometheus::parse(payload, now)?;
    if payload.alerts.is_empty() {
        return Ok(Received::Ignored(Ignored::Empty));
    }
    if is_other {
        payload.alerts.iter().for_each(|alert| {
            alert.draft.notes.add(format!("the payload is not of version {VERSION}"));
        });
    }
    let alerts = payload.alerts.into_iter().map(|alert| alert.draft.finish(source)).collect();
    Ok(Received::Alerts(Group { left_out: payload.left_out, ..Group::of(alerts) }))
}
