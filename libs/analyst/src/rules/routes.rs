//! Tables of routes: a machine that reaches only the networks that it is part of.

use std::sync::LazyLock;

use regex::Regex;

use crate::facts::{Examined, Facts};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::NetworkFault;

/// A table without a default route counts if something says that a network cannot be reached.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    static UNREACHABLE: LazyLock<Regex> = regex!(r"(?i)network is unreachable|\benetunreach\b");
    let unreachable = facts.results.iter().enumerate().find_map(|(result, examined)| {
        let at = examined.lines.iter().position(|line| UNREACHABLE.is_match(line))?;
        Some(facts.quote(result, at + 1, "unreachable"))
    });
    let Some(unreachable) = unreachable else { return };
    for (result, examined) in facts.results.iter().enumerate() {
        let Some(at) = without_default(examined) else { continue };
        let subject = facts.messages.iter().find(|message| message.result == result);
        let target = subject.map(|message| message.target.clone()).unwrap_or_default();
        let quotes = vec![facts.quote(result, at + 1, "dev"), unreachable.clone()];
        let cause =
            "the machine has no default route: it reaches only the networks that it is part of";
        found.push(Signal::of_values((NetworkFault, 92.0), cause, target, quotes));
    }
}

/// Where the first route stands of a table of all routes that has no default one.
fn without_default(examined: &Examined) -> Option<usize> {
    static ROUTE: LazyLock<Regex> = regex!(r"^\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})? dev \S+ ");
    static DEFAULT: LazyLock<Regex> = regex!(r"^(?:default|0\.0\.0\.0(?:/0)?)\s");
    let asked = format!("{} {}", examined.asked, examined.arguments);
    let is_default = |line: &String| DEFAULT.is_match(line.trim_start());
    if !asked.contains("route") && !asked.contains("ip r") || examined.lines.iter().any(is_default)
    {
        return None;
    }
    examined.lines.iter().position(|line| ROUTE.is_match(line.trim_start()))
}
