//! Taking alerts in, once each.

use futures::future::join_all;
use serde_json::json;
use tarsy_contracts::work::IdempotencyKey;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_store::Created;

use crate::setup::{alert, db, payload};

fn key(principal: &str, request: &str) -> IdempotencyKey {
    IdempotencyKey {
        principal: principal.to_owned(),
        key: "key".to_owned(),
        request_hash: request.to_owned(),
    }
}

#[tokio::test]
async fn an_alert_becomes_a_waiting_session_with_an_event() {
    let db = db().await;
    let mut new = alert();
    new.mcp_selection = Some(json!({"servers": [{"name": "kubernetes-server"}]}));
    new.requested_provider = Some("fast".to_owned());
    new.runbook_url = Some("https://github.com/x/y".to_owned());
    new.slack_message_fingerprint = Some("fingerprint".to_owned());
    let Created::New { session_id, events } = db.store.insert_session(new.clone()).await.unwrap()
    else {
        panic!("new")
    };
    assert_eq!(session_id, new.id);
    assert_eq!(events.len(), 1);
    let committed = payload(&events[0]);
    assert_eq!((&committed["status"], &committed["db_event_id"]), (&json!("pending"), &json!(1)));
    let session = db.store.find_session(session_id).await.unwrap().unwrap();
    assert_eq!(session.status, SessionStatus::Pending);
    assert_eq!(session.alert_data, new.alert_data);
    assert_eq!(session.config_snapshot, new.config_snapshot);
    assert_eq!(session.mcp_selection, new.mcp_selection);
    assert_eq!(session.requested_provider, new.requested_provider);
    assert_eq!(session.runbook_url, new.runbook_url);
    assert_eq!(session.slack_message_fingerprint, new.slack_message_fingerprint);
    assert!(session.started_at.is_none());
    let status = db.store.find_session_status(session_id).await.unwrap().unwrap();
    assert_eq!((status.id, status.status), (session_id, SessionStatus::Pending));
}

#[tokio::test]
async fn an_unknown_session_is_none() {
    let db = db().await;
    let id = SessionId::new();
    assert!(db.store.find_session(id).await.unwrap().is_none());
    assert!(db.store.find_session_status(id).await.unwrap().is_none());
    assert!(db.store.find_session_detail(id).await.unwrap().is_none());
    assert!(db.store.find_session_summary(id).await.unwrap().is_none());
    assert!(db.store.find_last_event_seq(id).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_key_at_the_same_time_makes_one_session() {
    let db = db().await;
    db.open(12).await;
    let requests = (0..12).map(|_| {
        let mut new = alert();
        new.idempotency = Some(key("alice", "a"));
        db.store.insert_session(new)
    });
    let answers: Vec<_> = join_all(requests).await.into_iter().map(Result::unwrap).collect();
    let made: Vec<_> = answers
        .iter()
        .filter_map(|answer| match answer {
            Created::New { session_id, .. } => Some(*session_id),
            Created::Existing { .. } | Created::KeyReused => None,
        })
        .collect();
    assert_eq!(made.len(), 1);
    for answer in answers {
        if let Created::Existing { session_id } = answer {
            assert_eq!(session_id, made[0]);
        }
    }
    assert_eq!(db.count("select count(*) from alert_sessions").await, 1);
}

#[tokio::test]
async fn a_key_belongs_to_its_principal_and_its_request() {
    let db = db().await;
    let keyed = |principal: &str, request: &str| {
        let mut new = alert();
        new.idempotency = Some(key(principal, request));
        new
    };
    let first = db.create(keyed("alice", "a")).await;
    let other = db.create(keyed("bob", "a")).await;
    assert_ne!(first, other);
    let reused = db.store.insert_session(keyed("alice", "b")).await.unwrap();
    assert_eq!(reused, Created::KeyReused);
    assert_eq!(db.count("select count(*) from alert_sessions").await, 2);
    // Its sender has the id of a queued alert already.
    let queued = keyed("alice", "b");
    let id = queued.id;
    let created = db.store.insert_accepted_session(queued).await.unwrap();
    assert!(matches!(created, Created::New { session_id, .. } if session_id == id));
    let again = db.store.insert_session(keyed("alice", "a")).await.unwrap();
    assert_eq!(again, Created::Existing { session_id: first });
}

#[tokio::test]
async fn a_key_serves_for_a_day() {
    let db = db().await;
    let keyed = || {
        let mut new = alert();
        new.idempotency = Some(key("alice", "a"));
        new
    };
    let first = db.create(keyed()).await;
    let again = db.store.insert_session(keyed()).await.unwrap();
    assert_eq!(again, Created::Existing { session_id: first });
    sqlx::query("update idempotency_keys set created_at = now() - interval '25 hours'")
        .execute(&db.raw)
        .await
        .unwrap();
    let next = db.create(keyed()).await;
    assert_ne!(next, first);
    let again = db.store.insert_session(keyed()).await.unwrap();
    assert_eq!(again, Created::Existing { session_id: next });
}

#[tokio::test]
async fn an_alert_that_is_delivered_twice_is_stored_once() {
    let db = db().await;
    let new = alert();
    let id = db.create(new.clone()).await;
    let again = db.store.insert_session(new).await.unwrap();
    assert_eq!(again, Created::Existing { session_id: id });
    assert_eq!(db.seqs(id).await, [1]);
}

#[tokio::test]
async fn an_alert_of_a_mebibyte_of_different_words_is_taken_in() {
    let db = db().await;
    let mut new = alert();
    new.alert_data = (0..150_000_u32)
        .map(|word| char::from_u32(0x4e00 + word % 20_000).unwrap().to_string() + " ")
        .collect::<String>();
    new.alert_data.push('\0');
    let id = db.create(new).await;
    assert!(db.store.find_session(id).await.unwrap().unwrap().alert_data.ends_with('\u{fffd}'));
}
