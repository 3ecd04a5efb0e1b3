//! Faults that a host itself shows: its processes, filesystems, interfaces, and addresses at which nothing listens.

use std::sync::LazyLock;

use regex::Regex;

use crate::facts::{Facts, Message, Mount, Place, Process, excerpt};
use crate::signal::{Signal, Takes};
use crate::text::regex;
use crate::verdict::Category::{Configuration, Disk, Dns, HostService, NetworkFault, Starvation};
use crate::verdict::{Category, Quote, Target};

/// Percent of a core from which on a process is busy.
const BUSY_PERCENT: f64 = 50.0;
/// Percent of the memory from which on a process is large.
const LARGE_PERCENT: f64 = 10.0;
/// Percent in use from which on a filesystem is full.
const FULL_PERCENT: f64 = 92.0;
/// Processes that ended and were not waited for; fewer are usual.
const MANY_ZOMBIES: usize = 3;
/// Values of a series that only grows.
const LONG_SERIES: usize = 6;

/// The kind of an object that stands for the file of a log.
const LOG: &str = "log";

pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    busy(facts, found);
    zombies(facts, found);
    interfaces(facts, found);
    deleted_files(facts, found);
    growing(facts, found);
    addresses(facts, found);
    filesystems(facts, found);
    names(facts, found);
}

fn quote(facts: &Facts, place: Place, needle: &str) -> Quote {
    facts.quote(place.result, place.line, needle)
}

fn signal(kind: (Category, f64), cause: String, target: Target, quote: Quote) -> Signal {
    Signal {
        category: kind.0,
        cause,
        target,
        weight: kind.1,
        is_event: false,
        age: None,
        is_line: false,
        side: None,
        takes: None,
        detail: None,
        accused: None,
        quotes: vec![quote],
    }
}

/// The processes that use the most of the processors and of the memory.
fn busy(facts: &Facts, found: &mut Vec<Signal>) {
    let processes = &facts.host.processes;
    let most = |of: fn(&Process) -> f64| processes.iter().max_by(|a, b| of(a).total_cmp(&of(b)));
    // Its program may run as several processes.
    let of_program = |one: &Process, of: fn(&Process) -> f64| -> f64 {
        let same =
            |other: &&Process| other.name == one.name && other.place.result == one.place.result;
        processes.iter().filter(same).map(of).sum()
    };
    let (cpu, memory) = (|one: &Process| one.cpu_percent, |one: &Process| one.memory_percent);
    if let Some(one) = most(cpu).filter(|one| one.cpu_percent >= BUSY_PERCENT) {
        let percent = one.cpu_percent;
        let cause = format!("process `{}` uses {percent:.1} % of a core", one.name);
        let target = Target::new("process", &one.name, "");
        let takes = Some(Takes::Processors(of_program(one, cpu)));
        let signal = signal((Starvation, 74.0), cause, target, quote(facts, one.place, "cpu"));
        found.push(Signal { takes, ..signal });
    }
    if let Some(one) = most(memory).filter(|one| one.memory_percent >= LARGE_PERCENT) {
        let percent = one.memory_percent;
        let cause = format!("process `{}` uses {percent:.1} % of the memory", one.name);
        let target = Target::new("process", &one.name, "");
        let takes = Some(Takes::Memory(of_program(one, memory)));
        let signal = signal((Starvation, 73.0), cause, target, quote(facts, one.place, "memory"));
        found.push(Signal { takes, ..signal });
    }
}

/// Children that nobody waits for: they hold process ids.
fn zombies(facts: &Facts, found: &mut Vec<Signal>) {
    let is_zombie = |one: &&Process| one.state == "zombie";
    let Some(first) = facts.host.processes.iter().find(is_zombie) else { return };
    let of_parent = |one: &&Process| is_zombie(one) && one.parent == first.parent;
    let same_result = |one: &&Process| one.place.result == first.place.result;
    let count = facts.host.processes.iter().filter(same_result).filter(of_parent).count();
    if count < MANY_ZOMBIES {
        return;
    }
    let parent = facts.host.processes.iter().find(|one| one.id == first.parent);
    let name = parent.map_or("", |parent| parent.name.as_str());
    let target = Target::new("process", name, "");
    let quote = quote(facts, first.place, "zombie");
    let cause = "it does not wait for its children: they are zombies and hold process ids";
    let signal = signal((HostService, 92.0), cause.to_owned(), target, quote);
    found.push(Signal { takes: Some(Takes::ProcessIds), ..signal });
}

/// Interfaces that are down although they were in use.
fn interfaces(facts: &Facts, found: &mut Vec<Signal>) {
    let is_down = |state: &str| matches!(state, "down" | "lowerlayerdown" | "dormant");
    for one in facts.host.interfaces.iter().filter(|one| is_down(&one.state) && one.packets > 0.0) {
        let cause = format!("interface `{}` is down", one.name);
        let target = Target::new("interface", &one.name, "");
        found.push(signal((NetworkFault, 84.0), cause, target, quote(facts, one.place, "state")));
    }
}

/// Files that were deleted while a process has them open.
fn deleted_files(facts: &Facts, found: &mut Vec<Signal>) {
    static DELETED: LazyLock<Regex> = regex!(r"(?P<path>/[^\s(]+) \(deleted\)");
    let is_disk_full = found.iter().any(|one| one.category == Disk && one.weight >= 80.0);
    for message in facts.messages.iter().filter(|_| is_disk_full) {
        let path = DELETED.captures(&message.text).and_then(|captures| captures.name("path"));
        let Some(path) = path else { continue };
        let cause = format!(
            "`{}` was deleted while a process keeps it open: its space is not freed",
            path.as_str()
        );
        let target = Target::new("file", path.as_str(), "");
        found.push(Signal::of_message((Disk, 100.0), cause, facts, message).at(target));
    }
}

/// Figures of memory in a log that only grow.
fn growing(facts: &Facts, found: &mut Vec<Signal>) {
    static MEMORY: LazyLock<Regex> = regex!(
        r"(?i)\b(?:resident|rss|heap(?:_used| used)?|memory(?:_used| used)?)[ =:]+(?P<size>\d+(?:\.\d+)? ?[kmg]i?b)\b"
    );
    for (result, examined) in facts.results.iter().enumerate() {
        let sizes = examined.lines.iter().enumerate().filter_map(|(at, line)| {
            let size = MEMORY.captures(line)?.name("size")?.as_str().to_owned();
            Some((at + 1, bytes(&size)?, size))
        });
        let sizes: Vec<(usize, f64, String)> = sizes.collect();
        let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else { continue };
        let grows = sizes.windows(2).all(|pair| matches!(pair, [a, b] if a.1 <= b.1));
        if sizes.len() < LONG_SERIES || !grows || last.1 < first.1 * 2.0 {
            continue;
        }
        let cause = format!("its memory only grows, from {} to {}: a leak", first.2, last.2);
        let subject = facts.messages.iter().find(|message| message.result == result);
        let target = subject.map(|message| message.target.clone()).unwrap_or_default();
        let mut signal =
            signal((Starvation, 80.0), cause, target, facts.quote(result, last.0, &last.2));
        signal.quotes.insert(0, facts.quote(result, first.0, &first.2));
        found.push(signal);
    }
}

fn bytes(size: &str) -> Option<f64> {
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let factor = match size.get(digits.len()..)?.trim().to_ascii_lowercase().as_str() {
        "kb" | "kib" => 1.0,
        "mb" | "mib" => 1_024.0,
        _ => 1_048_576.0,
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

/// An address in a log of a host.
struct Address<'t> {
    text: &'t str,
    host: &'t str,
    port: u16,
}

fn address(text: &str) -> Option<Address<'_>> {
    static ADDRESS: LazyLock<Regex> = regex!(
        r"(?P<host>(?:\d{1,3}\.){3}\d{1,3}|localhost|[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+):(?P<port>\d{2,5})\b"
    );
    let found = ADDRESS.captures(text)?;
    let port = found.name("port")?.as_str().parse().ok()?;
    Some(Address { text: found.get(0)?.as_str(), host: found.name("host")?.as_str(), port })
}

/// Addresses that refuse or do not answer the program of a log, and addresses of the alert at which nothing listens.
fn addresses(facts: &Facts, found: &mut Vec<Signal>) {
    static REFUSED: LazyLock<Regex> = regex!(r"(?i)connection refused|econnrefused");
    static UNANSWERED: LazyLock<Regex> = regex!(r"(?i)timed? ?out|etimedout|no route to host");
    for message in facts.messages.iter().filter(|one| one.target.kind == LOG) {
        let Some(address) = address(&message.text) else { continue };
        let target = Target::new("address", address.text, "");
        let detail = Some(excerpt(message.bare(), address.text));
        if REFUSED.is_match(&message.text) {
            let cause = format!("`{}` refuses connections: nothing listens there", address.text);
            let refused = Signal::of_message((NetworkFault, 66.0), cause, facts, message);
            found.push(match setting(facts, message, address.text) {
                Some((name, quote)) if nothing_listens(facts, &address) => {
                    let mut signal = refused.with_quote(quote);
                    signal.category = Configuration;
                    signal.weight = 76.0;
                    signal.cause = format!(
                        "`{name}` is set to `{}`, a wrong address: nothing listens there",
                        address.text
                    );
                    signal
                }
                _ => Signal { target, detail, ..refused },
            });
        } else if UNANSWERED.is_match(&message.text) {
            let cause = format!("`{}` does not answer in time", address.text);
            let late = Signal::of_message((NetworkFault, 64.0), cause, facts, message);
            found.push(Signal { target, detail, ..late });
        }
    }
    for url in &facts.urls {
        let Some(address) = address(url).filter(|address| nothing_listens(facts, address)) else {
            continue;
        };
        let Some(listed) = facts.host.sockets.first() else { continue };
        let cause = format!("nothing listens at `{}`", address.text);
        let target = Target::new("address", address.text, "");
        found.push(signal((NetworkFault, 78.0), cause, target, quote(facts, listed.place, "port")));
    }
}

/// Whether the sockets of this host were listed and none has the port of an address of this host.
fn nothing_listens(facts: &Facts, address: &Address<'_>) -> bool {
    let is_here = address.host.starts_with("127.") || address.host == "localhost";
    let sockets = &facts.host.sockets;
    is_here && !sockets.is_empty() && sockets.iter().all(|socket| socket.port != address.port)
}

/// The variable that the program of the same log was given an address by.
fn setting(facts: &Facts, message: &Message, address: &str) -> Option<(String, Quote)> {
    static SETTING: LazyLock<Regex> = regex!(r"\b(?P<name>[A-Z][A-Z0-9_]{2,})=(?P<value>\S+)");
    facts.messages.iter().filter(|one| one.result == message.result).find_map(|one| {
        let captures = SETTING.captures(&one.text)?;
        let fits = captures.name("value")?.as_str().contains(address);
        let name = captures.name("name")?.as_str();
        fits.then(|| (name.to_owned(), facts.quote(one.result, one.line, name)))
    })
}

/// Errors about space belong to the filesystem that is full, of space or of inodes.
fn filesystems(facts: &Facts, found: &mut [Signal]) {
    static PATH: LazyLock<Regex> = regex!(r"/(?:[\w.@-]+/)*[\w.@-]+");
    let is_full =
        |one: &&Mount| one.used_percent >= FULL_PERCENT || one.inodes_used_percent >= FULL_PERCENT;
    let full: Vec<&Mount> = facts.host.mounts.iter().filter(is_full).collect();
    let mut paths: Vec<&str> = full.iter().map(|one| one.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let logged = |one: &&mut Signal| one.category == Disk && one.target.kind == LOG;
    for signal in found.iter_mut().filter(logged) {
        let text = signal.quotes.first().map(|quote| quote.text.clone()).unwrap_or_default();
        let named = PATH.find_iter(&text).filter_map(|path| facts.host.mount_of(path.as_str()));
        let named = named.max_by_key(|mount| mount.path.len()).filter(|mount| mount.path != "/");
        let only = full.first().copied().filter(|_| paths.len() == 1);
        let Some(mount) = named.or(only) else { continue };
        signal.target = Target::new("filesystem", &mount.path, "");
        signal.quotes.push(quote(facts, mount.place, &mount.path));
        if mount.used_percent < FULL_PERCENT && mount.inodes_used_percent >= FULL_PERCENT {
            "the filesystem has no inodes left".clone_into(&mut signal.cause);
        }
    }
}

/// A failed look-up belongs to the name: the one in the message, or the only one of the alert.
fn names(facts: &Facts, found: &mut [Signal]) {
    static NAME: LazyLock<Regex> =
        regex!(r"\b[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:[a-z]{3,}|io|de|eu|us|uk)\b");
    let logged = |one: &&mut Signal| one.category == Dns && one.target.kind == LOG;
    for signal in found.iter_mut().filter(logged) {
        let text = signal.quotes.first().map_or("", |quote| quote.text.as_str());
        let is_known = |name: &&str| facts.names.iter().any(|known| known == name);
        let named = NAME.find_iter(text).map(|name| name.as_str()).find(is_known);
        let only = facts.names.first().filter(|_| facts.names.len() == 1);
        if let Some(name) = named.or(only.map(String::as_str)) {
            signal.target = Target::new("name", name, "");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::alert::Focus;
    use crate::transcript::{CallRecord, Transcript};

    fn found(alert: &str, results: &[(&str, &str)]) -> Vec<Signal> {
        let calls = (1..).zip(results).map(|(number, (path, text))| CallRecord {
            number,
            tool: "host.inspect".to_owned(),
            arguments: json!({ "path": path }),
            text: (*text).to_owned(),
            failed: false,
        });
        let transcript =
            Transcript { alert: alert.to_owned(), calls: calls.collect(), ..Transcript::default() };
        let facts = crate::facts::read(&transcript, &Focus::read(alert));
        crate::rules::find(&facts)
    }

    #[test]
    fn an_error_about_space_belongs_to_the_filesystem_that_has_none() {
        let mounts = r#"[{"mount": "/", "used_percent": 40.0, "inodes_used_percent": 3.0},
            {"mount": "/srv/spool", "used_percent": 5.0, "inodes_used_percent": 100.0}]"#;
        let log = "OSError: [Errno 28] No space left on device: '/srv/spool/job-7'";
        let found = found("", &[("", mounts), ("/var/log/spool.log", log)]);
        let disk = found.iter().find(|one| one.quotes.iter().any(|quote| quote.text == log));
        let disk = disk.unwrap();
        assert_eq!(disk.target, Target::new("filesystem", "/srv/spool", ""));
        assert!(disk.cause.contains("inodes"), "{}", disk.cause);
    }

    #[test]
    fn a_refused_address_that_a_variable_holds_is_a_wrong_setting() {
        let sockets = r#"[{"protocol": "tcp", "address": "127.0.0.1", "port": 8081}]"#;
        let log = "configuration: PAYMENTS_URL=http://127.0.0.1:8080\nhttp://127.0.0.1:8080: Connection refused";
        let checkout = ("/var/log/checkout.log", log);
        let is_setting = |one: &Signal| one.cause.contains("`PAYMENTS_URL` is set to");
        assert!(found("", &[("", sockets), checkout]).iter().any(is_setting));
        let listening = sockets.replace("8081", "8080");
        assert!(!found("", &[("", &listening), checkout]).iter().any(is_setting));
    }

    #[test]
    fn children_that_nobody_waits_for_belong_to_their_parent() {
        let child = r#"{"pid": 9, "parent": 7, "name": "true", "state": "zombie", "command": ""}"#;
        let processes = format!(
            r#"[{{"pid": 7, "parent": 1, "name": "python", "state": "sleeping", "command": "/opt/dispatcher -v"}}, {child}, {child}, {child}]"#
        );
        let found = found("", &[("", &processes)]);
        let zombies = found.iter().find(|one| one.cause.contains("zombies")).unwrap();
        assert_eq!(zombies.target.name, "dispatcher");
    }

    #[test]
    fn memory_that_only_grows_is_a_leak() {
        let log = |sizes: &[u32]| {
            let lines = sizes.iter().map(|size| format!("INFO sessions, resident {size} MiB\n"));
            lines.collect::<String>()
        };
        let leaks = |sizes: &[u32]| {
            let found = found("", &[("/var/log/cache.log", &log(sizes))]);
            found.iter().any(|one| one.cause.contains("a leak"))
        };
        assert!(leaks(&[30, 50, 70, 90, 110, 130]));
        assert!(!leaks(&[30, 50, 70, 40, 110, 130]));
        assert!(!leaks(&[30, 31, 32, 33, 34, 35]));
    }
}
