//! Notifications of Uptime Kuma with the preset body "application/json" of a webhook, as its wiki and its source
//! (`server/notification-providers/webhook.js`) show them, <https://github.com/louislam/uptime-kuma/wiki/Notification-Methods>.
//! It sends the headers that are set in "Additional Headers".

use serde_json::Value;

use super::members::{annotation, first_text, list};
use crate::alert::{Draft, Status};
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Ignored, Received};

/// The most tags of a monitor.
const MAX_TAGS: usize = 50;
/// Ends the message of a test, after the notification's name.
const TEST: &str = "Testing";

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let heartbeat = root.at("heartbeat");
    let monitor = root.at("monitor");
    let message = root.at("msg").text();
    if heartbeat.is_absent() && message.as_deref().is_some_and(|text| text.ends_with(TEST)) {
        return Ok(Received::Ignored(Ignored::Ping));
    }
    let status = match heartbeat.at("status").text().as_deref() {
        Some("1") => Status::Resolved,
        Some("2") => return Ok(Received::Ignored(Ignored::Event("pending".to_owned()))),
        Some("3") => return Ok(Received::Ignored(Ignored::Event("maintenance".to_owned()))),
        _ => Status::Firing,
    };
    // UTC, whatever the time zone of the monitor.
    let at = heartbeat.at("time").utc();
    let name = monitor.at("name").text();
    let mut draft = Draft {
        title: match name {
            Some(name) if status == Status::Resolved => Some(format!("{name} is up")),
            Some(name) => Some(format!("{name} is down")),
            // The warning about a certificate has a message only.
            None => message,
        },
        status,
        labels: labels(&monitor),
        fingerprint: monitor.at("id").text().map(|id| format!("monitor:{id}")),
        starts_at: at.filter(|_| status == Status::Firing),
        ends_at: at,
        notes: root.notes(),
        raw: root.raw(),
        ..Draft::default()
    };
    annotation(&mut draft, "message", &heartbeat.at("msg"));
    annotation(&mut draft, "description", &monitor.at("description"));
    fill_from_labels(&mut draft);
    draft.link("Monitored page", first_text(&monitor, &["url"]).as_deref());
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}

fn labels(monitor: &Node<'_>) -> std::collections::BTreeMap<String, String> {
    let mut labels = Labels::default();
    for (name, member) in [
        ("monitor", "name"),
        ("monitor_id", "id"),
        ("monitor_type", "type"),
        ("host", "hostname"),
        ("port", "port"),
        ("path", "pathName"),
    ] {
        labels.add_text(name, &monitor.at(member));
    }
    for tag in list(&monitor.at("tags"), MAX_TAGS) {
        if let Some(name) = tag.at("name").text() {
            let value = tag.at("value").text().unwrap_or_else(|| "true".to_owned());
            labels.add(&name, &value);
        }
    }
    labels.done()
}
