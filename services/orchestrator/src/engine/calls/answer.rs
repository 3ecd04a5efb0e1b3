//! What a call is and what became of it, as data and as what is written down; looks at nothing else.

use serde_json::{Value, json};
use tarsy_contracts::mcp::CallResult;
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::id::{CallId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::ToolCall;
use tarsy_store::{CallEnd, EndTimelineEvent, Op};
use tarsy_tools::ToolError;

use crate::engine::text::{STORED_TOKENS, cut};

/// A call that is written down.
pub(super) struct Noted {
    pub(super) call_id: CallId,
    pub(super) event: TimelineEventId,
    /// Its number in the session.
    pub(super) number: i64,
    pub(super) metadata: Value,
}

impl Noted {
    /// The call itself.
    pub(super) fn aim(&self) -> Aim {
        Aim { call_id: self.call_id, event: self.event }
    }
}

/// Which call is made, and where it is shown.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    pub(super) call_id: CallId,
    pub(super) event: TimelineEventId,
}

/// What became of a call.
pub(super) struct Answer {
    pub(super) status: CallStatus,
    /// What the model is told, if it takes so much.
    pub(super) text: String,
    masked: u64,
    refused: bool,
    duration_ms: Option<i64>,
}

impl Answer {
    /// The call could not be made, or failed.
    pub(super) fn error(text: String) -> Self {
        Self { status: CallStatus::Failed, text, masked: 0, refused: false, duration_ms: None }
    }

    /// What a lease said.
    pub(super) fn of(made: Result<CallResult, ToolError>) -> Self {
        match made {
            Ok(result) => result.into(),
            Err(ToolError::Timeout) => Self::unclear("The tool gateway did not answer in time."),
            Err(error) => Self::failed(&error),
        }
    }

    /// The call could not be made.
    pub(super) fn failed(error: &ToolError) -> Self {
        Self::error(format!("The call could not be made: {error}."))
    }

    /// Nobody can tell any more.
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

impl From<CallResult> for Answer {
    fn from(result: CallResult) -> Self {
        let status = if result.is_error { CallStatus::Failed } else { CallStatus::Completed };
        Self {
            status,
            text: result.content,
            masked: result.masked,
            refused: result.refused_by_policy,
            duration_ms: i64::try_from(result.duration_ms).ok(),
        }
    }
}

/// The end of a call and of its timeline event.
pub(super) fn finished(noted: Noted, answer: Answer) -> Vec<Op> {
    let short = cut(&answer.text, STORED_TOKENS);
    let failed = answer.status != CallStatus::Completed;
    let mut metadata = noted.metadata;
    if let Some(fields) = metadata.as_object_mut() {
        fields.insert("call_number".to_owned(), json!(noted.number));
        fields.insert("is_error".to_owned(), json!(failed));
        fields.insert("duration_ms".to_owned(), json!(answer.duration_ms));
        fields.insert("masked".to_owned(), json!(answer.masked > 0));
        fields.insert("masked_values".to_owned(), json!(answer.masked));
        if answer.refused {
            fields.insert("refused_by_policy".to_owned(), json!(true));
        }
        fields.insert("cut".to_owned(), json!(short.is_some()));
    }
    let error_message = failed.then(|| first_line(&answer.text));
    let (shown, whole_result) = match short {
        Some(short) => (short, Some(answer.text)),
        None => (answer.text, None),
    };
    vec![
        Op::CallFinished(CallEnd {
            call_id: noted.call_id,
            status: answer.status,
            tool_result: shown.clone(),
            whole_result,
            duration_ms: answer.duration_ms,
            refused_by_policy: answer.refused,
            error_message,
        }),
        Op::CloseEvent(EndTimelineEvent {
            id: noted.event,
            kind: TimelineKind::LlmToolCall,
            status: if failed { TimelineStatus::Failed } else { TimelineStatus::Completed },
            content: shown,
            metadata: Some(metadata),
        }),
    ]
}

/// The end of a call that was stopped while it ran.
pub(super) fn stopped_call(call_id: CallId, reason: &str) -> Op {
    Op::CallFinished(CallEnd {
        call_id,
        status: CallStatus::Unknown,
        tool_result: String::new(),
        whole_result: None,
        duration_ms: None,
        refused_by_policy: false,
        error_message: Some(format!("stopped while it ran: {reason}")),
    })
}

/// What a call's timeline event says of it.
pub(super) fn metadata(call: &ToolCall) -> Value {
    let (server, tool) = names(&call.name);
    json!({
        "server_name": server,
        "tool_name": tool,
        "tool_call_id": call.id,
        "arguments": arguments(&call.arguments),
    })
}

/// The server and the tool, by whichever of the two separators comes first.
pub(super) fn names(name: &str) -> (&str, &str) {
    let split = [name.split_once("__"), name.split_once('.')];
    split.into_iter().flatten().min_by_key(|(server, _)| server.len()).unwrap_or(("", name))
}

/// The arguments as JSON when they are, as text when they are not.
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
    fn both_spellings_of_a_tool_name_are_split() {
        assert_eq!(names("host.disk_usage"), ("host", "disk_usage"));
        assert_eq!(names("host__disk_usage"), ("host", "disk_usage"));
        assert_eq!(names("host.disk__usage"), ("host", "disk__usage"));
        assert_eq!(names("odd"), ("", "odd"));
    }

    #[test]
    fn arguments_that_are_no_json_stay_text() {
        assert_eq!(arguments(r#"{"limit":5}"#), json!({"limit": 5}));
        assert_eq!(arguments("limit: 5"), json!("limit: 5"));
    }
}
