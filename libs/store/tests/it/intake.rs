//! Alerts of sources that belong to a session.

use std::sync::Arc;

use serde_json::Value;
use tarsy_domain::event::Role;
use tarsy_domain::id::{SessionId, TriageEntryId};
use tarsy_domain::triage::Triage;
use tarsy_intake::{Alert, Content, Policy, Status};
use tarsy_store::{Batch, NewAlert, NewAlerts, Op, TriageChange};

use crate::setup::{Db, alert, db};

/// Receives alerts of one group; returns the session that they belong to.
async fn receive(db: &Db, names: &[&str], status: Status) -> SessionId {
    let alerts = names.iter().map(|name| NewAlert {
        alert: Alert {
            source: "prometheus".to_owned(),
            source_id: None,
            title: (*name).to_owned(),
            severity: None,
            status,
            service: None,
            namespace: None,
            cluster: None,
            labels: [("alertname".to_owned(), (*name).to_owned())].into(),
            annotations: std::collections::BTreeMap::new(),
            links: Vec::new(),
            fingerprint: (*name).to_owned(),
            group_key: None,
            starts_at: Some(jiff::Timestamp::UNIX_EPOCH),
            ends_at: None,
            content: Content::Problem,
            notes: Vec::new(),
            raw: Value::Null,
        },
        group: Some("g".to_owned()),
        policy: Arc::new(Policy::default()),
        alert_type: "kubernetes".to_owned(),
        chain_id: "kubernetes".to_owned(),
        rule: None,
        runbook_url: None,
        held: None,
    });
    let new = NewAlerts {
        source: "prometheus".to_owned(),
        alerts: alerts.collect(),
        pending_sessions: None,
        tokens_used_up: false,
    };
    let received = db.store.receive_alerts(new, |_| alert()).await.unwrap();
    received.outcomes.first().unwrap().session_id.unwrap()
}

/// The titles of the alerts after a place, how many more there are, and the place of the newest.
async fn attached(db: &Db, session: SessionId, after: i64) -> (Vec<String>, i64, Option<i64>) {
    let found = db.store.list_attached_alerts(session, after, 2).await.unwrap();
    let titles = found.alerts.into_iter().map(|alert| alert.title).collect();
    (titles, found.more, found.newest)
}

#[tokio::test]
async fn alerts_that_its_text_does_not_have_are_listed_from_a_place_on_and_the_rest_is_counted() {
    let db = db().await;
    let session = receive(&db, &["a", "b"], Status::Firing).await;
    assert_eq!(attached(&db, session, 0).await, (vec![], 0, None), "its text has both");
    assert_eq!(receive(&db, &["c", "d", "e"], Status::Firing).await, session);
    receive(&db, &["c", "d", "e"], Status::Firing).await;
    receive(&db, &["a"], Status::Resolved).await;
    let (titles, more, newest) = attached(&db, session, 0).await;
    assert_eq!((titles, more), (vec!["c".to_owned(), "d".to_owned()], 2));
    let newest = newest.unwrap();
    assert_eq!(attached(&db, session, newest).await, (vec![], 0, None));
    assert_eq!(attached(&db, session, newest - 1).await, (vec!["a".to_owned()], 0, Some(newest)));
    assert_eq!(attached(&db, SessionId::new(), 0).await, (vec![], 0, None));
}

#[tokio::test]
async fn a_session_that_was_done_is_new_again_when_its_problem_comes_back() {
    let db = db().await;
    let session = receive(&db, &["a"], Status::Firing).await;
    let done = TriageChange {
        session_id: session,
        entry_id: TriageEntryId::new(),
        author: "ann".to_owned(),
        triage: Some(Triage::Done),
        assignee: None,
        note: None,
        takes_over: false,
    };
    db.store.change_triage(done).await.unwrap();
    receive(&db, &["a"], Status::Resolved).await;
    assert_eq!(db.store.find_triage(session).await.unwrap().unwrap().triage, Triage::Done);
    assert_eq!(receive(&db, &["b"], Status::Firing).await, session);
    let triage = db.store.find_triage(session).await.unwrap().unwrap();
    assert_eq!((triage.triage, triage.assignee), (Triage::New, None));
    assert_eq!((triage.entries.len(), &triage.entries[0].author), (2, &None));
}

#[tokio::test]
async fn a_message_has_the_place_of_the_last_alert_that_it_gives() {
    let db = db().await;
    let work = db.working().await;
    let with = |number, alerts_until| {
        let message = work.message(number, Role::User, "an alert");
        Op::AppendMessage(tarsy_store::NewMessage { alerts_until, ..message })
    };
    let batch = Batch::new().with(with(0, None)).with(with(1, Some(7)));
    db.store.commit(work.fence, batch).await.unwrap();
    let messages = db.store.list_messages(work.execution).await.unwrap();
    let places: Vec<Option<i64>> = messages.iter().map(|message| message.alerts_until).collect();
    assert_eq!(places, [None, Some(7)]);
}
