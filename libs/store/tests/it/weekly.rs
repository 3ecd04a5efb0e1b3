//! The weekly message: a week is written down once, and each delivery is sent by one.

use std::time::Duration;

use jiff::Timestamp;
use tarsy_contracts::prevention::{NeedlessAlert, Prevention, RecurringCause, UnreliableTool};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{DeleteOutcome, NotificationOutcome};

use crate::setup::{LEASE, db, end};

fn found() -> Prevention {
    let at: Timestamp = "2026-02-28T12:00:00Z".parse().unwrap();
    Prevention {
        week: Some("2026-W09".to_owned()),
        previous_week: "2026-W08".to_owned(),
        next_week: None,
        from: at,
        to: at,
        sessions: 1,
        sessions_before: 0,
        is_cut: false,
        causes: Vec::new(),
        alerts: Vec::new(),
        tools: Vec::new(),
        sources: Vec::new(),
    }
}

#[tokio::test]
async fn a_week_is_written_down_by_one_and_sent_to_each_once() {
    let db = db().await;
    let names = ["chat".to_owned(), "mail".to_owned()];
    assert!(!db.store.is_week_known("2026-W09").await.unwrap());
    let found = found();
    let (one, other) = tokio::join!(
        db.store.add_week("2026-W09", Some(&found), &names),
        db.store.add_week("2026-W09", Some(&found), &names),
    );
    assert!(one.unwrap() ^ other.unwrap(), "one of both leads");
    assert!(db.store.is_week_known("2026-W09").await.unwrap());
    assert!(db.store.claim_weekly_delivery(&["else".to_owned()], LEASE).await.unwrap().is_none());

    let first = db.store.claim_weekly_delivery(&names, LEASE).await.unwrap().unwrap();
    let second = db.store.claim_weekly_delivery(&names, LEASE).await.unwrap().unwrap();
    assert_ne!(first.destination, second.destination);
    assert_eq!((first.found.sessions, first.attempted_at), (1, None));
    assert!(db.store.claim_weekly_delivery(&names, LEASE).await.unwrap().is_none());
    assert!(db.store.begin_weekly_send(first.id, first.claim).await.unwrap());
    let sent = NotificationOutcome::Sent { external_ref: None };
    assert!(db.store.finish_weekly_delivery(&first, &sent).await.unwrap());
    assert!(!db.store.finish_weekly_delivery(&first, &sent).await.unwrap(), "it is over");

    let (error, pause) = ("it answered 503".to_owned(), Duration::ZERO);
    let retry = NotificationOutcome::Retry { error, pause, counts: true };
    assert!(db.store.finish_weekly_delivery(&second, &retry).await.unwrap());
    let again = db.store.claim_weekly_delivery(&names, LEASE).await.unwrap().unwrap();
    assert_eq!((again.id, again.failures, again.claim), (second.id, 1, second.claim + 1));
    assert!(!db.store.begin_weekly_send(second.id, second.claim).await.unwrap(), "an old claim");
    let kept = "select count(*) from weekly_messages where found is not null";
    let kept = async || sqlx::query_scalar::<_, i64>(kept).fetch_one(&db.raw).await.unwrap();
    assert_eq!(kept().await, 1);
    assert!(db.store.finish_weekly_delivery(&again, &sent).await.unwrap());
    assert_eq!(kept().await, 0, "what nobody waits for is deleted");
}

#[tokio::test]
async fn of_a_quiet_week_nobody_is_sent_anything() {
    let db = db().await;
    let names = ["chat".to_owned()];
    assert!(db.store.add_week("2026-W09", None, &names).await.unwrap());
    assert!(db.store.claim_weekly_delivery(&names, LEASE).await.unwrap().is_none());
    assert!(!db.store.add_week("2026-W09", Some(&found()), &names).await.unwrap());
}

/// A cause, an alert and a tool of which a session is the newest.
fn of_session(found: &mut Prevention, session: SessionId) {
    found.causes.push(RecurringCause {
        category: "disk_full".to_owned(),
        object_kind: String::new(),
        object: "web-1".to_owned(),
        namespace: None,
        cause: "the disk is full".to_owned(),
        sessions: 2,
        sessions_before: 0,
        reviewed: 0,
        actions: 0,
        actions_worked: 0,
        last_at: found.from,
        last_session_id: session,
    });
    found.alerts.push(NeedlessAlert {
        fingerprint: None,
        alert_type: None,
        title: Some("the disk is full".to_owned()),
        sessions: 2,
        sessions_before: 0,
        reviewed: 0,
        last_at: found.from,
        last_session_id: session,
    });
    found.tools.push(UnreliableTool {
        server: "s".to_owned(),
        tool: "t".to_owned(),
        calls: 2,
        failed: 2,
        calls_before: 0,
        failed_before: 0,
        last_error_kind: Some("timeout".to_owned()),
        last_error: Some("no answer of web-1".to_owned()),
        last_session_id: Some(session),
    });
}

#[tokio::test]
async fn a_weekly_message_has_nothing_of_a_deleted_session() {
    let db = db().await;
    let work = db.working().await;
    db.store.finish_session(work.fence, end(SessionStatus::Completed)).await.unwrap();
    let (session, other) = (work.fence.session_id, SessionId::new());
    let names = ["chat".to_owned()];
    let mut found = found();
    of_session(&mut found, session);
    of_session(&mut found, other);
    assert!(db.store.add_week("2026-W09", Some(&found), &names).await.unwrap());
    let deleted = db.store.delete_session(session, "anna", "names a customer").await.unwrap();
    assert_eq!(deleted, DeleteOutcome::Deleted(vec![session]));
    let message = db.store.claim_weekly_delivery(&names, LEASE).await.unwrap().unwrap();
    let sent = message.found;
    assert_eq!(sent.causes, found.causes[1..]);
    assert_eq!(sent.alerts, found.alerts[1..]);
    let tools: Vec<_> =
        sent.tools.iter().map(|tool| (tool.last_error.as_deref(), tool.last_session_id)).collect();
    assert_eq!(tools, [(None, None), (Some("no answer of web-1"), Some(other))]);
}
