//! Calls of models that belong to the session and to no agent: their providers, and the record of their attempts.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tarsy_catalog::{ResolvedChain, ResolvedProvider};
use tarsy_llm::{Admission, Attempt, Chunk, FailedAttempt, Flow, ProviderSwitch, Sink, Timeouts};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::engine::context::Context;
use crate::engine::line;
use crate::engine::llm_record::{AttemptError, CallRecord};
use crate::engine::provider_switch;
use crate::journal::StopReason;

/// The active provider, also that of an earlier owner, and its fallbacks.
pub(crate) fn providers<'a>(
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

pub(crate) fn timeouts(chain: &ResolvedChain) -> Timeouts {
    Timeouts {
        first_token: Duration::from_millis(chain.first_token_timeout_ms),
        idle: Duration::from_millis(chain.stall_timeout_ms),
        total: Duration::from_millis(chain.iteration_timeout_ms),
    }
}

/// Stores the attempts; nobody watches the text while it is written.
pub(crate) struct SessionSink<'a> {
    pub(crate) ctx: &'a Context,
    pub(crate) record: CallRecord,
    /// How many providers have been replaced.
    pub(crate) switches: usize,
    /// The time that its calls stand in line, which counts for no limit.
    pub(crate) in_line: InLine,
}

/// The time that calls stand in line; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct InLine(Arc<watch::Sender<Times>>);

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    total: Duration,
    since: Option<Instant>,
}

impl InLine {
    fn begin(&self) {
        self.0.send_modify(|times| times.since = Some(Instant::now()));
    }

    fn end(&self) {
        self.0.send_modify(|times| {
            times.total += times.since.take().map(|since| since.elapsed()).unwrap_or_default();
        });
    }

    /// Waits for a deadline, which moves by the time in line.
    pub(crate) async fn until(&self, deadline: Instant) {
        let mut changes = self.0.subscribe();
        loop {
            let Times { total, since } = *changes.borrow_and_update();
            let due = async {
                match since {
                    Some(_) => std::future::pending().await,
                    None => sleep_until(deadline + total).await,
                }
            };
            tokio::select! {
                () = due => return,
                // The sender is held here.
                _ = changes.changed() => {}
            }
        }
    }
}

impl<'a> SessionSink<'a> {
    pub(crate) fn new(ctx: &'a Context, record: CallRecord) -> Self {
        Self { ctx, record, switches: 0, in_line: InLine::default() }
    }

    /// Records an attempt whose answer is not used.
    pub(crate) async fn store_failure(
        &self,
        attempt: &Attempt<'_>,
        error: AttemptError,
    ) -> Result<(), StopReason> {
        self.ctx.journal.commit(vec![self.record.failed(attempt, error)]).await
    }

    /// Records an attempt that was running when the work stopped. Returns the reason to stop with.
    pub(crate) async fn store_stop(
        &self,
        reason: StopReason,
        attempt: Option<Attempt<'_>>,
    ) -> StopReason {
        let (Some(attempt), Some(error)) = (attempt, AttemptError::of_stop(reason)) else {
            return reason;
        };
        self.store_failure(&attempt, error).await.err().unwrap_or(reason)
    }
}

#[async_trait]
impl Sink for SessionSink<'_> {
    type Error = StopReason;

    async fn admit(&mut self, provider: &ResolvedProvider) -> Result<Admission, StopReason> {
        self.in_line.begin();
        let behind = |calls: u32| {
            tracing::info!(provider = provider.name, "{}", line::message(calls));
            std::future::ready(())
        };
        let admission = line::wait_in_line(
            (&self.ctx.services.queue, self.ctx.journal.lease()),
            provider,
            behind,
        )
        .await;
        self.in_line.end();
        admission
    }

    async fn chunk(&mut self, _chunk: &Chunk) -> Result<Flow, StopReason> {
        Ok(Flow::Continue)
    }

    async fn attempt_failed(&mut self, failed: &FailedAttempt<'_>) -> Result<(), StopReason> {
        self.store_failure(&failed.attempt, AttemptError::of(failed)).await
    }

    async fn provider_switched(&mut self, switch: ProviderSwitch<'_>) -> Result<(), StopReason> {
        self.switches += 1;
        let ops = provider_switch::ops(self.record.scope, &switch, 0);
        self.ctx.journal.commit(ops).await
    }
}
