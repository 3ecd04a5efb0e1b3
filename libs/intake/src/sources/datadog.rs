//! The webhooks of Datadog, with the payload of `docs/intake/datadog.md`: Datadog has none of its own. It signs nothing; a
//! bearer token, or a user and a password, stand in the custom headers.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::alert::{Content, Draft, Status};
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Received};

/// Begins the title of what the button *Test Notifications* sends.
const TEST: &str = "[test]";
/// Ends the state that Datadog writes before the title of an event.
const STATE_CLOSES: &str = "] ";
/// The transitions to the end of an alert, in lower case. What is no monitor, such as an event, has no transition.
const RESOLVED: [&str; 2] = ["recovered", "resolved"];

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let transition = filled(&root, "transition").unwrap_or_default().to_lowercase();
    let title = filled(&root, "alert_title").or(filled(&root, "title"));
    let date = filled(&root, "date").and_then(|_| root.at("date").time());
    let is_resolved = RESOLVED.contains(&transition.as_str());
    let mut draft = Draft {
        title: title.as_deref().map(without_state),
        severity: filled(&root, "priority").or(filled(&root, "alert_type")),
        status: if is_resolved { Status::Resolved } else { Status::Firing },
        labels: labels(&root),
        fingerprint: filled(&root, "aggregation_key"),
        group_key: filled(&root, "alert_id").map(|id| format!("monitor:{id}")),
        source_id: filled(&root, "cycle_key"),
        // Each notification has its own date; only the first one is the start.
        starts_at: date.filter(|_| !is_resolved && !transition.starts_with("re")),
        ends_at: date,
        labels_identify: true,
        raw: root.raw(),
        notes: root.notes(),
        ..Draft::default()
    };
    if filled(&root, "body").is_some()
        && let Some(text) = root.at("body").annotation()
    {
        draft.annotations.insert("description".to_owned(), text);
    }
    let title = root.at("title").text().unwrap_or_default();
    if title.get(..TEST.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(TEST)) {
        draft.content = Content::Test;
    }
    fill_from_labels(&mut draft);
    draft.link("Event", filled(&root, "link").as_deref());
    draft.link("Snapshot", filled(&root, "snapshot").as_deref());
    let delivery_id = filled(&root, "id");
    Ok(Received::Alerts(Group { delivery_id, ..Group::of(vec![draft.finish(source)]) }))
}

fn labels(root: &Node<'_>) -> BTreeMap<String, String> {
    let mut labels = Labels::default();
    for (name, key) in [("metric", "metric"), ("host", "hostname"), ("monitor_id", "alert_id")] {
        if let Some(value) = filled(root, key) {
            labels.add(name, &value);
        }
    }
    for key in ["tags", "scope"] {
        let text = filled(root, key).unwrap_or_default();
        for tag in text.split(',') {
            labels.add_tag(tag);
        }
    }
    labels.done()
}

/// A member that Datadog filled in: a variable without a value stays as `$NAME`, or is `null`.
fn filled(root: &Node<'_>, key: &str) -> Option<String> {
    root.at(key).text().filter(|text| text != "null" && !text.starts_with('$'))
}

/// A title without `[Triggered]` and the like, so that it stays the same until the alert has recovered.
fn without_state(title: &str) -> String {
    let rest = title.strip_prefix('[').and_then(|rest| rest.split_once(STATE_CLOSES));
    rest.map_or(title, |(_, rest)| rest).to_owned()
}
