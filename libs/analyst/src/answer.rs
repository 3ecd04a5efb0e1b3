//! Answers a conversation: requests calls, or writes. A pure function of the conversation.

use crate::chat;
use crate::conversation::{Answer, CallRequest, Conversation};
use crate::plan::{CALLS_PER_TURN, MOST_CALLS};
use crate::request::{Request, Task};
use crate::summary;
use crate::text::listed;
use crate::transcript::{ToolCall, Transcript};
use crate::{Case, Next, next, results};

/// Rounds of calls for one question of a chat.
const CHAT_ROUNDS: usize = 2;

pub fn answer(conversation: &Conversation) -> Answer {
    let request = Request::read(conversation);
    let last = conversation.messages.last().map_or("", |one| one.content.as_str());
    match request.task {
        Task::ExecutiveSummary => {
            written("Looking for the statements that carry the analysis.", summary::executive(last))
        }
        Task::ToolSummary => {
            let text = summary::of_tool(last, conversation.max_output_tokens);
            written("Looking for the lines of the output that matter.", text)
        }
        Task::Chat => answer_question(conversation, &request),
        Task::Investigate | Task::Conclude | Task::Synthesize => {
            investigate(conversation, &request)
        }
    }
}

fn written(thinking: &str, text: String) -> Answer {
    Answer { thinking: thinking.to_owned(), text, calls: Vec::new(), verdict: None }
}

/// A conversation as a transcript; calls before the present task count as made.
pub(crate) fn transcript(conversation: &Conversation, request: &Request) -> Transcript {
    let mut calls = results::of_background(&request.background);
    calls.append(&mut results::of_messages(&conversation.messages));
    let may_call = !conversation.tools.is_empty();
    Transcript {
        alert: request.alert.clone(),
        received_at: request.received_at,
        background: request.background.clone(),
        changes: request.changes.clone(),
        dependencies: request.dependencies.clone(),
        tools: conversation.tools.clone(),
        remaining_calls: if may_call { MOST_CALLS } else { 0 },
        calls,
    }
}

fn investigate(conversation: &Conversation, request: &Request) -> Answer {
    let transcript = transcript(conversation, request);
    match next(&transcript) {
        Next::Call(calls) => requesting(conversation, &calls, transcript.calls.is_empty()),
        Next::Conclude(report) => {
            let text = if request.has_marker {
                format!("Thought: the evidence is in.\nFinal Answer: {}", report.markdown)
            } else {
                report.markdown
            };
            let verdict = Some(Box::new(report.recorded));
            let thinking = "Nothing else to check.";
            Answer { verdict, ..written(thinking, text) }
        }
    }
}

fn requesting(conversation: &Conversation, calls: &[ToolCall], is_first: bool) -> Answer {
    let purposes: Vec<String> = calls.iter().map(|call| call.purpose.clone()).collect();
    let start = if is_first { "First" } else { "Next" };
    let text = format!("{start}: {}.", listed(&purposes));
    let made: usize = conversation.messages.iter().map(|one| one.calls.len()).sum();
    let calls = calls.iter().enumerate().map(|(at, call)| CallRequest {
        id: format!("call_{}_{}", conversation.id_prefix, made + at + 1),
        name: call.tool.clone(),
        arguments: call.arguments.to_string(),
    });
    Answer {
        thinking: format!("{start} I look at {}.", listed(&purposes)),
        text,
        calls: calls.collect(),
        verdict: None,
    }
}

/// Calls what the question is about, for some rounds, then answers from all results.
fn answer_question(conversation: &Conversation, request: &Request) -> Answer {
    let transcript = transcript(conversation, request);
    let since = conversation.messages.get(request.since..).unwrap_or_default();
    let rounds = since.iter().filter(|one| !one.calls.is_empty()).count();
    if !conversation.tools.is_empty() && rounds < CHAT_ROUNDS {
        let calls = chat::calls(&transcript, &request.question);
        if !calls.is_empty() {
            let calls: Vec<ToolCall> = calls.into_iter().take(CALLS_PER_TURN).collect();
            return requesting(conversation, &calls, false);
        }
    }
    let case = Case::read(&transcript);
    let text = chat::answer(&request.question, &case.facts);
    written("Looking for evidence that answers the question.", text)
}
