//! The text of one turn, and when each of its tokens was sent.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tarsy_e2e::Gate;

use crate::vendor::load::Load;

/// Bytes of a token: its number.
pub(crate) const TOKEN: usize = 8;

#[derive(Debug)]
pub(crate) struct Script {
    model: String,
    start: Instant,
    every: Duration,
    sent: Vec<AtomicU64>,
    /// Holds the first token back.
    gate: Gate,
}

impl Script {
    pub(super) fn new(model: String, load: Load, gate: Gate) -> Self {
        let sent = (0..load.tokens).map(|_| AtomicU64::new(0)).collect();
        Self { model, start: Instant::now(), every: load.every, sent, gate }
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// The time between two tokens.
    pub(super) fn every(&self) -> Duration {
        self.every
    }

    /// Waits until the text may begin.
    pub(super) async fn begins(&self) {
        self.gate.clone().passed().await;
    }

    pub(crate) fn tokens(&self) -> usize {
        self.sent.len()
    }

    /// The texts of the tokens, each of [`TOKEN`] bytes.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> + use<> {
        (0..self.sent.len()).map(|number| format!("{number:0width$} ", width = TOKEN - 1))
    }

    /// Notes that a token is sent now.
    pub(super) fn mark_sent(&self, number: usize) -> anyhow::Result<()> {
        let now = u64::try_from(self.start.elapsed().as_nanos())?;
        self.sent.get(number).context("no such token")?.store(now, Ordering::Release);
        Ok(())
    }

    /// When a token was sent.
    pub(crate) fn sent(&self, number: usize) -> anyhow::Result<Instant> {
        let sent = self.sent.get(number).context("a token that was never sent")?;
        Ok(self.start + Duration::from_nanos(sent.load(Ordering::Acquire)))
    }
}
