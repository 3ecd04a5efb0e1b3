//! Checks the servers: one gateway instance does so for all.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tarsy_bus::Bus;
use tarsy_contracts::mcp::Tool;
use tarsy_contracts::topology;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::failure::Failure;
use crate::health::Health;
use crate::limits;
use crate::servers::{ServerRuntime, Servers};
use crate::watched::WatchedSessions;

/// The key of the leader that checks the servers.
const LEADER: &str = "mcp-prober";
/// The longest interval between two renewals of the leadership, and between two searches for due checks.
const TICK: Duration = Duration::from_secs(5);
/// The shortest one, so that the checks of many servers renew the leadership together.
const SHORTEST_TICK: Duration = Duration::from_millis(50);

#[derive(Clone)]
pub(crate) struct HealthChecks {
    pub(crate) bus: Bus,
    pub(crate) servers: Arc<Servers>,
    pub(crate) health: Arc<Health>,
    pub(crate) watched: WatchedSessions,
}

impl HealthChecks {
    /// Runs due checks while this instance is the leader, until `stop`.
    pub(crate) async fn run(self, stop: CancellationToken) {
        tokio::select! {
            () = tokio::time::sleep(self.health.timing().check_delay) => self.run_checks(&stop).await,
            () = stop.cancelled() => {}
        }
        self.watched.close().await;
    }

    async fn run_checks(&self, stop: &CancellationToken) {
        let leaders = self.bus.kv(&topology::LEADERS);
        let timing = self.health.timing();
        let tick = TICK.min(timing.check_http).min(timing.check_stdio);
        let mut was_leader = false;
        // A slow server delays neither the checks of the others nor the renewal of the leadership.
        let (mut checks, mut in_progress) = (FuturesUnordered::new(), BTreeSet::new());
        loop {
            let is_leader = leaders.acquire_leadership(LEADER).await.unwrap_or(false);
            if is_leader
                && !was_leader
                && let Err(error) = self.health.delete_unconfigured(&self.servers).await
            {
                tracing::debug!(%error, "could not delete the health of unconfigured servers");
            }
            if !is_leader {
                // A check that ran when the leadership was lost may have stored one since.
                self.watched.close().await;
            }
            was_leader = is_leader;
            let due = if is_leader { self.due() } else { Vec::new() };
            for runtime in due {
                if checks.len() < limits::PROBES && in_progress.insert(runtime.server.id.as_str()) {
                    checks.push(self.check_and_identify(runtime));
                }
            }
            tokio::select! {
                Some(server) = checks.next() => {
                    in_progress.remove(server);
                }
                () = tokio::time::sleep(self.pause(&in_progress).min(tick)) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// The time until the next server is due that is not being checked.
    fn pause(&self, in_progress: &BTreeSet<&str>) -> Duration {
        let waiting =
            self.servers.iter().filter(|runtime| !in_progress.contains(runtime.server.id.as_str()));
        let next = waiting.map(|runtime| self.health.due_in(&runtime.server)).min();
        next.unwrap_or(TICK).max(SHORTEST_TICK)
    }

    /// The servers that are due for a check, the one with the oldest check first.
    fn due(&self) -> Vec<&ServerRuntime> {
        let is_due = |runtime: &&ServerRuntime| self.health.due_in(&runtime.server).is_zero();
        let mut due: Vec<&ServerRuntime> = self.servers.iter().filter(is_due).collect();
        due.sort_by_key(|runtime| self.health.last_check(&runtime.server.id));
        due
    }

    /// Checks a server; returns its id.
    async fn check_and_identify<'a>(&self, runtime: &'a ServerRuntime) -> &'a str {
        // The checks report their results.
        if WatchedSessions::covers(runtime) {
            Box::pin(self.check_watched(runtime)).await;
        } else {
            let within = self.health.timing().probe;
            if timeout(within, Box::pin(self.check(runtime))).await.is_err() {
                self.report_unhealthy(runtime, &Failure::NoResponse(within)).await;
            }
        }
        runtime.server.id.as_str()
    }

    /// Checks a server in a session that lasts. Its program may take longer to start than a check: it is reported meanwhile, after
    /// the probe's limit if it worked before. The interval until the next check begins with that report.
    async fn check_watched(&self, runtime: &ServerRuntime) {
        let id = runtime.server.id.as_str();
        let timing = self.health.timing();
        let worked = self.health.is_healthy(id);
        let limit = if worked { timing.probe } else { timing.check_stdio };
        let mut check = pin!(self.watched.check(runtime, timing.probe));
        let (checked, reported) = if let Ok(checked) = timeout(limit, &mut check).await {
            (checked, None)
        } else {
            if worked || runtime.is_set_up() {
                self.report_unhealthy(runtime, &Failure::NoResponse(limit)).await;
            }
            let reported = Instant::now();
            (check.await, Some(reported))
        };
        match checked {
            Ok(tools) => drop(self.health.report_healthy(&runtime.server, tools).await),
            Err(failure) => {
                self.report_unhealthy(runtime, &failure).await;
                if let Some(at) = reported {
                    self.health.count_from(id, at);
                }
            }
        }
    }

    /// The tools of a server: as of a recent list, or else listed now. The error is masked.
    pub(crate) async fn tools(
        &self,
        runtime: &ServerRuntime,
        deadline: Instant,
    ) -> Result<Arc<[Tool]>, String> {
        if let Some(tools) = self.health.recent_tools(&runtime.server.id) {
            return Ok(tools);
        }
        match timeout_at(deadline, self.check(runtime)).await {
            Ok(checked) => checked,
            Err(_) => Err("it did not answer before the caller's deadline".to_owned()),
        }
    }

    /// Lists the tools of a server in a session of its own, and reports its health.
    async fn check(&self, runtime: &ServerRuntime) -> Result<Arc<[Tool]>, String> {
        match runtime.connector.connect().await {
            Ok(session) => {
                let tools = self.health.report_healthy(&runtime.server, session.tools()).await;
                session.close().await;
                Ok(tools)
            }
            Err(failure) => Err(self.report_unhealthy(runtime, &failure).await),
        }
    }

    /// Reports a failure; returns its masked reason.
    async fn report_unhealthy(&self, runtime: &ServerRuntime, failure: &Failure) -> String {
        let reason = runtime.masks.reason(failure);
        self.health.report_unhealthy(runtime, failure, &reason).await;
        reason
    }
}
