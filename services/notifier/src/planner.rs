//! Who is to be told of what: from an event, and from a look at the table, to rows.

use std::time::Duration;

use bytes::Bytes;
use tarsy_bus::Handled;
use tarsy_catalog::{Destination, NotificationStatus, Target};
use tarsy_contracts::event::EventHead;
use tarsy_contracts::topology;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Error, NewNotification, NotificationKind, UnnotifiedSession};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::metrics;

/// How often the table is looked at for what no event told.
const EVERY: Duration = Duration::from_secs(20);
/// Sessions that one look takes.
const AT_ONCE: i64 = 500;

/// Hears of sessions that begin and end.
pub(crate) async fn listen(app: App, stop: CancellationToken) {
    let bus = app.bus.clone();
    let heard = move |payload: Bytes| {
        let app = app.clone();
        async move { handle_event(&app, &payload).await }
    };
    bus.consume(&topology::NOTIFIER, stop, heard).await;
}

/// Inserts the rows that an event calls for.
async fn handle_event(app: &App, payload: &[u8]) -> Handled {
    let Ok(head) = serde_json::from_slice::<EventHead>(payload) else {
        tracing::warn!("an event of another shape is left to the sweep");
        return Handled::Done;
    };
    match plan(app, Some(head.session_id), "event").await {
        Ok(_) => Handled::Done,
        Err(error) => {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "an event is heard again later");
            Handled::Retry
        }
    }
}

/// Looks at the table from time to time: an event may have been lost with NATS.
pub(crate) async fn sweep(app: App, stop: CancellationToken) {
    let mut every = tokio::time::interval(EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = every.tick() => {}
        }
        if let Err(error) = sweep_once(&app, &stop).await {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "no sweep");
        }
    }
}

async fn sweep_once(app: &App, stop: &CancellationToken) -> Result<(), Error> {
    let names = app.names();
    app.store.register_destinations(&names).await?;
    while plan(app, None, "sweep").await? >= AT_ONCE && !stop.is_cancelled() {}
    metrics::pending(app.store.count_pending_notifications(&names).await?);
    Ok(())
}

/// Writes the rows that are missing; tells of how many sessions some were.
async fn plan(app: &App, session: Option<SessionId>, by: &'static str) -> Result<i64, Error> {
    let untold = app.store.list_unnotified(&app.names(), session, AT_ONCE).await?;
    let rows: Vec<NewNotification> =
        untold.iter().flat_map(|one| rows_of(one, &app.destinations)).collect();
    if !rows.is_empty() {
        let pending = app.store.insert_notifications(&rows).await?;
        metrics::planned(pending, by);
        if pending > 0 {
            app.written.notify_one();
        }
    }
    Ok(i64::try_from(untold.len()).unwrap_or(i64::MAX))
}

fn rows_of<'a>(
    untold: &'a UnnotifiedSession,
    destinations: &'a [Destination],
) -> impl Iterator<Item = NewNotification> + 'a {
    destinations.iter().map(|destination| NewNotification {
        session_id: untold.session_id,
        kind: untold.kind,
        destination: destination.name.clone(),
        send: wants(destination, untold),
    })
}

fn wants(destination: &Destination, untold: &UnnotifiedSession) -> bool {
    let Some(moment) = moment(untold.kind, untold.status) else { return false };
    // In a channel, the word of a start belongs below the alert's own message, or nowhere.
    let alone = moment == NotificationStatus::Started
        && matches!(destination.target, Target::Slack(_))
        && !untold.has_fingerprint;
    !alone && destination.subscribes_to(untold.alert_type.as_deref(), moment)
}

/// The moment that is told, in the operator's words.
pub(crate) fn moment(kind: NotificationKind, status: SessionStatus) -> Option<NotificationStatus> {
    match (kind, status) {
        (NotificationKind::Started, _) => Some(NotificationStatus::Started),
        (NotificationKind::Ended, SessionStatus::Completed) => Some(NotificationStatus::Completed),
        (NotificationKind::Ended, SessionStatus::Failed) => Some(NotificationStatus::Failed),
        (NotificationKind::Ended, SessionStatus::TimedOut) => Some(NotificationStatus::TimedOut),
        (NotificationKind::Ended, SessionStatus::Cancelled) => Some(NotificationStatus::Cancelled),
        (
            NotificationKind::Ended,
            SessionStatus::Pending | SessionStatus::InProgress | SessionStatus::Cancelling,
        ) => None,
    }
}

#[cfg(test)]
mod tests {
    use tarsy_catalog::{SlackTarget, WebhookTarget};

    use super::*;

    fn slack(moments: Vec<NotificationStatus>) -> Destination {
        Destination {
            name: "oncall".to_owned(),
            alert_types: vec!["host".to_owned()],
            statuses: moments,
            target: Target::Slack(SlackTarget {
                channel: "C1".to_owned(),
                token_env: "T".to_owned(),
                api_url: "https://slack.com/api".to_owned(),
            }),
        }
    }

    fn untold(
        kind: NotificationKind,
        status: SessionStatus,
        has_fingerprint: bool,
    ) -> UnnotifiedSession {
        let session_id = SessionId::new();
        let alert_type = Some("host".to_owned());
        UnnotifiedSession { session_id, kind, status, alert_type, has_fingerprint }
    }

    #[test]
    fn a_channel_is_told_of_a_start_only_below_the_alerts_own_message() {
        let start =
            |fingerprint| untold(NotificationKind::Started, SessionStatus::InProgress, fingerprint);
        assert!(wants(&slack(Vec::new()), &start(true)));
        assert!(!wants(&slack(Vec::new()), &start(false)));
        assert!(!wants(&slack(vec![NotificationStatus::Failed]), &start(true)));
        let webhook = Destination {
            target: Target::Webhook(WebhookTarget {
                url: "https://a.example".parse().unwrap(),
                secret_env: "S".to_owned(),
            }),
            ..slack(Vec::new())
        };
        assert!(wants(&webhook, &start(false)));
    }

    #[test]
    fn an_end_is_told_to_who_asked_for_its_status() {
        let end = |status| untold(NotificationKind::Ended, status, false);
        let pages = slack(vec![NotificationStatus::Failed, NotificationStatus::TimedOut]);
        assert!(wants(&pages, &end(SessionStatus::TimedOut)));
        assert!(!wants(&pages, &end(SessionStatus::Completed)));
        assert!(wants(&slack(Vec::new()), &end(SessionStatus::Cancelled)));
        let other =
            UnnotifiedSession { alert_type: Some("k8s".to_owned()), ..end(SessionStatus::Failed) };
        assert!(!wants(&pages, &other));
    }
}
