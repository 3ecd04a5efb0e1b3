//! Streams a summary to the session's viewers while the model writes it, and stores failed attempts.

use async_trait::async_trait;
use tarsy_catalog::ResolvedProvider;
use tarsy_contracts::live::LiveBody;
use tarsy_contracts::work::SummaryRequest;
use tarsy_domain::id::TimelineEventId;
use tarsy_domain::status::Phase;
use tarsy_llm::{Admission, Chunk, FailedAttempt, Flow, Message, ProviderSwitch, Sink};
use tarsy_service::{Lease, LiveStream, Place, StopReason};
use tarsy_store::SummaryFence;
use tokio::time::Instant;

use crate::context::Context;
use crate::record;

/// Where the text of a summary goes.
#[derive(Clone, Copy)]
pub(crate) struct SinkTarget<'a> {
    pub(crate) context: &'a Context,
    pub(crate) lease: &'a Lease,
    pub(crate) fence: SummaryFence,
}

/// The sink of one summary's call.
pub(crate) struct SummarySink<'a> {
    target: SinkTarget<'a>,
    request: &'a SummaryRequest,
    messages: Vec<Message>,
    /// Of the attempt that runs.
    provider: ResolvedProvider,
    stream: Option<LiveStream>,
}

impl<'a> SummarySink<'a> {
    pub(crate) fn new(
        target: SinkTarget<'a>,
        request: &'a SummaryRequest,
        messages: Vec<Message>,
        provider: ResolvedProvider,
    ) -> Self {
        Self { target, request, messages, provider, stream: None }
    }

    /// The timeline event of the attempt that ran last, if it had text.
    pub(crate) fn event(&self) -> Option<TimelineEventId> {
        self.stream.as_ref().map(LiveStream::event)
    }

    /// Shows the session's viewers how many calls stand before this one.
    async fn show_place(&self, calls: u32) {
        let SinkTarget { context, fence, .. } = self.target;
        let body = LiveBody::ExecutionProgress {
            stage_id: self.request.stage_id,
            execution_id: self.request.execution_id,
            phase: Phase::GatheringInfo,
            message: format!("waiting for the model to summarize a result: {calls} before it"),
            event_id: None,
        };
        context.live.publish(fence.session_id, body).await;
    }

    /// Opens the timeline event; the store closes that of an earlier attempt as failed.
    async fn open(&self) -> Result<LiveStream, StopReason> {
        let SinkTarget { context, lease, fence } = self.target;
        let id = TimelineEventId::new();
        let stream = context.live.open(fence.session_id, id);
        let event = record::opened_event(id, self.request, &self.provider);
        let open = || context.store.open_summary_event(fence, event.clone());
        context.publisher.publish(lease.write(open).await?);
        Ok(stream)
    }
}

#[async_trait]
impl Sink for SummarySink<'_> {
    type Error = StopReason;

    async fn admit(&mut self, provider: &ResolvedProvider) -> Result<Admission, StopReason> {
        let Some(most) = provider.max_concurrent_requests else { return Ok(Admission::default()) };
        let SinkTarget { context, lease, .. } = self.target;
        let mut line = context.queue.join(lease, &provider.name, most);
        loop {
            match line.next().await? {
                Place::First => return Ok(Admission::holding(line.into_turn())),
                Place::Behind(calls) => self.show_place(calls).await,
            }
        }
    }

    fn attempt_started(&mut self, provider: &ResolvedProvider) {
        self.provider = provider.clone();
        self.stream = None;
    }

    async fn chunk(&mut self, chunk: &Chunk) -> Result<Flow, StopReason> {
        if let Chunk::Text(delta) = chunk {
            if self.stream.is_none() {
                self.stream = Some(self.open().await?);
            }
            if let Some(stream) = &mut self.stream {
                stream.push(delta).await;
            }
        }
        Ok(Flow::Continue)
    }

    fn flush_at(&self) -> Option<Instant> {
        self.stream.as_ref().and_then(LiveStream::flush_at)
    }

    async fn flush(&mut self) {
        if let Some(stream) = &mut self.stream {
            stream.flush().await;
        }
    }

    /// Its usage counts, whatever becomes of this process.
    async fn attempt_failed(&mut self, failed: &FailedAttempt<'_>) -> Result<(), StopReason> {
        let FailedAttempt { attempt, failure } = failed;
        let call = record::interaction(self.request, &self.messages, attempt, Some(failure));
        let SinkTarget { context, lease, fence } = self.target;
        let add = || context.store.add_summary_usage(fence, call.clone());
        context.publisher.publish(lease.write(add).await?);
        Ok(())
    }

    async fn provider_switched(&mut self, switch: ProviderSwitch<'_>) -> Result<(), StopReason> {
        let (from, to) = (&switch.from.name, &switch.to.name);
        tracing::warn!(from, to, reason = switch.reason(), "another provider takes over");
        Ok(())
    }
}
