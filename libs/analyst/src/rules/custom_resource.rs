//! Custom resources: states and conditions in which operators report that they cannot do what is asked for.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{Compiled, cause_of};
use crate::facts::{Facts, Field, Message, Record, canonical_kind};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::Configuration;
use crate::verdict::Target;

/// States that are an error, in any spelling.
const FAILED: &[&str] =
    &["error", "failed", "failure", "invalid", "degraded", "rejected", "stalled"];
/// Conditions that should hold.
const WANTED: &[&str] = &[
    "ready",
    "available",
    "reconciled",
    "reconcilesuccess",
    "synced",
    "healthy",
    "accepted",
    "resolvedrefs",
    "programmed",
];

/// Words of a message about a value that cannot be.
static REFUSED: LazyLock<Regex> = regex!(
    r"(?i)invalid|must |not found|does not exist|unsupported|not supported|forbidden|not allowed|not permitted|not accepted|no matching|cannot|could not|unable to|required"
);

/// Custom resources whose status shows an error, and operators that log one about a resource.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for record in facts.records.iter().filter(|one| is_custom(one)) {
        state(facts, record, found);
        conditions(facts, record, found);
    }
    for message in facts.messages.iter().filter(|message| message.is_log) {
        found.extend(of_operator(facts, message));
    }
}

/// Whether an object is of a kind that Kubernetes itself does not have.
pub(super) fn is_custom(record: &Record) -> bool {
    let version = record.fields.iter().find(|field| field.path == "apiVersion");
    let group = version.and_then(|field| field.value.split_once('/')).map(|(group, _)| group);
    let is_own = |group: &str| group.ends_with(".k8s.io") && !group.starts_with("gateway.");
    canonical_kind(&record.kind).is_none()
        && group.is_some_and(|group| group.contains('.') && !is_own(group))
        && !record.kind.ends_with("chaos")
}

fn is_failed(state: &str) -> bool {
    FAILED.contains(&state.to_ascii_lowercase().as_str())
}

/// Rows of lists of custom resources that are not ready.
pub(super) fn rows(facts: &Facts, compiled: &Compiled, found: &mut Vec<Signal>) {
    let custom = facts.records.iter().filter(|one| canonical_kind(&one.kind).is_none());
    found.extend(custom.filter_map(|record| of_row(facts, record, compiled)));
}

/// A row of a list that is not ready, with the words of its operator: `READY False`, `STATUS dry-run failed: …`.
fn of_row(facts: &Facts, record: &Record, compiled: &Compiled) -> Option<Signal> {
    const WORDS: usize = 4;
    let ready = record.field("READY").filter(|field| field.value.eq_ignore_ascii_case("false"))?;
    let words = ["STATUS", "MESSAGE", "REASON"].into_iter().filter_map(|name| record.field(name));
    let message = words
        .filter(|field| field.value.split_whitespace().count() >= WORDS)
        .find(|field| reports_failure(&field.value))?;
    let mut signal = refused(facts, record, ready, Some(message));
    if let Some((category, weight, cause)) = cause_of(&message.value, compiled) {
        (signal.category, signal.weight, signal.cause) = (category, weight, cause);
    }
    Some(signal)
}

fn reports_failure(text: &str) -> bool {
    text.to_ascii_lowercase().contains("fail") || REFUSED.is_match(text)
}

/// `status.state: error` beside `status.message`.
fn state(facts: &Facts, record: &Record, found: &mut Vec<Signal>) {
    let of_status = |name: &str| {
        let path = format!("status.{name}");
        record.fields.iter().find(move |field| field.path == path)
    };
    let states = ["state", "phase", "status"].into_iter().filter_map(of_status);
    for field in states.filter(|field| is_failed(&field.value)) {
        let message = ["message", "error", "reason"].into_iter().find_map(of_status);
        found.push(refused(facts, record, field, message));
    }
}

/// A condition that reports an error, or one that should hold and does not, with its message.
fn conditions(facts: &Facts, record: &Record, found: &mut Vec<Signal>) {
    for kind in record.fields.iter().filter(|field| {
        // Routes have conditions for each gateway, and gateways for each listener.
        let is_condition = field.path.contains(".conditions[") && field.path.ends_with("].type");
        is_condition && field.path.starts_with("status.")
    }) {
        let beside = |name: &str| {
            let path = kind.path.replace("].type", name);
            record.fields.iter().find(move |field| field.path == path)
        };
        let Some(status) = beside("].status") else { continue };
        let name = kind.value.to_ascii_lowercase();
        let is_error = status.value == "True"
            && (is_failed(&name) || name.ends_with("error") || name.ends_with("failed"));
        let is_missed = status.value == "False" && WANTED.contains(&name.as_str());
        let message = beside("].message").filter(|field| !field.value.is_empty());
        if is_error {
            found.push(refused(facts, record, status, message));
        } else if let Some(message) = message.filter(|_| is_missed)
            && REFUSED.is_match(&message.value)
        {
            found.push(refused(facts, record, status, Some(message)));
        }
    }
}

fn refused(facts: &Facts, record: &Record, field: &Field, message: Option<&Field>) -> Signal {
    let is_refused = message.is_some_and(|field| REFUSED.is_match(&field.value));
    let weight = if is_refused { 91.0 } else { 80.0 };
    let cause = "its operator cannot do what the resource asks for";
    let mut signal = Signal::of_record((Configuration, weight), cause, facts, record, field);
    if let Some(message) = message {
        signal.detail = Some(crate::facts::excerpt(&message.value, ""));
        signal = signal.with_quote(record.quote(facts, message));
    }
    signal
}

/// `Reconciler error {"Cache": {"name":"sessions","namespace":"shop"}, "error": "…"}`.
fn of_operator(facts: &Facts, message: &Message) -> Option<Signal> {
    static RECONCILE: LazyLock<Regex> = regex!(
        r"(?i)reconcil\w+ (?:error|failed)|failed to reconcile|error (?:while )?(?:syncing|reconciling)|fail(?:ed)? to sync"
    );
    static OBJECT: LazyLock<Regex> = regex!(
        r#""(?P<kind>[A-Z]\w+)": ?\{ ?"name": ?"(?P<name>[\w.-]+)", ?"namespace": ?"(?P<namespace>[\w.-]+)""#
    );
    static ERROR: LazyLock<Regex> = regex!(r#""?(?:error|err)"?[=:] ?"(?P<text>(?:[^"\\]|\\.)+)""#);
    RECONCILE.find(&message.text)?;
    let object = OBJECT.captures(&message.text)?;
    let error = ERROR.captures(&message.text)?.name("text")?.as_str();
    let part = |name| object.name(name).map_or("", |one| one.as_str());
    if !REFUSED.is_match(error) || error.contains("object has been modified") {
        return None;
    }
    let cause = "its operator cannot do what the resource asks for";
    let mut signal = Signal::of_message((Configuration, 90.0), cause, facts, message);
    signal.detail = Some(crate::facts::excerpt(error, ""));
    signal.quotes = vec![facts.quote(message.result, message.line, error)];
    Some(signal.at(Target::new(part("kind"), part("name"), part("namespace"))))
}
