//! What sessions and questions have in common as leased work: their lease, their journal, and the
//! snapshots of their live text.

use std::time::Duration;

use jiff::Timestamp;
use tarsy_catalog::Queue;
use tarsy_contracts::subject;
use tarsy_service::{Lease, LeaseState, LeaseTerms, LiveStreams, Publisher};
use tarsy_store::{Error as StoreError, Fence, Session, Store};
use tokio_util::sync::CancellationToken;

use crate::journal::Journal;
use crate::metrics;

/// Holds the leases of sessions; cheap to clone.
#[derive(Clone)]
pub(crate) struct SessionLeases {
    pub(crate) store: Store,
    pub(crate) publisher: Publisher,
    pub(crate) live: LiveStreams,
    /// The instance that claims.
    pub(crate) owner: String,
    pub(crate) queue: Queue,
}

impl SessionLeases {
    /// How long a lease lasts without a renewal: `queue.orphan_threshold`.
    pub(crate) fn duration(&self) -> Duration {
        self.queue.orphan_threshold
    }

    /// The terms of work on a session that was first started before `elapsed`, perhaps by an earlier
    /// owner. A lease is renewed twice per `queue.heartbeat_interval`, so that one lost renewal does
    /// not cost it.
    pub(crate) fn terms(&self, session: &Session, elapsed: Duration) -> LeaseTerms {
        LeaseTerms {
            renew_every: Some(self.queue.heartbeat_interval / 2),
            time_left: self.time_limit(session).saturating_sub(elapsed),
        }
    }

    pub(crate) async fn renew(&self, fence: Fence) -> Result<LeaseState, StoreError> {
        let renewal = self.store.renew_lease(fence, self.duration()).await?;
        Ok(if renewal.cancel_requested { LeaseState::CancelRequested } else { LeaseState::Held })
    }

    /// Suspends work that began then. Its time goes on.
    pub(crate) async fn suspend(
        &self,
        fence: Fence,
        session: &Session,
        started_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let limit = self.time_limit(session);
        let deadline = started_at.and_then(|started_at| started_at.checked_add(limit).ok());
        self.store.suspend_session(fence, deadline).await?;
        metrics::session_suspended();
        Ok(())
    }

    /// The most time that work on a session may take.
    fn time_limit(&self, session: &Session) -> Duration {
        session.settings.timeout.unwrap_or(self.queue.session_timeout)
    }

    pub(crate) fn journal(&self, fence: Fence, lease: &Lease) -> Journal {
        Journal::new(&self.store, &self.publisher, fence, lease)
    }

    /// Does the work and serves snapshots of its live text meanwhile. They report that
    /// `others` processes stream text, too.
    pub(crate) async fn with_snapshots<T>(
        &self,
        journal: &Journal,
        others: impl Fn() -> u32 + Clone + Send + Sync + 'static,
        work: impl Future<Output = T>,
    ) -> T {
        let _running = metrics::RunningSession::start();
        let (session, done) = (journal.session(), CancellationToken::new());
        let work = async {
            let ended = work.await;
            done.cancel();
            ended
        };
        let subject = subject::live_snapshot(session);
        let snapshots = self.live.serve_snapshots(subject, session, others, &done);
        tokio::join!(work, snapshots).0
    }
}
