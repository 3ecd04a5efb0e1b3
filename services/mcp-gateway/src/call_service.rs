//! Executes, cancels and looks up calls.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::time::Duration;

use tarsy_bus::Bus;
use tarsy_catalog::CallMasks;
use tarsy_contracts::mcp::{
    Ack, CallRequest, CallResult, CancelRequest, Outcome, OutcomeRequest, ToolCallRequest,
};
use tarsy_contracts::reply::Refusal;
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;
use tarsy_domain::code::Code;
use tarsy_domain::id::{CallId, SessionId};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use tracing::{Instrument as _, Span};

use crate::call_span;
use crate::calls::{Calls, Registration, TrackedCall};
use crate::deadline::time_left;
use crate::lease::{CallOptions, Lease, RunningCall};
use crate::lease_service::unknown_lease;
use crate::leases::Leases;
use crate::message_size::fits_inline;
use crate::metrics;
use crate::progress::ProgressPublisher;
use crate::text::millis;

/// How long after a call's deadline its result is waited for.
const RESULT_GRACE: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(crate) struct CallService {
    pub(crate) bus: Bus,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) leases: Arc<Leases>,
    pub(crate) calls: Arc<Calls>,
    pub(crate) tasks: TaskTracker,
    /// Masks arguments for spans; none if these carry neither arguments nor results.
    pub(crate) captured: Option<Arc<CallMasks>>,
}

impl CallService {
    /// Executes a call, or joins the one with the same id.
    pub(crate) async fn call(self, request: CallRequest) -> Result<CallResult, Refusal> {
        let deadline = Instant::now() + time_left(request.timeout_ms)?;
        let call = match self.calls.find(request.call.call_id) {
            Some(call) => call,
            None => self.start(request, deadline)?,
        };
        call.wait_result(deadline + RESULT_GRACE)
            .await
            .ok_or_else(|| Refusal::new(Code::Timeout, "the call still runs; request its outcome"))
    }

    fn start(&self, request: CallRequest, deadline: Instant) -> Result<Arc<TrackedCall>, Refusal> {
        let Some((lease, running)) = self.leases.start_call(request.lease_id) else {
            return Err(unknown_lease(request.lease_id));
        };
        let call = match self.calls.register(request.call.call_id) {
            Registration::Existing(call) => return Ok(call),
            Registration::New(call) => call,
        };
        let options = CallOptions {
            deadline,
            cancel: call.cancel.clone(),
            progress: self.progress_publisher(&request.call),
        };
        let span = call_span::span(&lease, &request.call);
        let executing = self.clone().execute(lease, running, request.call, options);
        self.tasks.spawn(executing.instrument(span));
        Ok(call)
    }

    fn progress_publisher(&self, call: &ToolCallRequest) -> Option<ProgressPublisher> {
        let (bus, clock) = (self.bus.clone(), Arc::clone(&self.clock));
        call.display.map(|display| ProgressPublisher { bus, clock, display })
    }

    /// Executes a call and stores its result, even if no caller waits for it any more.
    async fn execute(
        self,
        lease: Arc<Lease>,
        running: RunningCall,
        call: ToolCallRequest,
        options: CallOptions,
    ) {
        let guard = FinishGuard::new(Arc::clone(&self.calls), call.call_id);
        let started = Instant::now();
        let mut result = Box::pin(lease.call(&call, &options)).await;
        let elapsed = started.elapsed();
        result.duration_ms = millis(elapsed);
        let (outcome, span) = (outcome_label(&result), Span::current());
        metrics::call_ended(outcome, elapsed);
        call_span::finish(&span, outcome, &result);
        if let Some(masks) = &self.captured {
            call_span::capture(&span, &lease, (&call, masks), &result);
        }
        tracing::debug!(call.id = %call.call_id, tool.name = call.name, error = result.is_error, bytes = result.content.len(), "a tool call ended");
        let session = call.display.map(|display| display.session_id);
        guard.finish(self.store_large_content(session, result).await);
        lease.renew();
        drop(running);
    }

    /// Moves a text that is too large for a message into the object store.
    async fn store_large_content(
        &self,
        session: Option<SessionId>,
        mut result: CallResult,
    ) -> CallResult {
        if fits_inline(&result) {
            return result;
        }
        let bytes = result.content.len();
        let content = std::mem::take(&mut result.content).into();
        match self.bus.blobs(&topology::BLOBS).put(session, content).await {
            Ok(key) => result.blob = Some(key),
            Err(error) => {
                tracing::error!(call.id = %result.call_id, bytes, %error, "could not store a large result");
                result.is_error = true;
                result.content = format!(
                    "The tool answered with {bytes} bytes, which could not be stored. Ask for less."
                );
            }
        }
        result
    }

    /// Cancels a call; an unknown id is no error.
    pub(crate) fn cancel(self, request: CancelRequest) -> Ready<Result<Ack, Refusal>> {
        let CancelRequest { call_id, reason } = request;
        if let Some(call) = self.calls.find(call_id) {
            tracing::debug!(call.id = %call_id, reason, "cancelling a tool call");
            call.cancel.cancel();
        }
        ready(Ok(Ack {}))
    }

    pub(crate) async fn outcome(self, request: OutcomeRequest) -> Result<Outcome, Refusal> {
        Ok(self.calls.outcome(request.call_id, Duration::from_millis(request.wait_ms)).await)
    }
}

/// Stores an error as the result of a call whose task ends without one.
struct FinishGuard {
    calls: Arc<Calls>,
    call_id: CallId,
    finished: bool,
}

impl FinishGuard {
    const fn new(calls: Arc<Calls>, call_id: CallId) -> Self {
        Self { calls, call_id, finished: false }
    }

    fn finish(mut self, result: CallResult) {
        self.finished = true;
        self.calls.finish(result);
    }
}

impl Drop for FinishGuard {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        let content =
            "The gateway failed during the call; it is not known whether it had any effect.";
        self.calls.finish(CallResult::error(self.call_id, content.to_owned()));
    }
}

const fn outcome_label(result: &CallResult) -> &'static str {
    match result {
        CallResult { refused_by_policy: true, .. } => "refused",
        CallResult { is_error: true, .. } => "error",
        _ => "ok",
    }
}
