//! Nested maps and lists, of JSON, Python or YAML, as readings: which map is an object, and what its fields are.

use super::{Object, Readings};
use crate::moment::Moment;
use crate::quantity::Unit;

/// How deep values may nest.
pub(super) const MOST_DEPTH: usize = 64;

/// A value of a document of JSON, YAML or Python.
#[derive(Clone, Debug)]
pub struct Node {
    pub shape: Shape,
    /// From 1.
    pub line: usize,
}

/// What a value is made of. Scalars are kept as text: `true`, `12`, `null`.
#[derive(Clone, Debug)]
pub enum Shape {
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key of a map with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub value: Node,
}

impl Node {
    /// Moves it, and what is in it, down by some lines.
    pub(super) fn shift(&mut self, lines: usize) {
        self.line += lines;
        match &mut self.shape {
            Shape::Scalar(_) => {}
            Shape::List(items) => items.iter_mut().for_each(|node| node.shift(lines)),
            Shape::Map(entries) => entries.iter_mut().for_each(|entry| entry.value.shift(lines)),
        }
    }

    /// The value of a key; none if this is no map.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Shape::Map(entries) = &self.shape else { return None };
        entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The text of a scalar; none if it is `null`.
    pub fn text(&self) -> Option<&str> {
        match &self.shape {
            Shape::Scalar(text) if !matches!(&**text, "null" | "None" | "~") => Some(text),
            _ => None,
        }
    }

    /// The elements of a list; none of anything else.
    pub fn items(&self) -> &[Node] {
        if let Shape::List(items) = &self.shape { items } else { &[] }
    }

    /// The entries of a map; none of anything else.
    pub fn entries(&self) -> &[Entry] {
        if let Shape::Map(entries) = &self.shape { entries } else { &[] }
    }
}

/// Keys whose value names the thing that a map describes, the wider ones first.
pub(super) const NAMES: &[&str] = &[
    "cluster",
    "namespace",
    "ns",
    "database",
    "datname",
    "schemaname",
    "service",
    "servicename",
    "service_name",
    "app",
    "application",
    "job",
    "host",
    "hostname",
    "node",
    "nodename",
    "instance",
    "deployment",
    "pod",
    "podname",
    "pod_name",
    "container",
    "containername",
    "container_name",
    "component",
    "unit",
    "alertname",
    "operationname",
    "operation",
    "topic",
    "queue",
    "group",
    "partition",
    "interface",
    "iface",
    "device",
    "mountpoint",
    "name",
    "names",
    "relname",
    "table",
    "index",
    "upstream",
    "check",
];
/// Keys that identify a map without any of these, and their longest value in bytes.
const KEYS: &[&str] = &["title", "pid", "uid", "id", "key", "number"];
const LONGEST_KEY: usize = 64;
/// Keys that hold the time of what a map describes.
const TIMES: &[&str] = &[
    "time",
    "timestamp",
    "ts",
    "@timestamp",
    "lasttimestamp",
    "eventtime",
    "datetime",
    "at",
    "starttime",
];
/// Keys that only wrap and name nothing.
const WRAPPERS: &[&str] = &[
    "metadata", "status", "spec", "data", "items", "result", "results", "labels", "metric",
    "stats", "info", "output",
];

/// Adds what the tree shows.
pub(super) fn read_tree(node: &Node, readings: &mut Readings) {
    Walk { readings }.node(node, &Object::default(), "");
}

struct Walk<'r> {
    readings: &'r mut Readings,
}

impl Walk<'_> {
    fn node(&mut self, node: &Node, object: &Object, path: &str) {
        if self.readings.is_full() {
            return;
        }
        match &node.shape {
            Shape::Scalar(text) => self.scalar(text, node.line, object, path),
            Shape::List(items) => {
                for item in items {
                    self.node(item, object, path);
                }
            }
            Shape::Map(entries) => self.map(node, entries, object, path),
        }
    }

    fn scalar(&mut self, text: &str, line: usize, object: &Object, path: &str) {
        let is_json = text.starts_with('{') && text.ends_with('}') && text.contains(':');
        if is_json || text.contains('\n') {
            self.readings.nest(text, object, line);
        } else {
            self.readings.push(object, path, text, line);
        }
    }

    fn map(&mut self, node: &Node, entries: &[Entry], outer: &Object, path: &str) {
        let stream = || node.get("stream").filter(|_| node.get("values").is_some());
        if let Some(labels) = node.get("metric").or_else(stream) {
            return self.series(node, labels, outer);
        }
        if let Some((name, value)) = pair(node) {
            self.readings.push(outer, name, value, node.line);
            return;
        }
        // What is inside `metadata` names the map around it.
        let own = if path.ends_with("metadata") { Vec::new() } else { identity(node) };
        let is_object = !own.is_empty();
        let object = own.iter().fold(outer.clone(), |object, part| object.with(part));
        let path = if is_object && !path.contains("metadata") { "" } else { path };
        let time = entries
            .iter()
            .find(|entry| TIMES.contains(&entry.key.to_lowercase().as_str()))
            .and_then(|entry| entry.value.text())
            .and_then(|text| super::Value::parse("", text).moment);
        if time.is_some() {
            self.readings.set_time(time);
        }
        let first = self.readings.len();
        let keyed = keys_are_names(entries);
        for entry in entries {
            if keyed && !WRAPPERS.contains(&entry.key.as_str()) {
                self.node(&entry.value, &object.with(&entry.key), "");
            } else {
                let field = if path.is_empty() {
                    entry.key.clone()
                } else {
                    format!("{path}.{}", entry.key)
                };
                self.node(&entry.value, &object, &field);
            }
        }
        // `{"Average": 8589934592, "Unit": "Bytes"}`
        let unit = ["unit", "Unit"].into_iter().find_map(|key| node.get(key)?.text());
        if let Some(unit) = unit.and_then(Unit::parse) {
            self.readings.set_unit(first, unit);
        }
        if time.is_some() {
            self.readings.set_time(None);
        }
    }

    /// A series of Prometheus: labels, and pairs of time and value.
    fn series(&mut self, node: &Node, labels: &Node, outer: &Object) {
        let mut object = outer.clone();
        let mut field = "value";
        if let Shape::Map(entries) = &labels.shape {
            for entry in entries {
                match entry.value.text() {
                    Some(text) if entry.key == "__name__" => field = text,
                    Some(text) => object = object.with(text),
                    None => {}
                }
            }
            for entry in entries.iter().filter(|entry| entry.key != "__name__") {
                self.readings.push(
                    &object,
                    &entry.key,
                    entry.value.text().unwrap_or_default(),
                    entry.value.line,
                );
            }
        }
        for key in ["value", "values"] {
            if let Some(Node { shape: Shape::List(items), .. }) = node.get(key) {
                self.samples(items, &object, field);
            }
        }
    }

    fn samples(&mut self, items: &[Node], object: &Object, field: &str) {
        for item in items {
            if let Shape::List(pair) = &item.shape {
                self.samples(pair, object, field);
            }
        }
        if let [time, value] = items
            && let (Some(time), Some(value)) = (time.text(), value.text())
        {
            let moment = time.parse().ok().and_then(Moment::of_epoch);
            self.readings.set_time(moment);
            self.scalar(value, items.first().map_or(1, |item| item.line), object, field);
            self.readings.set_time(None);
        }
    }
}

/// Name and value of `{"name": "PORT", "value": "80"}`: a setting, not an object of its own.
fn pair(node: &Node) -> Option<(&str, &str)> {
    let Shape::Map(entries) = &node.shape else { return None };
    let name = node.get("name").or_else(|| node.get("key"))?.text()?;
    let fields = entries.iter().filter(|entry| entry.key != "type").count();
    (fields == 2).then_some((name, node.get("value")?.text()?))
}

/// The names that a map gives to what it describes, the widest first.
fn identity(node: &Node) -> Vec<String> {
    if let Some(metadata) = node.get("metadata") {
        let part = |key: &str| metadata.get(key).and_then(Node::text).map(str::to_owned);
        return [part("namespace"), part("name")].into_iter().flatten().collect();
    }
    let labels = node.get("labels").filter(|labels| labels.get("alertname").is_some());
    let Shape::Map(entries) = &labels.unwrap_or(node).shape else { return Vec::new() };
    if labels.is_some() {
        return entries.iter().filter_map(|entry| entry.value.text().map(str::to_owned)).collect();
    }
    let mut names: Vec<(usize, &str)> = entries
        .iter()
        .filter_map(|entry| {
            let key = entry.key.trim_start_matches('.').to_lowercase();
            let at = NAMES.iter().position(|known| *known == key)?;
            let text = entry
                .value
                .text()
                .filter(|text| !text.is_empty() && text.len() < 254 && !text.contains('\n'))?;
            Some((at, text))
        })
        .collect();
    names.sort_by_key(|name| name.0);
    if names.is_empty() {
        // A log entry that carries the labels of what wrote it.
        let labels = node.get("resource").and_then(|resource| resource.get("labels"));
        if let Some(labels) = labels {
            return identity(labels);
        }
        let own = entries.iter().find(|entry| names_its_map(&entry.key));
        let text = own.and_then(|entry| entry.value.text()).filter(|text| !text.is_empty());
        return text.or_else(|| key_of(node)).map(str::to_owned).into_iter().collect();
    }
    names.into_iter().map(|name| name.1.to_owned()).collect()
}

/// What identifies a map that has no name: its key, or that of what it is about.
fn key_of(node: &Node) -> Option<&str> {
    let own = KEYS.iter().find_map(|key| node.get(key)?.text());
    let target = || node.get("Target").and_then(|target| target.get("Id")).and_then(Node::text);
    own.or_else(target).filter(|text| !text.is_empty() && text.len() < LONGEST_KEY)
}

/// Things whose id names them: `InstanceId`, but not `requestId`.
const THINGS: &[&str] =
    &["instance", "volume", "cluster", "group", "node", "device", "resource", "queue", "broker"];

/// Whether a key without a place in [`NAMES`] names the map by its end: `DBInstanceIdentifier`, `InstanceId`, `ATTRIBUTE_NAME`.
pub(super) fn names_its_map(key: &str) -> bool {
    let lower = key.to_lowercase();
    let is_person = lower.contains("user") || lower.ends_with("usename") || lower.contains("file");
    let is_id = key
        .strip_suffix("Id")
        .is_some_and(|kind| THINGS.iter().any(|thing| kind.to_lowercase().ends_with(thing)));
    let ends = lower.ends_with("name") || lower.ends_with("identifier") || is_id;
    ends && !is_person && !lower.starts_with('_') || matches!(lower.as_str(), "label" | "endpoint")
}

/// Whether the keys of a map are names of like things: `{"web-1": {"cpu": 1}, "web-2": {"cpu": 2}}`.
fn keys_are_names(entries: &[Entry]) -> bool {
    let [first, others @ ..] = entries else { return false };
    let Shape::Map(inner) = &first.value.shape else { return false };
    let is_name =
        |key: &str| key.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | '/'));
    !others.is_empty()
        && entries.iter().all(|entry| is_name(&entry.key))
        && others.iter().all(|entry| inner.iter().any(|key| entry.value.get(&key.key).is_some()))
}
