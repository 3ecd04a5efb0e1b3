//! Records of model calls, as the trace shows them.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_catalog::ResolvedProvider;
use tarsy_contracts::mcp::Tool;
use tarsy_contracts::trace::{OfferedTool, RequestRecord};
use tarsy_domain::event::LlmInteractionKind;
use tarsy_domain::id::{InteractionId, MessageId};
use tarsy_llm::{Attempt, FailedAttempt, NativeToolUse, ToolCall};
use tarsy_store::{NewLlmInteraction, Op};

use crate::engine::timeline::Scope;
use crate::journal::StopReason;

/// What the records of one call have in common.
#[derive(Clone, Debug)]
pub(crate) struct CallRecord {
    pub(crate) scope: Scope,
    pub(crate) kind: LlmInteractionKind,
    pub(crate) native_tools: NativeToolUse,
    /// The last message of the stored conversation that the request contains.
    pub(crate) last_message: Option<MessageId>,
    /// The messages of a request that belongs to no stored conversation.
    pub(crate) messages: Option<Value>,
    pub(crate) tools: Arc<[Tool]>,
    pub(crate) max_output_tokens: Option<u32>,
    /// The digest of the prompt templates.
    pub(crate) prompt_version: String,
    /// The JSON Schema that the answer is asked for in.
    pub(crate) response_format: Option<String>,
    /// What of the answer could not be used.
    pub(crate) answer_notes: Vec<String>,
}

/// Why an attempt has no usable answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttemptError {
    pub(crate) message: String,
    pub(crate) timed_out: bool,
}

impl AttemptError {
    pub(crate) fn of(failed: &FailedAttempt<'_>) -> Self {
        Self { message: failed.failure.to_string(), timed_out: failed.failure.is_timeout() }
    }

    /// Of an attempt that was running when the work stopped; none if another owner records it.
    pub(crate) fn of_stop(reason: StopReason) -> Option<Self> {
        let (message, timed_out) = match reason {
            StopReason::Cancelled => ("the call was cancelled", false),
            StopReason::TimedOut => ("the session ran out of time during the model's answer", true),
            StopReason::Shutdown | StopReason::Suspended => {
                ("the worker stopped during the model's answer", false)
            }
            StopReason::Fenced | StopReason::Stuck => return None,
        };
        Some(Self { message: message.to_owned(), timed_out })
    }
}

impl CallRecord {
    /// An attempt whose answer is used. `content` and `tool_calls` are what is stored of it.
    pub(crate) fn answered(
        &self,
        attempt: &Attempt<'_>,
        content: &str,
        tool_calls: &[ToolCall],
    ) -> Op {
        Op::LlmInteraction(self.answered_call(attempt, content, tool_calls))
    }

    /// The same as what is stored.
    pub(crate) fn answered_call(
        &self,
        attempt: &Attempt<'_>,
        content: &str,
        tool_calls: &[ToolCall],
    ) -> NewLlmInteraction {
        self.interaction(attempt, self.response(content, tool_calls), None)
    }

    /// An attempt whose answer is not used.
    pub(crate) fn failed(&self, attempt: &Attempt<'_>, error: AttemptError) -> Op {
        Op::LlmInteraction(self.failed_call(attempt, error))
    }

    /// The same as what is stored.
    pub(crate) fn failed_call(
        &self,
        attempt: &Attempt<'_>,
        error: AttemptError,
    ) -> NewLlmInteraction {
        let response = self.response(&attempt.text, &attempt.tool_calls);
        self.interaction(attempt, response, Some(error))
    }

    fn interaction(
        &self,
        attempt: &Attempt<'_>,
        response: Value,
        error: Option<AttemptError>,
    ) -> NewLlmInteraction {
        let (provider, usage) = (attempt.provider, attempt.usage);
        let native_tools = self.native_tools.of(provider).names();
        NewLlmInteraction {
            id: InteractionId::new(),
            stage_id: self.scope.stage,
            execution_id: self.scope.execution,
            kind: self.kind,
            provider: provider.name.clone(),
            model_name: provider.model.clone(),
            last_message_id: self.last_message,
            llm_request: self.request(attempt),
            llm_response: response,
            thinking_content: Some(attempt.thinking.clone()).filter(|text| !text.is_empty()),
            response_metadata: attempt.metadata(),
            input_tokens: usage.map(|usage| usage.input_tokens),
            output_tokens: usage.map(|usage| usage.output_tokens),
            total_tokens: usage.map(|usage| usage.total_tokens),
            thinking_tokens: usage.map(|usage| usage.thinking_tokens),
            tokens_estimated: usage.is_some_and(|usage| usage.estimated),
            cost_micro_usd: attempt.cost_micro_usd(),
            duration_ms: i64::try_from(attempt.duration.as_millis()).ok(),
            first_token_ms: attempt.first_token_ms(),
            finish_reason: attempt.finish_reason,
            timed_out: match &error {
                Some(error) => error.timed_out,
                None => attempt.cut.is_some(),
            },
            error_message: error.map(|error| error.message),
            compaction: attempt.compaction.map(Box::new),
            record: Box::new(RequestRecord {
                prompt_version: Some(self.prompt_version.clone()),
                response_format: self.response_format.clone(),
                answer_notes: self.answer_notes.clone(),
                ..attempt.record(&native_tools, self.max_output_tokens)
            }),
            tools: self.tools.iter().map(OfferedTool::from).collect(),
        }
    }

    /// The request. A stored conversation is not repeated: it is in `messages`.
    fn request(&self, attempt: &Attempt<'_>) -> Value {
        let provider = attempt.provider;
        if let Some(messages) = &self.messages {
            return json!({ "provider": provider.name, "messages": messages });
        }
        let mut request = json!({
            "provider": provider.name,
            "backend": provider.backend.as_str(),
            "model": provider.model,
        });
        let off = self.native_tools_off(provider);
        if let Some(fields) = request.as_object_mut().filter(|_| !off.is_empty()) {
            fields.insert("native_tools_off".to_owned(), json!(off));
        }
        request
    }

    /// The provider's own tools that are configured and were left out of the request.
    fn native_tools_off(&self, provider: &ResolvedProvider) -> Vec<&'static str> {
        let on = self.native_tools.of(provider).names();
        let configured = provider.native_tools.names();
        configured.into_iter().filter(|name| !on.contains(name)).collect()
    }

    /// The response; the calls of a request without a conversation only where there are any.
    fn response(&self, content: &str, tool_calls: &[ToolCall]) -> Value {
        match &self.messages {
            Some(_) if tool_calls.is_empty() => json!({ "content": content }),
            _ => json!({ "content": content, "tool_calls": tool_calls }),
        }
    }
}
