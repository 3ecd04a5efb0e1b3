//! Events of Amazon EventBridge, from an API destination or through SNS: "Amazon EventBridge event structure",
//! <https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html>; of ECS, RDS and CloudWatch as their
//! guides show them. An API destination sends a user and a password, or a header.

use serde_json::Value;

use super::members::{annotation, first_text, last_part, list};
use super::status_word::status_of;
use crate::alert::{Draft, Status};
use crate::fingerprint::{digest, of_content};
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::names::fill_from_labels;
use crate::received::{Group, Received};

/// The most resources of an event that are read.
const MAX_RESOURCES: usize = 50;
/// The members of an event's detail for the same thing, the most usual first.
const MESSAGES: [&str; 6] =
    ["Message", "message", "stoppedReason", "reason", "eventDescription", "description"];
const NAMES: [&str; 5] = ["alarmName", "SourceIdentifier", "group", "pipeline", "instance-id"];
const KINDS: [&str; 3] = ["EventID", "eventTypeCode", "type"];
/// Words of AWS for what is over, beside those of all sources.
const OVER: [&str; 5] = [
    "SUCCEEDED",
    "SERVICE_STEADY_STATE",
    "SERVICE_DEPLOYMENT_COMPLETED",
    "CAPACITY_PROVIDER_STEADY_STATE",
    "STEADY_STATE",
];
/// Members of the detail that name the event, such as those of threats.
const TITLES: [&str; 3] = ["title", "Title", "headline"];
const GROUP_OF_SERVICE: &str = "service:";

pub(super) fn is_event(message: &Value) -> bool {
    message.get("detail-type").is_some() && message.get("source").is_some()
}

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let event = Node::root(payload);
    event.object()?;
    event
        .at("detail-type")
        .required("the type of the event's detail; leave out an input transformer")?;
    let delivery_id = event.at("id").text();
    let mut draft = alert(&event);
    fill_from_labels(&mut draft);
    Ok(Received::Alerts(Group { delivery_id, ..Group::of(vec![draft.finish(source)]) }))
}

/// What an event says, of which the source fills in what labels tell.
pub(super) fn alert(event: &Node<'_>) -> Draft {
    let detail = event.at("detail");
    let kind = event.at("detail-type").text().unwrap_or_default();
    let resources = resources(event);
    let name = first_text(&detail, &NAMES)
        .map(|name| name.trim_start_matches(GROUP_OF_SERVICE).to_owned())
        .or_else(|| resources.first().map(|arn| last_part(arn).to_owned()));
    let message = first_text(&detail, &MESSAGES);
    let message = message.or_else(|| detail.at("state").at("reason").text());
    let status = status(&detail);
    let at = event.at("time").time();
    let title = first_text(&detail, &TITLES);
    let mut draft = Draft {
        title: title.or_else(|| {
            Some(match (&name, &message) {
                (Some(name), Some(message)) => format!("{name}: {message}"),
                (Some(name), None) => format!("{kind}: {name}"),
                (None, Some(message)) => format!("{kind}: {message}"),
                (None, None) => kind.clone(),
            })
        }),
        severity: first_text(&detail, &["severity", "eventType"]),
        status,
        labels: labels(event, &detail, name.as_deref()),
        fingerprint: Some(fingerprint(event, &detail, &kind, &resources)),
        group_key: group_key(&detail, &resources),
        source_id: event.at("id").text(),
        starts_at: at.filter(|_| status == Status::Firing),
        ends_at: at,
        notes: event.notes(),
        raw: event.raw(),
        ..Draft::default()
    };
    draft.service = detail
        .at("group")
        .text()
        .and_then(|group| group.strip_prefix(GROUP_OF_SERVICE).map(str::to_owned))
        .or_else(|| detail.at("SourceIdentifier").text())
        .or_else(|| detail.at("service").text().filter(|_| detail.at("service").is_text()));
    draft.cluster = detail.at("clusterArn").text().map(|arn| last_part(&arn).to_owned());
    for name in MESSAGES {
        annotation(&mut draft, name, &detail.at(name));
    }
    annotation(&mut draft, "reason", &detail.at("state").at("reason"));
    draft
}

fn resources(event: &Node<'_>) -> Vec<String> {
    let resources = list(&event.at("resources"), MAX_RESOURCES);
    resources.iter().filter_map(Node::text).collect()
}

fn status(detail: &Node<'_>) -> Status {
    let state = detail.at("state");
    let places = [
        state.at("value"),
        detail.at("statusCode"),
        detail.at("eventName"),
        state,
        detail.at("status"),
    ];
    let words = places.iter().filter_map(Node::text);
    let mut found = words.filter_map(|word| {
        let is_resolved = OVER.contains(&word.as_str());
        if is_resolved { Some(Status::Resolved) } else { status_of(&word) }
    });
    found.next().unwrap_or_default()
}

/// The alarm of an event about one, as SNS has it; else what happened to which resources. Without these, the detail.
fn fingerprint(event: &Node<'_>, detail: &Node<'_>, kind: &str, resources: &[String]) -> String {
    if let ([arn], Some(_)) = (resources, detail.at("alarmName").text()) {
        return arn.clone();
    }
    let origin = event.at("source").text().unwrap_or_default();
    if resources.is_empty() {
        let origin = format!("{origin} {kind}");
        return of_content(&origin, &std::collections::BTreeMap::new(), &detail.raw());
    }
    let what = first_text(detail, &KINDS).unwrap_or_default();
    let parts = [origin.as_str(), kind, what.as_str()].into_iter();
    digest(parts.chain(resources.iter().map(String::as_str)))
}

/// The service that a task belongs to, else the resources.
fn group_key(detail: &Node<'_>, resources: &[String]) -> Option<String> {
    let of_service = detail.at("group").text().filter(|group| group.starts_with(GROUP_OF_SERVICE));
    if let Some(group) = of_service {
        let cluster = detail.at("clusterArn").text().unwrap_or_default();
        return Some(format!("{cluster}/{group}"));
    }
    let resources = resources.iter().map(String::as_str);
    (resources.len() > 0).then(|| format!("resources:{}", digest(resources)))
}

fn labels(
    event: &Node<'_>,
    detail: &Node<'_>,
    name: Option<&str>,
) -> std::collections::BTreeMap<String, String> {
    let mut labels = Labels::default();
    for (name, node) in [
        ("event_source", event.at("source")),
        ("detail_type", event.at("detail-type")),
        ("account", event.at("account")),
        ("region", event.at("region")),
        ("event_id", detail.at("EventID")),
        ("event_name", detail.at("eventName")),
        ("alarm", detail.at("alarmName")),
        ("stop_code", detail.at("stopCode")),
    ] {
        labels.add_text(name, &node);
    }
    if let Some(name) = name {
        labels.add("resource", name);
    }
    labels.done()
}
