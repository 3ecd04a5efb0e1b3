//! Which call to make next: the question that is worth most, and a tool that answers it.

mod ask;
mod candidate;
mod generic;
mod logs;
mod policy;
mod questions;
mod realize;
mod schema;
mod spelling;
mod topics;

use std::collections::HashSet;

use serde_json::Value;

use crate::alert::Focus;
use crate::facts::Facts;
use crate::results::error_message;
use crate::signal::Signal;
use crate::text::owner_name;
use crate::transcript::{CallRecord, Tool, ToolCall, Transcript};
use crate::verdict::NotExamined;

use ask::Ask;
use candidate::Candidate;
pub(crate) use topics::{significant, topics, words_of_topics};

/// Calls of one turn; they run at the same time.
pub const CALLS_PER_TURN: usize = 3;
/// Calls of one investigation.
pub const MOST_CALLS: usize = 40;
/// The least value of a call that is made.
const THRESHOLD: f64 = 20.0;

/// The next calls, the most valuable first.
pub(crate) fn next(
    transcript: &Transcript,
    focus: &Focus,
    facts: &Facts,
    found: &[Signal],
) -> Vec<ToolCall> {
    let remaining = transcript
        .remaining_calls
        .min(MOST_CALLS.saturating_sub(transcript.calls.len()))
        .min(CALLS_PER_TURN);
    let tools: Vec<&Tool> =
        transcript.tools.iter().filter(|tool| policy::is_read_only(tool)).collect();
    let mut candidates = questions(transcript, focus, facts, found, &tools);
    candidates.extend(generic::candidates(&tools, focus, facts, found, &transcript.calls));
    candidates.extend(logs::candidates(&tools, focus, facts));
    candidates.retain(|one| one.value >= THRESHOLD);
    candidates.sort_by(|one, other| {
        other.value.total_cmp(&one.value).then_with(|| key(&one.call).cmp(&key(&other.call)))
    });
    let done: HashSet<String> = transcript.calls.iter().map(key_of_record).collect();
    let mut seen = HashSet::new();
    candidates
        .into_iter()
        .filter(|one| !done.contains(&key(&one.call)) && seen.insert(key(&one.call)))
        .map(|one| one.call)
        .take(remaining)
        .collect()
}

/// What was not looked at: calls that failed, tools that were not called, tools that could not be.
pub(crate) fn not_examined(
    transcript: &Transcript,
    focus: &Focus,
    facts: &Facts,
) -> Vec<NotExamined> {
    let mut found = Vec::new();
    let mut named = HashSet::new();
    for call in transcript.calls.iter().filter(|call| call.failed && call.number > 0) {
        if named.insert(call.tool.clone()) {
            let error = crate::facts::excerpt(&error_message(&call.text), "");
            found.push(NotExamined::Failed { tool: call.tool.clone(), call: call.number, error });
        }
    }
    let called: HashSet<&str> = transcript.calls.iter().map(|call| call.tool.as_str()).collect();
    let tools = transcript.tools.iter().filter(|tool| policy::is_read_only(tool));
    for tool in tools.filter(|tool| !called.contains(tool.name.as_str())) {
        let missing = generic::missing(tool, focus, facts);
        let tool = tool.name.clone();
        found.push(if missing.is_empty() {
            NotExamined::NotCalled { tool }
        } else {
            NotExamined::NotCallable { tool, missing }
        });
    }
    found
}

fn questions(
    transcript: &Transcript,
    focus: &Focus,
    facts: &Facts,
    found: &[Signal],
    tools: &[&Tool],
) -> Vec<Candidate> {
    let asked = questions::all(focus, facts, found);
    asked
        .into_iter()
        .filter_map(|(value, ask)| answer(&ask, value, tools, &transcript.calls))
        .collect()
}

/// The first tool that can answer and has not failed to; none if one has answered.
fn answer(ask: &Ask, value: f64, tools: &[&Tool], calls: &[CallRecord]) -> Option<Candidate> {
    if is_hopeless(ask, calls) {
        return None;
    }
    for tool in realize::fitting(ask, tools) {
        let Some(arguments) = realize::arguments(ask, tool) else { continue };
        let call = ToolCall { tool: tool.name.clone(), arguments, purpose: ask.purpose() };
        let made = calls.iter().find(|made| key_of_record(made) == key(&call));
        match made {
            None => return Some(Candidate { value, call }),
            Some(made) if made.failed => {}
            Some(_) => return None,
        }
    }
    // A tool for the logs of a service stands in for one for the logs of a pod.
    match ask {
        Ask::Logs { namespace, pod, previous: false } => {
            let service = owner_name(pod).to_owned();
            let instead = Ask::ServiceLogs { namespace: namespace.clone(), service };
            answer(&instead, value, tools, calls)
        }
        _ => None,
    }
}

/// Experiments of a kind that the cluster does not know, if it does not know another one.
fn is_hopeless(ask: &Ask, calls: &[CallRecord]) -> bool {
    let is_chaos = |text: &str| text.to_ascii_lowercase().contains("chaos");
    let refused = || calls.iter().any(|call| call.failed && is_chaos(&call.arguments.to_string()));
    matches!(ask, Ask::List { kind, .. } if is_chaos(kind)) && refused()
}

fn key(call: &ToolCall) -> String {
    format!("{} {}", call.tool, sorted(&call.arguments))
}

fn key_of_record(call: &CallRecord) -> String {
    format!("{} {}", call.tool, sorted(&call.arguments))
}

/// Arguments as text, whatever the order of their names.
fn sorted(arguments: &Value) -> String {
    let Value::Object(map) = arguments else { return arguments.to_string() };
    let mut pairs: Vec<String> = map.iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.sort();
    pairs.join("&")
}
