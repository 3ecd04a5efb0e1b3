//! The executive summary: one model call after the chain. The session completes without it, too.

use std::sync::Arc;

use serde_json::json;
use tarsy_catalog::{OnUnverified, ResolvedChain, ResolvedProvider};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::TimelineEventId;
use tarsy_llm::{Attempt, Call, End, Message, NativeToolUse, OnCut, Retries, ToolCalls, call};
use tarsy_store::{Op, Session};

use crate::engine::claims::{self, NewText};
use crate::engine::compaction::compact;
use crate::engine::context::Context;
use crate::engine::llm_record::{AttemptError, CallRecord};
use crate::engine::session_call::{SessionSink, providers, timeouts};
use crate::engine::timeline::{Scope, cut_of, truncated_mark};
use crate::journal::StopReason;
use crate::prompts;

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
        response_format: None,
        answer_notes: Vec::new(),
    };
    let (provider, fallbacks) = providers(chain, active.as_deref());
    let request = llm_call(ctx, chain, messages, (provider, fallbacks));
    let mut sink = SessionSink::new(ctx, record);
    let token = ctx.journal.stop_signal().token();
    match call(ctx.services.llm.as_ref(), request, &mut sink, token).await.end {
        End::Answered(attempt) => {
            let policy = chain.claims.on_unverified;
            Ok(Ok(store(&sink, row.as_ref(), analysis, (&attempt, policy)).await?))
        }
        End::Failed { last, times } => {
            sink.store_failure(&last.attempt, AttemptError::of(&last)).await?;
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
        response_format: None,
        // The analysis is complete: nothing is searched for.
        native_tools: NativeToolUse::Off,
        provider,
        fallbacks,
        max_output_tokens: Some(MAX_TOKENS),
        max_bytes: MAX_BYTES,
        timeouts: timeouts(chain),
        retries: Retries { on_cut: OnCut::KeepText, ..Retries::SUMMARY },
        previous_timeouts: 0,
    }
}

/// Stores the summary with the check of its claims. Returns what is reported of it.
async fn store(
    sink: &SessionSink<'_>,
    session: Option<&Session>,
    analysis: &str,
    (attempt, policy): (&Attempt<'_>, OnUnverified),
) -> Result<String, StopReason> {
    let mut text = attempt.text.trim().to_owned();
    let record = sink.record.answered(attempt, &text, &[]);
    let cut = cut_of(attempt);
    if let Some(cut) = cut {
        text = prompts::mark_truncated(&text, cut);
    }
    let metadata = cut.map(truncated_mark);
    let id = TimelineEventId::new();
    let new = NewText { event: id, text: &text, looked_up: &[] };
    let checked = claims::of_summary(sink.ctx, session, analysis, new).await?;
    let reported = claims::reported(policy, &text, &checked);
    let (scope, kind) = (sink.record.scope, TimelineKind::ExecutiveSummary);
    let event = scope.event_as(id, kind, text, metadata);
    let summary = Op::SetExecutiveSummary(reported.clone());
    let ops = vec![record, event, summary, Op::StoreClaimCheck(checked.check)];
    sink.ctx.journal.commit(ops).await?;
    Ok(reported)
}
