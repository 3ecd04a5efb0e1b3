//! Spans of traces, as Jaeger answers them.

use std::collections::{HashMap, HashSet};

use tarsy_evidence::{Node, Shape};

use super::model::{Facts, Source, Span};
use super::taken::{Taken, take};

/// Microseconds of a second.
const MICROS: f64 = 1_000_000.0;

/// Adds the spans of all traces in the documents.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>, taken: &mut Taken) {
    for node in documents {
        walk(facts, node, source, taken);
    }
}

fn walk(facts: &mut Facts, node: &Node, source: &Source<'_>, taken: &mut Taken) {
    if let Some(spans) = node.get("spans").filter(|spans| !spans.items().is_empty()) {
        let processes = node.get("processes");
        take(node, taken);
        facts.spans.append(&mut of_trace(spans.items(), processes, source.result));
        return;
    }
    match &node.shape {
        Shape::Scalar(_) => {}
        Shape::List(items) => items.iter().for_each(|item| walk(facts, item, source, taken)),
        Shape::Map(entries) => {
            for entry in entries {
                walk(facts, &entry.value, source, taken);
            }
        }
    }
}

fn text<'n>(node: &'n Node, keys: &[&str]) -> &'n str {
    keys.iter().find_map(|key| node.get(key).and_then(Node::text)).unwrap_or_default()
}

fn of_trace(spans: &[Node], processes: Option<&Node>, result: usize) -> Vec<Span> {
    let id = |span: &Node| text(span, &["spanID", "spanId", "span_id"]).to_owned();
    let seconds = |span: &Node| text(span, &["duration"]).parse::<f64>().unwrap_or(0.0) / MICROS;
    let mut below: HashMap<String, f64> = HashMap::new();
    let mut above_failure: HashSet<String> = HashSet::new();
    for span in spans {
        let Some(parent) = parent(span) else { continue };
        *below.entry(parent.clone()).or_default() += seconds(span);
        if failed(span) {
            above_failure.insert(parent);
        }
    }
    let tolerated = tolerated(spans, processes);
    let of_span = |span: &Node| Span {
        service: service(span, processes),
        operation: text(span, &["operationName", "name", "operation"]).to_owned(),
        failed: failed(span) && !tolerated.contains(&id(span)),
        callee: callee(span),
        child_failed: above_failure.contains(&id(span)),
        own_seconds: (seconds(span) - below.get(&id(span)).copied().unwrap_or(0.0)).max(0.0),
        result,
        line: span.line,
    };
    spans.iter().map(of_span).filter(|span| !span.service.is_empty()).collect()
}

/// The failing spans that their caller made good: it did not fail itself, and another call of the same kind did not either.
fn tolerated(spans: &[Node], processes: Option<&Node>) -> HashSet<String> {
    let id = |span: &Node| text(span, &["spanID", "spanId", "span_id"]).to_owned();
    let kind = |span: &Node| {
        let called = [callee(span), service(span, processes)];
        parent(span).map(|parent| (parent, called))
    };
    let (failing, healthy): (Vec<&Node>, Vec<&Node>) = spans.iter().partition(|span| failed(span));
    let callers: HashSet<String> = healthy.iter().map(|span| id(span)).collect();
    let answered: HashSet<(String, [String; 2])> =
        healthy.iter().filter_map(|span| kind(span)).collect();
    let is_made_good = |span: &&&Node| {
        kind(span).is_some_and(|kind| callers.contains(&kind.0) && answered.contains(&kind))
    };
    failing.iter().filter(is_made_good).map(|span| id(span)).collect()
}

fn parent(span: &Node) -> Option<String> {
    let direct =
        text(span, &["parentSpanID", "parentSpanId", "parent_span_id", "parent_id", "parent"]);
    if !direct.is_empty() {
        return Some(direct.to_owned());
    }
    let reference = span.get("references")?.items().first()?;
    Some(text(reference, &["spanID", "spanId"]).to_owned())
}

fn service(span: &Node, processes: Option<&Node>) -> String {
    let direct = text(span, &["serviceName", "service", "service_name"]);
    let process = processes.and_then(|all| all.get(text(span, &["processID"])));
    let inner =
        process.or_else(|| span.get("process")).map_or("", |one| text(one, &["serviceName"]));
    if direct.is_empty() { inner } else { direct }.to_owned()
}

/// Tags that name the service that a span calls, the surest first.
const CALLEES: &[&str] =
    &["peer.service", "server.address", "net.peer.name", "peer.hostname", "upstream_cluster.name"];

/// The service that a span calls: by its tags, else by the method of gRPC, as `shop.CartService/Get` names it.
fn callee(span: &Node) -> String {
    let tags = tags(span);
    let value = |key: &str| {
        tags.iter().find(|tag| text(tag, &["key"]) == key).map(|tag| text(tag, &["value"]))
    };
    let kind = value("span.kind").unwrap_or_else(|| text(span, &["kind", "spanKind"]));
    if !kind.to_ascii_lowercase().ends_with("client") {
        return String::new();
    }
    let named = CALLEES
        .iter()
        .find_map(|key| value(key))
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()) && *name != "localhost");
    let method = value("rpc.service").or_else(|| {
        text(span, &["operationName", "name", "operation"]).split_once('/').map(|(one, _)| one)
    });
    let of_method = method.and_then(|name| name.rsplit('.').next()).filter(|name| !name.is_empty());
    let host = named.map(|name| name.split(['.', ':']).next().unwrap_or(name));
    host.or(of_method).unwrap_or_default().to_owned()
}

fn tags(span: &Node) -> &[Node] {
    ["tags", "attributes"].iter().find_map(|key| span.get(key)).map(Node::items).unwrap_or_default()
}

fn failed(span: &Node) -> bool {
    let tags = tags(span);
    let has = |key: &str, fits: fn(&str) -> bool| {
        tags.iter().any(|tag| text(tag, &["key"]) == key && fits(text(tag, &["value"])))
    };
    let true_text = |value: &str| value.eq_ignore_ascii_case("true");
    has("error", true_text)
        || has("otel.status_code", |value| value == "ERROR")
        || has("http.status_code", |value| value.starts_with('5'))
        || text(span, &["status", "statusCode"]).eq_ignore_ascii_case("error")
        || text(span, &["error"]).eq_ignore_ascii_case("true")
}
