//! Problems of Zabbix. A media type of type Webhook sends what its script writes; the one of `docs/intake/zabbix.md` writes the
//! macros of "Supported macros", <https://www.zabbix.com/documentation/current/en/manual/appendix/macros/supported_by_location>,
//! by their names. Zabbix signs nothing: the script sends a bearer token.

use jiff::Timestamp;
use serde_json::Value;

use super::members::list;
use crate::alert::{Draft, Status};
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Ignored, Received};

/// The most tags of a problem.
const MAX_TAGS: usize = 50;
const RECOVERED: &str = "0";
const YES: &str = "1";
const ACKNOWLEDGED: &str = "Yes";

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    // The test of a media type has no event.
    let Some(id) = filled(&root, "event_id") else {
        root.at("event_id").required("the macro {EVENT.ID}")?;
        return Ok(Received::Ignored(Ignored::Ping));
    };
    let is = |name: &str, value: &str| filled(&root, name).as_deref() == Some(value);
    let status = if is("event_value", RECOVERED) {
        Status::Resolved
    } else if !is("event_update_status", YES) {
        Status::Firing
    } else if is("event_ack_status", ACKNOWLEDGED) {
        Status::Acknowledged
    } else {
        // A comment, or another severity.
        return Ok(Received::Ignored(Ignored::Event("update".to_owned())));
    };
    let trigger = filled(&root, "trigger_id").map(|id| format!("trigger:{id}"));
    let mut draft = Draft {
        title: filled(&root, "event_name").or_else(|| filled(&root, "alert_subject")),
        severity: filled(&root, "event_severity"),
        status,
        labels: labels(&root),
        // The macro of a host is unknown for events without one.
        fingerprint: trigger.or_else(|| Some(format!("event:{id}"))),
        group_key: filled(&root, "host_host").map(|host| format!("host:{host}")),
        source_id: Some(id),
        starts_at: time(&root, "starts_at"),
        ends_at: time(&root, "ends_at"),
        notes: root.notes(),
        raw: root.raw(),
        ..Draft::default()
    };
    for (name, member) in [("description", "alert_message"), ("operational_data", "event_opdata")] {
        if filled(&root, member).is_some()
            && let Some(text) = root.at(member).annotation()
        {
            draft.annotations.insert(name.to_owned(), text);
        }
    }
    fill_from_labels(&mut draft);
    for (title, member) in [("Problem", "event_url"), ("Trigger", "trigger_url")] {
        draft.link(title, filled(&root, member).as_deref());
    }
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}

/// A member that Zabbix filled in: an unknown macro stays as `{NAME}`, or becomes `*UNKNOWN*`.
fn filled(root: &Node<'_>, name: &str) -> Option<String> {
    let text = root.at(name).text()?;
    let is_macro = text.starts_with('{') && text.ends_with('}') && !text.contains('"');
    (!is_macro && text != "*UNKNOWN*").then_some(text)
}

fn time(root: &Node<'_>, name: &str) -> Option<Timestamp> {
    filled(root, name).and_then(|_| root.at(name).time())
}

fn labels(root: &Node<'_>) -> std::collections::BTreeMap<String, String> {
    let mut labels = Labels::default();
    for (name, member) in [
        ("host", "host_host"),
        ("host_name", "host_name"),
        ("host_ip", "host_ip"),
        ("host_groups", "trigger_hostgroup_name"),
        ("trigger_id", "trigger_id"),
    ] {
        if filled(root, member).is_some() {
            labels.add_text(name, &root.at(member));
        }
    }
    // {EVENT.TAGSJSON} is JSON in a text.
    let tags =
        filled(root, "event_tags").and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let tags = tags.or_else(|| root.at("event_tags").value().cloned()).unwrap_or_default();
    let tags = Node::named(Some(&tags), "/event_tags".to_owned(), root.notes());
    for tag in list(&tags, MAX_TAGS) {
        if let Some(name) = tag.at("tag").text() {
            let value = tag.at("value").text().unwrap_or_else(|| "true".to_owned());
            labels.add(&name, &value);
        }
    }
    labels.done()
}
