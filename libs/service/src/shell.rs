//! What a service is given to live in: tasks, a clock, health, and the word to stop.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use metrics_exporter_prometheus::PrometheusHandle;
use tarsy_domain::clock::{Clock, SystemClock};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument as _, error, info, info_span};

use crate::health::Health;

/// How long tasks may take after the hard stop.
const LAST: Duration = Duration::from_secs(10);
/// How often measurements are summed up.
const UPKEEP: Duration = Duration::from_secs(5);

/// What a service lives in; cheap to clone.
#[derive(Clone)]
pub struct Shell {
    soft: CancellationToken,
    hard: CancellationToken,
    tasks: TaskTracker,
    health: Health,
    clock: Arc<dyn Clock>,
    metrics: Option<PrometheusHandle>,
    failed: Arc<std::sync::atomic::AtomicBool>,
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shell").field("tasks", &self.tasks.len()).finish_non_exhaustive()
    }
}

impl Default for Shell {
    fn default() -> Self {
        Self {
            soft: CancellationToken::new(),
            hard: CancellationToken::new(),
            tasks: TaskTracker::new(),
            health: Health::default(),
            clock: Arc::new(SystemClock),
            metrics: None,
            failed: Arc::default(),
        }
    }
}

impl Shell {
    /// A shell that can tell its metrics; within a runtime.
    pub fn with_metrics(metrics: PrometheusHandle) -> Self {
        let shell = Self { metrics: Some(metrics.clone()), ..Self::default() };
        let stopping = shell.stopping();
        // What is measured piles up until somebody reads the metrics, and maybe nobody does.
        shell.spawn_aux("metrics.upkeep", async move {
            loop {
                tokio::select! {
                    () = stopping.cancelled() => return,
                    () = tokio::time::sleep(UPKEEP) => metrics.run_upkeep(),
                }
            }
        });
        shell
    }

    /// Cancelled when a stop is asked for: take no new work, finish what is at hand.
    pub fn stopping(&self) -> CancellationToken {
        self.soft.clone()
    }

    /// Cancelled when the time to finish is over: drop what is at hand.
    pub fn hard_stop(&self) -> CancellationToken {
        self.hard.clone()
    }

    /// Asks for a stop.
    pub fn stop(&self) {
        self.soft.cancel();
    }

    /// How the parts of this process are.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// The time.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// The metrics in Prometheus' text format.
    pub fn metrics(&self) -> String {
        self.metrics.as_ref().map(PrometheusHandle::render).unwrap_or_default()
    }

    /// Runs a task that shutdown waits for; if it ends before a stop was asked for, the process
    /// stops.
    pub fn spawn<F>(&self, name: &'static str, task: F)
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let shell = self.clone();
        self.spawn_aux(name, async move {
            let result = task.await;
            if let Err(cause) = &result {
                error!(task = name, error = %format_args!("{cause:#}"), "a task failed");
            }
            if result.is_err() || !shell.soft.is_cancelled() {
                shell.failed.store(true, std::sync::atomic::Ordering::Relaxed);
                shell.soft.cancel();
            }
        });
    }

    /// Runs a task that shutdown waits for; it may end whenever it is done.
    #[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
    pub fn spawn_aux<F>(&self, name: &'static str, task: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let task = self.tasks.track_future(task.instrument(info_span!("task", name)));
        drop(tokio::spawn(task));
    }

    /// Waits for a signal or a failed task, then sees all tasks out: softly within `grace`, then
    /// hard. An error says that a task, not a person, ended the process.
    pub async fn run_until_stopped(&self, grace: Duration) -> anyhow::Result<()> {
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = terminate.recv() => info!("asked to stop"),
            _ = tokio::signal::ctrl_c() => info!("interrupted"),
            () = self.soft.cancelled() => info!("stopping"),
        }
        self.see_out(grace).await
    }

    /// Ends all tasks: softly within `grace`, then hard.
    pub async fn see_out(&self, grace: Duration) -> anyhow::Result<()> {
        self.soft.cancel();
        self.tasks.close();
        if tokio::time::timeout(grace, self.tasks.wait()).await.is_err() {
            info!("the time to finish is over");
            self.hard.cancel();
            tokio::time::timeout(LAST, self.tasks.wait())
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
