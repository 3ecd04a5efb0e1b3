//! The memory of a host: what is left of it and of swap, and whether processes wait for it.

use std::sync::LazyLock;

use regex::Regex;

use crate::facts::Facts;
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::Starvation;
use crate::verdict::Target;

/// The part of the memory that is available below which there is none left.
const LITTLE: f64 = 0.03;
/// The part of swap in use from which on it is used up.
const ALL: f64 = 0.97;
/// Percent of the time in which all processes wait for memory.
const WAITING: f64 = 40.0;

pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for result in 0..facts.results.len() {
        used_up(facts, result, found);
        waiting(facts, result, found);
    }
}

/// Memory and swap as `free` shows them.
fn used_up(facts: &Facts, result: usize, found: &mut Vec<Signal>) {
    static ROW: LazyLock<Regex> = regex!(
        r"^(?P<name>Mem|Swap):\s+(?P<total>\d+)\s+(?P<used>\d+)(?:.*\s(?P<available>\d+))?\s*$"
    );
    let Some(examined) = facts.results.get(result) else { return };
    let (mut memory, mut swap) = (None, None);
    for (at, line) in examined.lines.iter().enumerate() {
        let Some(row) = ROW.captures(line) else { continue };
        let number = |name| row.name(name).and_then(|part| part.as_str().parse::<f64>().ok());
        let (Some(total), Some(used)) = (number("total"), number("used")) else { continue };
        let quote = facts.quote(result, at + 1, line);
        match row.name("name").map(|name| name.as_str()) {
            Some("Mem") => {
                let left =
                    number("available").filter(|left| total > 0.0 && *left <= total * LITTLE);
                memory = left.map(|_| quote);
            }
            _ => swap = Some((total == 0.0 || used >= total * ALL, quote)),
        }
    }
    if let (Some(memory), Some((true, swap))) = (memory, swap) {
        let cause = "the memory and the swap of the host are used up";
        let quotes = vec![memory, swap];
        found.push(Signal::of_values((Starvation, 86.0), cause, Target::default(), quotes));
    }
}

/// Pressure as the kernel shows it: the part of the time in which all processes waited.
fn waiting(facts: &Facts, result: usize, found: &mut Vec<Signal>) {
    static FULL: LazyLock<Regex> = regex!(r"^full avg10=(?P<ten>[\d.]+) avg60=(?P<sixty>[\d.]+)");
    let Some(examined) = facts.results.get(result) else { return };
    let is_memory = examined.asked.contains("memory");
    for (at, line) in examined.lines.iter().enumerate().filter(|_| is_memory) {
        let Some(full) = FULL.captures(line) else { continue };
        let share = |name| full.name(name).and_then(|part| part.as_str().parse::<f64>().ok());
        if share("ten").is_some_and(|ten| ten >= WAITING)
            && share("sixty").is_some_and(|sixty| sixty >= WAITING)
        {
            let cause = "the processes of the host wait for memory most of the time";
            let quotes = vec![facts.quote(result, at + 1, line)];
            found.push(Signal::of_values((Starvation, 86.0), cause, Target::default(), quotes));
        }
    }
}
