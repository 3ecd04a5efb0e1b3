//! Sends the weekly message about what came again: each delivery is a row, claimed before it is sent.

mod letter;

use std::time::Duration;

use tarsy_store::{Error, Store, WeeklyDelivery};
use tokio_util::sync::CancellationToken;

use crate::channel::{Letter, SendError};
use crate::destinations::Destinations;
use crate::metrics;
use crate::retry::{Attempt, decide};

/// How often rows are looked for that became due.
const INTERVAL: Duration = Duration::from_secs(3);
/// How long a claim holds. It is not renewed: an attempt ends before.
const LEASE: Duration = Duration::from_secs(30);
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) struct Weekly {
    pub(crate) store: Store,
    pub(crate) destinations: Destinations,
    pub(crate) dashboard_url: String,
}

impl Weekly {
    /// Sends what is due, until `stop`.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let mut interval = tokio::time::interval(INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = interval.tick() => {}
            }
            if let Err(error) = self.send_due(&stop).await {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "could not send the weekly message");
            }
        }
    }

    async fn send_due(&self, stop: &CancellationToken) -> Result<(), Error> {
        let names = self.destinations.names();
        while !stop.is_cancelled()
            && let Some(delivery) = self.store.claim_weekly_delivery(&names, LEASE).await?
        {
            let attempt = tokio::time::timeout(ATTEMPT_TIMEOUT, self.attempt(&delivery)).await;
            let attempt = attempt.unwrap_or_else(|_| {
                Attempt::Failed(SendError::Unanswered("it took too long".to_owned()))
            });
            metrics::attempted(&delivery.destination, attempt.label());
            let age = delivery.claimed_at.duration_since(delivery.created_at);
            let age = Duration::try_from(age).unwrap_or_default();
            let Some(outcome) = decide(attempt, delivery.failures, age) else { continue };
            tracing::info!(
                to = delivery.destination,
                week = delivery.week,
                ?outcome,
                "weekly message"
            );
            self.store.finish_weekly_delivery(&delivery, &outcome).await?;
        }
        Ok(())
    }

    async fn attempt(&self, delivery: &WeeklyDelivery) -> Attempt {
        let Some(to) = self.destinations.get(&delivery.destination) else {
            return Attempt::Obsolete;
        };
        let letter = Letter {
            id: delivery.id,
            report: letter::report(&delivery.week, &delivery.found, &self.dashboard_url),
            attempted_at: delivery.attempted_at,
        };
        match self.store.begin_weekly_send(delivery.id, delivery.claim).await {
            Ok(true) => {}
            Ok(false) => return Attempt::Superseded,
            Err(error) => return Attempt::Failed(SendError::Transient(error.to_string())),
        }
        match to.channel.send_letter(&letter).await {
            Ok(id) => Attempt::Sent(id),
            Err(error) => Attempt::Failed(error),
        }
    }
}
