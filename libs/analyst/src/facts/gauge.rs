//! The name of the machine that a result is from, and how much of it is in use: from documents, and from what `uname`,
//! `hostnamectl`, `uptime` and `df` print.

use std::sync::LazyLock;

use regex::Regex;
use tarsy_evidence::{Node, Shape};

use super::host::{Host, Load, Machine, Mount, Place, Share};
use super::model::{Facts, Source};
use crate::text::regex;

/// Members that stand beside the name of a machine in a description of it.
const OF_A_MACHINE: &[&str] = &["kernel", "os", "uptime", "architecture", "platform"];

/// Adds what a result shows.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>) {
    let host = &mut facts.host;
    for node in documents {
        let only = node.entries().len() == 1;
        if let Some(name) = node.get("hostname").filter(|_| only) {
            add_machine(host, name, source.result);
        }
        walk(host, node, source.result);
    }
    if documents.iter().all(|node| node.entries().is_empty()) {
        add_names(host, source);
        add_mounts(host, source);
        add_usage(host, source);
    }
    if source.subject.kind == "host" && !source.subject.name.is_empty() {
        let place = Place { result: source.result, line: 1 };
        host.machines.push(Machine { name: source.subject.name.clone(), place });
    }
}

fn add_machine(host: &mut Host, name: &Node, result: usize) {
    if let Some(text) = name.text() {
        let place = Place { result, line: name.line };
        host.machines.push(Machine { name: text.to_owned(), place });
    }
}

fn walk(host: &mut Host, node: &Node, result: usize) {
    match &node.shape {
        Shape::Scalar(_) => {}
        Shape::List(items) => items.iter().for_each(|item| walk(host, item, result)),
        Shape::Map(entries) => {
            describe(host, node, result);
            for entry in entries {
                walk(host, &entry.value, result);
            }
        }
    }
}

fn describe(host: &mut Host, node: &Node, result: usize) {
    let number = |path: &[&str]| {
        let value = node.at(path)?;
        Some((value.text()?.parse::<f64>().ok()?, Place { result, line: value.line }))
    };
    let first = |paths: &[&[&str]]| paths.iter().find_map(|path| number(path));
    let is_machine = OF_A_MACHINE.iter().any(|key| node.get(key).is_some());
    if let Some(name) = node.get("hostname").filter(|_| is_machine) {
        add_machine(host, name, result);
    }
    let load = first(&[&["load", "1m"], &["load1"], &["load_1m"]]);
    let cores = first(&[&["cores"], &["cpu", "cores"], &["cpus"], &["cpu_count"]]);
    host.cores = cores.map(|(cores, _)| cores).filter(|cores| *cores > 0.0).or(host.cores);
    if let (Some((minute, place)), Some((cores, _))) = (load, cores) {
        host.loads.push(Load { minute, cores, place });
    }
    let whole = first(&[&["total_bytes"]]).filter(|_| node.get("mount").is_none());
    let of_memory =
        number(&["memory_used_percent"]).or_else(|| whole.and_then(|_| number(&["used_percent"])));
    host.memory.extend(of_memory.map(|(percent, place)| Share { percent, place }));
    let busy = number(&["machine_cpu_percent", "busy"]);
    host.processors.extend(busy.map(|(percent, place)| Share { percent, place }));
}

/// Adds the names of machines that commands print.
fn add_names(host: &mut Host, source: &Source<'_>) {
    static NAME: LazyLock<Regex> =
        regex!(r"^(?:Linux (\S+) \d\S* #|\s*Static hostname: (\S+)\s*$)");
    let result = source.result;
    for (at, line) in source.lines.iter().enumerate() {
        let Some(found) = NAME.captures(line) else { continue };
        let name = found.get(1).or_else(|| found.get(2)).map_or("", |name| name.as_str());
        let place = Place { result, line: at + 1 };
        host.machines.push(Machine { name: name.to_owned(), place });
    }
    let is_hostname = matches!(source.command.trim(), "hostname" | "hostname -s" | "hostname -f");
    if let Some(name) = source.lines.first().filter(|_| is_hostname) {
        let place = Place { result, line: 1 };
        host.machines.push(Machine { name: name.trim().to_owned(), place });
    }
}

/// Adds the file systems that `df` lists; images that are mounted are always full.
fn add_mounts(host: &mut Host, source: &Source<'_>) {
    static ROW: LazyLock<Regex> = regex!(r"\s(?P<used>\d{1,3})%\s+(?P<path>/\S*)\s*$");
    static HEADING: LazyLock<Regex> =
        regex!(r"(?i)^filesystem\s.*\s(?:use%|capacity)\s+mounted on");
    if !source.lines.iter().any(|line| HEADING.is_match(line)) {
        return;
    }
    for (at, line) in source.lines.iter().enumerate() {
        let Some(found) = ROW.captures(line) else { continue };
        let part = |name| found.name(name).map_or("", |part| part.as_str());
        let (path, used) = (part("path"), part("used").parse::<f64>());
        if let Ok(used_percent) = used
            && !path.starts_with("/snap/")
        {
            let place = Place { result: source.result, line: at + 1 };
            let path = path.to_owned();
            host.mounts.push(Mount { path, used_percent, inodes_used_percent: 0.0, place });
        }
    }
}

/// Adds how busy the machine is and what of its memory is in use, as `uptime`, `nproc`, `top` and `free` print it, and how far
/// its clock is off, as `chronyc tracking` does.
fn add_usage(host: &mut Host, source: &Source<'_>) {
    static LOAD: LazyLock<Regex> = regex!(r"\bload averages?: (?P<value>\d+\.\d+)");
    static IDLE: LazyLock<Regex> = regex!(r"^%?Cpu\(s\):.* (?P<value>\d+(?:\.\d+)?)(?: |%)id\b");
    static MEMORY: LazyLock<Regex> = regex!(r"^Mem:\s+(?P<whole>\d+)\s.*\s(?P<value>\d+)\s*$");
    static CLOCK: LazyLock<Regex> =
        regex!(r"^System time\s*: (?P<value>\d+(?:\.\d+)?) seconds (?:fast|slow)");
    let is_memory = source.lines.iter().any(|line| line.trim_end().ends_with("available"));
    for (at, line) in source.lines.iter().enumerate() {
        let place = Place { result: source.result, line: at + 1 };
        let number = |pattern: &Regex, name: &str| {
            pattern.captures(line)?.name(name)?.as_str().parse::<f64>().ok()
        };
        host.averages.extend(number(&LOAD, "value").map(|minute| (minute, place)));
        let busy = number(&IDLE, "value").map(|idle| ((100.0 - idle) * 10.0).round() / 10.0);
        host.processors.extend(busy.map(|percent| Share { percent, place }));
        let whole = number(&MEMORY, "whole").filter(|whole| is_memory && *whole > 0.0);
        let left = whole.zip(number(&MEMORY, "value"));
        let used = left.map(|(whole, left)| (1_000.0 * (1.0 - left / whole)).round() / 10.0);
        host.memory.extend(used.map(|percent| Share { percent, place }));
        host.clocks.extend(number(&CLOCK, "value").map(|seconds| (seconds, place)));
    }
    // Alone, or as the last of several commands.
    if source.command.split([';', '&', '|']).any(|one| one.trim() == "nproc") {
        let cores = source.lines.iter().rev().find_map(|line| line.trim().parse().ok());
        host.cores = cores.or(host.cores);
    }
}
