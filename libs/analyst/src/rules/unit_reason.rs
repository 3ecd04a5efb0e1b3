//! Why a unit of systemd failed: what its own log says, if another family knows what that means.

use std::sync::LazyLock;

use regex::Regex;

use crate::facts::{Examined, Facts};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::{Application, Configuration, Crash, HostService};
use crate::verdict::Target;

/// The weight from which on a line says why.
const DECIDES: f64 = 80.0;
/// How much it then weighs at least: more than that the unit failed, which it causes.
const WEIGHT: f64 = 90.0;

/// Puts the reason at the unit, and takes in what only says that the unit failed.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for examined in &facts.results {
        let Some(unit) = failed(examined) else { continue };
        let is_of_log = |one: &Signal| {
            let is_reason = match one.category {
                HostService => !one.cause.contains("unit"),
                // What is in use is no setting of the unit.
                Configuration => one.cause.contains("in use"),
                category => !matches!(category, Application | Crash),
            };
            one.is_line
                && is_reason
                && one.weight >= DECIDES
                && one.quotes.iter().all(|quote| quote.call == examined.number)
        };
        let reasons = found.iter().enumerate().filter(|(_, one)| is_of_log(one));
        let best = reasons.max_by(|(_, one), (_, other)| one.weight.total_cmp(&other.weight));
        let Some(at) = best.map(|(at, _)| at) else { continue };
        let mut signal = found.remove(at);
        if signal.category == Configuration {
            signal.category = HostService;
        }
        signal.target = Target::new("unit", &unit, "");
        signal.weight = signal.weight.max(WEIGHT);
        signal.side = None;
        absorb(found, &mut signal);
        found.push(signal);
    }
}

/// The unit whose own log or status a result is, if it failed.
fn failed(examined: &Examined) -> Option<String> {
    static FAILED: LazyLock<Regex> = regex!(
        r"(?P<unit>[\w@.\\-]+\.service): (?:(?:Main|Control) process exited, code=\w+, status=[1-9]|Failed with result)"
    );
    let mut units = examined.lines.iter().filter_map(|line| FAILED.captures(line)?.name("unit"));
    let unit = units.next_back()?.as_str();
    let bare = unit.trim_end_matches(".service");
    let asked = format!("{} {}", examined.asked, examined.arguments).to_lowercase();
    asked.contains(&bare.to_lowercase()).then(|| unit.to_owned())
}

/// Takes in what only says that the unit failed.
pub(super) fn absorb(found: &mut Vec<Signal>, signal: &mut Signal) {
    let unit = signal.target.name.clone();
    found.retain(|one| {
        let is_end = one.category == HostService
            && one.weight < WEIGHT
            && (one.target.name == unit
                || one.quotes.iter().any(|quote| quote.text.contains(&unit)));
        if is_end {
            signal.quotes.extend(one.quotes.iter().cloned());
        }
        !is_end
    });
}
