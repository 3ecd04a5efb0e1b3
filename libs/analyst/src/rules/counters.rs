//! Counters that only a fault moves: read twice, and larger the second time. Alone they say what was so at some time since the
//! machine started.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::facts::Facts;
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category;
use crate::verdict::Category::{NetworkFault, Starvation};

/// Names of counters in small letters, the category of what moves them, and the cause.
const KNOWN: &[(&[&str], Category, &str)] = &[
    (
        &["conntrack_allowance_exceeded"],
        NetworkFault,
        "the cloud drops packets of the machine: its allowance of tracked connections is used up",
    ),
    (
        &["bw_in_allowance_exceeded", "bw_out_allowance_exceeded"],
        NetworkFault,
        "the cloud drops packets of the machine: its allowance of bandwidth is used up",
    ),
    (
        &["pps_allowance_exceeded"],
        NetworkFault,
        "the cloud drops packets of the machine: its allowance of packets in a second is used up",
    ),
    (
        &["linklocal_allowance_exceeded"],
        NetworkFault,
        "the cloud drops calls of its own services (names, time, metadata): the machine makes too many",
    ),
    (
        &[
            "listenoverflows",
            "tcpextlistenoverflows",
            "times the listen queue of a socket overflowed",
        ],
        Starvation,
        "more connections wait at a port than its program takes",
    ),
];
const WEIGHT: f64 = 92.0;

/// Where a value of a counter stands.
type Seen = (usize, usize, u64);

pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let mut seen: BTreeMap<(&str, usize), Vec<Seen>> = BTreeMap::new();
    for (result, examined) in facts.results.iter().enumerate() {
        for (at, line) in examined.lines.iter().enumerate() {
            let Some((name, value)) = counter(line) else { continue };
            let Some(known) = KNOWN.iter().position(|one| one.0.contains(&name.as_str())) else {
                continue;
            };
            let key = (examined.arguments.as_str(), known);
            seen.entry(key).or_default().push((result, at + 1, value));
        }
    }
    for ((_, known), values) in seen {
        let (Some(first), Some(last)) = (values.first(), values.last()) else { continue };
        let Some((_, category, cause)) = KNOWN.get(known).filter(|_| last.2 > first.2) else {
            continue;
        };
        let subject = facts.messages.iter().find(|message| message.result == last.0);
        let target = subject.map(|message| message.target.clone()).unwrap_or_default();
        let quote = |one: &Seen| facts.quote(one.0, one.1, &one.2.to_string());
        let quotes = vec![quote(first), quote(last)];
        found.push(Signal::of_values((*category, WEIGHT), *cause, target, quotes));
    }
}

/// `name: 12`, `name = 12`, and `12 name` of a line of its own.
fn counter(line: &str) -> Option<(String, u64)> {
    static NAMED: LazyLock<Regex> =
        regex!(r"^\s*(?P<name>[\w.]+)\s*[:=\s]\s*(?P<value>\d+)(?:\s|$)");
    static COUNTED: LazyLock<Regex> = regex!(r"^\s*(?P<value>\d+) (?P<name>[a-z][a-z ]+)$");
    let found = COUNTED.captures(line).or_else(|| NAMED.captures(line))?;
    let name = found.name("name")?.as_str().to_lowercase();
    Some((name, found.name("value")?.as_str().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_in_both_orders() {
        let both = |line| counter(line).unwrap();
        assert_eq!(
            both("     pps_allowance_exceeded: 7"),
            ("pps_allowance_exceeded".to_owned(), 7)
        );
        assert_eq!(both("TcpExtListenOverflows   12   0.0").1, 12);
        let listen = "times the listen queue of a socket overflowed".to_owned();
        assert_eq!(both("    40 times the listen queue of a socket overflowed"), (listen, 40));
    }
}
