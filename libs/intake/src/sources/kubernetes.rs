//! Kubernetes events, of core/v1 or events.k8s.io/v1: one `Event`, or an `EventList` or a list of changes or dependencies as tarsy-kubernetes-watcher sends it,
//! with the name of the cluster beside the items.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::alert::Draft;
use crate::changes::read_changes;
use crate::dependency::read_dependencies;
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::limits::MAX_ALERTS;
use crate::received::{Group, Ignored, Received};

/// The type of events that report a problem; the other one is `Normal`.
const WARNING: &str = "Warning";

/// The kind of a list of changes, as tarsy-kubernetes-watcher sends it.
const CHANGES: &str = "ChangeList";

/// The kind of a list of dependencies, as tarsy-kubernetes-watcher sends it.
const DEPENDENCIES: &str = "DependencyList";

/// The names of the same value in core/v1 and in events.k8s.io/v1.
const OBJECT: [&str; 2] = ["involvedObject", "regarding"];
const MESSAGE: [&str; 2] = ["message", "note"];
const SOURCE: [&str; 2] = ["source", "deprecatedSource"];
const COMPONENT: [&str; 2] = ["reportingComponent", "reportingController"];
const COUNT: [&str; 2] = ["count", "deprecatedCount"];
const FIRST_TIME: [&str; 3] = ["firstTimestamp", "deprecatedFirstTimestamp", "eventTime"];

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let cluster = root.at("cluster").text();
    if root.at("kind").text().as_deref() == Some(DEPENDENCIES) {
        let items = payload.get("items").unwrap_or(&Value::Null);
        return Ok(Received::Dependencies(read_dependencies(items, cluster.as_deref())));
    }
    if root.at("kind").text().as_deref() == Some(CHANGES) {
        let found = read_changes(payload.get("items").unwrap_or(&Value::Null));
        return Ok(found.map_or_else(
            |error| Received::Ignored(Ignored::Event(error.to_string())),
            Received::Changes,
        ));
    }
    let items = root.at("items");
    let (events, left_out) =
        if items.is_absent() { (vec![root], 0) } else { items.alerts(MAX_ALERTS) };
    let mut alerts = Vec::new();
    let mut other = None;
    for event in &events {
        let kind = event.at("type").text();
        if let Some(kind) = kind.filter(|kind| kind != WARNING) {
            other = Some(kind);
            continue;
        }
        let draft = draft(event, cluster.as_deref());
        let draft = draft.unwrap_or_else(|error| Draft::not_understood(event.raw(), &error));
        alerts.push(draft.finish(source));
    }
    if alerts.is_empty() {
        return Ok(Received::Ignored(other.map_or(Ignored::Empty, Ignored::Event)));
    }
    Ok(Received::Alerts(Group { left_out, ..Group::of(alerts) }))
}

fn draft(event: &Node<'_>, cluster: Option<&str>) -> Result<Draft, ParseError> {
    let object = first_of(event, &OBJECT);
    object.object()?;
    let reason = event.at("reason").required("the event's reason")?;
    let message = first_of(event, &MESSAGE);
    let line = message.text().and_then(|text| text.lines().next().map(str::to_owned));
    let kind = object.at("kind").required("the kind of the object")?;
    let name = object.at("name").required("the name of the object")?;
    let namespace = object.at("namespace").text();
    // Names and kinds have no slash.
    let place = [cluster.unwrap_or_default(), namespace.as_deref().unwrap_or_default()].join("/");
    let key = format!("{place}/{kind}/{name}");
    Ok(Draft {
        source_id: event.at("metadata").at("uid").text(),
        title: Some(line.map_or_else(|| reason.clone(), |line| format!("{reason}: {line}"))),
        severity: Some("warning".to_owned()),
        labels: labels(event, &object),
        annotations: annotations(event, &message),
        fingerprint: Some(format!("{key}/{reason}")),
        group_key: Some(key),
        starts_at: first_of(event, &FIRST_TIME).time(),
        namespace,
        cluster: cluster.map(str::to_owned),
        raw: event.raw(),
        notes: event.notes(),
        ..Draft::default()
    })
}

fn labels(event: &Node<'_>, object: &Node<'_>) -> BTreeMap<String, String> {
    let reported = first_of(event, &SOURCE);
    let component = reported.at("component");
    let component = if component.is_absent() { first_of(event, &COMPONENT) } else { component };
    let mut labels = Labels::default();
    labels.add_text("reason", &event.at("reason"));
    for name in ["kind", "namespace", "name", "uid"] {
        labels.add_text(name, &object.at(name));
    }
    labels.add_text("field", &object.at("fieldPath"));
    labels.add_text("component", &component);
    labels.add_text("node", &reported.at("host"));
    labels.done()
}

/// The whole message, and how often the event was seen: what changes while the problem lasts.
fn annotations(event: &Node<'_>, message: &Node<'_>) -> BTreeMap<String, String> {
    let series = event.at("series").at("count");
    let count = if series.is_absent() { first_of(event, &COUNT) } else { series };
    let mut annotations = BTreeMap::new();
    for (name, node) in [("message", message), ("count", &count)] {
        if let Some(text) = node.annotation() {
            annotations.insert(name.to_owned(), text);
        }
    }
    annotations
}

/// The member of the first of these names that is there.
fn first_of<'a>(event: &Node<'a>, names: &[&str]) -> Node<'a> {
    let mut found = names.iter().map(|name| event.at(name)).filter(|node| !node.is_absent());
    found.next().unwrap_or_else(|| event.at(names.first().copied().unwrap_or_default()))
}
