//! The executive summary: one model call after the chain. The session completes without it, too.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tarsy_catalog::{OnUnverified, ResolvedChain, ResolvedProvider};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::TimelineEventId;
use tarsy_llm::{
    Attempt, Call, Chunk, End, FailedAttempt, Flow, Message, NativeToolUse, ProviderSwitch,
    Retries, Sink, Timeouts, ToolCalls, call,
};
use tarsy_store::{Op, Session};

use crate::engine::claims::{self, NewText};
use crate::engine::compaction::compact;
use crate::engine::context::Context;
use crate::engine::llm_record::{AttemptError, CallRecord};
use crate::engine::provider_switch;
use crate::engine::timeline::Scope;
use crate::journal::StopReason;
use crate::prompts;

/// How long one attempt may take.
const TIMEOUT: Duration = Duration::from_mins(2);
/// The output limit that the provider is given, in tokens.
const MAX_TOKENS: u32 = 1_024;
/// The longest answer of a provider that ignores its output limit, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Writes the summary, or reads the one of an earlier owner. The inner error is the reason why there is none.
pub(crate) async fn executive(
    ctx: &Context,
    chain: &ResolvedChain,
    analysis: &str,
) -> Result<Result<String, String>, StopReason> {
    let session = ctx.journal.session();
    let row = ctx.journal.read(|store| store.find_session(session)).await?;
    let written = row.as_ref().and_then(|row| row.executive_summary.clone());
    if let Some(written) = written {
        return Ok(Ok(written));
    }
    let active = row.as_ref().and_then(|row| row.executive_summary_provider.clone());
    let prompts = &ctx.services.prompts;
    let messages = vec![
        Message::new(Role::System, prompts.executive_summary_instructions()),
        Message::new(Role::User, prompts.executive_summary(analysis)),
    ];
    let record = CallRecord {
        scope: Scope::SESSION,
        kind: LlmInteractionKind::ExecutiveSummary,
        native_tools: NativeToolUse::Off,
        last_message: None,
        messages: Some(json!(messages)),
        tools: Arc::default(),
        max_output_tokens: Some(MAX_TOKENS),
        prompt_version: prompts.version().to_owned(),
    };
    let (provider, fallbacks) = providers(chain, active.as_deref());
    let request = llm_call(ctx, chain, messages, (provider, fallbacks));
    let mut sink = SummarySink {
        ctx,
        record,
        session: row,
        analysis,
        on_unverified: chain.claims.on_unverified,
    };
    let token = ctx.journal.stop_signal().token();
    match call(ctx.services.llm.as_ref(), request, &mut sink, token).await.end {
        End::Answered(attempt) => Ok(Ok(sink.store_answer(&attempt).await?)),
        End::Failed { last, times } => {
            sink.attempt_failed(&last).await?;
            Ok(Err(last.failure.describe(times)))
        }
        End::Cancelled(attempt) => {
            let reason = ctx.journal.stop_reason().unwrap_or(StopReason::Shutdown);
            Err(sink.store_stop(reason, attempt).await)
        }
        End::SinkFailed(reason, attempt) => Err(sink.store_stop(reason, attempt).await),
    }
}

fn llm_call<'a>(
    ctx: &Context,
    chain: &ResolvedChain,
    messages: Vec<Message>,
    (provider, fallbacks): (&'a ResolvedProvider, &'a [ResolvedProvider]),
) -> Call<'a> {
    Call {
        session_id: ctx.journal.session(),
        execution_id: None,
        messages,
        compact: Some(compact),
        tools: Vec::new(),
        tool_calls: ToolCalls::Ignore,
        // The analysis is complete: nothing is searched for.
        native_tools: NativeToolUse::Off,
        provider,
        fallbacks,
        max_output_tokens: Some(MAX_TOKENS),
        max_bytes: MAX_BYTES,
        timeouts: Timeouts {
            first_token: Duration::from_millis(chain.first_token_timeout_ms),
            idle: Duration::from_millis(chain.stall_timeout_ms),
            total: TIMEOUT,
        },
        retries: Retries::SUMMARY,
        previous_timeouts: 0,
    }
}

/// The active provider, also that of an earlier owner, and its fallbacks.
fn providers<'a>(
    chain: &'a ResolvedChain,
    active: Option<&str>,
) -> (&'a ResolvedProvider, &'a [ResolvedProvider]) {
    let fallbacks = chain.executive_summary_fallbacks.as_slice();
    let at = fallbacks.iter().position(|one| Some(one.name.as_str()) == active);
    match at.and_then(|at| Some((fallbacks.get(at)?, fallbacks.get(at + 1..)?))) {
        Some(switched) => switched,
        None => (&chain.executive_summary_provider, fallbacks),
    }
}

/// Stores the attempts; nobody watches the summary while it is written.
struct SummarySink<'a> {
    ctx: &'a Context,
    record: CallRecord,
    session: Option<Session>,
    analysis: &'a str,
    on_unverified: OnUnverified,
}

impl SummarySink<'_> {
    async fn store_answer(&self, attempt: &Attempt<'_>) -> Result<String, StopReason> {
        let mut text = attempt.text.trim().to_owned();
        let record = self.record.answered(attempt, &text, &[]);
        let truncated = attempt.is_truncated();
        if truncated {
            text = prompts::mark_truncated(&text);
        }
        let metadata = truncated.then(|| json!({ "truncated": true }));
        let id = TimelineEventId::new();
        let new = NewText { event: id, text: &text, looked_up: &[] };
        let checked =
            claims::of_summary(self.ctx, self.session.as_ref(), self.analysis, new).await?;
        let reported = claims::reported(self.on_unverified, &text, &checked);
        let (scope, kind) = (self.record.scope, TimelineKind::ExecutiveSummary);
        let event = scope.event_as(id, kind, text, metadata);
        let summary = Op::SetExecutiveSummary(reported.clone());
        let ops = vec![record, event, summary, Op::StoreClaimCheck(checked.check)];
        self.ctx.journal.commit(ops).await?;
        Ok(reported)
    }

    /// Records an attempt that was running when the work stopped. Returns the reason to stop with.
    async fn store_stop(&self, reason: StopReason, attempt: Option<Attempt<'_>>) -> StopReason {
        let (Some(attempt), Some(error)) = (attempt, AttemptError::of_stop(reason)) else {
            return reason;
        };
        let record = self.record.failed(&attempt, error);
        self.ctx.journal.commit(vec![record]).await.err().unwrap_or(reason)
    }
}

#[async_trait]
impl Sink for SummarySink<'_> {
    type Error = StopReason;

    async fn chunk(&mut self, _chunk: &Chunk) -> Result<Flow, StopReason> {
        Ok(Flow::Continue)
    }

    async fn attempt_failed(&mut self, failed: &FailedAttempt<'_>) -> Result<(), StopReason> {
        let record = self.record.failed(&failed.attempt, AttemptError::of(failed));
        self.ctx.journal.commit(vec![record]).await
    }

    async fn provider_switched(&mut self, switch: ProviderSwitch<'_>) -> Result<(), StopReason> {
        let ops = provider_switch::ops(self.record.scope, &switch, 0);
        self.ctx.journal.commit(ops).await
    }
}
