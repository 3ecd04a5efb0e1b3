//! The webhooks of Datadog, with the payload of `docs/intake/datadog.md`, with that of a new webhook, or with others that have the
//! same variables under usual names. Datadog signs nothing; a bearer token, or a user and a password, stand in the custom headers.

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
const RESOLVED: [&str; 3] = ["recovered", "resolved", "ok"];
/// The members with the same variable, that of the documented payload first.
const TRANSITIONS: [&str; 3] = ["transition", "alert_transition", "alert_status"];
const TITLES: [&str; 3] = ["alert_title", "title", "event_title"];
const HOSTS: [&str; 2] = ["hostname", "host"];
const METRICS: [&str; 2] = ["metric", "alert_metric"];
const SCOPES: [&str; 2] = ["scope", "alert_scope"];
const BODIES: [&str; 5] = ["body", "text", "event_message", "event_msg", "text_only_msg"];
const PAGES: [&str; 3] = ["link", "url", "event_url"];
const DATES: [&str; 2] = ["date", "last_updated"];
const KEYS: [&str; 2] = ["aggregation_key", "aggreg_key"];
const MONITORS: [&str; 2] = ["alert_id", "monitor_id"];

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let title = any(&root, &TITLES);
    let has_transition = TRANSITIONS.iter().any(|name| !at(&root, name).is_absent());
    let of_title = || if has_transition { None } else { state_of_title(&root) };
    let transition = any(&root, &TRANSITIONS).or_else(of_title);
    let transition = transition.unwrap_or_default().to_lowercase();
    let date =
        DATES.iter().find_map(|name| filled(&root, name).and_then(|_| at(&root, name).time()));
    let is_resolved = RESOLVED.contains(&transition.as_str());
    let mut draft = Draft {
        title: title.as_deref().map(without_state),
        severity: filled(&root, "priority").or(filled(&root, "alert_type")),
        status: if is_resolved { Status::Resolved } else { Status::Firing },
        labels: labels(&root),
        fingerprint: any(&root, &KEYS),
        group_key: any(&root, &MONITORS).map(|id| format!("monitor:{id}")),
        source_id: filled(&root, "cycle_key"),
        // Each notification has its own date; only the first one is the start.
        starts_at: date.filter(|_| !is_resolved && !transition.starts_with("re")),
        ends_at: date,
        labels_identify: true,
        raw: root.raw(),
        notes: root.notes(),
        ..Draft::default()
    };
    if draft.labels.is_empty() && draft.fingerprint.is_none() {
        // Without a variable that identifies the monitor, its name does.
        draft.fingerprint = draft.title.as_ref().map(|title| format!("title:{title}"));
    }
    let body = BODIES.iter().find(|name| filled(&root, name).is_some());
    if let Some(text) = body.and_then(|name| at(&root, name).annotation()) {
        draft.annotations.insert("description".to_owned(), text);
    }
    let title = any(&root, &["title", "alert_title"]).unwrap_or_default();
    if title.get(..TEST.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(TEST)) {
        draft.content = Content::Test;
    }
    fill_from_labels(&mut draft);
    draft.link("Event", any(&root, &PAGES).as_deref());
    draft.link("Snapshot", filled(&root, "snapshot").as_deref());
    let delivery_id = filled(&root, "id");
    Ok(Received::Alerts(Group { delivery_id, ..Group::of(vec![draft.finish(source)]) }))
}

fn labels(root: &Node<'_>) -> BTreeMap<String, String> {
    let mut labels = Labels::default();
    let names: [(&str, &[&str]); 3] =
        [("metric", &METRICS), ("host", &HOSTS), ("monitor_id", &MONITORS)];
    for (name, keys) in names {
        if let Some(value) = any(root, keys) {
            labels.add(name, &value);
        }
    }
    for text in [filled(root, "tags"), any(root, &SCOPES)] {
        let text = text.unwrap_or_default();
        for tag in text.split(',') {
            labels.add_tag(tag);
        }
    }
    labels.done()
}

fn any(root: &Node<'_>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| filled(root, key))
}

/// The state that Datadog writes before a title, such as `[Recovered on {host:web-1}]`.
fn state_of_title(root: &Node<'_>) -> Option<String> {
    let title =
        TITLES.iter().find_map(|key| filled(root, key).filter(|text| text.starts_with('[')))?;
    let state = title.trim_start_matches('[').split(|c: char| !c.is_alphanumeric()).next()?;
    Some(state.to_owned()).filter(|state| !state.is_empty())
}

/// A member by its name, or by another spelling of it such as `alertTitle`.
fn at<'a>(root: &Node<'a>, key: &str) -> Node<'a> {
    let exact = root.at(key);
    if !exact.is_absent() {
        return exact;
    }
    let plain = |name: &str| {
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
    };
    let members = root.value().and_then(Value::as_object).into_iter().flatten();
    let other = members.map(|(name, _)| name).find(|name| plain(name) == plain(key));
    other.map_or(exact, |name| root.at(name))
}

/// A member that Datadog filled in: a variable without a value stays as `$NAME`, or is `null`.
fn filled(root: &Node<'_>, key: &str) -> Option<String> {
    at(root, key).text().filter(|text| text != "null" && !text.starts_with('$'))
}

/// A title without `[Triggered]` and the like, so that it stays the same until the alert has recovered.
fn without_state(title: &str) -> String {
    let rest = title.strip_prefix('[').and_then(|rest| rest.split_once(STATE_CLOSES));
    rest.map_or(title, |(_, rest)| rest).to_owned()
}
