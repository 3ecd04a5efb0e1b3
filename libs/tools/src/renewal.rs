//! Renews a lease, and detects that its gateway is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tarsy_bus::{Bus, Error as BusError};
use tarsy_contracts::mcp::{Ack, LeaseRequest};
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_domain::code::Code;
use tarsy_domain::id::LeaseId;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::ToolError;
use crate::liveness::{ANSWER_GRACE, Liveness, SUSPECT_INTERVAL, Verdict};

/// The renewal interval while a call runs: a dead gateway is detected long before the call's timeout.
const CALL_INTERVAL: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LossReason {
    Gateway,
    Lease,
}

/// The state that a lease shares with its renewal task.
#[derive(Clone)]
pub(crate) struct LeaseMonitor {
    lost: watch::Sender<Option<LossReason>>,
    running_calls: Arc<AtomicUsize>,
    call_started: Arc<Notify>,
    ended: CancellationToken,
}

impl LeaseMonitor {
    pub(crate) fn new() -> Self {
        Self {
            lost: watch::Sender::new(None),
            running_calls: Arc::new(AtomicUsize::new(0)),
            call_started: Arc::new(Notify::new()),
            ended: CancellationToken::new(),
        }
    }

    /// Counts a running call until the guard is dropped.
    pub(crate) fn start_call(&self) -> RunningCall {
        self.running_calls.fetch_add(1, Ordering::Relaxed);
        self.call_started.notify_one();
        RunningCall(Arc::clone(&self.running_calls))
    }

    /// Waits until the lease is lost, and returns why.
    pub(crate) async fn wait_lost(&self) -> ToolError {
        let mut watched = self.lost.subscribe();
        let lost = watched.wait_for(Option::is_some).await.map(|lost| *lost);
        match lost {
            Ok(Some(LossReason::Lease)) => ToolError::LeaseLost,
            _ => ToolError::GatewayLost,
        }
    }

    /// Waits until the lease was released or lost.
    pub(crate) async fn wait_ended(&self) {
        self.ended.cancelled().await;
    }

    fn set_lost(&self, reason: LossReason) {
        self.lost.send_replace(Some(reason));
    }

    fn has_running_calls(&self) -> bool {
        self.running_calls.load(Ordering::Relaxed) > 0
    }
}

pub(crate) struct RunningCall(Arc<AtomicUsize>);

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Renews one lease.
pub(crate) struct Renewal {
    pub(crate) bus: Bus,
    pub(crate) instance: String,
    pub(crate) lease_id: LeaseId,
    pub(crate) ttl: Duration,
    pub(crate) monitor: LeaseMonitor,
    /// Cancelled when the lease is closed or dropped.
    pub(crate) stop: CancellationToken,
}

impl Renewal {
    /// Renews the lease until it is closed, dropped or lost; then closes it at the gateway unless
    /// it is lost.
    pub(crate) async fn run(self) {
        let _ended = self.monitor.ended.clone().drop_guard();
        if let Some(reason) = self.renew_until_stopped().await {
            self.monitor.set_lost(reason);
            return;
        }
        if let Err(error) = self.request(McpVerb::Close).await {
            tracing::debug!(lease.id = %self.lease_id, %error, "could not close a lease; it will expire");
        }
    }

    /// Why the lease is lost; none if it was closed or dropped.
    async fn renew_until_stopped(&self) -> Option<LossReason> {
        let mut liveness = Liveness::new(&self.bus);
        let mut verdict = Verdict::Alive;
        let mut renewed = Instant::now();
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = tokio::time::sleep_until(renewed + self.interval(&verdict)) => {}
                () = self.monitor.call_started.notified(), if verdict == Verdict::Alive => continue,
            }
            renewed = Instant::now();
            let answer = self.request(McpVerb::Renew).await;
            verdict = liveness.observe(renewed, &answer).await;
            match answer {
                Ok(Ack {}) => {}
                Err(BusError::Refused(refusal)) if refusal.code == Code::NotFound => {
                    return Some(LossReason::Lease);
                }
                Err(_) if verdict == Verdict::Gone => return Some(LossReason::Gateway),
                Err(error) => {
                    tracing::debug!(lease.id = %self.lease_id, %error, "could not renew a lease");
                }
            }
            if verdict == Verdict::Suspect {
                renewed = Instant::now();
            }
        }
    }

    fn interval(&self, verdict: &Verdict) -> Duration {
        let idle = self.ttl / 3;
        let interval =
            if self.monitor.has_running_calls() { CALL_INTERVAL.min(idle) } else { idle };
        match verdict {
            Verdict::Suspect => SUSPECT_INTERVAL.min(interval),
            Verdict::Alive | Verdict::Gone => interval,
        }
    }

    async fn request(&self, verb: McpVerb) -> Result<Ack, BusError> {
        let subject = subject::mcp_instance(&self.instance, verb);
        self.bus.request(subject, &LeaseRequest { lease_id: self.lease_id }, ANSWER_GRACE).await
    }
}
