//! Retention and dead letters.

use std::time::Duration;

use tarsy_contracts::work::IdempotencyKey;
use tarsy_domain::event::Role;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Batch, Error, NewDeadLetter, Op, SessionAges, SessionQuery};

use crate::setup::{alert, call_end, db, end};

const DAY: Duration = Duration::from_hours(24);

/// The same age for every session.
pub(crate) fn every(age: Duration) -> SessionAges {
    SessionAges { others: age, reviewed: age, replays: age }
}

#[tokio::test]
async fn an_old_session_leaves_the_lists_and_then_every_table() {
    let db = db().await;
    let work = db.working().await;
    let event = work.streaming();
    let call = work.call(event.id);
    let message = work.message(1, Role::User, "why");
    let mut outcome = call_end(&call, "cut");
    outcome.whole_result = Some("whole".to_owned());
    let batch = Batch::new()
        .with(Op::LlmInteraction(work.llm(Some(message.id))))
        .with(Op::AppendMessage(message))
        .with(Op::OpenEvent(event))
        .with(Op::CallStarted(call));
    db.store.commit(work.fence, batch).await.unwrap();
    db.store.commit(work.fence, Batch::new().with(Op::CallFinished(outcome))).await.unwrap();
    db.store.finish_session(work.fence, end(SessionStatus::Completed)).await.unwrap();
    let mut keyed = alert();
    keyed.idempotency = Some(IdempotencyKey {
        principal: "alice".to_owned(),
        key: "key".to_owned(),
        request_hash: "a".to_owned(),
    });
    let recent = db.create(keyed).await;

    assert_eq!(db.store.soft_delete_sessions(every(DAY)).await.unwrap(), 0);
    sqlx::query("update alert_sessions set completed_at = now() - interval '2 days' where completed_at is not null")
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(db.store.soft_delete_sessions(every(DAY)).await.unwrap(), 1);
    let id = work.fence.session_id;
    assert!(db.store.find_session(id).await.unwrap().is_none());
    let page = db.store.list_sessions(SessionQuery::default()).await.unwrap();
    assert_eq!((page.total_items, page.items[0].id), (1, recent));
    assert_eq!(db.store.purge_sessions(DAY).await.unwrap(), 0);
    assert!(!db.seqs(id).await.is_empty());
    assert_eq!(db.store.purge_sessions(Duration::ZERO).await.unwrap(), 1);
    let left = db
        .count(
            "select (select count(*) from stages) + (select count(*) from agent_executions)
                + (select count(*) from timeline_events) + (select count(*) from messages)
                + (select count(*) from llm_interactions) + (select count(*) from mcp_interactions)
                + (select count(*) from tool_results)",
        )
        .await;
    assert_eq!(left, 0);
    assert_eq!(db.count("select count(*) from events").await, 1);
    assert_eq!(db.count("select count(*) from session_control").await, 1);
    assert_eq!(db.count("select count(*) from idempotency_keys").await, 1);
}

#[tokio::test]
async fn a_dead_letter_waits_until_it_is_sent_again_once() {
    let db = db().await;
    let letter = NewDeadLetter {
        subject: "tarsy.intake.alert".to_owned(),
        payload: vec![0, 159, 146, 150],
        error: "not an alert\0".to_owned(),
        deliveries: 5,
    };
    db.store.insert_dead_letter(letter.clone()).await.unwrap();
    let [waiting] = &db.store.list_dead_letters(10).await.unwrap()[..] else {
        panic!("one letter")
    };
    assert_eq!((&waiting.subject, &waiting.payload), (&letter.subject, &letter.payload));
    assert_eq!((waiting.deliveries, waiting.retried_at), (5, None));
    let sent = db.store.retry_dead_letter(waiting.id).await.unwrap();
    assert!(sent.retried_at.is_some());
    let error = db.store.retry_dead_letter(waiting.id).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error:?}");
    assert!(db.store.list_dead_letters(10).await.unwrap().is_empty());
}

#[tokio::test]
async fn sealed_tokens_are_kept_replaced_and_forgotten() {
    let db = db().await;
    assert_eq!(db.store.find_oauth_token("jira").await.unwrap(), None);
    db.store.set_oauth_token("jira", b"first").await.unwrap();
    db.store.set_oauth_token("wiki", b"other").await.unwrap();
    let mut held = db.store.lock_oauth_token("jira").await.unwrap();
    assert_eq!(held.sealed().await.unwrap().unwrap(), b"first");
    held.replace(b"second").await.unwrap();
    assert_eq!(db.store.find_oauth_token("jira").await.unwrap().unwrap(), b"second");
    let held = db.store.lock_oauth_token("jira").await.unwrap();
    held.release().await.unwrap();
    assert_eq!(db.store.find_oauth_token("jira").await.unwrap().unwrap(), b"second");
    db.store.lock_oauth_token("jira").await.unwrap().delete().await.unwrap();
    assert_eq!(db.store.find_oauth_token("jira").await.unwrap(), None);
    assert_eq!(db.store.find_oauth_token("wiki").await.unwrap().unwrap(), b"other");
}

#[tokio::test]
async fn tokens_are_held_by_one_at_a_time_and_each_server_for_itself() {
    let db = db().await;
    let first = db.store.lock_oauth_token("jira").await.unwrap();
    let other = db.store.lock_oauth_token("wiki").await.unwrap();
    other.release().await.unwrap();
    let store = db.store.clone();
    let second = async move {
        let mut held = store.lock_oauth_token("jira").await.unwrap();
        held.sealed().await.unwrap()
    };
    let (seen, ()) = tokio::join!(second, async { first.replace(b"new").await.unwrap() });
    assert_eq!(seen.unwrap(), b"new", "who waited sees what was written meanwhile");
}
