//! The runtime of a service: tasks, clock, health, metrics and shutdown.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use metrics_exporter_prometheus::PrometheusHandle;
use tarsy_domain::clock::{Clock, SystemClock};
use tarsy_web::ServerLimits;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument as _, error, info, info_span};

use crate::health::Health;
use crate::listeners::Listeners;
use crate::reload_requests::ReloadRequests;

/// How long tasks may take after the hard stop.
const HARD_STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the metrics recorder aggregates.
const METRICS_UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Tasks, clock, health, metrics and the two stop signals of a service; cheap to clone.
#[derive(Clone)]
pub struct ServiceContext {
    soft: CancellationToken,
    hard: CancellationToken,
    tasks: TaskTracker,
    health: Health,
    clock: Arc<dyn Clock>,
    metrics: Option<PrometheusHandle>,
    server_limits: Arc<ServerLimits>,
    listeners: Listeners,
    reloads: ReloadRequests,
    /// How many services it follows on in this process.
    generation: u32,
    failed: Arc<std::sync::atomic::AtomicBool>,
}

impl std::fmt::Debug for ServiceContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServiceContext").field("tasks", &self.tasks.len()).finish_non_exhaustive()
    }
}

impl Default for ServiceContext {
    fn default() -> Self {
        Self {
            soft: CancellationToken::new(),
            hard: CancellationToken::new(),
            tasks: TaskTracker::new(),
            health: Health::default(),
            clock: Arc::new(SystemClock),
            metrics: None,
            server_limits: Arc::default(),
            listeners: Listeners::default(),
            reloads: ReloadRequests::default(),
            generation: 0,
            failed: Arc::default(),
        }
    }
}

impl ServiceContext {
    /// A context that renders metrics. Call it within a tokio runtime.
    pub fn with_metrics(metrics: PrometheusHandle) -> Self {
        let service = Self { metrics: Some(metrics), ..Self::default() };
        service.keep_metrics();
        service
    }

    /// A service that takes the place of this one, with its clock, limits and metrics, and on its sockets: both accept
    /// connections until this one is drained.
    #[must_use]
    pub(crate) fn successor(&self) -> Self {
        let next = Self {
            clock: self.clock(),
            metrics: self.metrics.clone(),
            server_limits: Arc::clone(&self.server_limits),
            listeners: self.listeners.clone(),
            reloads: self.reloads.clone(),
            generation: self.generation + 1,
            ..Self::default()
        };
        next.keep_metrics();
        next
    }

    /// The name of this instance, which no predecessor in this process has.
    pub fn instance(&self, of_process: &str) -> String {
        match self.generation {
            0 => of_process.to_owned(),
            number => format!("{of_process}-r{number}"),
        }
    }

    fn keep_metrics(&self) {
        let Some(metrics) = self.metrics.clone() else { return };
        let stopping = self.stopping();
        // The recorder holds every measurement until an upkeep or a scrape, and maybe nobody scrapes.
        self.spawn_aux("metrics.upkeep", async move {
            loop {
                tokio::select! {
                    () = stopping.cancelled() => return,
                    () = tokio::time::sleep(METRICS_UPKEEP_INTERVAL) => metrics.run_upkeep(),
                }
            }
        });
    }

    /// The same context, whose listeners have these limits.
    #[must_use]
    pub fn with_server_limits(self, limits: ServerLimits) -> Self {
        Self { server_limits: Arc::new(limits), ..self }
    }

    /// What the clients of a listener may hold.
    pub fn server_limits(&self) -> ServerLimits {
        ServerLimits::clone(&self.server_limits)
    }

    /// Cancelled when the process is asked to stop: take no new work, finish the current.
    pub fn stopping(&self) -> CancellationToken {
        self.soft.clone()
    }

    /// Cancelled when the grace period is over: drop the current work.
    pub fn hard_stop(&self) -> CancellationToken {
        self.hard.clone()
    }

    pub fn stop(&self) {
        self.soft.cancel();
    }

    pub fn health(&self) -> &Health {
        &self.health
    }

    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// The metrics in Prometheus' text format.
    pub fn metrics(&self) -> String {
        self.metrics.as_ref().map(PrometheusHandle::render).unwrap_or_default()
    }

    /// Runs a task that shutdown waits for. If it ends before a stop is requested, or with an error, the
    /// process stops.
    pub fn spawn<F>(&self, name: &'static str, task: F)
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let service = self.clone();
        self.spawn_aux(name, async move {
            let result = task.await;
            if let Err(cause) = &result {
                error!(task = name, error = %format_args!("{cause:#}"), "a task failed");
            }
            if result.is_err() || !service.soft.is_cancelled() {
                service.failed.store(true, std::sync::atomic::Ordering::Relaxed);
                service.soft.cancel();
            }
        });
    }

    /// Runs a task that shutdown waits for; it may end at any time.
    #[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
    pub fn spawn_aux<F>(&self, name: &'static str, task: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let task = self.tasks.track_future(task.instrument(info_span!("task", name)));
        drop(tokio::spawn(task));
    }

    /// Requests to start again with the configuration as it is now.
    pub fn reloads(&self) -> &ReloadRequests {
        &self.reloads
    }

    pub(crate) fn listeners(&self) -> &Listeners {
        &self.listeners
    }

    /// Closes the sockets, so that who connects from then on goes to another replica; requests a stop and waits for all
    /// tasks for `grace`, then requests the hard stop and waits ten seconds more. An error means that a task, not a
    /// request, ended the service.
    pub async fn drain(&self, grace: Duration) -> anyhow::Result<()> {
        self.listeners.close();
        self.drain_beside_successor(grace).await
    }

    /// As [`Self::drain`], but leaves the sockets to the service that took its place, or to the one whose place it did not
    /// take.
    pub async fn drain_beside_successor(&self, grace: Duration) -> anyhow::Result<()> {
        self.soft.cancel();
        self.tasks.close();
        if tokio::time::timeout(grace, self.tasks.wait()).await.is_err() {
            info!("the grace period is over");
            self.hard.cancel();
            tokio::time::timeout(HARD_STOP_TIMEOUT, self.tasks.wait())
                .await
                .context("tasks did not stop in time")?;
        }
        anyhow::ensure!(
            !self.failed.load(std::sync::atomic::Ordering::Relaxed),
            "a task ended the process"
        );
        Ok(())
    }
}
