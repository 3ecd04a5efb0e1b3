//! Objects and events in documents of JSON, YAML and Python.

use tarsy_evidence::{Node, Shape};

use super::kind::canonical_kind;
use super::message::Taken;
use super::model::{Event, Facts, Field, Record, Source};
use crate::text::age_seconds;
use crate::verdict::Target;

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
        Shape::List(items) => items.iter().for_each(|item| walk(facts, item, kind, source, taken)),
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
                    walk(facts, &entry.value, kind, source, taken);
                }
            }
        }
    }
}

/// Marks the lines of a document; a text of several lines takes as many, and the one of its key.
pub(super) fn take(node: &Node, taken: &mut Taken) {
    taken.insert(node.line);
    match &node.shape {
        Shape::Scalar(text) => {
            let more = text.lines().count();
            taken.extend((1..=more).filter(|_| more > 1).map(|line| node.line + line));
        }
        Shape::List(items) => items.iter().for_each(|item| take(item, taken)),
        Shape::Map(entries) => entries.iter().for_each(|entry| take(&entry.value, taken)),
    }
}

fn text<'n>(node: &'n Node, paths: &[&[&str]]) -> &'n str {
    paths.iter().find_map(|path| node.at(path).and_then(Node::text)).unwrap_or_default()
}

fn event(node: &Node, source: &Source<'_>) -> Option<Event> {
    let involved = ["involvedObject", "InvolvedObject", "regarding", "involved_object"];
    let object = involved.iter().find_map(|key| node.get(key))?;
    let message = text(node, &[&["message"], &["Message"], &["note"]]);
    let kind = text(object, &[&["kind"], &["Kind"]]);
    let namespace = text(object, &[&["namespace"], &["Namespace"]]);
    let outer = text(node, &[&["Namespace"], &["metadata", "namespace"]]);
    let namespace = if namespace.is_empty() { outer } else { namespace };
    let age = text(node, &[&["age"], &["Age"], &["lastSeen"]]);
    Some(Event {
        target: Target::new(kind, text(object, &[&["name"], &["Name"]]), namespace),
        reason: text(node, &[&["reason"], &["Reason"]]).to_owned(),
        message: message.to_owned(),
        is_warning: text(node, &[&["type"], &["Type"]]) != "Normal",
        age: age_seconds(age),
        seen: age.to_owned(),
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
