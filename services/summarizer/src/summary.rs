//! Makes one claimed summary: calls the model and stores how it ends.

use std::time::Duration;

use tarsy_catalog::ResolvedProvider;
use tarsy_contracts::work::SummaryRequest;
use tarsy_domain::event::Role;
use tarsy_llm::{
    Call, End, Interaction, Message, NativeToolUse, OnCut, Retries, Timeouts, ToolCalls, call,
};
use tarsy_service::{Lease, StopReason};
use tarsy_store::{SummaryClaim, SummaryEnd, SummaryFence};

use crate::context::Context;
use crate::metrics;
use crate::prompts::{PromptLimits, Prompts};
use crate::record;
use crate::sink::{SinkTarget, SummarySink};

/// Claims of one summary; then it fails.
const MAX_CLAIMS: i32 = 3;
/// The longest summary in bytes, whatever the provider's limit is.
const MAX_BYTES: usize = 512 * 1024;

/// A request with its providers decoded.
struct Job {
    request: SummaryRequest,
    provider: ResolvedProvider,
    fallbacks: Vec<ResolvedProvider>,
}

/// Makes the summary and stores its end; how it ended, for the metrics.
pub(crate) async fn make(
    context: &Context,
    claim: &SummaryClaim,
    lease: &Lease,
) -> Result<&'static str, StopReason> {
    if claim.attempts > MAX_CLAIMS {
        let error = format!("it failed after {MAX_CLAIMS} attempts");
        return finish(context, lease, claim.fence, record::failed(&error)).await;
    }
    let job = match Job::decode(claim) {
        Ok(job) => job,
        Err(error) => {
            tracing::error!(%error, "a summary's request is not readable");
            return finish(
                context,
                lease,
                claim.fence,
                record::failed("its request cannot be read"),
            )
            .await;
        }
    };
    let messages = match job.messages(context, lease, claim).await? {
        Ok(messages) => messages,
        Err(error) => {
            tracing::error!(%error, "a summary's prompt cannot be rendered");
            return finish(
                context,
                lease,
                claim.fence,
                record::failed("its prompt cannot be written"),
            )
            .await;
        }
    };
    let mut sink = SummarySink::new(
        SinkTarget { context, lease, fence: claim.fence },
        &job.request,
        messages.clone(),
        job.provider.clone(),
    );
    let interaction =
        call(&*context.llm, job.call(claim, messages), &mut sink, lease.signal().token()).await;
    let end = job.end(interaction, &sink).await?;
    finish(context, lease, claim.fence, end).await
}

impl Job {
    fn decode(claim: &SummaryClaim) -> Result<Self, serde_json::Error> {
        let request: SummaryRequest = serde_json::from_value(claim.request.clone())?;
        let provider = serde_json::from_value(request.provider.clone())?;
        let fallbacks = request.fallbacks.iter().cloned().map(serde_json::from_value);
        let fallbacks = fallbacks.collect::<Result<_, _>>()?;
        Ok(Self { request, provider, fallbacks })
    }

    /// The prompt, with the conversation from the store. The inner error would repeat.
    async fn messages(
        &self,
        context: &Context,
        lease: &Lease,
        claim: &SummaryClaim,
    ) -> Result<anyhow::Result<Vec<Message>>, StopReason> {
        let list = || context.store.list_messages(self.request.execution_id);
        let conversation = lease.read(list).await?;
        let limits = self.limits();
        let prompts = &context.prompts;
        let render = || {
            let system = prompts.instructions(&self.request)?;
            let user = prompts.output(&self.request, &conversation, &claim.result, limits)?;
            Ok(vec![Message::new(Role::System, system), Message::new(Role::User, user)])
        };
        Ok(render())
    }

    /// The smallest of all providers: each fallback gets the same prompt.
    fn limits(&self) -> PromptLimits {
        let smallest = |tokens: fn(&ResolvedProvider) -> usize| {
            self.fallbacks.iter().map(tokens).fold(tokens(&self.provider), usize::min)
        };
        PromptLimits {
            request: smallest(ResolvedProvider::max_request_tokens),
            output: smallest(ResolvedProvider::tool_result_tokens),
        }
    }

    fn call(&self, claim: &SummaryClaim, messages: Vec<Message>) -> Call<'_> {
        let request = &self.request;
        let or_total =
            |limit: Option<u64>| Duration::from_millis(limit.unwrap_or(request.timeout_ms));
        Call {
            session_id: claim.fence.session_id,
            execution_id: Some(request.execution_id),
            messages,
            compact: None,
            tools: Vec::new(),
            tool_calls: ToolCalls::Ignore,
            response_format: None,
            native_tools: NativeToolUse::Off,
            provider: &self.provider,
            fallbacks: &self.fallbacks,
            max_output_tokens: Some(request.max_tokens),
            max_bytes: MAX_BYTES,
            timeouts: Timeouts {
                first_token: or_total(request.first_token_timeout_ms),
                idle: or_total(request.idle_timeout_ms),
                total: or_total(None),
            },
            retries: Retries { on_cut: OnCut::KeepText, ..Retries::SUMMARY },
            previous_timeouts: 0,
        }
    }

    /// The end of the summary. A cancelled call has none: the session's owner ends it.
    async fn end(
        &self,
        interaction: Interaction<'_, StopReason>,
        sink: &SummarySink<'_>,
    ) -> Result<SummaryEnd, StopReason> {
        let (request, messages) = (&self.request, &interaction.messages);
        match interaction.end {
            End::Answered(answer) => {
                let call = record::interaction(request, messages, &answer, None);
                let mut summary = answer.text.trim().to_owned();
                let tokens = tarsy_tokens::estimate(&summary) as u64;
                metrics::tokens_saved(request.original_tokens.saturating_sub(tokens));
                if answer.is_truncated() {
                    tracing::warn!(limit = request.max_tokens, "the summary is truncated");
                    summary.push_str(&Prompts::truncated(request, answer.cut.is_some()));
                }
                Ok(record::completed(request, sink.event(), &answer, call, summary))
            }
            End::Failed { last, times } => {
                let error = last.failure.describe(times);
                tracing::warn!(error, "the model wrote no summary");
                let call =
                    record::interaction(request, messages, &last.attempt, Some(&last.failure));
                Ok(record::exhausted(sink.event(), &last.attempt, call, error))
            }
            // The sink's stream stays open until the caller drops this future: the session's owner asks
            // for the text.
            End::Cancelled(_) => std::future::pending().await,
            End::SinkFailed(reason, _) => Err(reason),
        }
    }
}

async fn finish(
    context: &Context,
    lease: &Lease,
    fence: SummaryFence,
    end: SummaryEnd,
) -> Result<&'static str, StopReason> {
    let outcome = if end.summary.is_some() { "completed" } else { "failed" };
    let events = lease.write(|| context.store.finish_summary(fence, end.clone())).await?;
    context.publisher.publish(events);
    Ok(outcome)
}
