//! A recorded call and its result: as values, and as the operations that store them.

use serde_json::{Value, json};
use tarsy_contracts::mcp::CallResult;
use tarsy_contracts::timeline::EndTimelineEvent;
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::id::{CallId, ExecutionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_injection::Finding;
use tarsy_llm::ToolCall;
use tarsy_store::{Call as StoredCall, CallEnd, EarlierCall, Op};
use tarsy_tools::ToolError;

use crate::engine::calls::repetition::Repetition;
use crate::engine::injected;
use crate::engine::timeline::Scope;
pub(super) use crate::engine::tool_name::names;
use crate::engine::tools::Requested;
use crate::limits::MAX_SHOWN_TOKENS;

/// A call that is stored and may be executed.
pub(super) struct RecordedCall {
    pub(super) call_id: CallId,
    pub(super) event: TimelineEventId,
    /// Its number in the session, from 1.
    pub(super) number: i64,
    /// Of its timeline event.
    pub(super) metadata: Value,
    /// An earlier call that was the same, whose result its own is compared with.
    pub(super) compared: Option<EarlierCall>,
}

impl RecordedCall {
    /// A call that an earlier owner stored.
    pub(super) fn of(stored: &StoredCall, metadata: Value) -> Self {
        Self {
            call_id: stored.call_id,
            event: stored.timeline_event_id.unwrap_or_else(TimelineEventId::new),
            number: stored.call_number,
            metadata,
            compared: None,
        }
    }

    pub(super) fn target(&self) -> CallTarget {
        CallTarget { call_id: self.call_id, event: self.event }
    }
}

/// The id of a call, and the timeline event that shows it.
#[derive(Clone, Copy)]
pub(super) struct CallTarget {
    pub(super) call_id: CallId,
    pub(super) event: TimelineEventId,
}

pub(super) struct ToolResult {
    pub(super) status: CallStatus,
    /// For the model; not cut.
    pub(super) text: String,
    /// Whether a tool wrote the text, not TARSy.
    pub(super) is_foreign: bool,
    /// Where it addresses a model.
    pub(super) injected: Vec<Finding>,
    /// The earlier call whose result it is.
    pub(super) repetition: Option<Repetition>,
    /// What is stored with it.
    pub(super) effects: Vec<Op>,
    /// Whether it was not made, because it was not permitted.
    pub(super) refused: bool,
    masked: u64,
    duration_ms: Option<i64>,
}

impl ToolResult {
    /// The call was not executed, or failed.
    pub(super) fn error(text: String) -> Self {
        Self {
            status: CallStatus::Failed,
            text,
            is_foreign: false,
            injected: Vec::new(),
            repetition: None,
            effects: Vec::new(),
            masked: 0,
            refused: false,
            duration_ms: None,
        }
    }

    /// What TARSy itself answers, or why it cannot.
    pub(super) fn own(answer: Result<String, String>) -> Self {
        match answer {
            Ok(text) => Self { status: CallStatus::Completed, ..Self::error(text) },
            Err(text) => Self::error(text),
        }
    }

    /// The same, as far as it is an answer: others wrote what it quotes.
    pub(super) fn with_text_of_others(self) -> Self {
        Self { is_foreign: self.status == CallStatus::Completed, ..self }
    }

    /// The same with what is stored with it.
    pub(super) fn with_effects(self, effects: Vec<Op>) -> Self {
        Self { effects, ..self }
    }

    pub(super) fn from_lease(answer: Result<CallResult, ToolError>) -> Self {
        match answer {
            Ok(result) => result.into(),
            Err(ToolError::Timeout) => Self::unclear("The tool gateway did not answer in time."),
            Err(error) => Self::not_executed(&error),
        }
    }

    pub(super) fn not_executed(error: &ToolError) -> Self {
        Self::error(format!("The call could not be made: {error}."))
    }

    /// The call was not made, because it was not permitted.
    pub(super) fn refused(text: String) -> Self {
        Self { refused: true, ..Self::error(text) }
    }

    /// What the call would be made with is not stored.
    pub(super) fn lost() -> Self {
        Self::refused(
            "The call was not made: its arguments have a secret, which is masked and not kept. Leave the secret out, or \
             refer to it by its name."
                .to_owned(),
        )
    }

    /// The result of an earlier call: this one was not made.
    pub(super) fn repeated(status: CallStatus, text: String, repetition: Repetition) -> Self {
        Self { status, repetition: Some(repetition), ..Self::error(text) }
    }

    /// The gateway that executed the call is lost.
    pub(super) fn unknown() -> Self {
        Self::unclear(
            "The outcome of this call is unknown: the tool gateway was lost while it ran.",
        )
    }

    fn unclear(why: &str) -> Self {
        let advice = "It may or may not have taken effect. Check before you call it again.";
        let text = format!("{why} {advice}");
        Self { status: CallStatus::Unknown, ..Self::error(text) }
    }
}

impl From<CallResult> for ToolResult {
    fn from(result: CallResult) -> Self {
        let status = if result.is_error { CallStatus::Failed } else { CallStatus::Completed };
        Self {
            status,
            text: result.content,
            is_foreign: !result.refused_by_policy,
            injected: Vec::new(),
            repetition: None,
            effects: Vec::new(),
            masked: result.masked,
            refused: result.refused_by_policy,
            duration_ms: i64::try_from(result.duration_ms).ok(),
        }
    }
}

/// The end of a call and of its timeline event.
pub(super) fn end_call(scope: Scope, recorded: RecordedCall, result: ToolResult) -> Vec<Op> {
    let short = tarsy_tokens::cut(&result.text, MAX_SHOWN_TOKENS);
    let failed = result.status != CallStatus::Completed;
    let injected = injected_event(scope, &recorded, &result.injected);
    let mut metadata = recorded.metadata;
    if let Some(fields) = metadata.as_object_mut() {
        fields.insert("call_number".to_owned(), json!(recorded.number));
        fields.insert("is_error".to_owned(), json!(failed));
        fields.insert("duration_ms".to_owned(), json!(result.duration_ms));
        fields.insert("masked".to_owned(), json!(result.masked > 0));
        fields.insert("masked_values".to_owned(), json!(result.masked));
        if result.refused {
            fields.insert("refused_by_policy".to_owned(), json!(true));
        }
        if !result.injected.is_empty() {
            fields.insert("injected_instructions".to_owned(), json!(result.injected.len()));
        }
        if let Some(repetition) = result.repetition {
            fields.insert("answered_from".to_owned(), json!(repetition.number));
        }
        if let Some(execution) = dispatched(&result.effects) {
            fields.insert("dispatched_execution_id".to_owned(), json!(execution));
        }
        fields.insert("cut".to_owned(), json!(short.is_some()));
    }
    let error_message = failed.then(|| first_line(&result.text));
    let (shown, whole_result) = match short {
        Some(short) => (short, Some(result.text)),
        None => (result.text, None),
    };
    let ops = [
        Op::CallFinished(CallEnd {
            call_id: recorded.call_id,
            status: result.status,
            tool_result: shown.clone(),
            whole_result,
            duration_ms: result.duration_ms,
            refused_by_policy: result.refused,
            injected_instructions: i32::try_from(result.injected.len()).unwrap_or(i32::MAX),
            error_message,
        }),
        Op::CloseEvent(EndTimelineEvent {
            id: recorded.event,
            kind: TimelineKind::LlmToolCall,
            status: if failed { TimelineStatus::Failed } else { TimelineStatus::Completed },
            content: shown,
            metadata: Some(metadata),
        }),
    ];
    ops.into_iter().chain(injected).chain(result.effects).collect()
}

fn dispatched(effects: &[Op]) -> Option<ExecutionId> {
    effects.iter().find_map(|op| match op {
        Op::BeginExecution(begun) => Some(begun.id),
        _ => None,
    })
}

/// The event that shows that a result addresses a model.
fn injected_event(scope: Scope, recorded: &RecordedCall, found: &[Finding]) -> Option<Op> {
    if found.is_empty() {
        return None;
    }
    let field = |name: &str| recorded.metadata.get(name).cloned().unwrap_or_default();
    let metadata = json!({
        "call_number": recorded.number,
        "server_name": field("server_name"),
        "tool_name": field("tool_name"),
    });
    let source = format!("The result of [call {}]", recorded.number);
    Some(injected::event(scope, &source, found, metadata))
}

/// The end of a call whose session stopped.
pub(super) fn end_stopped_call(call_id: CallId, reason: &str) -> Op {
    Op::CallFinished(CallEnd {
        call_id,
        status: CallStatus::Unknown,
        tool_result: String::new(),
        whole_result: None,
        duration_ms: None,
        refused_by_policy: false,
        injected_instructions: 0,
        error_message: Some(format!("stopped while it ran: {reason}")),
    })
}

/// The metadata of a call's timeline event; `again` is the reason for which it is made once more.
pub(super) fn metadata(call: &ToolCall, again: Option<String>) -> Value {
    let (server, tool) = names(&call.name);
    let mut metadata = json!({
        "server_name": server,
        "tool_name": tool,
        "tool_call_id": call.id,
        "arguments": arguments(&call.arguments),
    });
    if let Some(fields) = metadata.as_object_mut() {
        fields.extend(again.map(|reason| ("again".to_owned(), Value::String(reason))));
    }
    metadata
}

pub(super) fn requested(call: &ToolCall) -> Requested<'_> {
    let (server, name) = names(&call.name);
    Requested { server, name, arguments: call.made_with().unwrap_or(&call.arguments) }
}

/// The arguments as JSON if they are valid, else as a string.
pub(super) fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_arguments_are_stored_as_text() {
        assert_eq!(arguments(r#"{"limit":5}"#), json!({"limit": 5}));
        assert_eq!(arguments("limit: 5"), json!("limit: 5"));
    }
}
