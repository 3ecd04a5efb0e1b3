//! Timelines as text for a model, cut to a size.

use std::fmt::Write as _;

use tarsy_contracts::timeline::TimelineEvent;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::StageId;
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{HistoryCall, HistoryEvent, Stage};
use tarsy_tokens::cut;

/// How long the events of a session's history may be, the first that fits: whole, then cut more and
/// more. Conclusions and questions are cut last, because most questions are about these.
const SESSION_LIMITS: [EventLimits; 3] = [
    EventLimits { result: usize::MAX, text: usize::MAX, conclusion: usize::MAX },
    EventLimits { result: 10_000, text: 10_000, conclusion: 20_000 },
    EventLimits { result: 2_000, text: 2_000, conclusion: 8_000 },
];
/// The longest arguments of a call, in tokens.
const MAX_ARGUMENT_TOKENS: usize = 250;

/// The longest that the events of a history may be, in tokens.
#[derive(Clone, Copy, Debug)]
struct EventLimits {
    result: usize,
    text: usize,
    conclusion: usize,
}

struct Entry {
    stage: Option<StageId>,
    text: String,
    /// One line that replaces the text when there is no space. None for conclusions and questions.
    short: Option<String>,
}

impl Entry {
    /// In bytes, with the empty line that follows it.
    fn size(&self) -> usize {
        self.text.len() + 2
    }
}

/// What is stored of a session, for a question about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionRecord {
    pub(crate) stages: Vec<Stage>,
    pub(crate) events: Vec<HistoryEvent>,
}

/// The history of a session, stage by stage, in at most about `max_bytes`.
pub(super) fn session_history(record: &SessionRecord, max_bytes: usize) -> String {
    let SessionRecord { stages, events } = record;
    let mut found = Vec::new();
    for limits in SESSION_LIMITS {
        found = entries(events, limits);
        if found.iter().map(Entry::size).sum::<usize>() <= max_bytes {
            break;
        }
    }
    shorten(&mut found, max_bytes);
    let entries = found;
    let mut text = String::new();
    let mut stage = None;
    for entry in entries {
        if entry.stage != stage {
            stage = entry.stage;
            let name = stages.iter().find(|one| Some(one.id) == stage);
            let name = name.map_or("The session", |one| one.stage_name.as_str());
            let _ = writeln!(text, "=== {name} ===\n");
        }
        let _ = writeln!(text, "{}\n", entry.text);
    }
    if text.is_empty() { "(nothing was recorded)".to_owned() } else { text.trim_end().to_owned() }
}

/// The history of one agent, with at most `result_tokens` of each tool result and `max_bytes` in all.
pub(super) fn agent_history(
    events: &[HistoryEvent],
    result_tokens: usize,
    max_bytes: usize,
) -> String {
    let limits = EventLimits { result: result_tokens, text: usize::MAX, conclusion: usize::MAX };
    let mut entries = entries(events, limits);
    shorten(&mut entries, max_bytes);
    let texts: Vec<String> = entries.into_iter().map(|entry| entry.text).collect();
    texts.join("\n\n")
}

fn entries(events: &[HistoryEvent], limits: EventLimits) -> Vec<Entry> {
    let entries = events
        .iter()
        .enumerate()
        .filter_map(|(at, event)| entry(event, events.get(at + 1), limits));
    entries.collect()
}

/// Shortens the oldest events first, except for conclusions and questions. If that is not enough, the
/// oldest events are left out, and the last one is cut.
fn shorten(entries: &mut Vec<Entry>, max_bytes: usize) {
    let mut size: usize = entries.iter().map(Entry::size).sum();
    for entry in entries.iter_mut() {
        if size <= max_bytes {
            return;
        }
        if let Some(short) = entry.short.take_if(|short| short.len() < entry.text.len()) {
            size = size.saturating_sub(entry.text.len()) + short.len();
            entry.text = short;
        }
    }
    let mut left_out = 0;
    while size > max_bytes && entries.len() > left_out + 1 {
        size -= entries.get(left_out).map_or(0, Entry::size);
        left_out += 1;
    }
    if let Some(last) = entries.last_mut().filter(|_| size > max_bytes)
        && let Some(short) = cut(&last.text, max_bytes / 4)
    {
        last.text = short;
    }
    if left_out > 0 {
        entries.drain(..left_out);
        let note = format!("[{left_out} earlier events are left out here]");
        entries.insert(0, Entry { stage: None, text: note, short: None });
    }
}

/// The text of an event without what the next one repeats: a conclusion repeats the end of the
/// response before it.
fn own_text<'a>(event: &'a TimelineEvent, next: Option<&TimelineEvent>) -> &'a str {
    let concludes = |next: &&TimelineEvent| {
        event.kind == TimelineKind::LlmResponse && next.kind == TimelineKind::FinalAnalysis
    };
    let next = next.filter(concludes);
    let text = next.and_then(|next| event.content.strip_suffix(&next.content));
    text.unwrap_or(&event.content).trim()
}

/// An event's entry; none if it has no text of its own. A summary is part of its call's entry.
fn entry(
    history: &HistoryEvent,
    next: Option<&HistoryEvent>,
    limits: EventLimits,
) -> Option<Entry> {
    let event = &history.event;
    match event.kind {
        TimelineKind::McpToolSummary => return None,
        TimelineKind::LlmToolCall => return Some(call_entry(history, limits)),
        _ => {}
    }
    let text = own_text(event, next.map(|next| &next.event));
    if text.is_empty() {
        return None;
    }
    let concludes = matches!(
        event.kind,
        TimelineKind::UserQuestion | TimelineKind::ExecutiveSummary | TimelineKind::FinalAnalysis
    );
    let title = title(event);
    let limit = if concludes { limits.conclusion } else { limits.text };
    let short = (!concludes).then(|| format!("{title}: [left out here]"));
    let text = format!("{title}:\n{}", bounded(text, limit));
    Some(Entry { stage: event.stage_id, text, short })
}

fn call_entry(history: &HistoryEvent, limits: EventLimits) -> Entry {
    let HistoryEvent { event, call } = history;
    let summary = call.as_ref().and_then(|call| call.summary.as_deref());
    let content = summary.unwrap_or(&event.content);
    let head = call.as_ref().map_or_else(|| "Tool call".to_owned(), describe);
    let text = format!("{head}\n{}:\n{}", title(event), bounded(content, limits.result));
    let short = Some(format!("{head}\n[its result is left out here]"));
    Entry { stage: event.stage_id, text, short }
}

fn title(event: &TimelineEvent) -> &'static str {
    let failed = event.status == TimelineStatus::Failed;
    match event.kind {
        TimelineKind::LlmToolCall | TimelineKind::McpToolSummary if failed => "Failed",
        TimelineKind::LlmToolCall | TimelineKind::McpToolSummary => "Result",
        TimelineKind::LlmThinking => "Thought",
        TimelineKind::LlmResponse if failed => "The agent said, and broke off",
        TimelineKind::LlmResponse => "The agent said",
        TimelineKind::Error => "Error",
        TimelineKind::UserQuestion => "Question from a person",
        TimelineKind::ExecutiveSummary => "Executive summary",
        TimelineKind::FinalAnalysis => "Conclusion",
        TimelineKind::CodeExecution => "Code that was run",
        TimelineKind::GoogleSearchResult => "Search result",
        TimelineKind::UrlContextResult => "Page that was read",
        TimelineKind::AlertReceived => "Alert that was received",
        TimelineKind::ActionOutcome => "What became of an action",
        TimelineKind::ProviderFallback
        | TimelineKind::BudgetReached
        | TimelineKind::ToolApproval
        | TimelineKind::InjectedInstructions => "Note",
    }
}

fn bounded(text: &str, tokens: usize) -> String {
    let text = text.trim();
    cut(text, tokens).unwrap_or_else(|| text.to_owned())
}

/// A call with its number and arguments.
fn describe(call: &HistoryCall) -> String {
    let HistoryCall { number, server_name, .. } = call;
    let tool = call.tool_name.as_deref().unwrap_or("?");
    let arguments = call.arguments.as_ref().map(ToString::to_string).unwrap_or_default();
    let arguments = bounded(&arguments, MAX_ARGUMENT_TOKENS);
    format!("[call {number}] {server_name}.{tool} {arguments}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::id::{SessionId, TimelineEventId};

    use super::*;

    fn event(kind: TimelineKind, content: &str) -> HistoryEvent {
        let at = "2026-01-02T03:04:05Z".parse().unwrap();
        let event = TimelineEvent {
            id: TimelineEventId::new(),
            session_id: SessionId::new(),
            stage_id: None,
            execution_id: None,
            sequence_number: 1,
            kind,
            status: TimelineStatus::Completed,
            content: content.to_owned(),
            metadata: None,
            created_at: at,
            updated_at: at,
        };
        let call = (kind == TimelineKind::LlmToolCall).then(|| HistoryCall {
            number: 3,
            server_name: "host".to_owned(),
            tool_name: Some("load".to_owned()),
            arguments: Some(json!({"minutes": 5})),
            summary: None,
        });
        HistoryEvent { event, call }
    }

    fn history(events: Vec<HistoryEvent>, max_bytes: usize) -> String {
        session_history(&SessionRecord { stages: Vec::new(), events }, max_bytes)
    }

    #[test]
    fn events_are_as_long_as_the_space_allows() {
        let long = "0123456789\n".repeat(5_000);
        let events: Vec<_> = (0..4).map(|_| event(TimelineKind::LlmToolCall, &long)).collect();
        let whole = history(events.clone(), 1_000_000);
        assert_eq!(whole.matches(long.trim_end()).count(), 4);
        let cut = history(events.clone(), 200_000);
        assert_eq!(cut.matches("[cut here:").count(), 4);
        assert!((150_000..200_000).contains(&cut.len()), "{}", cut.len());
        let small = history(events, 40_000);
        assert!((30_000..40_000).contains(&small.len()), "{}", small.len());
    }

    #[test]
    fn a_summary_replaces_its_result_and_a_conclusion_stands_once() {
        let mut call = event(TimelineKind::LlmToolCall, "a very long result");
        call.call.as_mut().unwrap().summary = Some("the load is 40".to_owned());
        let summary = event(TimelineKind::McpToolSummary, "the load is 40");
        let mut broken = event(TimelineKind::McpToolSummary, "the lo");
        broken.event.status = TimelineStatus::Failed;
        let events = vec![
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
        insta::assert_snapshot!(history(events, 128_000), @r#"
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
    fn older_events_are_shortened_and_conclusions_stay() {
        let long = "0123456789\n".repeat(700);
        let mut events = vec![event(TimelineKind::FinalAnalysis, "The first conclusion.")];
        events.extend((0..40).map(|_| event(TimelineKind::LlmToolCall, &long)));
        events.push(event(TimelineKind::FinalAnalysis, "The last conclusion."));
        let text = history(events, 128_000);
        assert!(text.len() < 128_000 + 4_000, "{}", text.len());
        assert!(text.contains("The first conclusion.") && text.contains("The last conclusion."));
        assert_eq!(text.matches("[call 3] host.load").count(), 40);
        let left_out = text.matches("[its result is left out here]").count();
        assert!((1..40).contains(&left_out), "{left_out}");
    }

    #[test]
    fn the_oldest_events_are_left_out_last() {
        let long = "0123456789\n".repeat(2_500);
        let events: Vec<_> = (0..10).map(|_| event(TimelineKind::FinalAnalysis, &long)).collect();
        let text = history(events, 128_000);
        assert!(text.len() <= 128_000 + 1_000, "{}", text.len());
        assert!(text.contains("earlier events are left out here]"));
    }
}
