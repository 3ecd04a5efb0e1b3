//! Claims, caps, leases and fences.

use std::collections::HashSet;
use std::time::Duration;

use futures::future::join_all;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Batch, Error, Op};
use tarsy_testkit::seed_sessions;

use crate::setup::{LEASE, alert, db, end, new_stage, payload};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cap_is_exact_however_many_claim_at_once() {
    let db = db().await;
    db.open(20).await;
    for _ in 0..12 {
        db.pending().await;
    }
    assert_eq!(db.store.count_claimable_sessions(5).await.unwrap(), 5);
    let owners: Vec<String> = (0..20).map(|number| format!("owner-{number}")).collect();
    let claims = join_all(owners.iter().map(|owner| db.store.claim_session(owner, LEASE, 5))).await;
    let claims: Vec<_> = claims.into_iter().filter_map(Result::unwrap).collect();
    assert_eq!(claims.len(), 5);
    assert_eq!(db.store.count_in_progress_sessions().await.unwrap(), 5);
    assert_eq!(db.store.count_pending_sessions().await.unwrap(), 7);
    assert_eq!(db.store.count_claimable_sessions(5).await.unwrap(), 0);
    assert_eq!(db.store.count_claimable_sessions(7).await.unwrap(), 2);
    assert_eq!(db.store.count_claimable_sessions(100).await.unwrap(), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_session_is_handed_out_twice() {
    let db = db().await;
    db.open(20).await;
    for _ in 0..20 {
        db.pending().await;
    }
    let claims = join_all((0..20).map(|_| db.store.claim_session("owner", LEASE, 100))).await;
    let sessions: HashSet<_> =
        claims.into_iter().filter_map(Result::unwrap).map(|claim| claim.fence.session_id).collect();
    assert_eq!(sessions.len(), 20);
    assert!(db.claim().await.is_none());
}

#[tokio::test]
async fn a_claim_begins_the_oldest_session_with_an_event() {
    let db = db().await;
    let first = db.pending().await;
    db.pending().await;
    let claim = db.claim().await.unwrap();
    assert_eq!(claim.fence.session_id, first);
    assert_eq!((claim.fence.epoch, claim.attempts, claim.resumed), (1, 1, false));
    assert_eq!(claim.session.status, SessionStatus::InProgress);
    assert!(claim.session.started_at.is_some());
    assert!(claim.elapsed < Duration::from_mins(1));
    let [event] = claim.events.as_slice() else { panic!("one event") };
    assert_eq!((event.seq, event.kind.as_str()), (2, "session.status"));
    assert_eq!(payload(event)["status"], "in_progress");
    assert_eq!(payload(event)["db_event_id"], 2);
}

#[tokio::test]
async fn an_expired_lease_goes_to_the_next_owner_and_the_old_one_writes_nothing() {
    let db = db().await;
    let old = db.claimed().await;
    assert!(db.claim().await.is_none());
    db.expire(old.fence.session_id).await;
    assert_eq!(db.store.count_claimable_sessions(0).await.unwrap(), 1);
    // A reclaim is not held back by the cap: the session counts already.
    let new = db.store.claim_session("other", LEASE, 0).await.unwrap().unwrap();
    assert_eq!(new.fence.session_id, old.fence.session_id);
    assert_eq!((new.fence.epoch, new.attempts, new.resumed), (2, 2, true));
    assert!(new.events.is_empty());

    let stage = new_stage(tarsy_domain::id::StageId::new(), 0, "triage");
    let batch = Batch::new().with(Op::BeginStage(stage));
    let error = db.store.commit(old.fence, batch).await.unwrap_err();
    assert!(error.is_fenced());
    assert!(db.store.renew_lease(old.fence, LEASE).await.unwrap_err().is_fenced());
    assert!(db.store.release_lease(old.fence).await.unwrap_err().is_fenced());
    let ended = db.store.finish_session(old.fence, end(SessionStatus::Completed)).await;
    assert!(ended.unwrap_err().is_fenced());
    assert!(db.store.interrupt_streaming(old.fence).await.unwrap_err().is_fenced());
    assert!(db.store.list_stages(old.fence.session_id).await.unwrap().is_empty());
    assert_eq!(db.seqs(old.fence.session_id).await, [1, 2]);
    assert_eq!(db.store.find_last_event_seq(old.fence.session_id).await.unwrap(), Some(2));
}

#[tokio::test]
async fn an_expired_lease_comes_before_a_waiting_session() {
    let db = db().await;
    let old = db.claimed().await;
    db.pending().await;
    db.expire(old.fence.session_id).await;
    assert_eq!(db.claim().await.unwrap().fence.session_id, old.fence.session_id);
}

#[tokio::test]
async fn a_cancelling_session_whose_owner_died_is_handed_out() {
    let db = db().await;
    let old = db.claimed().await;
    db.store.request_cancel(old.fence.session_id).await.unwrap();
    db.expire(old.fence.session_id).await;
    let claim = db.claim().await.unwrap();
    assert!(claim.resumed);
    assert_eq!(claim.session.status, SessionStatus::Cancelling);
}

#[tokio::test]
async fn a_renewal_keeps_the_lease_and_reports_a_requested_cancel() {
    let db = db().await;
    let fence = db.claimed().await.fence;
    db.expire(fence.session_id).await;
    let renewal = db.store.renew_lease(fence, LEASE).await.unwrap();
    assert!(!renewal.cancel_requested);
    assert_eq!(renewal.status, SessionStatus::InProgress);
    assert!(db.claim().await.is_none());
    db.store.request_cancel(fence.session_id).await.unwrap();
    let renewal = db.store.renew_lease(fence, LEASE).await.unwrap();
    assert!(renewal.cancel_requested);
    assert_eq!(renewal.status, SessionStatus::Cancelling);
}

#[tokio::test]
async fn a_graceful_stop_hands_over_at_once_and_counts_no_attempt() {
    let db = db().await;
    let fence = db.claimed().await.fence;
    db.store.release_lease(fence).await.unwrap();
    assert!(db.store.renew_lease(fence, LEASE).await.unwrap_err().is_fenced());
    let next = db.claim().await.unwrap();
    assert_eq!((next.fence.epoch, next.attempts, next.resumed), (2, 1, true));
}

#[tokio::test]
async fn a_lease_of_no_length_is_expired_at_once() {
    let db = db().await;
    db.create(alert()).await;
    db.store.claim_session("owner", Duration::ZERO, 5).await.unwrap().unwrap();
    assert!(db.claim().await.unwrap().resumed);
}

#[tokio::test]
async fn a_cancelled_waiting_session_is_not_handed_out() {
    let db = db().await;
    let session = db.pending().await;
    db.store.request_cancel(session).await.unwrap();
    assert!(db.claim().await.is_none());
}

#[tokio::test]
async fn an_unknown_session_has_no_owner() {
    let db = db().await;
    let session_id = tarsy_domain::id::SessionId::new();
    let fence = tarsy_store::Fence { session_id, epoch: 1 };
    let error = db.store.renew_lease(fence, LEASE).await.unwrap_err();
    assert!(matches!(error, Error::Fenced { session } if session == session_id));
}

/// PostgreSQL keeps one plan for all claims of a connection, from the sixth on, which knows none of their values.
#[tokio::test]
async fn claims_beside_many_sessions_read_no_table_from_one_end_to_the_other() {
    const CLAIMS: usize = 12;
    let db = db().await;
    seed_sessions(db.pg.url(), 2_000).await.unwrap();
    for _ in 0..CLAIMS {
        db.pending().await;
    }
    let mut transaction = db.raw.begin().await.unwrap();
    for _ in 0..CLAIMS {
        sqlx::query("select * from claim_session('owner', 30, 100000, 'session.status', '\"status\":\"in_progress\"}')")
            .fetch_one(&mut *transaction)
            .await
            .unwrap();
    }
    let read: Vec<(String, i64)> = sqlx::query_as(
        "select relname::text, seq_tup_read from pg_stat_xact_user_tables where seq_tup_read > 0",
    )
    .fetch_all(&mut *transaction)
    .await
    .unwrap();
    assert!(read.is_empty(), "rows of whole tables that were read: {read:?}");
}
