//! The runtime of a service: tasks, clock, health, metrics and shutdown.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use metrics_exporter_prometheus::PrometheusHandle;
use tarsy_domain::clock::{Clock, SystemClock};
use tarsy_web::ServerLimits;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument as _, error, info, info_span};

use crate::health::Health;

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
            failed: Arc::default(),
        }
    }
}

impl ServiceContext {
    /// A context that renders metrics. Call it within a tokio runtime.
    pub fn with_metrics(metrics: PrometheusHandle) -> Self {
        let service = Self { metrics: Some(metrics.clone()), ..Self::default() };
        let stopping = service.stopping();
        // The recorder holds every measurement until an upkeep or a scrape, and maybe nobody scrapes.
        service.spawn_aux("metrics.upkeep", async move {
            loop {
                tokio::select! {
                    () = stopping.cancelled() => return,
                    () = tokio::time::sleep(METRICS_UPKEEP_INTERVAL) => metrics.run_upkeep(),
                }
            }
        });
        service
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

    /// Requests a stop.
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

    /// Waits for SIGTERM, SIGINT or the end of a task, then drains. An error means that a task, not a
    /// signal, ended the process.
    pub async fn run_until_stopped(&self, grace: Duration) -> anyhow::Result<()> {
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = terminate.recv() => info!("stopping on SIGTERM"),
            _ = tokio::signal::ctrl_c() => info!("stopping on SIGINT"),
            () = self.soft.cancelled() => info!("stopping"),
        }
        self.drain(grace).await
    }

    /// Requests a stop and waits for all tasks for `grace`, then requests the hard stop and waits ten
    /// seconds more.
    pub async fn drain(&self, grace: Duration) -> anyhow::Result<()> {
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
