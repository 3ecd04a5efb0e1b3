//! What the parts of a score work with.

use tarsy_service::Lease;
use tarsy_store::ScoreClaim;

use crate::engine::Services;
use crate::session_lease::SessionLeases;

/// Scores that wait, or whose owner is lost.
pub(crate) struct Scores {
    pub(crate) leases: SessionLeases,
    pub(crate) services: Services,
}

/// One score in work.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) scores: &'a Scores,
    pub(super) claim: &'a ScoreClaim,
    pub(super) lease: &'a Lease,
}
