//! Alerts of Azure Monitor in the common alert schema, which action groups send to webhooks: "Common alert schema" and "Sample
//! alert payloads", <https://learn.microsoft.com/azure/azure-monitor/alerts/alerts-payload-samples>. A webhook of an action
//! group has no headers of its own: its address has the secret.

use serde_json::Value;

use super::members::{all_labels, annotation, last_part, list};
use crate::alert::{Draft, Status};
use crate::fingerprint::digest;
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Ignored, Received};

/// The subscription of the payloads that "Test action group" sends.
const TEST_SUBSCRIPTION: &str = "/subscriptions/11111111-1111-1111-1111-111111111111/";
const RESOLVED: &str = "Resolved";
/// Stages of an incident of Service Health that is over.
const OVER: [&str; 3] = ["Resolved", "Complete", "Canceled"];
/// The signal whose alerts are each about another event, such as those of Service Health.
const ACTIVITY_LOG: &str = "Activity Log";
/// The most targets and conditions that are read.
const MAX_ENTRIES: usize = 20;
const CLUSTERS: &str = "/managedclusters/";

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let data = Node::root(payload).at("data");
    let essentials = data.at("essentials");
    let log = data.at("context").at("activityLog");
    if essentials.is_absent() && !log.is_absent() {
        return Ok(Received::Alerts(Group::of(vec![of_log(&log, payload).finish(source)])));
    }
    if essentials.is_absent() {
        let fix = "enable the common alert schema in the action group";
        return Err(essentials.error("is missing", fix));
    }
    essentials.object()?;
    let id = essentials.at("alertId").text();
    if id.as_deref().is_some_and(|id| id.starts_with(TEST_SUBSCRIPTION)) {
        return Ok(Received::Ignored(Ignored::Ping));
    }
    let draft = alert(&essentials, &data, id);
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}

fn alert(essentials: &Node<'_>, data: &Node<'_>, id: Option<String>) -> Draft {
    let context = data.at("alertContext");
    let targets = list(&essentials.at("alertTargetIDs"), MAX_ENTRIES);
    // Azure writes the same resource in different cases.
    let targets: Vec<_> =
        targets.iter().filter_map(Node::text).map(|one| one.to_lowercase()).collect();
    let rule = essentials.at("alertRule").text();
    let is_resolved = essentials.at("monitorCondition").text().as_deref() == Some(RESOLVED)
        || has_ended(&context.at("properties"));
    let mut draft = Draft {
        title: title(rule.as_deref(), targets.first().map(String::as_str), &context),
        severity: essentials.at("severity").text(),
        status: if is_resolved { Status::Resolved } else { Status::Firing },
        cluster: targets
            .iter()
            .find(|one| one.contains(CLUSTERS))
            .map(|one| last_part(one).to_owned()),
        labels: labels(essentials, data, targets.first().map(String::as_str)),
        group_key: group_key(essentials, rule, &targets),
        starts_at: essentials.at("firedDateTime").time(),
        ends_at: essentials.at("resolvedDateTime").time(),
        notes: data.notes(),
        raw: data.raw(),
        ..Draft::default()
    };
    let mut parts = targets;
    parts.extend(id.clone());
    draft.fingerprint = id.as_ref().map(|_| digest(parts.iter().map(String::as_str)));
    draft.source_id = id;
    annotation(&mut draft, "description", &essentials.at("description"));
    annotation(&mut draft, "message", &context.at("properties").at("communication"));
    fill_from_labels(&mut draft);
    links(&mut draft, essentials, &context);
    draft
}

/// An event of the activity log in the older schema.
fn of_log(log: &Node<'_>, payload: &Value) -> Draft {
    let properties = log.at("properties");
    let mut labels = Labels::default();
    for (name, node) in [
        ("event_source", log.at("eventSource")),
        ("operation", log.at("operationName")),
        ("region", properties.at("region")),
        ("resource", log.at("resourceId")),
        ("subscription", log.at("subscriptionId")),
    ] {
        labels.add_text(name, &node);
    }
    let operation = log.at("operationName").text();
    let tracked = properties.at("trackingId").text().or(log.at("correlationId").text());
    let is_resolved =
        has_ended(&properties) || log.at("status").text().as_deref() == Some(RESOLVED);
    let mut draft = Draft {
        title: properties.at("title").text().or(operation),
        severity: log.at("level").text(),
        status: if is_resolved { Status::Resolved } else { Status::Firing },
        service: properties.at("service").text(),
        labels: labels.done(),
        fingerprint: tracked.map(|id| format!("log:{id}")),
        source_id: log.at("eventDataId").text(),
        starts_at: log.at("eventTimestamp").time(),
        notes: log.notes(),
        raw: payload.clone(),
        ..Draft::default()
    };
    annotation(&mut draft, "message", &properties.at("communication"));
    annotation(&mut draft, "description", &log.at("description"));
    draft
}

/// Whether an event of Service Health says that the incident is over: the alert about it always fires.
fn has_ended(properties: &Node<'_>) -> bool {
    properties.at("stage").text().is_some_and(|stage| OVER.contains(&stage.as_str()))
}

/// The rule and what it is about: one rule watches many resources.
fn title(rule: Option<&str>, target: Option<&str>, context: &Node<'_>) -> Option<String> {
    let event = context.at("properties").at("title").text();
    let target = target.map(last_part);
    match (rule, event, target) {
        (Some(rule), Some(event), _) => Some(format!("{rule}: {event}")),
        (Some(rule), None, Some(target)) if !rule.to_lowercase().contains(target) => {
            Some(format!("{rule} on {target}"))
        }
        (Some(rule), None, _) => Some(rule.to_owned()),
        (None, event, target) => event.or_else(|| target.map(str::to_owned)),
    }
}

/// The alerts of one rule about one resource, whose ids differ. Those about events of the activity log have nothing in common.
fn group_key(essentials: &Node<'_>, rule: Option<String>, targets: &[String]) -> Option<String> {
    if essentials.at("signalType").text().as_deref() == Some(ACTIVITY_LOG) {
        return None;
    }
    let rule =
        essentials.at("alertRuleID").text().or(essentials.at("alertRuleId").text()).or(rule)?;
    let parts = std::iter::once(rule.as_str()).chain(targets.iter().map(String::as_str));
    Some(format!("rule:{}", digest(parts)))
}

fn labels(
    essentials: &Node<'_>,
    data: &Node<'_>,
    target: Option<&str>,
) -> std::collections::BTreeMap<String, String> {
    let mut labels = Labels::default();
    for (name, member) in [
        ("alert_rule", "alertRule"),
        ("signal", "signalType"),
        ("monitoring_service", "monitoringService"),
    ] {
        labels.add_text(name, &essentials.at(member));
    }
    // /subscriptions/S/resourcegroups/G/providers/P/TYPE/NAME
    let parts: Vec<&str> = target.unwrap_or_default().trim_matches('/').split('/').collect();
    for (name, key) in [("subscription", "subscriptions"), ("resource_group", "resourcegroups")] {
        let value = parts.iter().position(|part| *part == key).and_then(|at| parts.get(at + 1));
        if let Some(value) = value {
            labels.add(name, value);
        }
    }
    if let [.., provider, kind, name] = parts.as_slice() {
        labels.add("resource", name);
        labels.add("resource_type", &format!("{provider}/{kind}"));
    }
    let context = data.at("alertContext");
    for condition in list(&context.at("condition").at("allOf"), MAX_ENTRIES) {
        labels.add_text("metric", &condition.at("metricName"));
        dimensions(&mut labels, &condition.at("dimensions"));
    }
    dimensions(&mut labels, &context.at("Dimensions"));
    all_labels(&mut labels, &data.at("customProperties"));
    labels.done()
}

fn dimensions(labels: &mut Labels, node: &Node<'_>) {
    for dimension in list(node, MAX_ENTRIES) {
        if let Some(name) = dimension.at("name").text() {
            labels.add_text(&name, &dimension.at("value"));
        }
    }
}

fn links(draft: &mut Draft, essentials: &Node<'_>, context: &Node<'_>) {
    draft.link("Alert", essentials.at("investigationLink").text().as_deref());
    for condition in list(&context.at("condition").at("allOf"), MAX_ENTRIES) {
        draft.link(
            "Search results",
            condition.at("linkToFilteredSearchResultsUI").text().as_deref(),
        );
    }
    draft.link("Search results", context.at("LinkToFilteredSearchResultsUI").text().as_deref());
}
