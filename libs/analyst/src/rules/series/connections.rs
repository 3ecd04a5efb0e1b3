//! Connections of a database beside their limit.

use std::sync::LazyLock;

use regex::Regex;

use super::evidence::base;
use super::meaning::{Seen, Words};
use crate::facts::{Facts, Statement, excerpt};
use crate::signal::Signal;
use crate::text::{code, regex};
use crate::verdict::Category::Database;
use crate::verdict::Quote;

const CONNECTIONS: Words =
    &[&["connections", "threads_connected", "numbackends", "num_backends", "backends"]];
const OTHERS: &[&str] = &[
    "max", "limit", "error", "abort", "refused", "failed", "wait*", "idle", "pool", "client",
    "http",
];
const LIMIT: Words = &[&["max_connections", "connections_limit", "connection_limit"]];
/// The share of the limit from which on almost none is left.
const ALMOST: f64 = 0.9;

/// Waits of a session for its client: it is open and does nothing.
const IDLE: &[&str] = &["ClientRead", "idle", "Idle"];

/// The most connections that are allowed, with the place that shows it.
struct Limit {
    text: String,
    quote: Quote,
}

/// The connections of a database that has almost none left.
pub(super) fn of(facts: &Facts, one: &Seen<'_>, seen: &[Seen<'_>]) -> Option<Signal> {
    let last = one.series.points.last().filter(|_| one.has(CONNECTIONS, OTHERS))?;
    let limit = limit(facts, one, seen)?;
    let most = limit.text.parse::<f64>().ok().filter(|most| *most > 0.0)?;
    if last.value < ALMOST * most || last.value > 1.1 * most {
        return None;
    }
    let cause =
        "the database has almost no connection left, its sessions take up `max_connections`";
    let mut signal = base(facts, one, (Database, 89.0), cause);
    signal.quotes.push(limit.quote);
    let waits = |statement: &&Statement| IDLE.iter().any(|idle| statement.wait.contains(idle));
    if let Some(statement) = facts.statements.iter().find(waits) {
        signal.cause = format!(
            "{}, and idle client sessions hold them: {} waits for its client",
            signal.cause,
            code(&excerpt(&statement.text, ""))
        );
        signal.quotes.push(facts.quote(statement.result, statement.line, &statement.text));
    }
    Some(signal)
}

/// The limit by another metric of the object, by a value, or by a message about both.
fn limit(facts: &Facts, one: &Seen<'_>, seen: &[Seen<'_>]) -> Option<Limit> {
    static OF: LazyLock<Regex> =
        regex!(r"(?i)\bconnections?\b[^\d\n]{0,30}\d+ ?(?:of|/|out of) ?(?P<most>\d{1,6})\b");
    let named = |other: &&Seen<'_>| {
        other.series.object == one.series.object && other.has(LIMIT, &["used", "usage", "percent"])
    };
    let metric =
        seen.iter().find(named).and_then(|other| other.series.points.last().zip(Some(other)));
    if let Some((point, other)) = metric {
        let quote = facts.quote(other.series.result, point.line, &point.text);
        return Some(Limit { text: point.text.clone(), quote });
    }
    let is_limit = |field: &str| field.to_ascii_lowercase().ends_with("max_connections");
    let measure = facts.measures.iter().find(|one| is_limit(&one.field));
    if let Some(measure) = measure {
        let quote = facts.quote(measure.result, measure.line, &measure.text);
        return Some(Limit { text: measure.text.clone(), quote });
    }
    facts.messages.iter().find_map(|message| {
        let most = OF.captures(&message.text)?.name("most")?.as_str().to_owned();
        let quote = facts.quote(message.result, message.line, &message.text);
        Some(Limit { text: most, quote })
    })
}
