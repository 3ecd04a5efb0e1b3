//! Inserts a row for each notification that is due, from events and from a periodic look at the
//! sessions: an event may be lost with NATS. Calls that wait for approval, reviews, rollbacks and the state of work have no event of
//! their own here: their tables are looked at more often.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tarsy_bus::{Bus, Handled};
use tarsy_catalog::{Destination, NotificationStatus};
use tarsy_contracts::event::EventHead;
use tarsy_contracts::topology;
use tarsy_domain::id::SessionId;
use tarsy_domain::messenger::Messenger;
use tarsy_store::{
    Error, NewApprovalNotification, NewNotification, NotificationKind, Store, UnnotifiedAnswer,
    UnnotifiedApproval, UnnotifiedSession,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::channel::{Approvals, Starts, reported_status};
use crate::destinations::{Destinations, Opened};
use crate::metrics;

/// How often the sessions are reconciled with the rows.
const RECONCILE_INTERVAL: Duration = Duration::from_secs(20);
/// How often the calls that wait for approval, the reviews, the rollbacks and the states of work are looked up: people take seconds at least.
const DECISIONS_INTERVAL: Duration = Duration::from_secs(2);
/// Sessions that one query reads.
const BATCH: i64 = 500;

/// Inserts the rows of notifications; cheap to clone.
#[derive(Clone)]
pub(crate) struct Outbox {
    pub(crate) store: Store,
    pub(crate) destinations: Destinations,
    /// Notified when rows to send were inserted.
    pub(crate) inserted: Arc<Notify>,
}

impl Outbox {
    /// Inserts the rows that events call for, until `stop`.
    pub(crate) async fn consume_events(self, bus: Bus, stop: CancellationToken) {
        let handle = move |payload: Bytes| {
            let outbox = self.clone();
            async move { outbox.handle_event(&payload).await }
        };
        bus.consume(&topology::NOTIFIER, stop, handle).await;
    }

    async fn handle_event(&self, payload: &[u8]) -> Handled {
        let Ok(head) = serde_json::from_slice::<EventHead>(payload) else {
            tracing::warn!("an event has another shape; the reconciliation covers it");
            return Handled::Done;
        };
        match self.insert_missing(Some(head.session_id), "event").await {
            Ok(_) => Handled::Done,
            Err(error) => {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "an event is delivered again");
                Handled::Retry
            }
        }
    }

    /// Reconciles sessions and rows every 20 s, until `stop`.
    pub(crate) async fn reconcile(self, stop: CancellationToken) {
        let mut interval = tokio::time::interval(RECONCILE_INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = interval.tick() => {}
            }
            if let Err(error) = self.reconcile_once(&stop).await {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "could not reconcile notifications");
            }
        }
    }

    /// Inserts the rows about calls that wait for approval, about those that wait no more, about reviews, rollbacks and the state
    /// of work, until `stop`.
    pub(crate) async fn watch_decisions(self, stop: CancellationToken) {
        let names = self.destinations.names_with(Approvals::Reported);
        let announced = self.destinations.names_with(Approvals::Announced);
        let asked: Vec<String> = names.iter().cloned().chain(announced).collect();
        let served = self.destinations.served();
        if asked.is_empty() && served.is_empty() {
            return;
        }
        let mut interval = tokio::time::interval(DECISIONS_INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = interval.tick() => {}
            }
            if let Err(error) = self.insert_missing_answers(&served).await {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "could not look for answers to questions");
            }
            if let Err(error) = self.insert_missing_approvals(&asked).await {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "could not look for calls that wait for approval");
            }
            if names.is_empty() {
                continue;
            }
            if let Err(error) = self.insert_missing_reviews(&names).await {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "could not look for reviews of sessions");
            }
            if let Err(error) = self.insert_missing_rollbacks(&names).await {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "could not look for actions that were rolled back");
            }
            if let Err(error) = self.insert_missing_triage(&names).await {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "could not look for sessions that people have taken or done");
            }
        }
    }

    async fn insert_missing_approvals(&self, names: &[String]) -> Result<(), Error> {
        if names.is_empty() {
            return Ok(());
        }
        let missing = self.store.list_unnotified_approvals(names, BATCH).await?;
        let rows: Vec<NewApprovalNotification> = missing
            .into_iter()
            .filter_map(|approval| {
                let to = self.destinations.get(&approval.destination)?;
                let send = is_call_sent(&approval, to, &self.destinations);
                Some(NewApprovalNotification { approval, send })
            })
            .collect();
        if !rows.is_empty() {
            let pending = self.store.insert_approval_notifications(&rows).await?;
            metrics::planned(pending, "approvals");
            if pending > 0 {
                self.inserted.notify_one();
            }
        }
        Ok(())
    }

    async fn insert_missing_answers(&self, served: &[Messenger]) -> Result<(), Error> {
        if served.is_empty() {
            return Ok(());
        }
        let messengers: Vec<&str> = served.iter().map(|one| one.as_str()).collect();
        let missing = self.store.list_unnotified_answers(&messengers, BATCH).await?;
        let rows: Vec<(UnnotifiedAnswer, String)> = missing
            .into_iter()
            .filter_map(|answer| {
                let to = self.destinations.of(answer.messenger)?.name.clone();
                Some((answer, to))
            })
            .collect();
        if !rows.is_empty() {
            let pending = self.store.insert_answer_notifications(&rows).await?;
            metrics::planned(pending, "answers");
            if pending > 0 {
                self.inserted.notify_one();
            }
        }
        Ok(())
    }

    async fn insert_missing_reviews(&self, names: &[String]) -> Result<(), Error> {
        let missing = self.store.list_unnotified_reviews(names, BATCH).await?;
        if !missing.is_empty() {
            let pending = self.store.insert_review_notifications(&missing).await?;
            metrics::planned(pending, "reviews");
            if pending > 0 {
                self.inserted.notify_one();
            }
        }
        Ok(())
    }

    async fn insert_missing_rollbacks(&self, names: &[String]) -> Result<(), Error> {
        let missing = self.store.list_unnotified_rollbacks(names, BATCH).await?;
        if !missing.is_empty() {
            let pending = self.store.insert_rollback_notifications(&missing).await?;
            metrics::planned(pending, "rollbacks");
            if pending > 0 {
                self.inserted.notify_one();
            }
        }
        Ok(())
    }

    async fn insert_missing_triage(&self, names: &[String]) -> Result<(), Error> {
        let missing = self.store.list_unnotified_triage(names, BATCH).await?;
        if !missing.is_empty() {
            let pending = self.store.insert_triage_notifications(&missing).await?;
            metrics::planned(pending, "triage");
            if pending > 0 {
                self.inserted.notify_one();
            }
        }
        Ok(())
    }

    async fn reconcile_once(&self, stop: &CancellationToken) -> Result<(), Error> {
        let names = self.destinations.names();
        self.store.register_destinations(&names).await?;
        while self.insert_missing(None, "sweep").await? >= BATCH && !stop.is_cancelled() {}
        metrics::pending(self.store.count_pending_notifications(&names).await?);
        Ok(())
    }

    /// Inserts the missing rows of one session or of all; returns how many sessions missed some.
    async fn insert_missing(
        &self,
        session: Option<SessionId>,
        by: &'static str,
    ) -> Result<i64, Error> {
        let names = self.destinations.names();
        let unnotified = self.store.list_unnotified(&names, session, BATCH).await?;
        let rows: Vec<NewNotification> = unnotified
            .iter()
            .flat_map(|session| {
                self.destinations.iter().map(|to| row(session, to, &self.destinations))
            })
            .collect();
        if !rows.is_empty() {
            let pending = self.store.insert_notifications(&rows).await?;
            metrics::planned(pending, by);
            if pending > 0 {
                self.inserted.notify_one();
            }
        }
        Ok(i64::try_from(unnotified.len()).unwrap_or(i64::MAX))
    }
}

/// A row is inserted also for what is not sent, so that it is decided once.
fn row(session: &UnnotifiedSession, to: &Opened, all: &Destinations) -> NewNotification {
    let is_in_thread = all.has_in_thread(to, session.place.as_ref());
    let by_rules = !is_in_thread
        && to.rules.as_ref().is_some_and(|rules| is_sent(session, rules, to.channel.starts()));
    NewNotification {
        session_id: session.session_id,
        kind: session.kind,
        destination: to.name.clone(),
        send: by_rules || is_sent_to_command(session, to),
    }
}

/// Whoever asked for a session reads its end where it was asked for, and its start if there is no thread yet.
fn is_sent_to_command(session: &UnnotifiedSession, to: &Opened) -> bool {
    let has_thread = session.place.as_ref().is_some_and(|place| place.thread.is_some());
    let is_missing = session.kind != NotificationKind::Started || !has_thread;
    to.answers(session.place.as_ref()) && is_missing
}

fn is_sent(session: &UnnotifiedSession, destination: &Destination, starts: Starts) -> bool {
    let Some(status) = reported_status(session.kind, session.status) else { return false };
    if !session.is_wanted {
        return false;
    }
    let without_thread = status == NotificationStatus::Started
        && starts == Starts::Threaded
        && !session.has_fingerprint;
    !without_thread && destination.subscribes_to(session.alert_type.as_deref(), status)
}

/// The end of a request changes the request, where a message can be changed.
fn is_call_sent(approval: &UnnotifiedApproval, to: &Opened, all: &Destinations) -> bool {
    let place = approval.place.as_ref();
    let by_rules = to.rules.as_ref().is_some_and(|rules| {
        rules.subscribes_to(approval.alert_type.as_deref(), NotificationStatus::Approval)
    });
    match approval.kind {
        NotificationKind::ApprovalClosed => to.channel.approvals() == Approvals::Reported,
        _ => to.answers(place) || by_rules && !all.has_in_thread(to, place),
    }
}

#[cfg(test)]
mod tests {
    use tarsy_catalog::{Target, WebhookTarget};
    use tarsy_domain::status::SessionStatus;
    use tarsy_store::NotificationKind;

    use super::*;

    fn destination(statuses: Vec<NotificationStatus>) -> Destination {
        Destination {
            name: "oncall".to_owned(),
            alert_types: vec!["host".to_owned()],
            statuses,
            target: Target::Webhook(WebhookTarget {
                url: "https://a.example".parse().unwrap(),
                secret_env: "S".to_owned(),
            }),
        }
    }

    fn session(kind: NotificationKind, status: SessionStatus) -> UnnotifiedSession {
        UnnotifiedSession {
            session_id: SessionId::new(),
            kind,
            status,
            alert_type: Some("host".to_owned()),
            has_fingerprint: false,
            is_wanted: true,
            place: None,
        }
    }

    #[test]
    fn a_threaded_start_is_sent_only_below_the_alerts_own_message() {
        let start = session(NotificationKind::Started, SessionStatus::InProgress);
        let threaded = UnnotifiedSession { has_fingerprint: true, ..start.clone() };
        let all = destination(Vec::new());
        assert!(is_sent(&threaded, &all, Starts::Threaded));
        assert!(!is_sent(&start, &all, Starts::Threaded));
        assert!(is_sent(&start, &all, Starts::All));
        let failures = destination(vec![NotificationStatus::Failed]);
        assert!(!is_sent(&threaded, &failures, Starts::Threaded));
    }

    #[test]
    fn an_end_is_sent_to_destinations_that_subscribe_to_its_status() {
        let end = |status| session(NotificationKind::Ended, status);
        let pager = destination(vec![NotificationStatus::Failed, NotificationStatus::TimedOut]);
        assert!(is_sent(&end(SessionStatus::TimedOut), &pager, Starts::Threaded));
        assert!(!is_sent(&end(SessionStatus::Completed), &pager, Starts::Threaded));
        let all = destination(Vec::new());
        assert!(is_sent(&end(SessionStatus::Cancelled), &all, Starts::Threaded));
        let other =
            UnnotifiedSession { alert_type: Some("k8s".to_owned()), ..end(SessionStatus::Failed) };
        assert!(!is_sent(&other, &pager, Starts::Threaded));
        let unwanted = UnnotifiedSession { is_wanted: false, ..end(SessionStatus::Completed) };
        assert!(!is_sent(&unwanted, &all, Starts::Threaded));
    }
}
