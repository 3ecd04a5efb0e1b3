//! Large results: their summary is asked for in the transaction that ends the call, made by a
//! summarizer, and waited for. Without one, the agent goes on with the beginning of the result.

use std::time::Duration;

use futures::StreamExt as _;
use tarsy_catalog::{NativeTools, ResolvedProvider};
use tarsy_contracts::live::{Snapshot, SnapshotRequest};
use tarsy_contracts::subject;
use tarsy_contracts::work::SummaryRequest;
use tarsy_domain::event::SummaryStatus;
use tarsy_domain::id::{CallId, SummaryId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{AbandonedSummary, NewSummary, Summary};
use tokio::time::{Instant, sleep};

use crate::engine::agent::Task;
use crate::engine::budget::BudgetTracker;
use crate::owner::{Owner, StopReason};

/// How long a summary may take in all, tries and takeovers included.
const LONGEST: Duration = Duration::from_mins(6);
/// The look at the row that covers a lost hint.
const LOOK: Duration = Duration::from_secs(1);
/// How long the text of a summary that is given up is asked for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What is to be summarized.
pub(crate) struct Of<'a> {
    pub(crate) call_id: CallId,
    /// The timeline event of the call.
    pub(crate) event: TimelineEventId,
    /// The call's number in the session.
    pub(crate) number: i64,
    pub(crate) server: &'a str,
    pub(crate) tool: &'a str,
    /// The whole result.
    pub(crate) text: &'a str,
}

/// What waiting came to.
pub(crate) enum Waited {
    /// This stands in for the result.
    Summary(String),
    /// There is none, for this reason.
    Nothing(String),
    /// None was asked for.
    NotAsked,
}

/// The summary to ask for, if the result is longer than its server's threshold; by the provider that
/// speaks, if there is none for summaries.
pub(crate) fn wanted(
    task: &Task<'_>,
    speaks: &ResolvedProvider,
    of: &Of<'_>,
) -> Option<NewSummary> {
    let server = task.spec.servers.iter().find(|server| server.id == of.server)?;
    let limits = server.summarization;
    let threshold = limits.size_threshold_tokens as usize;
    if !limits.enabled {
        return None;
    }
    let tokens = tarsy_tokens::measure(of.text, threshold);
    if tokens <= threshold {
        return None;
    }
    let provider = server.summarizer.as_ref().unwrap_or(speaks);
    // Of the agent's fallbacks, those after the provider, or all of them if it is none of the agent's.
    let active = task.spec.fallbacks.iter().position(|one| one.name == provider.name);
    let fallbacks = task.spec.fallbacks.iter().skip(active.map_or(0, |at| at + 1));
    let fallbacks = fallbacks.filter_map(|one| serde_json::to_value(without_tools(one)).ok());
    let request = SummaryRequest {
        stage_id: task.stage,
        execution_id: task.execution,
        tool_event_id: of.event,
        server_name: of.server.to_owned(),
        tool_name: of.tool.to_owned(),
        call_number: of.number,
        original_tokens: tokens as u64,
        max_tokens: limits.summary_max_token_limit,
        provider: serde_json::to_value(without_tools(provider)).ok()?,
        fallbacks: fallbacks.collect(),
        timeout_ms: task.plan.chain.iteration_timeout_ms,
        first_token_timeout_ms: Some(task.plan.chain.first_token_timeout_ms),
        idle_timeout_ms: Some(task.plan.chain.stall_timeout_ms),
    };
    let request = serde_json::to_value(request).ok()?;
    Some(NewSummary { id: SummaryId::new(), call_id: of.call_id, request })
}

/// A summary is written from its prompt alone: the provider neither searches nor executes code.
fn without_tools(provider: &ResolvedProvider) -> ResolvedProvider {
    ResolvedProvider { native_tools: NativeTools::default(), ..provider.clone() }
}

/// Waits for the summary of a call, and counts what it cost; `ring` for one that was just asked for.
/// A stop ends the summary, too, and keeps what it had said.
pub(crate) async fn wait(
    owner: &Owner,
    budget: &BudgetTracker,
    call: CallId,
    ring: Option<SummaryId>,
) -> Result<Waited, StopReason> {
    let _awaited = owner.awaits_summary();
    let waited = watch(owner, budget, call, ring).await;
    let status = match waited {
        Err(StopReason::Cancelled) => TimelineStatus::Cancelled,
        Err(StopReason::TimedOut) => TimelineStatus::TimedOut,
        Ok(_) | Err(StopReason::Fenced | StopReason::Shutdown | StopReason::Stuck) => {
            return waited;
        }
    };
    if let Some(row) = owner.read(|| owner.app.store.find_summary(call)).await? {
        give_up(owner, &row, "the investigation was stopped", status).await?;
    }
    waited
}

async fn watch(
    owner: &Owner,
    budget: &BudgetTracker,
    call: CallId,
    ring: Option<SummaryId>,
) -> Result<Waited, StopReason> {
    let (store, bus) = (&owner.app.store, &owner.app.bus);
    let Some(mut row) = owner.read(|| store.find_summary(call)).await? else {
        return Ok(Waited::NotAsked);
    };
    let hints = owner.unless_stopped(bus.subscribe(subject::summary_finished(row.id))).await?;
    let mut hints = hints.ok();
    if let Some(id) = ring
        && let Err(error) = owner.unless_stopped(bus.wake_summarizers(id)).await?
    {
        tracing::debug!(error = %tarsy_telemetry::chain(&error), "summarizers find the row");
    }
    let begun = Instant::now();
    loop {
        let patience = match row.status {
            SummaryStatus::Completed | SummaryStatus::Failed => {
                budget.end_summary(call, &row);
                return Ok(over(row));
            }
            // As long as a lost summarizer may keep one: by then another one would be there.
            SummaryStatus::Pending => owner.app.queue.orphan_threshold,
            SummaryStatus::InProgress => LONGEST,
        };
        if begun.elapsed() > patience {
            let why = match row.status {
                SummaryStatus::Pending => "no summarizer took it up",
                _ => "it took too long",
            };
            give_up(owner, &row, why, TimelineStatus::Failed).await?;
        } else {
            let hint = async {
                match &mut hints {
                    Some(hints) => hints.next().await.is_some(),
                    None => std::future::pending().await,
                }
            };
            let heard = async {
                tokio::select! {
                    heard = hint => heard,
                    () = sleep(LOOK) => true,
                }
            };
            if !owner.unless_stopped(heard).await? {
                // No hints come any more: looking at the row has to do.
                hints = None;
            }
        }
        row = match owner.read(|| store.find_summary(call)).await? {
            Some(row) => row,
            None => return Ok(Waited::NotAsked),
        };
    }
}

async fn give_up(
    owner: &Owner,
    row: &Summary,
    why: &str,
    status: TimelineStatus,
) -> Result<(), StopReason> {
    tracing::warn!(summary.id = %row.id, why, "a summary is given up");
    let text = match row.event {
        Some(event) if row.status == SummaryStatus::InProgress => said(owner, event).await,
        _ => None,
    };
    let (store, unfinished) = (&owner.app.store, AbandonedSummary { status, text });
    let abandon = || store.abandon_summary(owner.fence, row.id, why, unfinished.clone());
    let told = owner.write(abandon).await?;
    owner.app.publisher.publish(told);
    Ok(())
}

/// What a summarizer has said so far, if one answers.
async fn said(owner: &Owner, event: TimelineEventId) -> Option<String> {
    let subject = subject::live_summaries(owner.session());
    let count = owner.awaited_summaries() as usize;
    let request = SnapshotRequest::default();
    let bus = &owner.app.bus;
    let answers = bus.request_many::<_, Snapshot>(subject, &request, count, LAST_WORDS).await;
    let answers = answers.unwrap_or_else(|error| {
        tracing::debug!(error = %tarsy_telemetry::chain(&error), "no summarizer answers");
        Vec::new()
    });
    let mut streams = answers.into_iter().flat_map(|answer| answer.streams);
    streams.find(|stream| stream.event_id == event).map(|stream| stream.content)
}

fn over(row: Summary) -> Waited {
    match row.summary {
        Some(summary) => Waited::Summary(summary),
        None => Waited::Nothing(row.error.unwrap_or_else(|| "no reason was given".to_owned())),
    }
}
