//! States that several rows show together.

use std::collections::BTreeMap;

use crate::facts::{Facts, Row};
use crate::signal::Signal;
use crate::verdict::Category::{Database, NetworkPolicy};
use crate::verdict::Target;

/// Sessions that wait for a lock from which on they are a cause.
const MANY_SESSIONS: usize = 2;
/// Packets to one port that are refused from which on they are a cause.
const MANY_PACKETS: usize = 2;

pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for result in 0..facts.results.len() {
        let rows: Vec<&Row> = facts.rows.iter().filter(|row| row.result == result).collect();
        found.extend(locks(facts, &rows));
        found.extend(members(facts, &rows));
        refused(facts, &rows, found);
    }
}

/// Sessions that wait for a lock, and the one that they wait for.
fn locks(facts: &Facts, rows: &[&Row]) -> Option<Signal> {
    let waits = |row: &&&Row| row.text("wait_event_type").eq_ignore_ascii_case("lock");
    let waiting: Vec<&&Row> = rows.iter().filter(waits).collect();
    let first = waiting.first().filter(|_| waiting.len() >= MANY_SESSIONS)?;
    let mut quotes = vec![facts.quote_cell(first, first.get("wait_event_type")?)];
    let by = first.text("blocked_by").trim_matches(['{', '}', '[', ']']);
    let blocker = rows.iter().find(|row| !by.is_empty() && row.text("pid") == by);
    let cause = match blocker {
        Some(row) => {
            quotes.extend(row.get("pid").map(|cell| facts.quote_cell(row, cell)));
            format!("sessions of the database wait for a lock that session {by} holds")
        }
        None => "sessions of the database wait for locks".to_owned(),
    };
    Some(Signal::of_values((Database, 88.0), cause, first.subject.clone(), quotes))
}

/// A set of replicas of which none is the primary.
fn members(facts: &Facts, rows: &[&Row]) -> Option<Signal> {
    let members: Vec<&&Row> = rows.iter().filter(|row| row.get("state_str").is_some()).collect();
    let is_primary = |row: &&&Row| row.text("state_str").eq_ignore_ascii_case("primary");
    let is_whole = members.len() > 1 && !members.iter().any(is_primary);
    let lost = members.iter().find(|row| row.text("health") == "0").filter(|_| is_whole)?;
    let quotes = vec![facts.quote_cell(lost, lost.get("state_str")?)];
    let cause = "the database has no primary: too few of its members can be reached";
    Some(Signal::of_values((Database, 90.0), cause, Target::default(), quotes))
}

/// Packets between two machines that a rule of the network refuses, as records of flows show them.
fn refused(facts: &Facts, rows: &[&Row], found: &mut Vec<Signal>) {
    let mut by_port: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.text("action").eq_ignore_ascii_case("reject")) {
        let (to, port) =
            (either(row, ["dst_addr", "dstaddr"]), either(row, ["dst_port", "dstport"]));
        let from = either(row, ["src_addr", "srcaddr"]);
        if is_inside(to) && is_inside(from) {
            by_port.entry((to, port)).or_default().push(row);
        }
    }
    for ((to, port), rows) in by_port {
        let Some(cell) = rows.first().and_then(|row| row.get("action")) else { continue };
        if rows.len() >= MANY_PACKETS {
            let cause = "a rule of the network refuses packets to this address and port";
            let target = Target::new("address", &format!("{to}:{port}"), "");
            let quotes = rows.iter().take(2).map(|row| facts.quote_cell(row, cell)).collect();
            found.push(Signal::of_values((NetworkPolicy, 86.0), cause, target, quotes));
        }
    }
}

fn either<'r>(row: &'r Row, names: [&str; 2]) -> &'r str {
    names.into_iter().map(|name| row.text(name)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// Whether an address belongs to a private network: strangers are refused all the time.
fn is_inside(address: &str) -> bool {
    address.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_private())
}
