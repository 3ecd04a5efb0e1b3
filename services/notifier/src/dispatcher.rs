//! Sends each notification once: the row is claimed before anything is sent, an earlier attempt's
//! message is looked for, and the result is written under the fence of the claim.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_service::{Lease, LeaseState, LeaseTerms, LeasedWork, StopReason};
use tarsy_store::{
    Error as StoreError, Notification, NotificationKind, NotificationOutcome, SendAttempt, Store,
};
use tokio::time::Instant;
use tracing::Span;

use crate::channel::{Channel, SendError};
use crate::destinations::Destinations;
use crate::metrics;
use crate::retry::{Attempt, decide};
use crate::warnings::Warnings;

/// How long a claim holds. It is not renewed: an attempt ends before, so that two notifiers never send
/// the same notification at once.
const LEASE: Duration = Duration::from_secs(30);
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(20);
/// Counted failures after which an operator is warned.
const WARN_AFTER: i32 = 3;

/// The notifications as leased work.
pub(crate) struct Dispatcher {
    store: Store,
    destinations: Destinations,
    warnings: Warnings,
    /// When each destination that requested a pause may be used again.
    paused: Mutex<HashMap<String, Instant>>,
}

impl Dispatcher {
    pub(crate) fn new(store: Store, destinations: Destinations, warnings: Warnings) -> Self {
        Self { store, destinations, warnings, paused: Mutex::default() }
    }

    /// The destinations that did not request a pause.
    fn available(&self) -> Vec<String> {
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        paused.retain(|_, until| Instant::now() < *until);
        let mut names = self.destinations.names();
        names.retain(|name| !paused.contains_key(name));
        names
    }

    /// A rate limit holds for the whole destination, not for one notification.
    fn pause(&self, destination: &str, duration: Duration) {
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        paused.insert(destination.to_owned(), Instant::now() + duration);
    }

    async fn attempt(&self, note: &Notification) -> Attempt {
        let ended = note.status != SessionStatus::InProgress;
        if note.kind == NotificationKind::Started && ended {
            return Attempt::Obsolete;
        }
        let Some(destination) = self.destinations.get(&note.destination) else {
            return Attempt::Obsolete;
        };
        match self.send_once(&*destination.channel, note).await {
            Ok(attempt) => attempt,
            Err(error) => Attempt::Failed(error),
        }
    }

    /// Sends the notification, unless an earlier attempt did whose answer was lost.
    async fn send_once(
        &self,
        channel: &dyn Channel,
        note: &Notification,
    ) -> Result<Attempt, SendError> {
        let thread = if note.attempted_at.is_some() {
            if let Some(id) = find_sent(channel, note).await? {
                return Ok(Attempt::Sent(Some(id)));
            }
            note.thread_ref.clone().or_else(|| note.started_thread_ref.clone())
        } else if note.started_thread_ref.is_some() {
            note.started_thread_ref.clone()
        } else {
            channel.find_thread(note).await?
        };
        match self.send(channel, note, thread.as_deref()).await {
            Err(SendError::ThreadClosed(code)) if thread.is_some() => {
                tracing::info!(code, "the thread takes no replies; sending outside of it");
                self.send(channel, note, None).await
            }
            sent => sent,
        }
    }

    /// Writes down that the notification is about to be sent, and sends it if nothing forbids it.
    async fn send(
        &self,
        channel: &dyn Channel,
        note: &Notification,
        thread: Option<&str>,
    ) -> Result<Attempt, SendError> {
        let allowed = self.store.begin_notification_send(note.id, note.claim, thread).await;
        match allowed.map_err(|error| SendError::Transient(error.to_string()))? {
            SendAttempt::Allowed => channel.send(note, thread).await.map(Attempt::Sent),
            SendAttempt::Superseded => Ok(Attempt::Superseded),
            SendAttempt::Obsolete => Ok(Attempt::Obsolete),
        }
    }

    async fn finish(&self, note: &Notification, attempt: Attempt) {
        metrics::attempted(&note.destination, attempt.label());
        if matches!(attempt, Attempt::Failed(_)) {
            tarsy_telemetry::set_failed(&Span::current(), attempt.label());
        }
        match &attempt {
            Attempt::Failed(SendError::RateLimited { retry_after }) => {
                self.pause(&note.destination, *retry_after);
            }
            Attempt::Failed(SendError::Inapplicable(why)) => {
                tracing::info!(why, "notification skipped");
            }
            _ => {}
        }
        let age = Duration::try_from(note.claimed_at.duration_since(note.created_at));
        let Some(outcome) = decide(attempt, note.failures, age.unwrap_or_default()) else { return };
        self.report(note, &outcome).await;
        // A result that is not stored now: the row is claimed again when the claim ends, and the
        // message is looked for then.
        if let Err(error) = self.store.finish_notification(note.id, note.claim, outcome).await {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "could not store the result");
        }
    }

    async fn report(&self, note: &Notification, outcome: &NotificationOutcome) {
        match outcome {
            NotificationOutcome::Sent { .. } => {
                tracing::info!("notification sent");
                self.warnings.clear(&note.destination).await;
            }
            NotificationOutcome::Retry { error, counts: true, .. } => {
                tracing::warn!(error, "notification failed; it is retried");
                if note.failures + 1 >= WARN_AFTER {
                    self.warnings.raise(&note.destination, error).await;
                }
            }
            NotificationOutcome::Exhausted { error } => {
                tracing::error!(error, "notification became a dead letter");
                self.warnings.raise(&note.destination, error).await;
            }
            NotificationOutcome::Retry { counts: false, .. } | NotificationOutcome::Skipped => {}
        }
    }
}

impl LeasedWork for Dispatcher {
    type Claim = Notification;
    const NAME: &'static str = "notification";

    async fn claim(&self) -> Result<Option<Notification>, StoreError> {
        let claimed = self.store.claim_notifications(&self.available(), 1, LEASE).await?;
        Ok(claimed.into_iter().next())
    }

    fn session_id(&self, note: &Notification) -> SessionId {
        note.session_id
    }

    fn terms(&self, _: &Notification) -> LeaseTerms {
        LeaseTerms { renew_every: None, time_left: ATTEMPT_TIMEOUT }
    }

    fn span(&self, note: &Notification) -> Span {
        let span = tracing::info_span!("notification", session.id = %note.session_id, to = note.destination, otel.kind = "client");
        tarsy_telemetry::set_parent(&span, note.traceparent.as_deref());
        tarsy_telemetry::set_attribute(&span, "tarsy.notification.kind", <&str>::from(note.kind));
        span
    }

    async fn renew(&self, _: &Notification) -> Result<LeaseState, StoreError> {
        Ok(LeaseState::Held)
    }

    async fn run(&self, note: &Notification, lease: &Lease) -> Result<(), StopReason> {
        let attempt = match lease.unless_stopped(self.attempt(note)).await {
            Ok(attempt) => attempt,
            Err(StopReason::TimedOut) => {
                Attempt::Failed(SendError::Unanswered("it took too long".to_owned()))
            }
            Err(reason) => return Err(reason),
        };
        self.finish(note, attempt).await;
        Ok(())
    }

    /// Does nothing: a request that was interrupted may still arrive, so the claim must end first.
    async fn release(&self, _: &Notification) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The message of an earlier attempt: where the row says, or in the thread of the start if a restore has lost that.
async fn find_sent(
    channel: &dyn Channel,
    note: &Notification,
) -> Result<Option<String>, SendError> {
    if let Some(id) = channel.find_sent(note).await? {
        return Ok(Some(id));
    }
    let lost = note.started_thread_ref.clone().filter(|_| note.thread_ref.is_none());
    let Some(thread) = lost else { return Ok(None) };
    let in_thread = Notification { thread_ref: Some(thread), ..note.clone() };
    channel.find_sent(&in_thread).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_ends_well_before_its_claim() {
        assert!(ATTEMPT_TIMEOUT + Duration::from_secs(5) <= LEASE);
    }
}
