//! Opens, lists, renews and closes leases.

use std::collections::BTreeSet;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use tarsy_catalog::Isolation;
use tarsy_contracts::mcp::{
    Ack, Caller, FailedServer, LeaseRequest, OpenRequest, OpenState, OpenedLease, ServerGrant,
    ToolList,
};
use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::{Code, Coded as _};
use tarsy_domain::id::{ExecutionId, LeaseId, SessionId};
use tokio::time::{Instant, timeout};

use crate::capacity::{Capacity, CapacityPermit};
use crate::health::Health;
use crate::lease::{Lease, LeaseGrant};
use crate::leases::Leases;
use crate::lifecycle::Lifecycle;
use crate::message_size::fit_tools;
use crate::openings::{OpeningGuard, Openings, Registration};
use crate::peers::Peers;
use crate::replay::{Records, Replay};
use crate::servers::{ServerRuntime, Servers};
use crate::sessions;
use crate::text::millis;
use crate::upstream::Slot;
use crate::{limits, metrics};

/// How much later than it was asked for the answer of another gateway may arrive.
const FORWARD_GRACE: Duration = Duration::from_secs(1);
/// The longest interval between two searches for expired leases, each of which shows that this process runs.
const EXPIRY_INTERVAL: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub(crate) struct LeaseService {
    pub(crate) instance: String,
    pub(crate) lease_ttl: Duration,
    pub(crate) servers: Arc<Servers>,
    pub(crate) health: Arc<Health>,
    pub(crate) leases: Arc<Leases>,
    pub(crate) openings: Openings,
    pub(crate) capacity: Capacity,
    pub(crate) peers: Peers,
    pub(crate) lifecycle: Lifecycle,
    /// None if this gateway has no database.
    pub(crate) records: Option<Records>,
}

impl LeaseService {
    /// Opens a lease here, or forwards the request to a gateway with less load.
    pub(crate) async fn open(self, request: OpenRequest) -> Result<OpenState, Refusal> {
        if self.openings.contains(request.lease_id) || self.leases.contains(request.lease_id) {
            return self.open_here(request).await;
        }
        let wait = open_wait(&request);
        match Box::pin(self.peers.forward(&request, wait + FORWARD_GRACE)).await {
            Some(reply) => reply,
            None => self.open_here(request).await,
        }
    }

    /// Opens a lease, or joins the opening of the same lease. It opens even if some of its servers fail.
    pub(crate) async fn open_here(self, request: OpenRequest) -> Result<OpenState, Refusal> {
        let deadline = Instant::now() + open_wait(&request);
        let opening = match self.openings.register(request.lease_id, &self.leases)? {
            Registration::Open(lease) => {
                return Ok(OpenState::Open { lease: self.describe(&lease) });
            }
            Registration::Running(opening) => opening,
            Registration::New(opening, guard) => {
                self.start_opening(request, guard)?;
                opening
            }
        };
        match opening.wait(deadline).await {
            Some(result) => Ok(OpenState::Open { lease: result? }),
            None => Ok(OpenState::Opening { instance: self.instance.clone() }),
        }
    }

    /// Starts to open a lease. The task outlives the request, which the caller repeats.
    fn start_opening(&self, request: OpenRequest, guard: OpeningGuard) -> Result<(), Refusal> {
        if request.servers.len() > limits::SERVERS {
            let message = format!("servers: more than {} in one lease", limits::SERVERS);
            return Err(Refusal::new(Code::Invalid, message));
        }
        let permit = self.acquire_permit()?;
        let service = self.clone();
        self.lifecycle.tasks.spawn(async move {
            let stopped = service.lifecycle.leases_ended.clone();
            let result = tokio::select! {
                result = service.open_lease(request, permit) => result,
                () = stopped.cancelled() => Err(has_stopped()),
            };
            guard.finish(result);
        });
        Ok(())
    }

    async fn open_lease(
        &self,
        request: OpenRequest,
        permit: CapacityPermit,
    ) -> Result<OpenedLease, Refusal> {
        let lease = if request.caller == Caller::Replay {
            let replay = self.open_replay(request.session_id, &request.servers).await?;
            Lease::replaying(request.lease_id, replay, permit)
        } else {
            let servers = request.servers;
            let (grants, failed) = self.open_grants(request.execution_id, servers).await;
            Lease::new(request.lease_id, grants, failed, request.caller, permit)
        };
        let lease = self.leases.insert(lease);
        if self.lifecycle.leases_ended.is_cancelled() {
            self.leases.remove(lease.id);
            lease.close().await;
            return Err(has_stopped());
        }
        metrics::lease_asked("opened");
        tracing::debug!(lease.id = %lease.id, session.id = %request.session_id, execution.id = %request.execution_id, "opened a lease");
        Ok(self.describe(&lease))
    }

    async fn open_replay(
        &self,
        session: SessionId,
        servers: &[ServerGrant],
    ) -> Result<(Replay, Vec<FailedServer>), Refusal> {
        let Some(records) = &self.records else {
            let message = "sessions cannot be replayed: DATABASE_URL of mcp-gateway is not set";
            return Err(Refusal::new(Code::Invalid, message));
        };
        Replay::open(records, session, servers).await.map_err(|error| {
            tracing::error!(error = %tarsy_telemetry::chain(&error), "a record could not be read");
            Refusal::new(error.code(), "the record of the replayed session could not be read")
        })
    }

    fn describe(&self, lease: &Lease) -> OpenedLease {
        let ToolList { tools, failed } = fit_tools(lease.tools(), lease.failed.clone());
        OpenedLease {
            lease_id: lease.id,
            instance: self.instance.clone(),
            ttl_ms: millis(self.lease_ttl),
            tools,
            failed,
        }
    }

    fn acquire_permit(&self) -> Result<CapacityPermit, Refusal> {
        if self.lifecycle.draining.is_cancelled() {
            return Err(Refusal::new(Code::RateLimited, "busy: this gateway is stopping"));
        }
        self.capacity.try_acquire().ok_or_else(|| {
            metrics::lease_asked("busy");
            Refusal::new(Code::RateLimited, "busy: this gateway is at its capacity")
        })
    }

    /// Opens a session with each server; a server that is named twice counts once.
    async fn open_grants(
        &self,
        execution: ExecutionId,
        requested: Vec<ServerGrant>,
    ) -> (Vec<LeaseGrant>, Vec<FailedServer>) {
        let mut seen = BTreeSet::new();
        let unique = requested.into_iter().filter(|grant| seen.insert(grant.server.clone()));
        let opened = join_all(unique.map(|grant| self.open_grant(execution, grant))).await;
        let (mut grants, mut failed) = (Vec::new(), Vec::new());
        for result in opened {
            match result {
                Ok(grant) => grants.push(grant),
                Err(failure) => failed.push(failure),
            }
        }
        (grants, failed)
    }

    async fn open_grant(
        &self,
        execution: ExecutionId,
        grant: ServerGrant,
    ) -> Result<LeaseGrant, FailedServer> {
        let Some(runtime) = self.servers.get(&grant.server) else {
            let known = self.servers.known_ids();
            let error = format!("no such server is configured; there are: {known}");
            return Err(FailedServer { server: grant.server, error });
        };
        let common = runtime.common_slot();
        let mut shared = common.is_some();
        let slot = common.unwrap_or_else(|| runtime.new_slot(execution));
        match self.open_session(runtime, &slot).await {
            Ok(is_stateless) => {
                let isolation = runtime.server.transport.isolation;
                let may_share =
                    isolation == Isolation::Auto && !sessions::is_per_execution(&runtime.server);
                if !shared && may_share && is_stateless {
                    shared = runtime.stateless.set(Arc::clone(&slot)).is_ok();
                }
                let masks = Arc::clone(&runtime.masks);
                let tools = grant.tools.map(BTreeSet::from_iter);
                Ok(LeaseGrant { slot, masks, tools, shared })
            }
            Err(error) => {
                metrics::server_failed();
                tracing::debug!(
                    mcp.server = grant.server,
                    error,
                    "a session of a tool server did not open"
                );
                if !shared {
                    self.lifecycle.tasks.spawn(async move { slot.close().await });
                }
                Err(FailedServer { server: grant.server, error })
            }
        }
    }

    /// Opens the session of a slot and reports the health of its server. Returns whether the server is
    /// stateless, or the masked reason of the failure.
    async fn open_session(&self, runtime: &ServerRuntime, slot: &Slot) -> Result<bool, String> {
        match slot.session().await {
            Ok(session) => {
                self.health.report_healthy(&runtime.server, session.tools()).await;
                Ok(session.is_stateless())
            }
            Err(failure) => {
                let reason = runtime.masks.reason(&failure);
                self.health.report_unhealthy(runtime, &failure, &reason).await;
                Err(reason)
            }
        }
    }

    pub(crate) async fn list(self, request: LeaseRequest) -> Result<ToolList, Refusal> {
        let Some(lease) = self.leases.find_and_renew(request.lease_id) else {
            return Err(unknown_lease(request.lease_id));
        };
        Ok(fit_tools(lease.refresh_tools().await, lease.failed.clone()))
    }

    #[expect(clippy::needless_pass_by_value, reason = "handlers take the whole request")]
    pub(crate) fn renew(self, request: LeaseRequest) -> Ready<Result<Ack, Refusal>> {
        let lease = self.leases.find_and_renew(request.lease_id);
        ready(lease.map(|_| Ack {}).ok_or_else(|| unknown_lease(request.lease_id)))
    }

    /// Closes a lease; its running calls may finish.
    pub(crate) async fn close(self, request: LeaseRequest) -> Result<Ack, Refusal> {
        let Some(lease) = self.leases.remove(request.lease_id) else { return Ok(Ack {}) };
        let idle = lease.is_idle();
        let closing = self.lifecycle.tasks.spawn(async move {
            close_when_idle(Arc::clone(&lease)).await;
            // The execution has ended. A lease that expires is that of a lost owner, whose execution goes on.
            lease.end_executions().await;
        });
        if idle {
            // A session that does not close in time is closed all the same, after the reply.
            let _closed = timeout(limits::CLOSE, closing).await;
        }
        Ok(Ack {})
    }

    /// Closes expired leases until the gateway has stopped.
    pub(crate) async fn run_expiry(self) {
        let mut tick = tokio::time::interval((self.lease_ttl / 6).min(EXPIRY_INTERVAL));
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = self.lifecycle.stopped.cancelled() => return,
            }
            for lease in self.leases.remove_expired(self.lease_ttl) {
                tracing::info!(lease.id = %lease.id, "a lease has ended");
                self.lifecycle.tasks.spawn(close_when_idle(lease));
            }
        }
    }
}

async fn close_when_idle(lease: Arc<Lease>) {
    lease.wait_until_idle().await;
    lease.close().await;
}

/// How long a caller lets its answer be delayed.
fn open_wait(request: &OpenRequest) -> Duration {
    Duration::from_millis(request.wait_ms).min(limits::OPEN_WAIT)
}

fn has_stopped() -> Refusal {
    Refusal::new(Code::RateLimited, "busy: this gateway has stopped")
}

/// The refusal of a request on a lease that does not exist.
pub(crate) fn unknown_lease(id: LeaseId) -> Refusal {
    Refusal::new(Code::NotFound, format!("there is no lease {id}; open a new one"))
}
