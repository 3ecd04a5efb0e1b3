//! A session's whole timeline as text, for a model that is asked about it; bounded.

use std::fmt::Write as _;

use serde_json::Value;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::StageId;
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{Stage, TimelineEvent};

use crate::engine::text::cut;
use crate::owner::{Owner, StopReason};

/// The longest that one event is told, in tokens.
const ONE: usize = 2_000;
/// The same for conclusions and questions, which are what most questions are about.
const ONE_OF_WEIGHT: usize = 8_000;
/// The longest that all of it is told, in bytes; about 32,000 tokens.
const ALL: usize = 128_000;

/// What happened in the session so far, without the stage that asks.
pub(crate) async fn until_now(owner: &Owner, asking: StageId) -> Result<String, StopReason> {
    let (store, session) = (&owner.app.store, owner.session());
    let stages = owner.read(|| store.list_stages(session)).await?;
    let events = owner.read(|| store.list_timeline(session, None, None)).await?;
    let earlier: Vec<_> =
        events.into_iter().filter(|event| event.stage_id != Some(asking)).collect();
    Ok(told(&stages, &earlier))
}

/// One event, told at length, and in one line for when there is no room.
struct Entry {
    stage: Option<StageId>,
    whole: String,
    short: Option<String>,
}

impl Entry {
    /// What it takes of the room, in bytes, with the line after it.
    fn takes(&self) -> usize {
        self.whole.len() + 2
    }
}

/// What one agent did, without its thoughts, words and conclusions cut as long as there is room for
/// them, in bytes; a result has at most so many tokens.
pub(crate) fn of_agent(events: &[TimelineEvent], result: usize, room: usize) -> String {
    let longest = Longest { result, words: usize::MAX, of_weight: usize::MAX };
    let mut entries = entries(events, longest);
    make_room(&mut entries, room);
    let told: Vec<String> = entries.into_iter().map(|entry| entry.whole).collect();
    told.join("\n\n")
}

/// The longest that events are told, in tokens.
#[derive(Clone, Copy, Debug)]
struct Longest {
    result: usize,
    words: usize,
    of_weight: usize,
}

fn entries(events: &[TimelineEvent], longest: Longest) -> Vec<Entry> {
    let told = events
        .iter()
        .enumerate()
        .filter_map(|(at, event)| entry(events, event, events.get(at + 1), longest));
    told.collect()
}

fn told(stages: &[Stage], events: &[TimelineEvent]) -> String {
    let longest = Longest { result: ONE, words: ONE, of_weight: ONE_OF_WEIGHT };
    let mut entries = entries(events, longest);
    make_room(&mut entries, ALL);
    let mut text = String::new();
    let mut stage = None;
    for entry in entries {
        if entry.stage != stage {
            stage = entry.stage;
            let name = stages.iter().find(|one| Some(one.id) == stage);
            let name = name.map_or("The session", |one| one.stage_name.as_str());
            let _ = writeln!(text, "=== {name} ===\n");
        }
        let _ = writeln!(text, "{}\n", entry.whole);
    }
    if text.is_empty() { "(nothing was recorded)".to_owned() } else { text.trim_end().to_owned() }
}

/// The oldest events that no conclusion rests on by itself are told in one line each, and if that
/// is not enough, the oldest events not at all; the last one is cut.
fn make_room(entries: &mut Vec<Entry>, room: usize) {
    let mut length: usize = entries.iter().map(Entry::takes).sum();
    for entry in entries.iter_mut() {
        if length <= room {
            return;
        }
        if let Some(short) = entry.short.take_if(|short| short.len() < entry.whole.len()) {
            length = length.saturating_sub(entry.whole.len()) + short.len();
            entry.whole = short;
        }
    }
    let mut left_out = 0;
    while length > room && entries.len() > left_out + 1 {
        length -= entries.get(left_out).map_or(0, Entry::takes);
        left_out += 1;
    }
    if let Some(last) = entries.last_mut().filter(|_| length > room)
        && let Some(short) = cut(&last.whole, room / 4)
    {
        last.whole = short;
    }
    if left_out > 0 {
        entries.drain(..left_out);
        let note = format!("[{left_out} earlier events are left out here]");
        entries.insert(0, Entry { stage: None, whole: note, short: None });
    }
}

/// Whether the second event is the summary of the first, which is a call.
fn is_summary(call: &TimelineEvent, summary: &TimelineEvent) -> bool {
    let of = || summary.metadata.as_ref().and_then(|all| all.get("tool_event_id")?.as_str());
    summary.kind == TimelineKind::McpToolSummary
        && summary.status == TimelineStatus::Completed
        && of() == Some(call.id.to_string().as_str())
}

/// What an event says that the next one does not say again: an agent's last words are followed by
/// its conclusion.
fn words<'a>(said: &'a TimelineEvent, next: Option<&TimelineEvent>) -> &'a str {
    let concludes = |next: &&TimelineEvent| {
        said.kind == TimelineKind::LlmResponse && next.kind == TimelineKind::FinalAnalysis
    };
    let next = next.filter(concludes);
    next.and_then(|next| said.content.strip_suffix(&next.content)).unwrap_or(&said.content).trim()
}

/// How an event is told; not at all if it has no text, or its neighbour tells the same.
fn entry(
    all: &[TimelineEvent],
    event: &TimelineEvent,
    next: Option<&TimelineEvent>,
    longest: Longest,
) -> Option<Entry> {
    let words = words(event, next);
    let silent = words.is_empty() && event.kind != TimelineKind::LlmToolCall;
    // A summary is told with its call; one that broke off tells nothing.
    if silent || event.kind == TimelineKind::McpToolSummary {
        return None;
    }
    let failed = event.status == TimelineStatus::Failed;
    let (title, weighs) = match event.kind {
        TimelineKind::LlmToolCall => {
            let summary = all.iter().find(|other| is_summary(event, other));
            let content = summary.map_or(event.content.as_str(), |other| other.content.as_str());
            let head = call(event.metadata.as_ref());
            let title = if failed { "Failed" } else { "Result" };
            let whole = format!("{head}\n{title}:\n{}", bounded(content, longest.result));
            let short = Some(format!("{head}\n[its result is left out here]"));
            return Some(Entry { stage: event.stage_id, whole, short });
        }
        TimelineKind::McpToolSummary => return None,
        TimelineKind::LlmThinking => ("Thought", false),
        TimelineKind::LlmResponse if failed => ("The agent said, and broke off", false),
        TimelineKind::LlmResponse => ("The agent said", false),
        TimelineKind::Error => ("Error", false),
        TimelineKind::UserQuestion => ("Question from a person", true),
        TimelineKind::ExecutiveSummary => ("Executive summary", true),
        TimelineKind::FinalAnalysis => ("Conclusion", true),
        TimelineKind::CodeExecution => ("Code that was run", false),
        TimelineKind::GoogleSearchResult => ("Search result", false),
        TimelineKind::UrlContextResult => ("Page that was read", false),
        TimelineKind::ProviderFallback | TimelineKind::BudgetReached => ("Note", false),
    };
    let length = if weighs { longest.of_weight } else { longest.words };
    let whole = format!("{title}:\n{}", bounded(words, length));
    let short = (!weighs).then(|| format!("{title}: [left out here]"));
    Some(Entry { stage: event.stage_id, whole, short })
}

fn bounded(text: &str, tokens: usize) -> String {
    let text = text.trim();
    cut(text, tokens).unwrap_or_else(|| text.to_owned())
}

/// A call as its event's metadata names it.
fn call(metadata: Option<&Value>) -> String {
    let part = |name: &str| metadata.and_then(|all| all.get(name));
    let word = |name: &str| part(name).and_then(Value::as_str).unwrap_or("?");
    let arguments = part("arguments").map(ToString::to_string).unwrap_or_default();
    let number = part("call_number").and_then(Value::as_i64);
    let title = number.map_or_else(|| "Tool call".to_owned(), |number| format!("[call {number}]"));
    format!("{title} {}.{} {}", word("server_name"), word("tool_name"), bounded(&arguments, 250))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::id::{SessionId, TimelineEventId};

    use super::*;

    fn event(kind: TimelineKind, content: &str) -> TimelineEvent {
        let at = "2026-01-02T03:04:05Z".parse().unwrap();
        TimelineEvent {
            id: TimelineEventId::new(),
            session_id: SessionId::new(),
            stage_id: None,
            execution_id: None,
            sequence_number: 1,
            kind,
            status: TimelineStatus::Completed,
            content: content.to_owned(),
            metadata: Some(json!({
                "server_name": "host", "tool_name": "load", "arguments": {"minutes": 5},
                "call_number": 3
            })),
            created_at: at,
            updated_at: at,
        }
    }

    #[test]
    fn a_summary_stands_in_for_its_result_and_a_conclusion_is_told_once() {
        let call = event(TimelineKind::LlmToolCall, "a very long result");
        let mut summary = event(TimelineKind::McpToolSummary, "the load is 40");
        summary.metadata = Some(json!({ "tool_event_id": call.id }));
        let mut broken = summary.clone();
        broken.status = TimelineStatus::Failed;
        let events = [
            event(TimelineKind::LlmThinking, "Hm."),
            call,
            broken,
            // Another agent's event may stand between the two.
            event(TimelineKind::LlmThinking, "Hm, too."),
            summary,
            event(TimelineKind::LlmResponse, "It is the load."),
            event(TimelineKind::FinalAnalysis, "It is the load."),
            event(TimelineKind::UserQuestion, "Since when?"),
        ];
        insta::assert_snapshot!(told(&[], &events), @r#"
        Thought:
        Hm.

        [call 3] host.load {"minutes":5}
        Result:
        the load is 40

        Thought:
        Hm, too.

        Conclusion:
        It is the load.

        Question from a person:
        Since when?
        "#);
    }

    #[test]
    fn what_has_no_room_is_told_in_short_and_conclusions_stay() {
        let long = "0123456789\n".repeat(700);
        let mut events = vec![event(TimelineKind::FinalAnalysis, "The first conclusion.")];
        events.extend((0..40).map(|_| event(TimelineKind::LlmToolCall, &long)));
        events.push(event(TimelineKind::FinalAnalysis, "The last conclusion."));
        let text = told(&[], &events);
        assert!(text.len() < ALL + 4_000, "{}", text.len());
        assert!(text.contains("The first conclusion.") && text.contains("The last conclusion."));
        assert_eq!(text.matches("[call 3] host.load").count(), 40);
        let left_out = text.matches("[its result is left out here]").count();
        assert!((1..40).contains(&left_out), "{left_out}");
    }

    #[test]
    fn the_oldest_go_when_nothing_else_helps() {
        let long = "0123456789\n".repeat(2_500);
        let events: Vec<_> = (0..10).map(|_| event(TimelineKind::FinalAnalysis, &long)).collect();
        let text = told(&[], &events);
        assert!(text.len() <= ALL + 1_000, "{}", text.len());
        assert!(text.contains("earlier events are left out here]"));
    }
}
