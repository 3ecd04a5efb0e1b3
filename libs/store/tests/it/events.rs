//! The outbox.

use std::time::Duration;

use tarsy_domain::status::SessionStatus;
use tarsy_store::{Batch, Op, RetainedKind};

use crate::setup::{db, end};

const HOUR: Duration = Duration::from_hours(1);

#[tokio::test]
async fn events_are_read_from_a_number_on_and_bounded() {
    let db = db().await;
    let work = db.working().await;
    let id = work.fence.session_id;
    let mut batch = Batch::new();
    for _ in 0..5 {
        batch.push(Op::OpenEvent(work.streaming()));
    }
    db.store.commit(work.fence, batch).await.unwrap();
    assert_eq!(db.seqs(id).await, [1, 2, 3, 4, 5, 6, 7, 8]);
    let some = db.store.list_events(id, 3, 2).await.unwrap();
    assert_eq!(some.iter().map(|event| event.seq).collect::<Vec<_>>(), [4, 5]);
    assert_eq!(some[0].message_id(), format!("{id}:4"));
    assert!(db.store.list_events(id, 8, 10).await.unwrap().is_empty());
    assert_eq!(db.store.find_last_event_seq(id).await.unwrap(), Some(8));
}

#[tokio::test]
async fn what_was_not_published_is_found_in_order_until_it_is_marked() {
    let db = db().await;
    let (one, two) = (db.claimed().await.fence.session_id, db.pending().await);
    assert!(db.store.list_unpublished_events(HOUR, 10).await.unwrap().is_empty());
    let waiting = db.store.list_unpublished_events(Duration::ZERO, 10).await.unwrap();
    let keys: Vec<_> = waiting.iter().map(|event| (event.session_id, event.seq)).collect();
    assert_eq!(keys, [(one, 1), (one, 2), (two, 1)]);
    assert_eq!(db.store.list_unpublished_events(Duration::ZERO, 2).await.unwrap().len(), 2);
    db.store.set_published(&[(one, 1), (two, 1), (two, 99)]).await.unwrap();
    db.store.set_published(&[]).await.unwrap();
    let waiting = db.store.list_unpublished_events(Duration::ZERO, 10).await.unwrap();
    let keys: Vec<_> = waiting.iter().map(|event| (event.session_id, event.seq)).collect();
    assert_eq!(keys, [(one, 2)]);
}

#[tokio::test]
async fn old_events_go_when_they_are_published_and_their_session_is_over() {
    let db = db().await;
    let over = db.claimed().await.fence;
    db.store.finish_session(over, end(SessionStatus::Completed)).await.unwrap();
    let running = db.claimed().await.fence;
    let (over, running) = (over.session_id, running.session_id);
    sqlx::query("update events set created_at = now() - interval '2 hours'")
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(db.store.purge(RetainedKind::Events, HOUR).await.unwrap(), 0);
    let keys: Vec<_> = db
        .store
        .list_unpublished_events(Duration::ZERO, 100)
        .await
        .unwrap()
        .iter()
        .map(|event| (event.session_id, event.seq))
        .collect();
    db.store.set_published(&keys).await.unwrap();
    assert_eq!(db.store.purge(RetainedKind::Events, HOUR * 3).await.unwrap(), 0);
    assert_eq!(db.store.purge(RetainedKind::Events, HOUR).await.unwrap(), 3);
    assert_eq!(db.store.purge(RetainedKind::Events, HOUR).await.unwrap(), 0);
    assert!(db.seqs(over).await.is_empty());
    assert_eq!(db.seqs(running).await, [1, 2]);
    assert_eq!(db.store.find_last_event_seq(over).await.unwrap(), Some(3));
}

#[tokio::test]
async fn one_replica_at_a_time_deletes() {
    let db = db().await;
    let fence = db.claimed().await.fence;
    db.store.finish_session(fence, end(SessionStatus::Completed)).await.unwrap();
    sqlx::query("update events set created_at = now() - interval '2 hours', published_at = now()")
        .execute(&db.raw)
        .await
        .unwrap();
    let mut other = db.raw.begin().await.unwrap();
    sqlx::query("select pg_advisory_xact_lock($1)")
        .bind(0x7461_7273_796f_6c64_i64)
        .execute(&mut *other)
        .await
        .unwrap();
    assert_eq!(db.store.purge(RetainedKind::Events, HOUR).await.unwrap(), 0);
    other.rollback().await.unwrap();
    assert_eq!(db.store.purge(RetainedKind::Events, HOUR).await.unwrap(), 3);
}
