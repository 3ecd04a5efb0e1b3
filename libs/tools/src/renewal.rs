//! Keeps a lease alive, and notices when its gateway is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tarsy_bus::{Bus, Error as BusError};
use tarsy_contracts::mcp::{Done, LeaseRequest};
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_domain::code::Code;
use tarsy_domain::id::LeaseId;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::ToolError;

/// How often the gateway is asked while a call waits for it: its death costs no whole call timeout.
const WATCHFUL: Duration = Duration::from_secs(2);
/// How soon it is asked again after it did not answer.
const DOUBTFUL: Duration = Duration::from_millis(700);
/// How often in a row nobody may answer before the gateway counts as gone.
const DOUBTS: u32 = 3;
/// How much later than ours the gateway's link may come back after an outage.
const COMING_BACK: Duration = Duration::from_secs(5);
/// How long one renewal may take.
const ANSWER: Duration = Duration::from_secs(5);

/// How a lease ended without being closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lost {
    Gateway,
    Lease,
}

/// What a lease and its renewal tell each other.
#[derive(Clone)]
pub(crate) struct Pulse {
    lost: watch::Sender<Option<Lost>>,
    waiting: Arc<AtomicUsize>,
    hurry: Arc<Notify>,
    over: CancellationToken,
}

impl Pulse {
    /// A lease that lives, with no call.
    pub(crate) fn new() -> Self {
        Self {
            lost: watch::Sender::new(None),
            waiting: Arc::new(AtomicUsize::new(0)),
            hurry: Arc::new(Notify::new()),
            over: CancellationToken::new(),
        }
    }

    /// Says that a call waits, until the guard is dropped.
    pub(crate) fn waiting(&self) -> Waiting {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.hurry.notify_one();
        Waiting(Arc::clone(&self.waiting))
    }

    /// Comes back when the lease is lost, and says how.
    pub(crate) async fn lost(&self) -> ToolError {
        let mut watched = self.lost.subscribe();
        let lost = watched.wait_for(Option::is_some).await.map(|lost| *lost);
        match lost {
            Ok(Some(Lost::Lease)) => ToolError::LeaseLost,
            _ => ToolError::GatewayLost,
        }
    }

    /// Comes back when the lease was given back, or lost.
    pub(crate) async fn over(&self) {
        self.over.cancelled().await;
    }

    fn lose(&self, how: Lost) {
        self.lost.send_replace(Some(how));
    }

    fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }
}

/// Counts one waiting call.
pub(crate) struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Renews a lease until it is closed, dropped or lost; a dropped one is given back.
pub(crate) async fn keep_alive(
    bus: Bus,
    instance: String,
    lease_id: LeaseId,
    ttl: Duration,
    pulse: Pulse,
    stop: CancellationToken,
) {
    let _over = pulse.over.clone().drop_guard();
    let asked = LeaseRequest { lease_id };
    let mut connection = bus.connection();
    connection.mark_unchanged();
    let mut doubts = 0;
    let mut renewed = Instant::now();
    let mut trusted_until = renewed;
    loop {
        let calm = if pulse.is_waited_for() { WATCHFUL.min(ttl / 3) } else { ttl / 3 };
        let pause = if doubts > 0 { DOUBTFUL.min(calm) } else { calm };
        tokio::select! {
            () = stop.cancelled() => break,
            () = tokio::time::sleep_until(renewed + pause) => {}
            () = pulse.hurry.notified(), if doubts == 0 => continue,
        }
        renewed = Instant::now();
        if connection.has_changed().unwrap_or_default() {
            connection.mark_unchanged();
            trusted_until = renewed + COMING_BACK;
        }
        let subject = subject::mcp_instance(&instance, McpVerb::Renew);
        match bus.request::<_, Done>(subject, &asked, ANSWER).await {
            Ok(Done {}) => doubts = 0,
            Err(BusError::Refused(refusal)) if refusal.code == Code::NotFound => {
                pulse.lose(Lost::Lease);
                return;
            }
            Err(BusError::NoResponders { .. }) if renewed < trusted_until => {}
            Err(BusError::NoResponders { .. }) => doubts += 1,
            Err(error) => tracing::debug!(lease.id = %lease_id, %error, "could not renew a lease"),
        }
        if doubts >= DOUBTS {
            pulse.lose(Lost::Gateway);
            return;
        }
    }
    let subject = subject::mcp_instance(&instance, McpVerb::Close);
    if let Err(error) = bus.request::<_, Done>(subject, &asked, ANSWER).await {
        tracing::debug!(lease.id = %lease_id, %error, "could not give a lease back; it will expire");
    }
}
