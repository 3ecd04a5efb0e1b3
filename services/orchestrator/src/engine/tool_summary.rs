//! Summaries of large tool results. A summary is requested in the transaction that ends the call, and
//! a summarizer writes it. Without one the agent reads the beginning of the result.

use std::time::Duration;

use futures::StreamExt as _;
use tarsy_bus::Subscription;
use tarsy_catalog::{NativeTools, ResolvedProvider};
use tarsy_contracts::live::{Snapshot, SnapshotRequest};
use tarsy_contracts::subject;
use tarsy_contracts::work::SummaryRequest;
use tarsy_domain::event::SummaryStatus;
use tarsy_domain::id::{CallId, SummaryId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{AbandonedSummary, NewSummary, Summary};
use tokio::time::{Instant, sleep};

use crate::engine::context::Context;
use crate::engine::session_call::timeouts;
use crate::engine::task::AgentTask;
use crate::journal::StopReason;
use crate::limits::is_small;

/// How long a claimed summary may take at least, retries and takeovers included.
const MAX_DURATION: Duration = Duration::from_mins(6);
/// How long a summary may wait for a summarizer while all of them are busy.
const MAX_QUEUED: Duration = Duration::from_mins(6);
/// The fallback poll of the row, for a lost message.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long to wait for the partial text of an abandoned summary.
const PARTIAL_TEXT_TIMEOUT: Duration = Duration::from_secs(1);

/// A result may have this part of a request to a model with a small context window.
const SMALL_SHARE: usize = 4;

/// A result that may be too large for the model.
pub(crate) struct LargeResult<'a> {
    pub(crate) call_id: CallId,
    pub(crate) event: TimelineEventId,
    /// The call's number in the session.
    pub(crate) number: i64,
    pub(crate) server: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) text: &'a str,
}

pub(crate) enum SummaryOutcome {
    /// It replaces the result.
    Summary(String),
    /// For this reason.
    Failed(String),
    NotRequested,
}

/// The summary to request if the result exceeds its server's threshold. The agent's provider writes it
/// unless one is configured for summaries.
pub(crate) fn request(
    task: &AgentTask<'_>,
    provider: &ResolvedProvider,
    result: &LargeResult<'_>,
) -> Option<NewSummary> {
    let server = task.spec.servers.iter().find(|server| server.id == result.server)?;
    let limits = server.summarization;
    if !limits.enabled {
        return None;
    }
    let configured = limits.size_threshold_tokens as usize;
    let threshold = if is_small(provider) {
        configured.min(provider.max_request_tokens() / SMALL_SHARE)
    } else {
        configured
    };
    let tokens = tarsy_tokens::measure(result.text, threshold);
    if tokens <= threshold {
        return None;
    }
    // A model with a small context window reads what rules find in the result, and need not read all of it first.
    let rules = is_small(provider).then(ResolvedProvider::offline);
    let provider = server.summarizer.as_ref().or(rules.as_ref()).unwrap_or(provider);
    // Of the agent's fallbacks, those after the provider, or all of them if it is none of the agent's.
    let active = task.spec.fallbacks.iter().position(|one| one.name == provider.name);
    let fallbacks = task.spec.fallbacks.iter().skip(active.map_or(0, |at| at + 1));
    let fallbacks = fallbacks.filter_map(|one| serde_json::to_value(without_tools(one)).ok());
    let chain = task.plan.chain;
    let request = SummaryRequest {
        stage_id: task.stage,
        execution_id: task.execution,
        tool_event_id: result.event,
        server_name: result.server.to_owned(),
        tool_name: result.tool.to_owned(),
        call_number: result.number,
        original_tokens: tokens as u64,
        max_tokens: limits
            .summary_max_token_limit
            .min(u32::try_from(threshold).unwrap_or(u32::MAX)),
        question: task.plan.purpose.question().map(str::to_owned),
        provider: serde_json::to_value(without_tools(provider)).ok()?,
        fallbacks: fallbacks.collect(),
        timeout_ms: chain.iteration_timeout_ms,
        first_token_timeout_ms: Some(chain.first_token_timeout_ms),
        idle_timeout_ms: Some(chain.stall_timeout_ms),
    };
    let request = serde_json::to_value(request).ok()?;
    Some(NewSummary { id: SummaryId::new(), call_id: result.call_id, request })
}

/// A summary is written from its prompt alone: the provider neither searches nor executes code.
fn without_tools(provider: &ResolvedProvider) -> ResolvedProvider {
    ResolvedProvider { native_tools: NativeTools::default(), ..provider.clone() }
}

/// Waits for the summary of a call and counts its usage. `wake` is the summary that was just
/// requested: summarizers are woken for it. If the session ends, the summary is abandoned with the
/// text that it has.
pub(crate) async fn wait(
    ctx: &Context,
    task: &AgentTask<'_>,
    call: CallId,
    wake: Option<SummaryId>,
) -> Result<SummaryOutcome, StopReason> {
    let _pending = ctx.pending_summaries.add();
    let outcome = watch(ctx, task, call, wake).await;
    let status = match outcome {
        Err(StopReason::Cancelled) => TimelineStatus::Cancelled,
        Err(StopReason::TimedOut) => TimelineStatus::TimedOut,
        Ok(_)
        | Err(
            StopReason::Fenced | StopReason::Shutdown | StopReason::Suspended | StopReason::Stuck,
        ) => {
            return outcome;
        }
    };
    if let Some(row) = ctx.journal.read(|store| store.find_summary(call)).await? {
        abandon(ctx, &row, "the investigation was stopped", status).await?;
    }
    outcome
}

/// How long a claimed summary of this agent may take: two answers of its slowest provider at least. Where calls stand in line,
/// the session's time alone bounds it.
fn longest(task: &AgentTask<'_>) -> Duration {
    let (spec, chain) = (task.spec, task.plan.chain);
    let own = spec.servers.iter().filter_map(|server| server.summarizer.as_ref());
    let providers = own.chain([&spec.provider]).chain(&spec.fallbacks);
    let of = |provider: &ResolvedProvider| match provider.max_concurrent_requests {
        Some(_) => Duration::from_millis(chain.session_timeout_ms),
        None => timeouts(chain).of(provider, 0).total * 2,
    };
    providers.map(of).fold(MAX_DURATION, Duration::max)
}

async fn watch(
    ctx: &Context,
    task: &AgentTask<'_>,
    call: CallId,
    wake: Option<SummaryId>,
) -> Result<SummaryOutcome, StopReason> {
    let longest = longest(task);
    let journal = &ctx.journal;
    let Some(mut row) = journal.read(|store| store.find_summary(call)).await? else {
        return Ok(SummaryOutcome::NotRequested);
    };
    let mut finished = Finished::subscribe(ctx, row.id).await?;
    if let Some(id) = wake
        && let Err(error) = journal.unless_stopped(ctx.services.bus.wake_summarizers(id)).await?
    {
        tracing::debug!(error = %tarsy_telemetry::chain(&error), "summarizers will poll");
    }
    let mut since = Instant::now();
    loop {
        let (status, waited) = (row.status, since.elapsed());
        let late = match status {
            SummaryStatus::Completed | SummaryStatus::Failed => {
                task.plan.budget.add_summary(call, &row);
                return Ok(outcome(row));
            }
            SummaryStatus::Pending => too_late_to_claim(ctx, waited).await?,
            SummaryStatus::InProgress => (waited > longest).then_some("it took too long"),
        };
        match late {
            Some(why) => abandon(ctx, &row, why, TimelineStatus::Failed).await?,
            None => journal.unless_stopped(finished.wait()).await?,
        }
        row = match journal.read(|store| store.find_summary(call)).await? {
            Some(row) => row,
            None => return Ok(SummaryOutcome::NotRequested),
        };
        if row.status != status {
            since = Instant::now();
        }
    }
}

/// Why a summary that waited so long for a summarizer is abandoned. Summarizers work on the oldest ones first:
/// while they do, it waits in line.
async fn too_late_to_claim(
    ctx: &Context,
    waited: Duration,
) -> Result<Option<&'static str>, StopReason> {
    let absent_after = ctx.services.limits.summary_claim;
    if waited <= absent_after {
        return Ok(None);
    }
    if waited > MAX_QUEUED {
        return Ok(Some("all summarizers are busy"));
    }
    let active = ctx.journal.read(|store| store.has_active_summarizers(absent_after)).await?;
    Ok((!active).then_some("no summarizer runs"))
}

/// Messages that a summary has finished; none when they cannot be received.
struct Finished(Option<Subscription>);

impl Finished {
    async fn subscribe(ctx: &Context, id: SummaryId) -> Result<Self, StopReason> {
        let subscribe = ctx.services.bus.subscribe(subject::summary_finished(id));
        Ok(Self(ctx.journal.unless_stopped(subscribe).await?.ok()))
    }

    /// Waits for a message, or until the row is to be polled.
    async fn wait(&mut self) {
        let message = async {
            match &mut self.0 {
                Some(messages) => messages.next().await.is_some(),
                None => std::future::pending().await,
            }
        };
        let received = tokio::select! {
            received = message => received,
            () = sleep(POLL_INTERVAL) => true,
        };
        if !received {
            // The subscription has ended; polling remains.
            self.0 = None;
        }
    }
}

async fn abandon(
    ctx: &Context,
    row: &Summary,
    why: &str,
    status: TimelineStatus,
) -> Result<(), StopReason> {
    tracing::warn!(summary.id = %row.id, why, "a summary is abandoned");
    let text = match row.event {
        Some(event) if row.status == SummaryStatus::InProgress => partial_text(ctx, event).await,
        _ => None,
    };
    let (id, abandoned) = (row.id, AbandonedSummary { status, text });
    ctx.journal.write(|store, fence| store.abandon_summary(fence, id, why, abandoned.clone())).await
}

/// The text of a summary so far, if a summarizer answers.
async fn partial_text(ctx: &Context, event: TimelineEventId) -> Option<String> {
    let subject = subject::live_summaries(ctx.journal.session());
    let count = ctx.pending_summaries.count() as usize;
    let request = SnapshotRequest::default();
    let bus = &ctx.services.bus;
    let answers =
        bus.request_many::<_, Snapshot>(subject, &request, count, PARTIAL_TEXT_TIMEOUT).await;
    let answers = answers.unwrap_or_else(|error| {
        tracing::debug!(error = %tarsy_telemetry::chain(&error), "no summarizer answers");
        Vec::new()
    });
    let mut streams = answers.into_iter().flat_map(|answer| answer.streams);
    streams.find(|stream| stream.event_id == event).map(|stream| stream.content)
}

fn outcome(row: Summary) -> SummaryOutcome {
    if let Some(summary) = row.summary {
        return SummaryOutcome::Summary(summary);
    }
    SummaryOutcome::Failed(row.error.unwrap_or_else(|| "no reason was given".to_owned()))
}
