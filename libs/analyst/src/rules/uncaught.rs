//! Processes that end with an exception that they do not handle: its last line says what it was, and what follows that
//! they ended.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::unit_reason::absorb;
use crate::facts::{Facts, Message, excerpt};
use crate::signal::Signal;
use crate::text::{owner_name, regex, same_name};
use crate::verdict::Category::{Application, Crash};
use crate::verdict::Target;

/// How much it speaks for being the cause: more than a panic, because what ended is seen, too.
const WEIGHT: f64 = 78.0;
/// The weight from which on what another family reads in the same line says more.
const KNOWN: f64 = 60.0;
/// How much it does for a unit of systemd: that the unit failed, which it causes, has less.
const WEIGHT_OF_UNIT: f64 = 90.0;
const UNIT_KIND: &str = "unit";
/// The members of an entry of a journal with its text.
const JOURNAL: &[&str] = &["MESSAGE", "message", "msg"];
const CAUSE: &str = "the process ends with an exception that it does not handle";

/// The line that begins the trace of an exception in Python, whose last line has it.
static TRACEBACK: LazyLock<Regex> = regex!(r"Traceback \(most recent call last\):?$");
/// Lines of other languages that say what was not handled, before or without a trace.
static UNHANDLED: LazyLock<Regex> = regex!(concat!(
    r#"^Exception in thread "[^"]*" \S|^Unhandled exception[.:] \S|^Uncaught \w*(?:Error|Exception)\b"#,
    r"|^(?:[\w.$]+\.)?\w*Error(?: \[\w+\])?: .*\S$|^PHP Fatal error:\s+Uncaught \S|^Fatal error: Uncaught \S",
    r"|^\S+\.rb:\d+:in .*\(\w[\w:]*\)$|^\*\* \(\w+\) \S|^panic: \S|^fatal error: \S|^Fatal error: exception \S",
    r"|^thread '[^']*'(?: \(\d+\))? panicked at \S|^terminate called after throwing an instance of \S",
));
/// A line of these whose message is the next one.
static MESSAGE_FOLLOWS: LazyLock<Regex> = regex!(r"^thread '.* panicked at \S+:\d+:\d+:$");
/// Lines of a trace.
static TRACE: LazyLock<Regex> = regex!(
    r"^\s|^at \S|^Caused by: |^\.\.\. \d+ more|^from \S+:\d+|^#\d+ |^Stack trace:|^thrown in |^During handling of|^The above exception|^\}$|^--->|^Node\.js v\d|^$|^goroutine \d+ \[|^[\w./*()-]+\(.*\)$|^created by \S|^\[signal |^note: run with |^what\(\): "
);
/// What systemd writes of a unit that ended, which says nothing of why or whether it runs again.
static BESIDE: LazyLock<Regex> = regex!(
    r"^\S+\.service: (?:Scheduled restart job|Consumed |Triggering On|Unit entered failed state)|^(?:Stopped|Stopping) \S"
);
/// The unit that systemd says of that it failed.
static UNIT: LazyLock<Regex> = regex!(
    r"^(?P<unit>[\w@.\\-]+\.service): (?:Main process exited|Failed with result|Start request repeated too quickly)"
);
/// Lines that say that a process ended, or is not started again.
static END: LazyLock<Regex> = regex!(concat!(
    r"(?i)\b(?:exit(?:ed|s|ing)?|terminat(?:ed|ing)|ended|died|crashed|stopped|aborted)\b.{0,60}\b(?:status|code|signal|unexpectedly)\b",
    r"|\bexit(?:ed)?(?: status| code)?[ =:(]+[1-9]\d*|\bmain process exited|\bfailed with result\b|^node\.js v\d",
    r"|^failed to start \S|\bnot (?:re)?started(?: again)?\b|\bstart request repeated too quickly|\bback-?off restarting",
));
/// Whom such a line names.
static ENDED: LazyLock<Regex> = regex!(
    r"^(?:(?:ERROR|FATAL|CRITICAL|WARN(?:ING)?|INFO)\s+)?(?P<process>[\w@.-]+) (?:exited|terminated|ended|died|crashed|stopped|aborted|(?:is|was) not (?:re)?started)\b"
);
/// What a line of a log begins with: the time, and who writes.
static PREFIX: LazyLock<Regex> = regex!(
    r"^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*\]? |\w{3} [ \d]\d \d\d:\d\d:\d\d \S+ [\w.@-]+(?:\[\d+\])?: )"
);

/// The last exception of each log, if the process ended with it and did not come back.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for (result, examined) in facts.results.iter().enumerate() {
        let of_log = |one: &&Message| one.is_log && one.result == result;
        if facts.messages.iter().find(of_log).is_none() {
            continue;
        }
        let lines: Vec<Cow<'_, str>> = examined.lines.iter().map(|line| bare(line)).collect();
        let lines: Vec<&str> = lines.iter().map(AsRef::as_ref).collect();
        let Some(at) = last_exception(&lines) else { continue };
        let Some(text) = lines.get(at).copied() else { continue };
        let written = facts.messages.iter().filter(of_log).find(|one| bare(&one.text) == text);
        let Some(message) = written else { continue };
        let after = end_after(&lines, at);
        let has_ended = match after {
            After::Ended(_) => true,
            After::Nothing => is_down(facts, &message.target.name),
            After::Work => false,
        };
        let quote = facts.quote(message.result, message.line, &message.text);
        let is_known = found
            .iter()
            .filter(|one| one.weight >= KNOWN && !matches!(one.category, Application | Crash))
            .any(|one| one.quotes.contains(&quote));
        if has_ended && !is_known {
            let mut signal = Signal::of_message((Crash, WEIGHT), CAUSE, facts, message);
            signal.detail = Some(excerpt(text, ""));
            if let After::Ended(Some(who)) = after {
                signal.target = who;
            }
            if signal.target.kind == UNIT_KIND {
                signal.weight = WEIGHT_OF_UNIT;
                absorb(found, &mut signal);
            }
            found.push(signal);
        }
    }
}

/// A line as its program wrote it: results may have it in a list of JSON, and behind a time.
fn bare(line: &str) -> Cow<'_, str> {
    if line.starts_with('{')
        && let Ok(entry) = serde_json::from_str::<Value>(line)
        && let Some(text) = JOURNAL.iter().find_map(|key| entry.get(key)?.as_str())
    {
        return Cow::Owned(text.trim_end().to_owned());
    }
    let inner = match line.trim_start().strip_prefix('"') {
        Some(quoted) => quoted.trim_end().trim_end_matches(',').trim_end_matches('"'),
        None => line.trim_end(),
    };
    let start = PREFIX.find(inner).map_or(0, |prefix| prefix.end());
    Cow::Borrowed(inner.get(start..).unwrap_or(inner))
}

/// The place of the line that says what the last exception was.
fn last_exception(lines: &[&str]) -> Option<usize> {
    let of_python = lines.iter().rposition(|line| TRACEBACK.is_match(line)).and_then(|begin| {
        let after = lines.iter().enumerate().skip(begin + 1);
        after.into_iter().find(|(_, line)| !line.starts_with(char::is_whitespace)).map(|one| one.0)
    });
    let of_others = lines.iter().rposition(|line| UNHANDLED.is_match(line)).map(|at| {
        let follows = lines.get(at).is_some_and(|line| MESSAGE_FOLLOWS.is_match(line));
        if follows && at + 1 < lines.len() { at + 1 } else { at }
    });
    of_python.max(of_others)
}

/// What a log has after an exception and its trace.
#[derive(Debug)]
enum After {
    /// With the process that a line names.
    Ended(Option<Target>),
    Nothing,
    /// Other lines: it was handled, or the process runs again.
    Work,
}

fn end_after(lines: &[&str], exception: usize) -> After {
    let mut after = After::Nothing;
    for line in lines.iter().skip(exception + 1) {
        if END.is_match(line) {
            let named = named(line).or(match after {
                After::Ended(earlier) => earlier,
                After::Nothing | After::Work => None,
            });
            after = After::Ended(named);
        } else if !TRACE.is_match(line)
            && !BESIDE.is_match(line)
            && !matches!(line.trim(), "]" | "]," | "}")
        {
            return After::Work;
        }
    }
    after
}

fn named(line: &str) -> Option<Target> {
    if let Some(unit) = UNIT.captures(line).and_then(|captures| captures.name("unit")) {
        return Some(Target::new(UNIT_KIND, unit.as_str(), ""));
    }
    let captures = ENDED.captures(line)?;
    captures.name("process").map(|name| Target::new("process", name.as_str(), ""))
}

/// Whether a pod of that name does not run.
fn is_down(facts: &Facts, name: &str) -> bool {
    let is_its = |pod: &str| same_name(pod, name) || same_name(owner_name(pod), owner_name(name));
    facts
        .of_kind("pod")
        .filter(|pod| is_its(&pod.target().name))
        .filter_map(|pod| pod.field("STATUS"))
        .any(|status| ["CrashLoopBackOff", "Error"].iter().any(|end| status.value.ends_with(end)))
}
