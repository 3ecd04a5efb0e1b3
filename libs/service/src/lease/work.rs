//! What a kind of leased work defines.

use std::time::Duration;

use tarsy_domain::id::SessionId;
use tarsy_store::Error as StoreError;
use tracing::Span;

use super::handle::Lease;
use super::stop::StopReason;

/// What a renewal of a lease reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseState {
    Held,
    /// The lease is held, and the work is to stop.
    CancelRequested,
}

/// How long a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTerms {
    /// How often the lease is renewed; none if `time_left` ends before the lease does.
    pub renew_every: Option<Duration>,
    /// How long the work may go on; after that it stops with [`StopReason::TimedOut`].
    pub time_left: Duration,
}

/// A kind of work that is claimed from a table.
pub trait LeasedWork: Send + Sync + 'static {
    /// A claimed row, with its fencing token.
    type Claim: Send + Sync + 'static;

    /// The name of its tasks.
    const NAME: &'static str;

    /// Claims the next row; none if nothing waits.
    fn claim(&self) -> impl Future<Output = Result<Option<Self::Claim>, StoreError>> + Send;

    /// The session whose cancel stops the work.
    fn session_id(&self, claim: &Self::Claim) -> SessionId;

    fn terms(&self, claim: &Self::Claim) -> LeaseTerms;

    /// The span of everything that is done for the claim.
    fn span(&self, claim: &Self::Claim) -> Span;

    /// Renews the lease; a fenced error stops the work.
    fn renew(
        &self,
        claim: &Self::Claim,
    ) -> impl Future<Output = Result<LeaseState, StoreError>> + Send;

    /// Does the work and writes its end. It returns soon after the lease's signal stopped it: with
    /// `Ok` if it wrote an end nevertheless, as after a cancel or a timeout, else with the reason.
    /// [`StopReason::Shutdown`] makes the runner release the claim, and [`StopReason::Suspended`] suspend it.
    fn run(
        &self,
        claim: &Self::Claim,
        lease: &Lease,
    ) -> impl Future<Output = Result<(), StopReason>> + Send;

    /// Returns the claim at shutdown without counting the attempt, so that another process continues at
    /// once.
    fn release(&self, claim: &Self::Claim) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Gives the claim up until people have decided, without counting the attempt. Work that never stops with
    /// [`StopReason::Suspended`] releases it.
    fn suspend(&self, claim: &Self::Claim) -> impl Future<Output = Result<(), StoreError>> + Send {
        self.release(claim)
    }
}
