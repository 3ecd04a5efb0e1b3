//! Issues of New Relic, as the default template of a workflow's webhook destination writes them: "Webhook notification
//! integrations", <https://docs.newrelic.com/docs/alerts/get-notified/notification-integrations/>. A destination sends a bearer
//! token, or a user and a password.

use serde_json::Value;

use super::members::{all_labels, first_text, list};
use super::status_word::status_of;
use crate::alert::{Draft, Status};
use crate::fingerprint::digest;
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Received};

/// The most entities and conditions of an issue that are read.
const MAX_ENTRIES: usize = 50;
/// Names of the same in the template and in older ones.
const IDS: [&str; 3] = ["id", "issueId", "incident_id"];
const STATES: [&str; 2] = ["state", "current_state"];
const PAGES: [&str; 3] = ["issueUrl", "issuePageUrl", "incident_url"];
const PRIORITIES: [&str; 2] = ["priority", "severity"];

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let status = first_text(&root, &STATES).as_deref().and_then(status_of).unwrap_or_default();
    let id = first_text(&root, &IDS);
    let updated = root.at("updatedAt").time();
    // The classic channel has the time of the notification only.
    let sent = root.at("timestamp").time();
    let mut draft = Draft {
        title: first_text(&root, &["title", "condition_name"]),
        severity: first_text(&root, &PRIORITIES),
        status,
        labels: labels(&root),
        // One for each problem: its title and its entities may change until it is closed.
        fingerprint: id.as_ref().map(|id| format!("issue:{id}")),
        group_key: group_key(&root),
        source_id: id,
        starts_at: root.at("createdAt").time().or(sent.filter(|_| status == Status::Firing)),
        ends_at: root.at("closedAt").time().or(updated).or(sent),
        notes: root.notes(),
        raw: root.raw(),
        ..Draft::default()
    };
    if let Some(details) = first_text(&root, &["details", "description"]) {
        let details = details.chars().take(4_000).collect();
        draft.annotations.insert("description".to_owned(), details);
    }
    fill_from_labels(&mut draft);
    draft.link("Issue", first_text(&root, &PAGES).as_deref());
    draft.link("Runbook", first_text(&root, &["runbookUrl", "runbook_url"]).as_deref());
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}

/// The issues of the same conditions about the same entities, whose ids differ.
fn group_key(root: &Node<'_>) -> Option<String> {
    let conditions = texts(&root.at("alertConditionNames"));
    let mut parts = texts(&root.at("alertPolicyNames"));
    parts.extend(conditions.iter().cloned());
    parts.extend(texts(&root.at("impactedEntities")));
    (!conditions.is_empty())
        .then(|| format!("conditions:{}", digest(parts.iter().map(String::as_str))))
}

fn texts(node: &Node<'_>) -> Vec<String> {
    let mut texts: Vec<String> = list(node, MAX_ENTRIES).iter().filter_map(Node::text).collect();
    texts.sort();
    texts
}

fn labels(root: &Node<'_>) -> std::collections::BTreeMap<String, String> {
    let mut labels = Labels::default();
    for (name, member) in [
        ("entity", "impactedEntities"),
        ("policy", "alertPolicyNames"),
        ("condition", "alertConditionNames"),
    ] {
        for entry in list(&root.at(member), MAX_ENTRIES) {
            labels.add_text(name, &entry);
        }
    }
    for target in list(&root.at("targets"), MAX_ENTRIES) {
        labels.add_text("entity", &target.at("name"));
        all_labels(&mut labels, &target.at("labels"));
    }
    for (name, member) in [
        ("policy", "policy_name"),
        ("condition", "condition_name"),
        ("workflow", "workflowName"),
        ("incidents", "totalIncidents"),
        ("account", "account_name"),
    ] {
        labels.add_text(name, &root.at(member));
    }
    labels.done()
}
