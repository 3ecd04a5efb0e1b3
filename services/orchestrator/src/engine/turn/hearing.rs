//! Listening to one try of a turn: streamed to viewers as it is written, stored when it is whole.

use std::time::Duration;

use futures::StreamExt as _;
use serde_json::json;
use tarsy_catalog::{ResolvedProvider, Strategy};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{InteractionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::{Chunk, Chunks, Error, Message, Request, ToolCall, Usage};
use tarsy_service::LiveStream;
use tarsy_store::{Conclusion, EndTimelineEvent, NewLlmInteraction, NewTimelineEvent, Op};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::engine::agent::Task;
use crate::engine::conversation::Conversation;
use crate::engine::react::{self, Step};
use crate::engine::repetition::Repetition;
use crate::engine::turn::extras::{grounding, unique};
use crate::engine::turn::patience::{Patience, timed_out};
use crate::engine::turn::{Failure, TurnOutcome, stopped};
use crate::metrics;
use crate::owner::{Owner, StopReason};

/// The most that a turn says, thoughts and calls among it, in bytes: no model is made for so much.
const LONGEST: usize = 4 * 1024 * 1024;
/// The most calls that a turn asks for.
const MOST_CALLS: usize = 128;
const REPEATED: &str = "the model repeated itself";

/// Why listening ended early.
pub(super) enum StreamOutcome {
    /// The work must stop.
    Stopped(StopReason),
    /// The time was over, or the model was silent for too long; in words.
    TimedOut(String),
    /// The model says the same thing over and over, or does not come to an end; in words.
    Degenerate(&'static str),
    /// The call failed.
    Broken(Error),
}

/// A turn while it is being written.
pub(super) struct Turn<'a> {
    owner: &'a Owner,
    task: &'a Task<'a>,
    provider: &'a ResolvedProvider,
    kind: LlmInteractionKind,
    begun: Instant,
    thinking: Option<LiveStream>,
    response: Option<LiveStream>,
    /// Thinking that is over, for the record.
    thought: String,
    calls: Vec<ToolCall>,
    usage: Option<Usage>,
    state: Option<Vec<u8>>,
    extras: Vec<Op>,
    shown: bool,
    /// The model was called.
    asked: bool,
    /// Where what counts of a text ends, when calls are made by text.
    watch: react::Watch,
    thinking_watch: Repetition,
    response_watch: Repetition,
    /// How much was said, in bytes.
    said: usize,
    /// Why it is not worth listening any more.
    degenerate: Option<&'static str>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(
        owner: &'a Owner,
        task: &'a Task<'a>,
        provider: &'a ResolvedProvider,
        kind: LlmInteractionKind,
        begun: Instant,
    ) -> Self {
        Self {
            owner,
            task,
            provider,
            kind,
            begun,
            thinking: None,
            response: None,
            thought: String::new(),
            calls: Vec::new(),
            usage: None,
            state: None,
            extras: Vec::new(),
            shown: false,
            asked: false,
            watch: react::Watch::default(),
            thinking_watch: Repetition::default(),
            response_watch: Repetition::default(),
            said: 0,
            degenerate: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.response.as_ref().is_none_or(|text| text.text().trim().is_empty())
    }

    /// Whether it was asked for a conclusion and nothing else.
    fn concludes(&self) -> bool {
        matches!(self.kind, LlmInteractionKind::ForcedConclusion | LlmInteractionKind::Synthesis)
    }

    /// Whether viewers have seen something of it.
    pub(super) fn shown(&self) -> bool {
        self.shown
    }

    /// Listens until the model has said all, or until the time is over.
    pub(super) async fn listen(
        &mut self,
        request: Request,
        until: Instant,
    ) -> Result<(), StreamOutcome> {
        let silence = Duration::from_millis(self.task.plan.chain.first_token_timeout_ms);
        let mut patience = Patience::new(until, silence, "the model said nothing for");
        if let Some(stop) = self.owner.stopped() {
            return Err(StreamOutcome::Stopped(stop));
        }
        self.asked = true;
        let began = timeout_at(patience.end(), self.owner.app.llm.generate(request));
        let mut chunks = match self.owner.unless_stopped(began).await {
            Err(stop) => return Err(StreamOutcome::Stopped(stop)),
            Ok(Err(_)) => return Err(patience.over()),
            Ok(Ok(Err(Error::Timeout))) => return Err(timed_out()),
            Ok(Ok(Err(error))) => return Err(StreamOutcome::Broken(error)),
            Ok(Ok(Ok(chunks))) => chunks,
        };
        let pause = Duration::from_millis(self.task.plan.chain.stall_timeout_ms);
        loop {
            match self.next(&mut chunks, &patience).await? {
                Some(Ok(chunk)) => {
                    self.hear(chunk).await.map_err(StreamOutcome::Stopped)?;
                    if let Some(why) = self.degenerate {
                        return Err(StreamOutcome::Degenerate(why));
                    }
                    if self.makes_things_up() {
                        return Ok(());
                    }
                }
                Some(Err(Error::Timeout)) => return Err(timed_out()),
                Some(Err(error)) => return Err(StreamOutcome::Broken(error)),
                None => return Ok(()),
            }
            // From now, not from when the chunk came: our own writes may take long.
            patience = Patience::new(until, pause, "the model paused for");
        }
    }

    /// Whether the model answers its own call, which is not worth listening to.
    fn makes_things_up(&mut self) -> bool {
        let text = self.response.as_ref().filter(|_| self.by_text());
        text.is_some_and(|text| self.watch.end(text.text()).is_some())
    }

    /// Whether calls are made by text.
    fn by_text(&self) -> bool {
        self.task.spec.strategy == Strategy::React
    }

    /// The next chunk; sends what waits to be sent meanwhile.
    async fn next(
        &mut self,
        chunks: &mut Chunks,
        patience: &Patience,
    ) -> Result<Option<Result<Chunk, Error>>, StreamOutcome> {
        loop {
            let texts = [&self.thinking, &self.response];
            let flush_at = texts.into_iter().flatten().filter_map(LiveStream::flush_at).min();
            let flush = async {
                match flush_at {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            let heard = self.owner.unless_stopped(async {
                tokio::select! {
                    biased;
                    () = flush => None,
                    // What is there counts, also when this process was too busy to look in time.
                    chunk = chunks.next() => Some(Ok(chunk)),
                    () = sleep_until(patience.end()) => Some(Err(patience.over())),
                }
            });
            match heard.await.map_err(StreamOutcome::Stopped)? {
                Some(heard) => return heard,
                None => self.flush().await,
            }
        }
    }

    async fn flush(&mut self) {
        for text in [&mut self.thinking, &mut self.response].into_iter().flatten() {
            text.flush().await;
        }
    }

    async fn hear(&mut self, chunk: Chunk) -> Result<(), StopReason> {
        self.said += size(&chunk);
        if self.said > LONGEST || self.calls.len() > MOST_CALLS {
            self.degenerate = Some("the model did not come to an end");
        }
        match chunk {
            Chunk::Thinking(delta) => {
                if self.thinking.is_none() {
                    self.thinking = Some(self.open(TimelineKind::LlmThinking).await?);
                }
                if let Some(text) = &mut self.thinking {
                    text.push(&delta).await;
                }
                if self.thinking_watch.reads(&delta) {
                    self.degenerate = Some(REPEATED);
                }
            }
            Chunk::Text(delta) => {
                self.end_thinking().await?;
                if self.response.is_none() {
                    self.response = Some(self.open(TimelineKind::LlmResponse).await?);
                }
                if let Some(text) = &mut self.response {
                    text.push(&delta).await;
                }
                if self.response_watch.reads(&delta) {
                    self.degenerate = Some(REPEATED);
                }
            }
            // It was offered none; one more round of them would never end.
            Chunk::ToolCall(call) if self.concludes() || self.by_text() => {
                tracing::debug!(tool.name = call.name, "a call that was not offered is left out");
            }
            Chunk::ToolCall(call) => self.calls.push(call),
            Chunk::Usage(usage) => self.usage = Some(usage),
            Chunk::Finish(_) => {}
            Chunk::ProviderState(state) => self.state = Some(state),
            Chunk::CodeExecution { code, result } => {
                let text = format!("```\n{code}\n```\n\n{result}");
                self.extra(TimelineKind::CodeExecution, text);
            }
            Chunk::Grounding(found) => {
                let (kind, text) = grounding(&found);
                self.extra(kind, text);
            }
        }
        Ok(())
    }

    fn extra(&mut self, kind: TimelineKind, text: String) {
        self.extras.push(self.task.event(kind, text));
    }

    /// Opens a timeline event whose text grows.
    async fn open(&mut self, kind: TimelineKind) -> Result<LiveStream, StopReason> {
        let id = TimelineEventId::new();
        let live = self.owner.app.live.open(self.owner.session(), id);
        self.owner
            .commit(vec![Op::OpenEvent(NewTimelineEvent {
                id,
                stage_id: Some(self.task.stage),
                execution_id: Some(self.task.execution),
                kind,
                status: TimelineStatus::Streaming,
                content: String::new(),
                metadata: None,
            })])
            .await?;
        self.shown = true;
        Ok(live)
    }

    /// The model goes from thinking to talking.
    async fn end_thinking(&mut self) -> Result<(), StopReason> {
        let Some(mut text) = self.thinking.take() else { return Ok(()) };
        text.flush().await;
        self.thought.push_str(text.text());
        let end = close(&text, TimelineKind::LlmThinking, TimelineStatus::Completed, None);
        self.owner.commit(vec![end]).await
    }

    /// Stores the whole turn: its end is one transaction.
    pub(super) async fn keep(
        mut self,
        conversation: &mut Conversation,
    ) -> Result<TurnOutcome, StopReason> {
        self.flush().await;
        let mut ops = Vec::new();
        if let Some(text) = &self.thinking {
            self.thought.push_str(text.text());
            ops.push(close(text, TimelineKind::LlmThinking, TimelineStatus::Completed, None));
        }
        let mut content = String::new();
        if let Some(text) = &self.response {
            let kept = if self.by_text() { react::kept(text.text()) } else { text.text() };
            kept.clone_into(&mut content);
            ops.push(Op::CloseEvent(EndTimelineEvent {
                id: text.event(),
                kind: TimelineKind::LlmResponse,
                status: TimelineStatus::Completed,
                content: content.clone(),
                metadata: None,
            }));
        }
        ops.append(&mut self.extras);
        let calls = unique(std::mem::take(&mut self.calls), conversation);
        let asked = conversation.last_id();
        let message = Message {
            tool_calls: calls.clone(),
            provider_state: self.state.take(),
            ..Message::new(Role::Assistant, content.clone())
        };
        ops.push(conversation.say(message));
        let conclusion = if self.by_text() {
            match conversation.step() {
                Some(Step::Conclusion(text)) => Some(text),
                Some(Step::Call(_) | Step::Repair(_) | Step::GivenUp(_)) | None => None,
            }
        } else {
            calls.is_empty().then(|| content.clone())
        };
        if let Some(text) = &conclusion {
            ops.push(self.task.event(TimelineKind::FinalAnalysis, text.clone()));
            ops.push(Op::Conclude(Conclusion {
                execution_id: self.task.execution,
                text: text.clone(),
            }));
        }
        let kind = match self.kind {
            LlmInteractionKind::Iteration if conclusion.is_some() => {
                LlmInteractionKind::FinalAnalysis
            }
            kind => kind,
        };
        ops.push(self.record(kind, asked, &content, &calls, None));
        self.owner.commit(ops).await?;
        metrics::llm_turn("completed", self.begun.elapsed());
        Ok(conclusion.map_or(TurnOutcome::Calls, TurnOutcome::Conclusion))
    }

    /// Closes what was shown of a turn that was stopped, with all that was said: who watched keeps
    /// what they read, and the call is on record. What is another owner's by now, that one closes.
    pub(super) async fn stop(
        mut self,
        conversation: &Conversation,
        stop: StopReason,
    ) -> StopReason {
        let Some((status, failure)) = stopped(stop) else { return stop };
        let mut ops = self.interrupted(status);
        if self.asked {
            ops.push(self.record_failure(conversation, failure));
        }
        match self.owner.commit(ops).await {
            Ok(()) => stop,
            Err(other) => other,
        }
    }

    /// The ends of the texts that are still being written.
    fn interrupted(&self, status: TimelineStatus) -> Vec<Op> {
        let texts = [
            (&self.thinking, TimelineKind::LlmThinking),
            (&self.response, TimelineKind::LlmResponse),
        ];
        let end = |(text, kind): (&Option<LiveStream>, TimelineKind)| {
            let metadata = Some(json!({ "interrupted": true }));
            text.as_ref().map(|text| close(text, kind, status, metadata))
        };
        texts.into_iter().filter_map(end).collect()
    }

    /// Closes what was shown of a turn that will be taken again, or not.
    pub(super) async fn give_up(
        mut self,
        conversation: &Conversation,
        failure: Failure<'_>,
    ) -> Result<(), StopReason> {
        self.flush().await;
        let mut ops = self.interrupted(TimelineStatus::Failed);
        ops.push(self.task.note(format!("The model's turn did not succeed: {}", failure.why)));
        ops.push(self.record_failure(conversation, failure));
        metrics::llm_turn("failed", self.begun.elapsed());
        self.owner.commit(ops).await
    }

    /// A try of which nothing is written down: no model was reached.
    pub(super) fn forget(self) {
        self.task.plan.budget.take_back_llm_call();
    }

    /// The record of a turn that does not count, with all that was said until then.
    fn record_failure(&mut self, conversation: &Conversation, failure: Failure<'_>) -> Op {
        if let Some(text) = &self.thinking {
            self.thought.push_str(text.text());
        }
        let content = self.response.as_ref().map(|text| text.text().to_owned()).unwrap_or_default();
        let asked = conversation.last_id();
        self.record(self.kind, asked, &content, &self.calls, Some(failure))
    }

    fn record(
        &self,
        kind: LlmInteractionKind,
        asked: Option<tarsy_domain::id::MessageId>,
        content: &str,
        calls: &[ToolCall],
        failure: Option<Failure<'_>>,
    ) -> Op {
        let provider = self.provider;
        let usage = self.usage;
        self.task.plan.budget.add_tokens(usage.map_or(0, |usage| usage.total_tokens));
        Op::LlmInteraction(NewLlmInteraction {
            id: InteractionId::new(),
            stage_id: Some(self.task.stage),
            execution_id: Some(self.task.execution),
            kind,
            provider: provider.name.clone(),
            model_name: provider.model.clone(),
            last_message_id: asked,
            llm_request: json!({
                "provider": provider.name,
                "backend": provider.backend.as_str(),
                "model": provider.model,
            }),
            llm_response: json!({ "content": content, "tool_calls": calls }),
            thinking_content: Some(self.thought.clone()).filter(|text| !text.is_empty()),
            response_metadata: None,
            input_tokens: usage.map(|usage| usage.input_tokens),
            output_tokens: usage.map(|usage| usage.output_tokens),
            total_tokens: usage.map(|usage| usage.total_tokens),
            thinking_tokens: usage.map(|usage| usage.thinking_tokens),
            duration_ms: i64::try_from(self.begun.elapsed().as_millis()).ok(),
            finish_reason: None,
            timed_out: failure.is_some_and(|failure| failure.timed_out),
            error_message: failure.map(|failure| failure.why.to_owned()),
        })
    }
}

fn close(
    text: &LiveStream,
    kind: TimelineKind,
    status: TimelineStatus,
    metadata: Option<serde_json::Value>,
) -> Op {
    Op::CloseEvent(EndTimelineEvent {
        id: text.event(),
        kind,
        status,
        content: text.text().to_owned(),
        metadata,
    })
}

/// How much a piece of a turn says, in bytes.
fn size(chunk: &Chunk) -> usize {
    match chunk {
        Chunk::Text(text) | Chunk::Thinking(text) => text.len(),
        Chunk::ToolCall(call) => call.name.len() + call.arguments.len(),
        Chunk::CodeExecution { code, result } => code.len() + result.len(),
        Chunk::Grounding(found) => {
            let pages = found.sources.iter().map(|page| page.title.len() + page.uri.len());
            pages.chain(found.queries.iter().map(String::len)).sum()
        }
        Chunk::ProviderState(state) => state.len(),
        Chunk::Usage(_) | Chunk::Finish(_) => 0,
    }
}
