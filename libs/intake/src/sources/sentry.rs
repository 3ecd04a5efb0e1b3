//! Webhooks of Sentry's integration platform about issues, issue alerts and metric alerts: "Webhooks",
//! <https://docs.sentry.io/organization/integrations/integration-platform/webhooks/>. Sentry signs the body with the client
//! secret, without a time.

use std::collections::BTreeMap;

use serde_json::Value;

use super::optional::{annotation, first_text, label, list, text, time};
use crate::alert::{Draft, Status};
use crate::json::{Labels, Node, ParseError};
use crate::names::fill_from_labels;
use crate::received::{Group, Ignored, Received};

/// The most tags and projects that are read.
const MAX_ENTRIES: usize = 50;

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let action = root.at("action").required("the action, such as triggered")?;
    let data = root.at("data");
    let is_there = |name: &str| !data.at(name).is_absent();
    let draft = if is_there("metric_alert") {
        Some(metric_alert(&data, &action))
    } else if is_there("event") || is_there("error") {
        Some(issue_alert(&data))
    } else if is_there("issue") {
        issue(&data.at("issue"), &action)
    } else {
        None
    };
    let Some(mut draft) = draft else { return Ok(Received::Ignored(Ignored::Event(action))) };
    draft.raw = root.raw();
    fill_from_labels(&mut draft);
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}

/// An event of an issue, for which a rule was triggered. It is over once its issue is resolved.
fn issue_alert(data: &Node<'_>) -> Draft {
    let event = data.at("event");
    let event = if event.is_absent() { data.at("error") } else { event };
    let rule = text(&data.at("triggered_rule"));
    let mut labels = labels(&event);
    if let Some(rule) = rule {
        labels.add(data, "alert_rule", &rule).ok();
    }
    let mut draft = Draft {
        title: first_text(&event, &["title", "message"]),
        severity: text(&event.at("level")),
        fingerprint: text(&event.at("issue_id")).map(|id| key_of_issue(&id)),
        source_id: text(&event.at("event_id")),
        labels: labels.done(),
        starts_at: time(&event.at("datetime")),
        ..Draft::default()
    };
    annotation(&mut draft, "culprit", &event.at("culprit"));
    annotation(&mut draft, "message", &event.at("message"));
    draft.link("Event", text(&event.at("web_url")).as_deref());
    draft
}

/// A change of an issue; none for those that neither begin nor end a problem, such as an assignment.
fn issue(issue: &Node<'_>, action: &str) -> Option<Draft> {
    let status = match action {
        "created" | "unresolved" => Status::Firing,
        "resolved" | "ignored" | "archived" => Status::Resolved,
        "assigned" => Status::Acknowledged,
        _ => return None,
    };
    let mut labels = labels(issue);
    label(&mut labels, "issue", &issue.at("shortId"));
    let mut draft = Draft {
        title: text(&issue.at("title")),
        severity: text(&issue.at("level")),
        status,
        fingerprint: text(&issue.at("id")).map(|id| key_of_issue(&id)),
        source_id: text(&issue.at("id")),
        labels: labels.done(),
        starts_at: time(&issue.at("firstSeen")),
        ..Draft::default()
    };
    annotation(&mut draft, "culprit", &issue.at("culprit"));
    draft.link("Issue", first_text(issue, &["web_url", "permalink"]).as_deref());
    Some(draft)
}

fn metric_alert(data: &Node<'_>, action: &str) -> Draft {
    let alert = data.at("metric_alert");
    let rule = alert.at("alert_rule");
    let is_resolved = action == "resolved";
    let mut labels = labels(&alert);
    label(&mut labels, "alert_rule", &rule.at("name"));
    label(&mut labels, "environment", &rule.at("environment"));
    for project in list(&rule.at("projects"), MAX_ENTRIES) {
        label(&mut labels, "project", &project);
    }
    // Without a rule, the incident itself.
    let key = match text(&rule.at("id")) {
        Some(id) => Some(format!("metric_alert:{id}")),
        None => text(&alert.at("id")).map(|id| format!("incident:{id}")),
    };
    let mut draft = Draft {
        title: first_text(&alert, &["title"]).or_else(|| text(&data.at("description_title"))),
        severity: Some(action.to_owned()).filter(|_| !is_resolved),
        status: if is_resolved { Status::Resolved } else { Status::Firing },
        fingerprint: key,
        source_id: text(&alert.at("id")),
        labels: labels.done(),
        starts_at: time(&alert.at("date_started")),
        ends_at: time(&alert.at("date_closed")),
        ..Draft::default()
    };
    annotation(&mut draft, "description", &data.at("description_text"));
    annotation(&mut draft, "query", &rule.at("query"));
    draft.link("Alert", text(&data.at("web_url")).as_deref());
    draft
}

fn key_of_issue(id: &str) -> String {
    format!("issue:{id}")
}

/// The project, and the tags, which are pairs or objects.
fn labels(of: &Node<'_>) -> Labels {
    let mut labels = Labels::default();
    label(&mut labels, "project", &of.at("project").at("slug"));
    label(&mut labels, "project", &of.at("project"));
    label(&mut labels, "platform", &of.at("platform"));
    label(&mut labels, "environment", &of.at("environment"));
    label(&mut labels, "release", &of.at("release"));
    let tags: BTreeMap<String, String> = list(&of.at("tags"), MAX_ENTRIES)
        .iter()
        .filter_map(|tag| {
            let pair = list(tag, 2);
            match pair.as_slice() {
                [name, value] => Some((text(name)?, text(value)?)),
                _ => Some((text(&tag.at("key"))?, text(&tag.at("value"))?)),
            }
        })
        .collect();
    // The level is the severity.
    for (name, value) in tags.iter().filter(|(name, _)| name.as_str() != "level") {
        labels.add(of, name, value).ok();
    }
    labels
}
