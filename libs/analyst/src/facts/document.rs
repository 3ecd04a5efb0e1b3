//! Objects and events in documents of JSON, YAML and Python.

use tarsy_evidence::{Entry, Node, Shape};

use super::kind::canonical_kind;
use super::model::{Event, Facts, Field, Record, Source};
use super::moment::written_at;
use super::taken::{Taken, take};
use crate::text::age_seconds;
use crate::verdict::Target;

/// Where events have the time at which they were last seen.
const LAST_SEEN: &[&[&str]] =
    &[&["lastTimestamp"], &["last_timestamp"], &["last_time"], &["last_seen"], &["eventTime"]];
/// Where they have the time at which they were first seen; kubernetes-mcp-server has no other.
const FIRST_SEEN: &[&[&str]] = &[&["firstTimestamp"], &["first_timestamp"], &["Timestamp"]];
/// Lists of objects that are written without `metadata`.
const PLAIN: &[&str] = &["pods", "deployments", "statefulsets", "daemonsets", "nodes"];
/// Fields of one object; a bound on memory.
const MOST_FIELDS: usize = 4_000;

/// Adds what the documents describe, and returns the lines of it.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>) -> Taken {
    let mut taken = Taken::new();
    for node in documents {
        walk(facts, node, None, source, &mut taken);
    }
    taken
}

fn walk(
    facts: &mut Facts,
    node: &Node,
    kind: Option<&str>,
    source: &Source<'_>,
    taken: &mut Taken,
) {
    match &node.shape {
        Shape::Scalar(_) => {}
        Shape::List(items) => {
            for item in items {
                if !add_listed(facts, item, kind, source, taken) {
                    walk(facts, item, kind, source, taken);
                }
            }
        }
        Shape::Map(entries) => {
            let own = node.get("kind").and_then(Node::text);
            if let Some(items) = node.get("items") {
                let of_items =
                    own.and_then(|kind| kind.strip_suffix("List")).filter(|kind| !kind.is_empty());
                walk(facts, items, of_items.or(kind), source, taken);
            } else if let Some(event) = event(node, source) {
                take(node, taken);
                facts.events.push(event);
            } else if node.get("metadata").and_then(|metadata| metadata.get("name")).is_some() {
                take(node, taken);
                facts.records.push(record(node, own.or(kind), source));
            } else {
                for entry in entries {
                    if PLAIN.contains(&entry.key.as_str()) {
                        add_plain(facts, entry, source, taken);
                    }
                    walk(facts, &entry.value, kind, source, taken);
                }
            }
        }
    }
}

/// Adds the objects of a list that tools write in a form of their own: name and state side by side.
fn add_plain(facts: &mut Facts, list: &Entry, source: &Source<'_>, taken: &mut Taken) {
    let Shape::List(items) = &list.value.shape else { return };
    let is_plain = |node: &&Node| node.get("metadata").is_none();
    for node in items.iter().filter(is_plain) {
        let in_cluster =
            ["namespace", "phase", "conditions"].iter().any(|key| node.get(key).is_some());
        let Some(name) = node.get("name").and_then(Node::text).filter(|_| in_cluster) else {
            continue;
        };
        take(node, taken);
        let mut record = record(node, Some(&list.key), source);
        name.clone_into(&mut record.name);
        let namespace = text(node, &[&["namespace"]]);
        if !namespace.is_empty() {
            namespace.clone_into(&mut record.namespace);
        }
        record.fields.iter_mut().for_each(|field| field.path = usual_path(&field.path, node));
        facts.records.push(record);
    }
}

/// Adds an object of a list whose kind it has itself, or the call asked for, and says whether it is one: `{"name": "web-1",
/// "namespace": "shop", "status": "Running", "ready": "1/1"}`.
fn add_listed(
    facts: &mut Facts,
    node: &Node,
    kind: Option<&str>,
    source: &Source<'_>,
    taken: &mut Taken,
) -> bool {
    let scalar = |key: &str| node.get(key).and_then(Node::text);
    let own = scalar("kind").or(kind).unwrap_or(&source.subject.kind);
    let known = canonical_kind(own).filter(|kind| *kind != "event");
    let is_plain = node.get("metadata").is_none()
        && ["status", "phase", "ready"].iter().any(|key| scalar(key).is_some())
        && ["namespace", "age", "createdAt", "created_at", "creationTimestamp", "restarts"]
            .iter()
            .any(|key| scalar(key).is_some() || node.get("containers").is_some());
    let (Some(kind), Some(name), true) = (known, scalar("name"), is_plain) else { return false };
    take(node, taken);
    let mut record = record(node, Some(kind), source);
    name.clone_into(&mut record.name);
    if let Some(namespace) = scalar("namespace") {
        namespace.clone_into(&mut record.namespace);
    }
    record.fields.iter_mut().for_each(|field| field.path = usual_path(&field.path, node));
    facts.records.push(record);
    true
}

/// The path that Kubernetes has for a field of a plain object.
fn usual_path(path: &str, node: &Node) -> String {
    let (head, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    match head {
        "phase" | "conditions" => format!("status.{path}"),
        "deletion_timestamp" | "deletionTimestamp" => "metadata.deletionTimestamp".to_owned(),
        "start_time" | "startTime" | "created_at" | "createdAt" | "creationTimestamp" => {
            "metadata.creationTimestamp".to_owned()
        }
        "node_name" | "nodeName" | "node" if rest.is_empty() => "spec.nodeName".to_owned(),
        "containers" => of_container(rest, node),
        _ => path.to_owned(),
    }
}

/// `[0].state.reason` of a container that waits is `status.containerStatuses[0].state.waiting.reason`.
fn of_container(rest: &str, node: &Node) -> String {
    let (at, field) = rest.split_once("].").unwrap_or((rest, ""));
    let index = at.trim_start_matches('[').parse::<usize>().unwrap_or_default();
    let states = node.get("containers").map(|list| &list.shape);
    let state = match states {
        Some(Shape::List(items)) => items.get(index).and_then(|one| one.get("state")),
        _ => None,
    };
    let is =
        |key: &str| state.and_then(|state| state.get(key)).and_then(Node::text) == Some("true");
    let phase = if is("waiting") { "waiting" } else { "terminated" };
    let field = match field {
        "restart_count" => "restartCount".to_owned(),
        "state.exit_code" => "lastState.terminated.exitCode".to_owned(),
        "state.reason" if is("running") => "state.running.reason".to_owned(),
        "state.reason" | "state.message" => field.replacen("state.", &format!("state.{phase}."), 1),
        "last_state.reason" | "lastState.reason" => "lastState.terminated.reason".to_owned(),
        other => other.split('.').map(camel).collect::<Vec<_>>().join("."),
    };
    format!("status.containerStatuses[{index}].{field}")
}

/// `lastState` of `last_state`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let mut letters = part.chars();
        let head = letters.next().map(|c| c.to_ascii_uppercase());
        name + &head.into_iter().chain(letters).collect::<String>()
    })
}

fn text<'n>(node: &'n Node, paths: &[&[&str]]) -> &'n str {
    paths.iter().find_map(|path| node.at(path).and_then(Node::text)).unwrap_or_default()
}

fn event(node: &Node, source: &Source<'_>) -> Option<Event> {
    let involved = ["involvedObject", "InvolvedObject", "regarding", "involved_object"];
    // An object without such a key is one of an event if a reason and a message stand beside it.
    let is_event = ["reason", "message", "type"].iter().all(|key| node.get(key).is_some());
    let object = involved.iter().find_map(|key| node.get(key));
    let object = object.or_else(|| node.get("object").filter(|_| is_event))?;
    let message = text(node, &[&["message"], &["Message"], &["note"]]);
    let written = object.text().and_then(|object| object.split_once('/'));
    let kind = written.map_or_else(|| text(object, &[&["kind"], &["Kind"]]), |(kind, _)| kind);
    let name = written.map_or_else(|| text(object, &[&["name"], &["Name"]]), |(_, name)| name);
    let namespace = text(object, &[&["namespace"], &["Namespace"]]);
    let outer = text(node, &[&["Namespace"], &["namespace"], &["metadata", "namespace"]]);
    let namespace = if namespace.is_empty() { outer } else { namespace };
    let age = text(node, &[&["age"], &["Age"], &["lastSeen"]]);
    let last = text(node, LAST_SEEN);
    let first = text(node, FIRST_SEEN);
    let seen = [age, first, last].into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    Some(Event {
        target: Target::new(kind, name, namespace),
        reason: text(node, &[&["reason"], &["Reason"]]).to_owned(),
        message: message.to_owned(),
        is_warning: text(node, &[&["type"], &["Type"]]) != "Normal",
        age: age_seconds(age),
        last: written_at(last),
        seen: seen.to_owned(),
        result: source.result,
        line: node.get("message").or_else(|| node.get("Message")).unwrap_or(node).line,
    })
}

fn record(node: &Node, kind: Option<&str>, source: &Source<'_>) -> Record {
    let kind = kind.unwrap_or(&source.subject.kind);
    let kind = canonical_kind(kind).map_or_else(|| kind.to_ascii_lowercase(), str::to_owned);
    let namespace = text(node, &[&["metadata", "namespace"]]);
    let namespace = if namespace.is_empty() { &source.subject.namespace } else { namespace };
    let mut fields = Vec::new();
    flatten(node, String::new(), &mut fields);
    Record {
        kind,
        namespace: namespace.to_owned(),
        name: text(node, &[&["metadata", "name"]]).to_owned(),
        fields,
        result: source.result,
        line: node.line,
    }
}

fn flatten(node: &Node, path: String, fields: &mut Vec<Field>) {
    if fields.len() >= MOST_FIELDS {
        return;
    }
    match &node.shape {
        Shape::Scalar(value) => {
            fields.push(Field { path, value: value.clone(), line: node.line });
        }
        Shape::List(items) => {
            for (at, item) in items.iter().enumerate() {
                flatten(item, format!("{path}[{at}]"), fields);
            }
        }
        Shape::Map(entries) => {
            for entry in entries.iter().filter(|entry| entry.key != "managedFields") {
                let dot = if path.is_empty() { "" } else { "." };
                flatten(&entry.value, format!("{path}{dot}{}", entry.key), fields);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::alert::Focus;
    use crate::transcript::{CallRecord, Transcript};

    fn facts(text: &str) -> crate::facts::Facts {
        let call = CallRecord {
            number: 1,
            tool: "cluster.list".to_owned(),
            arguments: Value::Null,
            text: text.to_owned(),
            failed: false,
        };
        let received_at = Some("2026-05-01T10:00:00Z".parse().unwrap());
        let transcript = Transcript { calls: vec![call], received_at, ..Transcript::default() };
        crate::facts::read(&transcript, &Focus::default())
    }

    #[test]
    fn plain_pods_are_read_as_those_of_kubectl() {
        let pods = r#"{"pods": [{"name": "cart-0", "namespace": "shop", "phase": "Running", "node_name": "n1",
            "containers": [{"name": "cart", "ready": false, "restart_count": 8,
              "state": {"waiting": true, "reason": "CrashLoopBackOff", "exit_code": 137}}]}]}"#;
        let facts = facts(pods);
        let pod = facts.of_kind("pod").next().unwrap();
        assert_eq!((pod.name.as_str(), pod.namespace.as_str()), ("cart-0", "shop"));
        for (path, value) in [
            ("status.phase", "Running"),
            ("spec.nodeName", "n1"),
            ("status.containerStatuses[0].restartCount", "8"),
            ("status.containerStatuses[0].state.waiting.reason", "CrashLoopBackOff"),
            ("status.containerStatuses[0].lastState.terminated.exitCode", "137"),
        ] {
            assert_eq!(pod.get(path), Some(value), "{path}");
        }
        assert!(!crate::rules::is_ready(&facts, "shop", "cart-0"));
    }

    #[test]
    fn an_event_may_name_its_object_in_one_word_and_have_a_time() {
        let event = |seen: &str| {
            format!(
                r#"{{"reason": "BackOff", "message": "again", "type": "Warning", "namespace": "shop",
                "involved_object": "Pod/cart-0", "last_time": "{seen}"}}"#
            )
        };
        let (old, new) = (event("2026-05-01T08:00:00Z"), event("2026-05-01T09:59:00Z"));
        let near = facts(&format!("[{old}, {new}]"));
        let [first, second] = near.events.as_slice() else { panic!("{:?}", near.events) };
        assert_eq!((first.target.kind.as_str(), first.target.name.as_str()), ("Pod", "cart-0"));
        assert_eq!((first.age, second.age), (Some(7_200.0), Some(60.0)));
        let recorded = facts(&event("2025-01-01T00:00:00Z"));
        assert_eq!(recorded.events[0].age, Some(0.0), "it was recorded long ago");
    }

    #[test]
    fn an_event_in_yaml_has_its_whole_message_and_the_time_of_its_beginning() {
        let facts = facts(
            "# The following events (YAML format) were found:\n\
             - InvolvedObject:\n    Kind: Pod\n    Name: cart-0\n    apiVersion: v1\n\
             \x20 Message: Pod ephemeral local storage usage exceeds the total limit of containers\n    1Gi.\n\
             \x20 Namespace: shop\n  Reason: Evicted\n\
             \x20 Timestamp: 2026-05-01 09:59:00.123456 +0000 UTC\n  Type: Warning\n",
        );
        let [event] = facts.events.as_slice() else { panic!("{:?}", facts.events) };
        assert!(event.message.ends_with("of containers 1Gi."), "{}", event.message);
        assert_eq!(event.target.namespace, "shop");
        // It may have been repeated since.
        assert_eq!((event.age, event.seen.get(..19)), (None, Some("2026-05-01 09:59:00")));
        assert!(facts.messages.is_empty(), "{:?}", facts.messages);
    }
}
