//! Faults that were over before the end of their log.

use std::collections::{BTreeSet, HashSet};
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
    (
        r"(?i)process (?P<who>\d+) still waiting for \w+ on",
        r"(?i)process (?P<who>\d+) acquired \w+ on",
    ),
    (
        r#"(?i)could not get secret data from provider.{0,80}"name":"(?P<who>[^"]+)""#,
        r#"(?i)reconciled secret.{0,80}"name":"(?P<who>[^"]+)""#,
    ),
    (r"(?i)no selectable sources", r"(?i)selected source \S+"),
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
        r"(?i)succe(?:eded|ss).{0,40}\b(?:attempt|retr(?:y|ies)|try)\b|\b(?:attempt|retr(?:y|ies)).{0,40}succe|reconnected|after (?:a|\d+) (?:retr(?:y|ies)|attempts|tries)",
    ),
    (r#"(?i)error when evicting pods?/"(?P<who>[^"]+)""#, r"(?i)^pod/(?P<who>[\w.-]+) evicted"),
    (
        r"(?i)(?P<who>\w+): (?:lost carrier|dhcp(?:v?[46])? lease lost|removing dhcpv?[46]? route)",
        r"(?i)(?P<who>\w+): dhcp(?:v?[46])? address .{1,80} acquired",
    ),
];

static COMPILED: LazyLock<Vec<(Regex, Regex)>> =
    LazyLock::new(|| PAIRS.iter().map(|(fault, end)| (compile(fault), compile(end))).collect());

/// What logs report as over: the index of the result, that of the pair, and what both are about, in small letters.
pub(super) struct Recoveries(HashSet<(usize, usize, String)>);

impl Recoveries {
    /// Each line is read once: a log may have thousands of faults of one kind.
    pub(super) fn read(facts: &Facts) -> Self {
        let logs = facts.messages.iter().filter(|message| message.is_log);
        let logs: BTreeSet<usize> = logs.map(|message| message.result).collect();
        let mut passed = HashSet::new();
        for result in logs {
            let lines = facts.results.get(result).map_or(&[][..], |one| one.lines.as_slice());
            let pairs = || COMPILED.iter().enumerate();
            let each = lines.iter().flat_map(|line| pairs().map(move |pair| (line, pair)));
            for (line, (pair, (fault, end))) in each {
                if let Some(who) = who(fault, line) {
                    passed.remove(&(result, pair, who));
                } else if let Some(who) = who(end, line) {
                    passed.insert((result, pair, who));
                }
            }
        }
        Self(passed)
    }

    /// Whether the log of a message reports later that what the message is about is over.
    pub(super) fn has(&self, message: &Message) -> bool {
        message.is_log
            && COMPILED.iter().enumerate().any(|(pair, (fault, _))| {
                who(fault, &message.text)
                    .is_some_and(|who| self.0.contains(&(message.result, pair, who)))
            })
    }
}

/// What a line is about, in small letters, if the pattern fits; empty if the pattern names nothing.
fn who(pattern: &Regex, line: &str) -> Option<String> {
    let found = pattern.captures(line)?;
    Some(found.name("who").map_or("", |who| who.as_str()).to_lowercase())
}
