//! Streams a summary to the session's viewers while the model writes it, and stores failed attempts.

use async_trait::async_trait;
use tarsy_catalog::ResolvedProvider;
use tarsy_contracts::work::SummaryRequest;
use tarsy_domain::id::TimelineEventId;
use tarsy_llm::{Chunk, FailedAttempt, Flow, Message, ProviderSwitch, Sink};
use tarsy_service::LiveStream;
use tarsy_store::SummaryFence;
use tokio::time::Instant;

use crate::app::App;
use crate::persist::{Abandoned, with_retries};
use crate::record;

/// The sink of one summary's call.
pub(crate) struct SummarySink<'a> {
    app: &'a App,
    fence: SummaryFence,
    request: &'a SummaryRequest,
    messages: Vec<Message>,
    /// Of the attempt that runs.
    provider: ResolvedProvider,
    stream: Option<LiveStream>,
}

impl<'a> SummarySink<'a> {
    pub(crate) fn new(
        app: &'a App,
        fence: SummaryFence,
        request: &'a SummaryRequest,
        messages: Vec<Message>,
        provider: ResolvedProvider,
    ) -> Self {
        Self { app, fence, request, messages, provider, stream: None }
    }

    /// The timeline event of the attempt that ran last, if it had text.
    pub(crate) fn event(&self) -> Option<TimelineEventId> {
        self.stream.as_ref().map(LiveStream::event)
    }

    /// Opens the timeline event; the store closes that of an earlier attempt as failed.
    async fn open(&self) -> Result<LiveStream, Abandoned> {
        let (store, id) = (&self.app.store, TimelineEventId::new());
        let stream = self.app.live.open(self.fence.session_id, id);
        let event = record::opened_event(id, self.request, &self.provider);
        let open = || store.open_summary_event(self.fence, event.clone());
        self.app.publisher.publish(with_retries(open).await?);
        Ok(stream)
    }
}

#[async_trait]
impl Sink for SummarySink<'_> {
    type Error = Abandoned;

    fn attempt_started(&mut self, provider: &ResolvedProvider) {
        self.provider = provider.clone();
        self.stream = None;
    }

    async fn chunk(&mut self, chunk: &Chunk) -> Result<Flow, Abandoned> {
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
    async fn attempt_failed(&mut self, failed: &FailedAttempt<'_>) -> Result<(), Abandoned> {
        let FailedAttempt { attempt, failure } = failed;
        let call = record::interaction(self.request, &self.messages, attempt, Some(failure));
        let add = || self.app.store.add_summary_usage(self.fence, call.clone());
        self.app.publisher.publish(with_retries(add).await?);
        Ok(())
    }

    async fn provider_switched(&mut self, switch: ProviderSwitch<'_>) -> Result<(), Abandoned> {
        let (from, to) = (&switch.from.name, &switch.to.name);
        tracing::warn!(from, to, reason = switch.reason(), "another provider takes over");
        Ok(())
    }
}
