//! What state and how severe an alert of no known form is.

use serde_json::Value;

use super::members::{Member, Members, words};
use crate::alert::Status;
use crate::status_words::{ACKNOWLEDGED, FIRING, RESOLVED};

/// The members that have the state, the most exact first.
const STATES: [&str; 16] = [
    "state",
    "status",
    "alertstate",
    "alertstatus",
    "currentstate",
    "newstate",
    "newstatevalue",
    "action",
    "eventaction",
    "alertaction",
    "transition",
    "alerttransition",
    "monitorcondition",
    "alerttypefriendlyname",
    "alerttype",
    "entitystate",
];
/// Members that may have the state, or only what kind of message it is.
const KINDS: [&str; 4] = ["messagetype", "health", "healthstatus", "actiongroup"];
/// Results of checks as numbers, of which 0 is good.
const EXITS: [&str; 5] = ["exitstatus", "exitcode", "returncode", "checkstatus", "statusid"];
/// What the names of truth values as numbers consist of: 0 says that there is no problem.
const NUMBERED: [&str; 3] = ["alarm", "alert", "problem"];
/// Members whose word for machines may end with a state, such as `incident.resolved`.
const EVENTS: [&str; 4] = ["event", "type", "eventtype", "eventname"];
/// Whose state it is, in the names of members with it.
const OF_STATE: [&str; 8] =
    ["alarm", "problem", "incident", "issue", "trigger", "monitor", "response", "run"];
/// Members with what came of something, and the values of such a run that went through.
const OUTCOMES: [&str; 3] = ["status", "state", "result"];
const DONE: [&str; 4] = ["success", "succeeded", "completed", "passed"];
/// How names of members with a state end, those that say what is sent before those that say how something is.
const ENDINGS: [&str; 7] =
    ["event", "type", "action", "transition", "condition", "status", "state"];
/// Members of a severity, which is `ok` or `clear` once the problem is over.
const LEVELS: [&str; 3] = ["severity", "level", "alertlevel"];
/// Truth values without `is` before them, and when the alert is over.
const FLAGS: [(&str, bool); 10] = [
    ("backtonormal", true),
    ("clear", true),
    ("resolved", true),
    ("recovered", true),
    ("closed", true),
    ("cleared", true),
    ("firing", false),
    ("alerting", false),
    ("active", false),
    ("triggered", false),
];
/// Words of tools beside those that stand alone for a state.
const BEGINS: [&str; 17] = [
    "trigger",
    "fire",
    "failed",
    "failure",
    "anomalous",
    "investigating",
    "identified",
    "monitoring",
    "start",
    "started",
    "begin",
    "unresolved",
    "reopened",
    "renotify",
    "retriggered",
    "activate",
    "raised",
];
/// How severe a problem is: it exists, unless another word says that it is over.
pub(super) const GRADES: [&str; 13] = [
    "critical",
    "crit",
    "emergency",
    "warning",
    "warn",
    "error",
    "major",
    "minor",
    "fatal",
    "high",
    "low",
    "degraded",
    "unhealthy",
];
const ENDS: [&str; 17] = [
    "available",
    "responding",
    "resolve",
    "recover",
    "clear",
    "close",
    "canceled",
    "cancelled",
    "passed",
    "success",
    "succeeded",
    "end",
    "ended",
    "fixed",
    "restored",
    "online",
    "postmortem",
];
/// States that last for a span of time, with the names of its ends. What has run has such ends too, and may have failed.
const LASTING: [&str; 6] = ["down", "offline", "unreachable", "unavailable", "outage", "degraded"];
const BEGUN: [&str; 3] = ["startedat", "beganat", "begunat"];
const ENDED: [&str; 2] = ["endedat", "finishedat"];
/// States in which nobody knows how it is.
const UNKNOWN: [&str; 2] = ["nodata", "insufficientdata"];
const TAKEN: [&str; 2] = ["acknowledge", "acknowledging"];
/// Such a word changes the meaning of those after it.
const NEGATIONS: [&str; 3] = ["not", "no", "un"];
/// The most words of a text that is a state; what has more is prose. Words of enumerations have no blanks.
const MAX_WORDS: usize = 3;
const MAX_ENUMERATION: usize = 6;
/// The most characters of a severity.
const MAX_SEVERITY: usize = 40;
const SEVERITIES: [&str; 19] = [
    "severity",
    "alertseverity",
    "problemseverity",
    "incidentseverity",
    "severitylevel",
    "prioritysummary",
    "priorityname",
    "priority",
    "alertpriority",
    "importancelevel",
    "importance",
    "criticality",
    "urgency",
    "incidentimpact",
    "impact",
    "level",
    "alertlevel",
    "loglevel",
    "errorlevel",
];

/// How other names of a severity end.
const LEVELED: [&str; 5] = ["severity", "criticality", "priority", "urgency", "level"];

/// The state that the highest of its members has; none if no member has one.
pub(super) fn state(members: &Members<'_>) -> Option<Status> {
    let mut depths: Vec<usize> = members.iter().map(|member| member.depth).collect();
    depths.sort_unstable();
    depths.dedup();
    let at = |depth: usize| {
        let here = |member: &&Member<'_>| member.depth == depth && !member.in_list;
        let of = |names: &'static [&'static str]| members.named(names).filter(here);
        let flag = || members.iter().filter(here).find_map(flag);
        of(&STATES)
            .find_map(|member| state_of(&member.text()?).or_else(|| alone(member)))
            .or_else(|| members.iter().filter(here).find_map(of_subject))
            .or_else(|| of(&KINDS).find_map(|member| state_of(&member.text()?)))
            .or_else(flag)
            .or_else(|| members.iter().filter(here).find_map(numbered))
            .or_else(|| of(&EVENTS).find_map(|member| event_state(&member.text()?)))
            .or_else(|| of(&LEVELS).find_map(|member| over(&member.text()?)))
            .or_else(|| ENDINGS.iter().find_map(|ending| of_ending(members, ending, depth)))
    };
    let found = depths.iter().copied().find_map(at).or_else(|| ended(members));
    match found {
        None => members.iter().find_map(success),
        Some(Status::Firing) if lasted(members) => Some(Status::Resolved),
        // A request that succeeded, and what came of it.
        Some(Status::Resolved) if succeeded(members) => Some(outcome(members)),
        found => found,
    }
}

/// What came of a request that succeeded.
fn outcome(members: &Members<'_>) -> Status {
    let has_failed = |member: &Member<'_>| {
        !member.in_list && member.text().and_then(|text| state_of(&text)) == Some(Status::Firing)
    };
    if members.named(&OUTCOMES).any(has_failed) { Status::Firing } else { Status::Resolved }
}

/// Whether the highest state is that something has run to its end.
fn succeeded(members: &Members<'_>) -> bool {
    let mut states = members.named(&OUTCOMES).filter(|one| one.depth == 0).filter_map(Member::text);
    states.any(|text| DONE.contains(&text.to_lowercase().as_str()))
}

/// What says of a run without a state whether it succeeded.
fn success(member: &Member<'_>) -> Option<Status> {
    let is_named = ["success", "succeeded"].contains(&member.name.as_str()) && !member.in_list;
    let value = member.node.value().filter(|_| is_named)?.as_bool()?;
    Some(if value { Status::Resolved } else { Status::Firing })
}

/// The state of a member such as `alarmStatus` or `responseState`.
fn of_subject(member: &Member<'_>) -> Option<Status> {
    let name = member.name.as_str();
    let stem = name.strip_suffix("status").or_else(|| name.strip_suffix("state"))?;
    let is_subject = OF_STATE.contains(&stem);
    state_of(&member.text().filter(|_| is_subject)?)
}

/// Words that are a state as the value of a member for one, and mean something else in others.
fn alone(member: &Member<'_>) -> Option<Status> {
    let is_state = member.ends("state") || member.ends("status");
    match member.text()?.to_lowercase().as_str() {
        "alert" if is_state => Some(Status::Firing),
        "reset" => Some(Status::Resolved),
        _ => None,
    }
}

/// The state of the members whose names end so: where they differ, the problem exists.
fn of_ending(members: &Members<'_>, ending: &str, depth: usize) -> Option<Status> {
    let here = |member: &&Member<'_>| member.depth == depth && !member.in_list;
    let named = |member: &&Member<'_>| member.ends(ending) && !is_earlier(member);
    let mut found =
        members.iter().filter(here).filter(named).filter_map(|one| event_state(&one.text()?));
    let first = found.next()?;
    Some(if found.any(|status| status != first) { Status::Firing } else { first })
}

/// Whether a member says how it was before.
fn is_earlier(member: &Member<'_>) -> bool {
    ["old", "prev", "last", "from"].iter().any(|word| member.name.starts_with(word))
}

/// An alert that has the time of its end is over.
fn ended(members: &Members<'_>) -> Option<Status> {
    members.first(&["resolvedat", "closedat", "recoveredat"]).map(|_| Status::Resolved)
}

/// Whether a state such as `down` is that of a span of time with both its ends.
fn lasted(members: &Members<'_>) -> bool {
    let single = |member: &&Member<'_>| !member.in_list && member.text().is_some();
    members.named(&STATES).filter(single).any(|state| {
        let beside = |names: &[&str]| {
            let mut named = members.named(names).filter(single);
            named.any(|one| one.depth == state.depth && one.owner() == state.owner())
        };
        let word = state.text().unwrap_or_default().to_lowercase();
        LASTING.contains(&word.as_str()) && beside(&BEGUN) && beside(&ENDED)
    })
}

/// The state that a number stands for; of other numbers nobody knows what they mean.
fn numbered(member: &Member<'_>) -> Option<Status> {
    let is_exit = EXITS.iter().any(|name| member.is(name));
    let is_named = NUMBERED.iter().any(|word| member.name.contains(word))
        && ["status", "state", "value"].iter().any(|end| member.ends(end));
    match member.text().filter(|_| is_exit || is_named)?.as_str() {
        "0" => Some(Status::Resolved),
        "1" => Some(Status::Firing),
        _ => is_exit.then_some(Status::Firing),
    }
}

fn flag(member: &Member<'_>) -> Option<Status> {
    let value = match member.node.value()? {
        Value::Bool(value) => *value,
        // Some write it as a text, or how it is once it is over.
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" | "yes" => true,
            "false" | "no" => false,
            "normal" | "manual" | "auto" if member.name.starts_with("clear") => true,
            _ => return None,
        },
        _ => return None,
    };
    let name = member.name.strip_prefix("is").unwrap_or(&member.name);
    let (_, over) = FLAGS.iter().find(|(flag, _)| *flag == name)?;
    Some(if value == *over { Status::Resolved } else { Status::Firing })
}

/// The state that a text of few words stands for.
pub(super) fn state_of(text: &str) -> Option<Status> {
    let words = words(text);
    let most = if text.contains(char::is_whitespace) { MAX_WORDS } else { MAX_ENUMERATION };
    if UNKNOWN.contains(&words.concat().as_str()) {
        return Some(Status::Firing);
    }
    if words.len() > most {
        return None;
    }
    if words.iter().any(|word| NEGATIONS.contains(&word.as_str())) {
        // What is not as it should be is a problem.
        let is_well = |word: &String| {
            ["responding", "available", "reachable", "ok", "healthy", "ready"]
                .contains(&word.as_str())
        };
        return (words.len() == 2 && words.iter().any(is_well)).then_some(Status::Firing);
    }
    let is_grade = |word: &&String| GRADES.contains(&word.as_str());
    let state = words.iter().rev().filter(|word| !is_grade(word)).find_map(|word| status_of(word));
    // A longer word for machines is the name of what is watched, such as `origin_error_rate`.
    let is_grade = words.len() < MAX_WORDS && words.iter().any(|word| is_grade(&word));
    state.or_else(|| is_grade.then_some(Status::Firing))
}

fn event_state(text: &str) -> Option<Status> {
    if text.contains(char::is_whitespace) { None } else { state_of(text) }
}

fn over(text: &str) -> Option<Status> {
    state_of(text).filter(|status| *status == Status::Resolved)
}

pub(super) fn status_of(word: &str) -> Option<Status> {
    if FIRING.contains(&word) || BEGINS.contains(&word) {
        Some(Status::Firing)
    } else if ACKNOWLEDGED.contains(&word) || TAKEN.contains(&word) {
        Some(Status::Acknowledged)
    } else if RESOLVED.contains(&word) || ENDS.contains(&word) {
        Some(Status::Resolved)
    } else {
        None
    }
}

/// How severe the alert is, in the sender's word; a word for a state that is over is none.
pub(super) fn severity(members: &Members<'_>) -> Option<String> {
    let fits = |member: &Member<'_>| {
        let text = member.text()?;
        // Words of enumerations have the name of their type before them.
        let last = text.rsplit(['_', '.']).next().unwrap_or(&text).to_owned();
        let is_enumeration = words(&text).len() > MAX_WORDS && !text.contains(char::is_whitespace);
        let word = if is_enumeration { last } else { text };
        let is_short = word.len() <= MAX_SEVERITY && (1..=MAX_WORDS).contains(&words(&word).len());
        (is_short && over(&word).is_none()).then_some(word)
    };
    let of = |in_list: bool| {
        members.named(&SEVERITIES).filter(move |one| one.in_list == in_list).find_map(fits)
    };
    let is_state = |member: &&Member<'_>| {
        !member.in_list && !is_earlier(member) && ENDINGS.iter().any(|end| member.ends(end))
    };
    let graded = || {
        let states = members.iter().filter(is_state).filter_map(Member::text);
        states.into_iter().find(|state| GRADES.contains(&state.to_lowercase().as_str()))
    };
    // Such as `triggerLevel`.
    let ending = || {
        let named = |member: &&Member<'_>| {
            !member.in_list && !is_earlier(member) && LEVELED.iter().any(|end| member.ends(end))
        };
        members.iter().filter(named).find_map(fits)
    };
    let found = of(false).or_else(ending).or_else(graded).or_else(|| of(true))?;
    // A word says more than the number beside it.
    let is_number = |text: &String| text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let word = || members.named(&SEVERITIES).filter_map(fits).find(|word| !is_number(word));
    Some(if is_number(&found) { word().unwrap_or(found) } else { found })
}
