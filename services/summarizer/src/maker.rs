//! Makes one summary: asks the model, streams its text, and ends the row once.

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use serde_json::{Value, json};
use tarsy_catalog::ResolvedProvider;
use tarsy_contracts::subject;
use tarsy_contracts::work::{SummaryFinished, SummaryRequest};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{InteractionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::{Chunk, Config, Error as LlmError, Message, Request, Usage};
use tarsy_service::LiveStream;
use tarsy_store::{
    Batch, EndTimelineEvent, Error as StoreError, NewLlmInteraction, NewTimelineEvent, Op,
    SummaryClaim, SummaryEnd, SummaryFence,
};
use tokio::time::{sleep, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::app::App;
use crate::metrics;

/// Owners that a summary may wear out before it is given up.
const ATTEMPTS: i32 = 3;
/// Tries of one owner.
const TRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// The most that a summary says, in bytes, whatever the provider was asked for.
const MOST: usize = 512 * 1024;
/// How long what was said is told after a stop.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Tries of a write that finds the database away; then the lease is left to run out.
const WRITES: u32 = 8;

/// Why making a summary ended without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// It is another's, or its session is over or asked to stop: nothing more is written.
    NotMine,
    /// This process ends, or the database stays away: another goes on.
    HandedOver,
}

/// Makes a claimed summary, unless it turns out to be somebody else's.
pub(crate) async fn run(app: App, claim: SummaryClaim) {
    let fence = claim.fence;
    let span = tracing::info_span!(
        "summary", session.id = %fence.session_id, summary.id = %fence.summary_id, epoch = fence.epoch
    );
    work(app, claim).instrument(span).await;
}

async fn work(app: App, claim: SummaryClaim) {
    let (fence, begun) = (claim.fence, Instant::now());
    let (stop, done) = (CancellationToken::new(), CancellationToken::new());
    let _enlisted = app.enlist(fence.summary_id, fence.session_id, stop.clone());
    let hard_stop = app.service.hard_stop();
    let making = async {
        let made = tokio::select! {
            biased;
            () = hard_stop.cancelled() => Err(Left::HandedOver),
            () = long_stopped(&stop) => Err(Left::NotMine),
            made = make(&app, &claim, &stop) => made,
        };
        done.cancel();
        made
    };
    let (session, live) = (fence.session_id, app.live.clone());
    let snapshots = live.serve_snapshots(subject::live_summaries(session), session, || 0, &done);
    let (made, (), ()) = tokio::join!(making, keep_lease(&app, fence, &stop, &done), snapshots);
    let outcome = match made {
        Ok(outcome) => {
            let subject = subject::summary_finished(fence.summary_id);
            if let Err(error) = app.bus.publish(subject, &SummaryFinished {}).await {
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "its owner finds the row");
            }
            outcome
        }
        Err(Left::NotMine) => "dropped",
        Err(Left::HandedOver) => {
            if let Err(error) = app.store.release_summary(fence).await {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "the lease will expire");
            }
            "handed_over"
        }
    };
    metrics::finished(outcome, begun.elapsed());
    tracing::info!(outcome, "a summary is over");
}

/// A while after the stop: the session's owner, who hears of it at the same time, asks for what was
/// said so far.
async fn long_stopped(stop: &CancellationToken) {
    stop.cancelled().await;
    sleep(LAST_WORDS).await;
}

/// Renews the lease until the summary is done; one that is lost, or whose session is asked to stop,
/// is not worked on any more.
async fn keep_lease(
    app: &App,
    fence: SummaryFence,
    stop: &CancellationToken,
    done: &CancellationToken,
) {
    loop {
        let renewed = tokio::select! {
            () = done.cancelled() => return,
            renewed = async {
                sleep(app.lease / 4).await;
                app.store.renew_summary(fence, app.lease).await
            } => renewed,
        };
        match renewed {
            Ok(false) => {}
            Ok(true) => stop.cancel(),
            Err(error) if error.is_fenced() => stop.cancel(),
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "lease not renewed");
            }
        }
    }
}

/// What one try came to.
struct Heard {
    text: Option<LiveStream>,
    usage: Option<Usage>,
    error: Option<LlmError>,
    timed_out: bool,
}

impl Heard {
    fn text(&self) -> &str {
        self.text.as_ref().map(|text| text.text().trim()).unwrap_or_default()
    }

    /// Why this is no summary, for people; nothing if it is one.
    fn problem(&self) -> Option<String> {
        match &self.error {
            _ if self.timed_out => Some("the model did not answer in time".to_owned()),
            Some(error) => Some(error.to_string()),
            None if self.text().is_empty() => Some("the model said nothing".to_owned()),
            None => None,
        }
    }

    fn is_worth_a_retry(&self) -> bool {
        self.error.as_ref().is_none_or(LlmError::is_retryable)
    }
}

async fn make(
    app: &App,
    claim: &SummaryClaim,
    stop: &CancellationToken,
) -> Result<&'static str, Left> {
    if claim.attempts > ATTEMPTS {
        let error = format!("given up after {ATTEMPTS} attempts");
        return finish(app, claim.fence, failed(error)).await;
    }
    let parsed = serde_json::from_value::<SummaryRequest>(claim.request.clone())
        .and_then(|request| Ok((serde_json::from_value(request.provider.clone())?, request)));
    let (provider, request): (ResolvedProvider, _) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            tracing::error!(%error, "a summary's request cannot be read");
            return finish(app, claim.fence, failed("its request cannot be read".to_owned())).await;
        }
    };
    let order = match order(app, claim, &request, &provider).await? {
        Ok(order) => order,
        Err(error) => {
            tracing::error!(%error, "a summary's prompt cannot be written");
            return finish(app, claim.fence, failed("its prompt cannot be written".to_owned()))
                .await;
        }
    };
    let maker = Maker { app, fence: claim.fence, stop, request, provider, order };
    for attempt in 1.. {
        let begun = Instant::now();
        let heard = maker.listen().await?;
        let call = maker.record(&heard, begun);
        let Some(problem) = heard.problem() else {
            let tokens = tarsy_tokens::estimate(heard.text()) as u64;
            metrics::saved(maker.request.original_tokens.saturating_sub(tokens));
            return finish(app, claim.fence, maker.completed(&heard, call)).await;
        };
        tracing::warn!(problem, attempt, "no summary");
        if attempt == TRIES || !heard.is_worth_a_retry() {
            return finish(app, claim.fence, without(&heard, problem, call)).await;
        }
        charge(app, claim.fence, call).await?;
        let wanted = heard.error.as_ref().and_then(LlmError::retry_after);
        let pause = wanted.unwrap_or(FIRST_PAUSE * (1 << attempt.min(4)));
        sleep(pause.min(LONGEST_PAUSE)).await;
    }
    Err(Left::HandedOver)
}

/// What the model is asked; the conversation is read from the store. The inner error would come again.
async fn order(
    app: &App,
    claim: &SummaryClaim,
    request: &SummaryRequest,
    provider: &ResolvedProvider,
) -> Result<anyhow::Result<Request>, Left> {
    let talk = enduring(|| app.store.list_messages(request.execution_id)).await?;
    let takes = provider.max_tool_result_tokens as usize;
    let prompts = &app.prompts;
    let rendered = prompts.instructions(request).and_then(|instructions| {
        Ok((instructions, prompts.output(request, &talk, &claim.result, takes)?))
    });
    Ok(rendered.map(|(instructions, output)| Request {
        session_id: claim.fence.session_id,
        execution_id: Some(request.execution_id),
        messages: vec![Message::new(Role::System, instructions), Message::new(Role::User, output)],
        tools: Vec::new(),
        config: Config::from(provider),
        max_output_tokens: Some(request.max_tokens),
        deadline: Duration::from_millis(request.timeout_ms),
    }))
}

struct Maker<'a> {
    app: &'a App,
    fence: SummaryFence,
    stop: &'a CancellationToken,
    request: SummaryRequest,
    provider: ResolvedProvider,
    order: Request,
}

impl Maker<'_> {
    /// Asks once, and streams what is said.
    async fn listen(&self) -> Result<Heard, Left> {
        let mut heard = Heard { text: None, usage: None, error: None, timed_out: false };
        let until = tokio::time::Instant::now() + self.order.deadline;
        let mut chunks = match timeout_at(until, self.app.llm.generate(self.order.clone())).await {
            Ok(Ok(chunks)) => chunks,
            Ok(Err(error)) => return Ok(Heard { error: Some(error), ..heard }),
            Err(_) => return Ok(Heard { timed_out: true, ..heard }),
        };
        loop {
            let flush_at = heard.text.as_ref().and_then(LiveStream::flush_at);
            let flush = async {
                match flush_at {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            let chunk = tokio::select! {
                chunk = chunks.next() => chunk,
                () = flush => {
                    flush_text(&mut heard.text).await;
                    continue;
                }
                () = sleep_until(until) => {
                    heard.timed_out = true;
                    None
                }
                () = self.stop.cancelled() => {
                    // The model is let go; what it said is told until the wait for that is over.
                    drop(chunks);
                    flush_text(&mut heard.text).await;
                    return std::future::pending().await;
                }
            };
            match chunk {
                Some(Ok(Chunk::Text(delta))) => {
                    if heard.text.is_none() {
                        heard.text = Some(self.open().await?);
                    }
                    if let Some(text) = &mut heard.text {
                        text.push(&delta).await;
                    }
                    if heard.text().len() > MOST {
                        heard.error = Some(too_long());
                        break;
                    }
                }
                Some(Ok(Chunk::Usage(usage))) => heard.usage = Some(usage),
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    heard.error = Some(error);
                    break;
                }
                None => break,
            }
        }
        flush_text(&mut heard.text).await;
        Ok(heard)
    }

    /// Begins the event whose text grows; what an earlier try left open is closed by it.
    async fn open(&self) -> Result<LiveStream, Left> {
        let id = TimelineEventId::new();
        let live = self.app.live.open(self.fence.session_id, id);
        let event = NewTimelineEvent {
            id,
            stage_id: Some(self.request.stage_id),
            execution_id: Some(self.request.execution_id),
            kind: TimelineKind::McpToolSummary,
            status: TimelineStatus::Streaming,
            content: String::new(),
            metadata: Some(self.metadata()),
        };
        let told =
            enduring(|| self.app.store.open_summary_event(self.fence, event.clone())).await?;
        self.app.publisher.publish(told);
        Ok(live)
    }

    fn metadata(&self) -> Value {
        json!({
            "server_name": self.request.server_name,
            "tool_name": self.request.tool_name,
            "call_number": self.request.call_number,
            "tool_event_id": self.request.tool_event_id,
            "original_tokens": self.request.original_tokens,
            "provider": self.provider.name,
            "backend": self.provider.backend.as_str(),
            "model": self.provider.model,
        })
    }

    fn completed(&self, heard: &Heard, call: NewLlmInteraction) -> SummaryEnd {
        let summary = heard.text().to_owned();
        let mut end = with_call(call);
        if let Some(text) = &heard.text {
            let tokens = heard.usage.map(|usage| i64::from(usage.output_tokens));
            let mut metadata = self.metadata();
            if let Some(fields) = metadata.as_object_mut() {
                let estimated = i64::try_from(tarsy_tokens::estimate(&summary)).unwrap_or(i64::MAX);
                let tokens = tokens.filter(|tokens| *tokens > 0).unwrap_or(estimated);
                fields.insert("summary_tokens".to_owned(), json!(tokens));
            }
            end.batch.push(Op::CloseEvent(EndTimelineEvent {
                id: text.event(),
                kind: TimelineKind::McpToolSummary,
                status: TimelineStatus::Completed,
                content: summary.clone(),
                metadata: Some(metadata),
            }));
        }
        end.summary = Some(summary);
        end
    }

    /// The record of one call of the model.
    fn record(&self, heard: &Heard, begun: Instant) -> NewLlmInteraction {
        let usage = heard.usage;
        NewLlmInteraction {
            id: InteractionId::new(),
            stage_id: Some(self.request.stage_id),
            execution_id: Some(self.request.execution_id),
            kind: LlmInteractionKind::Summarization,
            provider: self.provider.name.clone(),
            model_name: self.provider.model.clone(),
            last_message_id: None,
            llm_request: json!({
                "provider": self.provider.name,
                "backend": self.provider.backend.as_str(),
                "model": self.provider.model,
                "server_name": self.request.server_name,
                "tool_name": self.request.tool_name,
                "call_number": self.request.call_number,
                "original_tokens": self.request.original_tokens,
            }),
            llm_response: json!({ "content": heard.text() }),
            thinking_content: None,
            response_metadata: None,
            input_tokens: usage.map(|usage| usage.input_tokens),
            output_tokens: usage.map(|usage| usage.output_tokens),
            total_tokens: usage.map(|usage| usage.total_tokens),
            thinking_tokens: usage.map(|usage| usage.thinking_tokens),
            duration_ms: i64::try_from(begun.elapsed().as_millis()).ok(),
            finish_reason: None,
            timed_out: heard.timed_out,
            error_message: heard.problem(),
        }
    }
}

/// An end without a summary, after tries that came to nothing.
fn without(heard: &Heard, problem: String, call: NewLlmInteraction) -> SummaryEnd {
    let mut end = with_call(call);
    if let Some(text) = &heard.text {
        end.batch.push(Op::CloseEvent(EndTimelineEvent {
            id: text.event(),
            kind: TimelineKind::McpToolSummary,
            status: TimelineStatus::Failed,
            content: text.text().to_owned(),
            metadata: Some(json!({ "interrupted": true })),
        }));
    }
    end.error = Some(problem);
    end
}

/// An end with the record of the last call of the model.
fn with_call(call: NewLlmInteraction) -> SummaryEnd {
    SummaryEnd { batch: Batch::new().with(Op::LlmInteraction(call)), ..SummaryEnd::default() }
}

async fn flush_text(text: &mut Option<LiveStream>) {
    if let Some(text) = text {
        text.flush().await;
    }
}

fn too_long() -> LlmError {
    LlmError::Provider {
        message: "the model did not come to an end".to_owned(),
        code: "provider_error".to_owned(),
        retryable: true,
        retry_after: None,
    }
}

fn failed(error: String) -> SummaryEnd {
    SummaryEnd { error: Some(error), ..SummaryEnd::default() }
}

/// Writes down a call that came to nothing before the next one is made: its cost is known, whatever
/// becomes of this process.
async fn charge(app: &App, fence: SummaryFence, call: NewLlmInteraction) -> Result<(), Left> {
    let told = enduring(|| app.store.add_summary_usage(fence, call.clone())).await?;
    app.publisher.publish(told);
    Ok(())
}

async fn finish(app: &App, fence: SummaryFence, end: SummaryEnd) -> Result<&'static str, Left> {
    let outcome = if end.summary.is_some() { "completed" } else { "failed" };
    let told = enduring(|| app.store.finish_summary(fence, end.clone())).await?;
    app.publisher.publish(told);
    Ok(outcome)
}

/// Does something at the store, through short outages.
async fn enduring<T, F, Fut>(work: F) -> Result<T, Left>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<T, StoreError>>,
{
    for tries in 0..WRITES {
        match work().await {
            Ok(done) => return Ok(done),
            Err(error) if error.is_fenced() => return Err(Left::NotMine),
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), tries, "the store fails");
                sleep(Duration::from_millis(100 << tries.min(5))).await;
            }
        }
    }
    Err(Left::HandedOver)
}
