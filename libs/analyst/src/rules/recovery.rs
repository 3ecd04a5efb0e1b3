//! Faults that were over before the end of their log.

use std::sync::LazyLock;

use regex::Regex;

use crate::facts::{Facts, Message};
use crate::text::compile;

/// What reports a fault, and what reports its end. A group `who` names what both are about.
const PAIRS: &[(&str, &str)] = &[
    (
        r"(?i)(?P<who>[\w@.-]+\.service): (?:main process exited|failed with result|start request repeated|watchdog timeout|a process of this unit has been killed)",
        r"(?i)(?:^|\]: )(?:started|reloaded) (?P<who>[\w@.-]+\.service)\b",
    ),
    (r"(?i)(?P<who>\w+):? (?:nic )?link is down", r"(?i)(?P<who>\w+):? (?:nic )?link is up"),
    (r"(?i)nfs: server (?P<who>\S+) not responding", r"(?i)nfs: server (?P<who>\S+) ok\b"),
    (r"(?i)server (?P<who>\S+/\S+) is down\b", r"(?i)server (?P<who>\S+/\S+) is up\b"),
    (
        r"(?i)(?P<who>memory|disk) resource limit alarm set",
        r"(?i)(?P<who>memory|disk) resource limit alarm cleared",
    ),
    (
        r"(?i)partition (?P<who>\S+) (?:broker|on).{0,20} shrinking isr",
        r"(?i)partition (?P<who>\S+) (?:broker|on).{0,20} expanding isr",
    ),
    (
        r"(?i)(?:attempt|retry|try) \d+ ?(?:of|/) ?\d+|will retry|retrying|is repeated",
        r"(?i)succe(?:eded|ss).{0,40}\b(?:attempt|retr(?:y|ies)|try)\b|\b(?:attempt|retr(?:y|ies)).{0,40}succe|reconnected|after (?:a|\d+) retr(?:y|ies)",
    ),
];

static COMPILED: LazyLock<Vec<(Regex, Regex)>> =
    LazyLock::new(|| PAIRS.iter().map(|(fault, end)| (compile(fault), compile(end))).collect());

/// Whether the log of a message reports later that what the message is about is over.
pub(super) fn has_passed(facts: &Facts, message: &Message) -> bool {
    if !message.is_log {
        return false;
    }
    let Some(examined) = facts.results.get(message.result) else { return false };
    COMPILED.iter().any(|(fault, end)| {
        if !fault.is_match(&message.text) {
            return false;
        }
        let who = who(fault, &message.text);
        let last = |pattern: &Regex| {
            examined.lines.iter().rposition(|line| {
                pattern.is_match(line) && self::who(pattern, line).eq_ignore_ascii_case(who)
            })
        };
        last(end).zip(last(fault)).is_some_and(|(end, fault)| end > fault)
    })
}

/// What a line is about; empty if its pattern names nothing.
fn who<'t>(pattern: &Regex, line: &'t str) -> &'t str {
    let found = pattern.captures(line).and_then(|found| found.name("who"));
    found.map_or("", |who| who.as_str())
}
