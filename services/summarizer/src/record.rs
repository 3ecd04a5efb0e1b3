//! The rows of a summary: its model calls, its timeline event and its end.

use serde_json::{Value, json};
use tarsy_catalog::ResolvedProvider;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_contracts::work::SummaryRequest;
use tarsy_domain::event::{LlmInteractionKind, TimelineKind};
use tarsy_domain::id::{InteractionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::{Attempt, Failure, Message};
use tarsy_store::{Batch, NewLlmInteraction, Op, SummaryEnd};

/// One attempt, with its prompt.
pub(crate) fn interaction(
    request: &SummaryRequest,
    messages: &[Message],
    attempt: &Attempt<'_>,
    failure: Option<&Failure>,
) -> NewLlmInteraction {
    let (provider, usage) = (attempt.provider, attempt.usage);
    NewLlmInteraction {
        id: InteractionId::new(),
        stage_id: Some(request.stage_id),
        execution_id: Some(request.execution_id),
        kind: LlmInteractionKind::Summarization,
        provider: provider.name.clone(),
        model_name: provider.model.clone(),
        last_message_id: None,
        llm_request: json!({
            "provider": provider.name,
            "backend": provider.backend.as_str(),
            "model": provider.model,
            "server_name": request.server_name,
            "tool_name": request.tool_name,
            "call_number": request.call_number,
            "original_tokens": request.original_tokens,
            "messages": messages,
        }),
        llm_response: json!({ "content": attempt.text.trim() }),
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
        timed_out: attempt.cut.is_some() || failure.is_some_and(Failure::is_timeout),
        error_message: failure.map(ToString::to_string),
        compaction: attempt.compaction.map(Box::new),
        // The prompt itself stands in the request.
        record: Box::new(attempt.record(&[], Some(request.max_tokens))),
        tools: Vec::new(),
    }
}

/// The timeline event that streams a summary.
pub(crate) fn opened_event(
    id: TimelineEventId,
    request: &SummaryRequest,
    provider: &ResolvedProvider,
) -> NewTimelineEvent {
    NewTimelineEvent {
        id,
        stage_id: Some(request.stage_id),
        execution_id: Some(request.execution_id),
        kind: TimelineKind::McpToolSummary,
        status: TimelineStatus::Streaming,
        content: String::new(),
        metadata: Some(metadata(request, provider)),
    }
}

/// The end of a summary that the model wrote.
pub(crate) fn completed(
    request: &SummaryRequest,
    event: Option<TimelineEventId>,
    answer: &Attempt<'_>,
    call: NewLlmInteraction,
    summary: String,
) -> SummaryEnd {
    let mut end = with_call(call);
    if let Some(id) = event {
        let mut metadata = metadata(request, answer.provider);
        if let Some(fields) = metadata.as_object_mut() {
            fields.insert("summary_tokens".to_owned(), json!(summary_tokens(answer)));
            if answer.is_truncated() {
                fields.insert("truncated".to_owned(), json!(true));
            }
        }
        end.batch.push(Op::CloseEvent(EndTimelineEvent {
            id,
            kind: TimelineKind::McpToolSummary,
            status: TimelineStatus::Completed,
            content: answer.text.trim().to_owned(),
            metadata: Some(metadata),
        }));
    }
    end.summary = Some(summary);
    end
}

/// The end of a summary whose retries and fallbacks are exhausted.
pub(crate) fn exhausted(
    event: Option<TimelineEventId>,
    last: &Attempt<'_>,
    call: NewLlmInteraction,
    error: String,
) -> SummaryEnd {
    let mut end = with_call(call);
    if let Some(id) = event {
        end.batch.push(Op::CloseEvent(EndTimelineEvent {
            id,
            kind: TimelineKind::McpToolSummary,
            status: TimelineStatus::Failed,
            content: last.text.clone(),
            metadata: Some(json!({ "interrupted": true })),
        }));
    }
    end.error = Some(error);
    end
}

/// The end of a summary for which no model was called.
pub(crate) fn failed(error: &str) -> SummaryEnd {
    SummaryEnd { error: Some(error.to_owned()), ..SummaryEnd::default() }
}

fn with_call(call: NewLlmInteraction) -> SummaryEnd {
    SummaryEnd { batch: Batch::new().with(Op::LlmInteraction(call)), ..SummaryEnd::default() }
}

fn metadata(request: &SummaryRequest, provider: &ResolvedProvider) -> Value {
    json!({
        "server_name": request.server_name,
        "tool_name": request.tool_name,
        "call_number": request.call_number,
        "tool_event_id": request.tool_event_id,
        "original_tokens": request.original_tokens,
        "provider": provider.name,
        "backend": provider.backend.as_str(),
        "model": provider.model,
        // The names that the documents have for the two.
        "summarization_backend": provider.backend.as_str(),
        "summarization_model": provider.model,
    })
}

/// The tokens of a summary as the provider counts them, else estimated.
fn summary_tokens(answer: &Attempt<'_>) -> i64 {
    let counted = answer.usage.map(|usage| i64::from(usage.output_tokens));
    let estimated = tarsy_tokens::estimate(answer.text.trim());
    counted
        .filter(|tokens| *tokens > 0)
        .unwrap_or_else(|| i64::try_from(estimated).unwrap_or(i64::MAX))
}
