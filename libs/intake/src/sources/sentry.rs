//! Webhooks of Sentry's integration platform about issues, issue alerts and metric alerts: "Webhooks",
//! <https://docs.sentry.io/organization/integrations/integration-platform/webhooks/>. Sentry signs the body with the client
//! secret, without a time.

use std::collections::BTreeMap;

use serde_json::Value;

use super::members::{annotation, first_text, list};
use crate::alert::{Draft, Status};
use crate::json::{Node, ParseError};
use crate::labels::Labels;
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
    draft.notes = root.notes();
    draft.raw = root.raw();
    fill_from_labels(&mut draft);
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}

/// An event of an issue, for which a rule was triggered. It is over once its issue is resolved.
fn issue_alert(data: &Node<'_>) -> Draft {
    let event = data.at("event");
    let event = if event.is_absent() { data.at("error") } else { event };
    let rule = data.at("triggered_rule").text();
    let mut labels = labels(&event);
    if let Some(rule) = rule {
        labels.add("alert_rule", &rule);
    }
    let mut draft = Draft {
        title: first_text(&event, &["title", "message"]),
        severity: event.at("level").text(),
        fingerprint: event.at("issue_id").text().map(|id| key_of_issue(&id)),
        source_id: event.at("event_id").text(),
        labels: labels.done(),
        starts_at: event.at("datetime").time(),
        ..Draft::default()
    };
    annotation(&mut draft, "culprit", &event.at("culprit"));
    annotation(&mut draft, "message", &event.at("message"));
    draft.link("Event", event.at("web_url").text().as_deref());
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
    labels.add_text("issue", &issue.at("shortId"));
    let mut draft = Draft {
        title: issue.at("title").text(),
        severity: issue.at("level").text(),
        status,
        fingerprint: issue.at("id").text().map(|id| key_of_issue(&id)),
        source_id: issue.at("id").text(),
        labels: labels.done(),
        starts_at: issue.at("firstSeen").time(),
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
    labels.add_text("alert_rule", &rule.at("name"));
    labels.add_text("environment", &rule.at("environment"));
    for project in list(&rule.at("projects"), MAX_ENTRIES) {
        labels.add_text("project", &project);
    }
    // Without a rule, the incident itself.
    let key = match rule.at("id").text() {
        Some(id) => Some(format!("metric_alert:{id}")),
        None => alert.at("id").text().map(|id| format!("incident:{id}")),
    };
    let mut draft = Draft {
        title: first_text(&alert, &["title"]).or_else(|| data.at("description_title").text()),
        severity: Some(action.to_owned()).filter(|_| !is_resolved),
        status: if is_resolved { Status::Resolved } else { Status::Firing },
        fingerprint: key,
        source_id: alert.at("id").text(),
        labels: labels.done(),
        starts_at: alert.at("date_started").time(),
        ends_at: alert.at("date_closed").time(),
        ..Draft::default()
    };
    annotation(&mut draft, "description", &data.at("description_text"));
    annotation(&mut draft, "query", &rule.at("query"));
    draft.link("Alert", data.at("web_url").text().as_deref());
    draft
}

fn key_of_issue(id: &str) -> String {
    format!("issue:{id}")
}

/// The project, and the tags, which are pairs or objects.
fn labels(of: &Node<'_>) -> Labels {
    let mut labels = Labels::default();
    let project = of.at("project");
    let slug = project.at("slug");
    labels.add_text("project", if slug.is_absent() { &project } else { &slug });
    labels.add_text("platform", &of.at("platform"));
    labels.add_text("environment", &of.at("environment"));
    labels.add_text("release", &of.at("release"));
    let tags: BTreeMap<String, String> = list(&of.at("tags"), MAX_ENTRIES)
        .iter()
        .filter_map(|tag| {
            let pair = list(tag, 2);
            match pair.as_slice() {
                [name, value] => Some((name.text()?, value.text()?)),
                _ => Some((tag.at("key").text()?, tag.at("value").text()?)),
            }
        })
        .collect();
    // The level is the severity.
    for (name, value) in tags.iter().filter(|(name, _)| name.as_str() != "level") {
        labels.add(name, value);
    }
    labels
}
