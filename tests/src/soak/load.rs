//! A steady load: sessions with a question, a few at a time, one after another.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use tokio::sync::watch;

use crate::chaos::life::{Access, Alert, Problem};
use crate::chaos::script;

/// Sessions at a time.
const CONCURRENT: usize = 3;

#[derive(Debug)]
pub(super) struct Load {
    access: Access,
    submitted: AtomicUsize,
    completed: AtomicUsize,
}

impl Load {
    pub(super) fn new(access: Access) -> Self {
        Self { access, submitted: AtomicUsize::new(0), completed: AtomicUsize::new(0) }
    }

    pub(super) fn submitted(&self) -> usize {
        self.submitted.load(Ordering::Relaxed)
    }

    pub(super) fn completed(&self) -> usize {
        self.completed.load(Ordering::Relaxed)
    }

    /// Submits one session after another until `stop`; returns the problems.
    pub(super) async fn run(&self, stop: watch::Receiver<bool>) -> Vec<String> {
        let lanes = (0..CONCURRENT).map(|_| self.lane(stop.clone()));
        join_all(lanes).await.concat()
    }

    async fn lane(&self, stop: watch::Receiver<bool>) -> Vec<String> {
        let mut problems = Vec::new();
        while !*stop.borrow() {
            let number = self.submitted.fetch_add(1, Ordering::Relaxed) + 1;
            let alert = Alert {
                key: format!("soak-{number}"),
                data: script::alert(number),
                fingerprint: None,
                question: script::question(1),
            };
            match self.live(&alert).await {
                Ok(()) => drop(self.completed.fetch_add(1, Ordering::Relaxed)),
                Err(Problem::Lost(error)) => problems.push(format!("LOST {error:#}")),
                Err(Problem::Stuck(error)) => problems.push(format!("STUCK {error:#}")),
            }
        }
        problems
    }

    async fn live(&self, alert: &Alert) -> Result<(), Problem> {
        let accepted = self.access.accept(alert).await?;
        self.access.follow(&accepted, alert).await
    }
}
