//! The leases that are being opened: a repeated request joins the opening that runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsy_contracts::mcp::OpenedLease;
use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::Code;
use tarsy_domain::id::LeaseId;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::lease::Lease;
use crate::leases::Leases;
use crate::limits;

/// The result of an opening; none while it runs.
type OpeningResult = Option<Result<OpenedLease, Refusal>>;

/// An opening that runs, for those who wait for it.
pub(crate) struct Opening(watch::Receiver<OpeningResult>);

impl Opening {
    /// The result; none if the opening still runs at `deadline`.
    pub(crate) async fn wait(mut self, deadline: Instant) -> OpeningResult {
        match timeout_at(deadline, self.0.wait_for(Option::is_some)).await {
            Ok(Ok(result)) => result.clone(),
            Ok(Err(_)) => Some(Err(Refusal::new(Code::Internal, "the lease could not be opened"))),
            Err(_) => None,
        }
    }
}

/// The result of registering an opening.
pub(crate) enum Registration {
    /// The caller has to open the lease.
    New(Opening, OpeningGuard),
    Running(Opening),
    Open(Arc<Lease>),
}

#[derive(Clone, Default)]
pub(crate) struct Openings(Arc<Mutex<HashMap<LeaseId, watch::Receiver<OpeningResult>>>>);

impl Openings {
    pub(crate) fn contains(&self, id: LeaseId) -> bool {
        self.table().contains_key(&id)
    }

    /// Registers the opening of a lease that is neither open nor being opened. Its result is set through
    /// the guard; dropping that ends it.
    pub(crate) fn register(&self, id: LeaseId, leases: &Leases) -> Result<Registration, Refusal> {
        let mut table = self.table();
        if let Some(running) = table.get(&id) {
            return Ok(Registration::Running(Opening(running.clone())));
        }
        // A lease is stored before its opening ends.
        if let Some(lease) = leases.find_and_renew(id) {
            return Ok(Registration::Open(lease));
        }
        if table.len() >= limits::OPENS {
            return Err(Refusal::new(Code::RateLimited, "busy: too many leases are being opened"));
        }
        let (result, receiver) = watch::channel(None);
        table.insert(id, receiver.clone());
        let guard = OpeningGuard { openings: self.clone(), id, result };
        Ok(Registration::New(Opening(receiver), guard))
    }

    fn table(&self) -> MutexGuard<'_, HashMap<LeaseId, watch::Receiver<OpeningResult>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends an opening when it is dropped.
pub(crate) struct OpeningGuard {
    openings: Openings,
    id: LeaseId,
    result: watch::Sender<OpeningResult>,
}

impl OpeningGuard {
    pub(crate) fn finish(self, result: Result<OpenedLease, Refusal>) {
        self.result.send_replace(Some(result));
    }
}

impl Drop for OpeningGuard {
    fn drop(&mut self) {
        self.openings.table().remove(&self.id);
    }
}
