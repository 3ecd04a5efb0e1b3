//! Faults that were over before the end of their log.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::facts::{Event, Facts, Message};
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

/// Reasons of warnings about an object, and those of later events that say that it went well in the end.
const REASONS: &[(&str, &[&str])] = &[
    ("SyncLoadBalancerFailed", &["EnsuredLoadBalancer", "UpdatedLoadBalancer"]),
    ("FailedDeployModel", &["SuccessfullyReconciled"]),
    ("FailedBuildModel", &["SuccessfullyReconciled"]),
    ("ProvisioningFailed", &["ProvisioningSucceeded"]),
    ("FailedScheduling", &["Scheduled"]),
    ("FailedAttachVolume", &["SuccessfulAttachVolume", "Started"]),
    ("FailedMount", &["Started"]),
    ("FailedCreatePodSandBox", &["Started"]),
    ("FailedCreate", &["SuccessfulCreate"]),
    ("NodeNotReady", &["NodeReady"]),
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

    /// Whether the log of a message reports later that what the message is about is over. A message may be a part of its line.
    pub(super) fn has(&self, facts: &Facts, message: &Message) -> bool {
        let lines = facts.results.get(message.result).map_or(&[][..], |one| one.lines.as_slice());
        let line = lines.get(message.line.saturating_sub(1)).map_or("", String::as_str);
        let has_ended = |text: &str| {
            COMPILED.iter().enumerate().any(|(pair, (fault, _))| {
                who(fault, text).is_some_and(|who| self.0.contains(&(message.result, pair, who)))
            })
        };
        message.is_log && !self.0.is_empty() && (has_ended(&message.text) || has_ended(line))
    }
}

/// Whether a later event about the same object says that what a warning reports went well.
pub(super) fn went_well(facts: &Facts, warning: &Event) -> bool {
    let Some((_, ends)) = REASONS.iter().find(|(reason, _)| *reason == warning.reason) else {
        return false;
    };
    let is_later =
        |event: &Event| matches!((event.age, warning.age), (Some(one), Some(other)) if one < other);
    facts.events.iter().any(|event| {
        event.target == warning.target && ends.contains(&event.reason.as_str()) && is_later(event)
    })
}

/// What a line is about, in small letters, if the pattern fits; empty if the pattern names nothing.
fn who(pattern: &Regex, line: &str) -> Option<String> {
    let found = pattern.captures(line)?;
    Some(found.name("who").map_or("", |who| who.as_str()).to_lowercase())
}
