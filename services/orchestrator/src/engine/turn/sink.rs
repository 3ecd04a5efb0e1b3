//! Receives a turn while the model writes it: streams its text and stores its attempts.

mod gather;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use tarsy_catalog::ResolvedProvider;
use tarsy_contracts::mcp::Tool;
use tarsy_contracts::timeline::EndTimelineEvent;
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::TimelineEventId;
use tarsy_domain::status::{Phase, TimelineStatus};
use tarsy_llm::{
    Admission, Attempt, Chunk, FailedAttempt, Flow, Message, NativeToolUse, ProviderSwitch, Sink,
    ToolCall,
};
use tarsy_service::LiveStream;
use tarsy_store::{Conclusion, Op};
use tokio::time::Instant;

use crate::engine::claims::{self, Checked, NewText};
use crate::engine::context::Context;
use crate::engine::conversation::Conversation;
use crate::engine::delegation;
use crate::engine::line;
use crate::engine::llm_record::{AttemptError, CallRecord};
use crate::engine::look;
use crate::engine::next::{ToolCalling, conclusion};
use crate::engine::progress::publish_phase;
use crate::engine::provider_switch;
use crate::engine::react;
use crate::engine::task::AgentTask;
use crate::engine::timeline::{cut_of, truncated_mark};
use crate::engine::turn::answer::{extra_events, with_unique_ids};
use crate::engine::turn::cut;
use crate::engine::verdict;
use crate::journal::StopReason;
use crate::prompts::{Cut, Unseen};
use crate::{metrics, prompts};

pub(super) struct TurnSink<'a> {
    ctx: &'a Context,
    task: &'a AgentTask<'a>,
    conversation: &'a mut Conversation,
    record: CallRecord,
    /// The agent's MCP tools, offered in this turn or not.
    usable: Arc<[Tool]>,
    thinking: Option<LiveStream>,
    response: Option<LiveStream>,
    /// Finds the end of a message that calls a tool by text.
    end_of_message: react::Watch,
}

impl<'a> TurnSink<'a> {
    pub(super) fn new(
        ctx: &'a Context,
        task: &'a AgentTask<'a>,
        conversation: &'a mut Conversation,
        (kind, native_tools): (LlmInteractionKind, NativeToolUse),
    ) -> Self {
        let record = CallRecord {
            scope: task.scope(),
            kind,
            native_tools,
            last_message: conversation.last_id(),
            messages: None,
            tools: Arc::default(),
            max_output_tokens: None,
            prompt_version: ctx.services.prompts.version().to_owned(),
            response_format: None,
            answer_notes: Vec::new(),
        };
        Self {
            ctx,
            task,
            conversation,
            record,
            usable: Arc::default(),
            thinking: None,
            response: None,
            end_of_message: react::Watch::default(),
        }
    }

    /// Records tools as offered; `usable` are all that the agent has.
    pub(super) fn with_tools(mut self, tools: Arc<[Tool]>, usable: Arc<[Tool]>) -> Self {
        (self.record.tools, self.usable) = (tools, usable);
        self
    }

    /// Stores the whole turn in one transaction.
    pub(super) async fn store_answer(mut self, mut attempt: Attempt<'_>) -> Result<(), StopReason> {
        let cut = cut_of(&attempt);
        let mut ops = self.end_streams(TimelineStatus::Completed, cut.map(truncated_mark));
        let looked_up = extra_events(self.task.scope(), &attempt.extras);
        ops.extend(looked_up.iter().cloned());
        let calls = with_unique_ids(std::mem::take(&mut attempt.tool_calls), self.conversation);
        let content = self.content(&attempt.text);
        let message = Message {
            tool_calls: calls.clone(),
            provider_state: attempt.provider_state.take(),
            ..Message::new(Role::Assistant, content.clone())
        };
        if let Some(limit) = attempt.cut.filter(|_| self.goes_on(&calls)) {
            ops.push(self.record.answered(&attempt, &content, &calls));
            let part = (message, attempt.thinking.as_str());
            ops.extend(cut::go_on(self.conversation, &self.ctx.services.prompts, part, limit));
            return self.commit_answer(ops, &attempt).await;
        }
        let (message, conclusion) = self.conclude(message, cut);
        ops.push(self.conversation.append(message));
        if let Some(text) = conclusion {
            let metadata = cut.map(truncated_mark);
            // What the analyst found for a model is the model's to judge.
            let found = attempt.verdict.take().filter(|_| !self.conversation.is_gathering());
            ops.extend(self.conclusion(text, metadata, &looked_up).await?);
            ops.extend(verdict::of_agent(self.ctx, self.task, found).await?);
            let concludes = ops.iter().any(|op| matches!(op, Op::Conclude(_)));
            if concludes && self.record.kind == LlmInteractionKind::Iteration {
                self.record.kind = LlmInteractionKind::FinalAnalysis;
            }
        }
        ops.push(self.record.answered(&attempt, &content, &calls));
        self.commit_answer(ops, &attempt).await
    }

    /// Whether the agent goes on from an answer whose time was up. Calls that came are made, and a part of a conclusion is one.
    fn goes_on(&self, calls: &[ToolCall]) -> bool {
        calls.is_empty() && !self.conversation.is_conclusion_requested()
    }

    async fn commit_answer(&self, ops: Vec<Op>, attempt: &Attempt<'_>) -> Result<(), StopReason> {
        self.count_tokens(attempt);
        self.ctx.journal.commit(ops).await?;
        metrics::llm_turn("completed", attempt.duration);
        Ok(())
    }

    /// Closes what was published of an attempt, and records it.
    pub(super) async fn store_failure(
        &mut self,
        failed: &FailedAttempt<'_>,
    ) -> Result<(), StopReason> {
        let mut ops = self.end_streams(TimelineStatus::Failed, Some(interrupted_mark()));
        let text = format!("LLM request failed: {}", failed.failure);
        ops.push(self.task.scope().error(text));
        ops.push(self.record.failed(&failed.attempt, AttemptError::of(failed)));
        self.count_tokens(&failed.attempt);
        metrics::llm_turn("failed", failed.attempt.duration);
        self.ctx.journal.commit(ops).await
    }

    /// Closes what was published of an attempt that was stopped, and records it, with the text so
    /// far. Another owner's events are left to that owner. Returns the reason to stop with.
    pub(super) async fn store_stop(
        self,
        reason: StopReason,
        attempt: Option<Attempt<'_>>,
    ) -> StopReason {
        let Some(error) = AttemptError::of_stop(reason) else { return reason };
        let status = match reason {
            StopReason::Cancelled => TimelineStatus::Cancelled,
            StopReason::TimedOut => TimelineStatus::TimedOut,
            StopReason::Fenced
            | StopReason::Shutdown
            | StopReason::Suspended
            | StopReason::Stuck => TimelineStatus::Failed,
        };
        let mut ops = self.end_streams(status, Some(interrupted_mark()));
        if let Some(attempt) = &attempt {
            ops.push(self.record.failed(attempt, error));
            self.count_tokens(attempt);
        }
        self.ctx.journal.commit(ops).await.err().unwrap_or(reason)
    }

    /// The message as it is stored, and its conclusion, if it is one. A truncated conclusion has a
    /// note for whoever reads it.
    fn conclude(&self, mut message: Message, cut: Option<Cut>) -> (Message, Option<String>) {
        let concludes = |message: &Message| {
            let mut conversation = self.conversation.clone();
            conversation.append(message.clone());
            conclusion(&conversation, ToolCalling::now(self.task, &conversation))
        };
        let mut text = concludes(&message);
        if let Some(cut) = cut.filter(|_| text.is_some()) {
            message.content = prompts::mark_truncated(&message.content, cut);
            text = concludes(&message);
        }
        (message, text)
    }

    /// The operations that store a conclusion, with the check of its claims. An agent that could have looked and did not is
    /// sent back once instead. After that the offline analyst looks for it, and where no tool answers it either, the
    /// conclusion is reported under a heading that says so.
    async fn conclusion(
        &mut self,
        text: String,
        metadata: Option<Value>,
        looked_up: &[Op],
    ) -> Result<Vec<Op>, StopReason> {
        if self.conversation.is_gathering() {
            return self.gathered(text).await;
        }
        if let Some(request) = delegation::request_to_wait(self.ctx, self.task, self.conversation) {
            return Ok(vec![self.conversation.append(Message::new(Role::User, request))]);
        }
        let event = TimelineEventId::new();
        let new = NewText { event, text: &text, looked_up };
        let checked = claims::of_conclusion(self.ctx, self.task, self.conversation, new).await?;
        let unseen = look::unseen(self.task, self.conversation, &self.usable, &checked);
        if let Some(unseen) = &unseen {
            if look::may_request(self.task, self.conversation) {
                let tools = look::fitting(&self.task.plan.session.alert_data, &self.usable, unseen);
                let request = self.ctx.services.prompts.look(&tools, self.task.is_react());
                return Ok(self.conversation.request_look(request).into());
            }
            if checked.rests_on_nothing && look::may_gather(self.task, self.conversation) {
                return Ok(self.begin_gathering());
            }
        }
        Ok(self.concluded((event, text, metadata), checked, unseen))
    }

    /// The operations that store a conclusion that stands. One with wrong claims is kept for the case that its correction
    /// fails, and the correction is requested.
    fn concluded(
        &mut self,
        (event, text, metadata): (TimelineEventId, String, Option<Value>),
        checked: Checked,
        unseen: Option<Unseen>,
    ) -> Vec<Op> {
        let execution_id = self.task.execution;
        // Nothing can be corrected by results where there are none.
        let may_correct = unseen != Some(Unseen::Everything);
        let unseen = unseen.map(Unseen::into_names);
        let reported = claims::reported(claims::policy(self.task), &text, &checked);
        let reported = prompts::headed(unseen.as_deref(), reported);
        let conclude = Op::Conclude(Conclusion { execution_id, text: reported, unseen });
        let mut wrong = claims::to_correct(self.task, self.conversation, &checked.check);
        wrong.retain(|_| may_correct);
        if wrong.is_empty() {
            let shown =
                self.task.scope().event_as(event, TimelineKind::FinalAnalysis, text, metadata);
            return vec![shown, conclude, Op::StoreClaimCheck(checked.check)];
        }
        let request = self.ctx.services.prompts.repair(&wrong);
        let mut check = checked.check;
        check.timeline_event_id = None;
        let mut ops = vec![conclude, Op::StoreClaimCheck(check)];
        ops.extend(self.conversation.request_repair(request));
        ops
    }

    /// Whether whoever has the turn calls tools by text.
    fn is_by_text(&self) -> bool {
        ToolCalling::now(self.task, self.conversation) == ToolCalling::React
    }

    /// What is stored of the text.
    fn content(&self, text: &str) -> String {
        if self.is_by_text() { react::kept(text).to_owned() } else { text.to_owned() }
    }

    fn count_tokens(&self, attempt: &Attempt<'_>) {
        let tokens = attempt.usage.map_or(0, |usage| usage.total_tokens);
        self.task.plan.budget.add_tokens(tokens);
        self.task.plan.budget.add_cost(attempt.cost_micro_usd());
    }

    async fn open(&self, kind: TimelineKind) -> Result<LiveStream, StopReason> {
        let id = TimelineEventId::new();
        let stream = self.ctx.services.live.open(self.ctx.journal.session(), id);
        self.ctx.journal.commit(vec![self.task.scope().stream(id, kind, None)]).await?;
        Ok(stream)
    }

    async fn end_thinking(&mut self) -> Result<(), StopReason> {
        let Some(mut stream) = self.thinking.take() else { return Ok(()) };
        stream.flush().await;
        let text = stream.text().to_owned();
        let (kind, status) = (TimelineKind::LlmThinking, TimelineStatus::Completed);
        self.ctx.journal.commit(vec![end_stream(&stream, kind, status, (text, None))]).await
    }

    /// The ends of the events that are still streaming.
    fn end_streams(&self, status: TimelineStatus, metadata: Option<Value>) -> Vec<Op> {
        let mut ops = Vec::new();
        if let Some(stream) = &self.thinking {
            let end = (stream.text().to_owned(), metadata.clone());
            ops.push(end_stream(stream, TimelineKind::LlmThinking, status, end));
        }
        if let Some(stream) = &self.response {
            let complete = status == TimelineStatus::Completed;
            let text =
                if complete { self.content(stream.text()) } else { stream.text().to_owned() };
            ops.push(end_stream(stream, TimelineKind::LlmResponse, status, (text, metadata)));
        }
        ops
    }
}

#[async_trait]
impl Sink for TurnSink<'_> {
    type Error = StopReason;

    async fn admit(&mut self, provider: &ResolvedProvider) -> Result<Admission, StopReason> {
        let (ctx, task, waited) = (self.ctx, self.task, AtomicBool::new(false));
        let show = |calls: u32| {
            waited.store(true, Ordering::Relaxed);
            async move {
                publish_phase(ctx, task, Phase::Investigating, &line::message(calls)).await;
            }
        };
        let admission =
            line::wait_in_line((&ctx.services.queue, ctx.journal.lease()), provider, show).await?;
        if waited.into_inner() {
            publish_phase(ctx, task, Phase::Investigating, "the model answers").await;
        }
        Ok(admission)
    }

    fn attempt_started(&mut self, _provider: &ResolvedProvider) {
        self.task.plan.budget.add_llm_call();
        (self.thinking, self.response) = (None, None);
        self.end_of_message = react::Watch::default();
    }

    fn attempt_discarded(&mut self) {
        self.task.plan.budget.remove_llm_call();
    }

    async fn chunk(&mut self, chunk: &Chunk) -> Result<Flow, StopReason> {
        match chunk {
            Chunk::Thinking(delta) => {
                if self.thinking.is_none() {
                    self.thinking = Some(self.open(TimelineKind::LlmThinking).await?);
                }
                if let Some(stream) = &mut self.thinking {
                    stream.push(delta).await;
                }
            }
            Chunk::Text(delta) => {
                self.end_thinking().await?;
                let by_text = self.is_by_text();
                if self.response.is_none() {
                    self.response = Some(self.open(TimelineKind::LlmResponse).await?);
                }
                if let Some(stream) = &mut self.response {
                    stream.push(delta).await;
                    // What follows a call by text is an invented result.
                    if by_text && self.end_of_message.end(stream.text()).is_some() {
                        return Ok(Flow::Finish);
                    }
                }
            }
            _ => {}
        }
        Ok(Flow::Continue)
    }

    fn flush_at(&self) -> Option<Instant> {
        let streams = [&self.thinking, &self.response];
        streams.into_iter().flatten().filter_map(LiveStream::flush_at).min()
    }

    async fn flush(&mut self) {
        for stream in [&mut self.thinking, &mut self.response].into_iter().flatten() {
            stream.flush().await;
        }
    }

    async fn attempt_failed(&mut self, attempt: &FailedAttempt<'_>) -> Result<(), StopReason> {
        self.store_failure(attempt).await
    }

    async fn provider_switched(&mut self, switch: ProviderSwitch<'_>) -> Result<(), StopReason> {
        let active = self.conversation.switch_provider();
        let ops = provider_switch::ops(self.task.scope(), &switch, active.since);
        self.ctx.journal.commit(ops).await
    }
}

fn end_stream(
    stream: &LiveStream,
    kind: TimelineKind,
    status: TimelineStatus,
    (content, metadata): (String, Option<Value>),
) -> Op {
    Op::CloseEvent(EndTimelineEvent { id: stream.event(), kind, status, content, metadata })
}

fn interrupted_mark() -> Value {
    json!({ "interrupted": true })
}
