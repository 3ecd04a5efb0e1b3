//! Sessions that wait for people and that nobody owns.

use std::time::Duration;

use jiff::Timestamp;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::event::{ApprovalDecision, CallStatus};
use tarsy_domain::id::{ApprovalId, CallId, SessionId};
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Batch, CallEnd, CancelOutcome, Claim, DecideOutcome, NewSession, Op};

use crate::approvals::{requested, signed_in};
use crate::setup::{Db, LEASE, Work, alert, db, new_stage};

const LONG: Duration = Duration::from_mins(10);

async fn suspended(db: &Db) -> (SessionId, CallId, ApprovalId) {
    let (work, call, id) = requested(db, LONG).await;
    db.store.suspend_session(work.fence, None).await.unwrap();
    (work.fence.session_id, call, id)
}

async fn claim(db: &Db, cap: i64) -> Option<Claim> {
    db.store.claim_session("other", LEASE, cap).await.unwrap()
}

async fn approve(db: &Db, session: SessionId, id: ApprovalId) -> DecideOutcome {
    db.store
        .decide_approval(session, id, ApprovalDecision::Approved, signed_in("anna"))
        .await
        .unwrap()
}

async fn at(db: &Db, session: SessionId) -> Timestamp {
    let at: jiff_sqlx::Timestamp =
        sqlx::query_scalar("select lease_expires_at from session_control where session_id = $1")
            .bind(session.uuid())
            .fetch_one(&db.raw)
            .await
            .unwrap();
    at.to_jiff()
}

#[tokio::test]
async fn a_suspended_session_takes_no_place_and_comes_back_before_new_ones() {
    let db = db().await;
    let (session, _, id) = suspended(&db).await;
    assert_eq!(db.store.count_suspended_sessions().await.unwrap(), 1);
    let (next, last) = (db.pending().await, db.pending().await);
    assert_eq!(db.store.count_claimable_sessions(1).await.unwrap(), 1);
    let running = claim(&db, 1).await.unwrap();
    assert_eq!(running.fence.session_id, next);
    assert!(matches!(approve(&db, session, id).await, DecideOutcome::Decided(_)));
    assert!(claim(&db, 1).await.is_none(), "the cap holds for it, too");
    assert_eq!(db.store.count_claimable_sessions(1).await.unwrap(), 0);
    assert_eq!(db.store.count_claimable_sessions(2).await.unwrap(), 1);
    let resumed = claim(&db, 2).await.unwrap();
    assert_eq!((resumed.fence.session_id, resumed.resumed, resumed.attempts), (session, true, 1));
    assert_eq!(db.store.count_suspended_sessions().await.unwrap(), 0);
    assert!(claim(&db, 2).await.is_none());
    assert_eq!(claim(&db, 3).await.unwrap().fence.session_id, last);
}

#[tokio::test]
async fn an_owner_that_suspended_a_session_writes_nothing_more() {
    let db = db().await;
    let (work, ..) = requested(&db, LONG).await;
    db.store.suspend_session(work.fence, None).await.unwrap();
    let stage = new_stage(tarsy_domain::id::StageId::new(), 1, "fix");
    let late = db.store.commit(work.fence, Batch::new().with(Op::BeginStage(stage))).await;
    assert!(late.unwrap_err().is_fenced());
    assert!(db.store.suspend_session(work.fence, None).await.unwrap_err().is_fenced());
    assert!(db.store.renew_lease(work.fence, LEASE).await.unwrap_err().is_fenced());
}

#[tokio::test]
async fn the_earliest_of_expiry_and_deadline_ends_the_wait() {
    let db = db().await;
    let (work, ..) = requested(&db, LONG).await;
    let deadline = SystemClock.now().checked_add(Duration::from_mins(2)).unwrap();
    db.store.suspend_session(work.fence, Some(deadline)).await.unwrap();
    let until = at(&db, work.fence.session_id).await;
    assert!(until.duration_since(deadline).abs() < jiff::SignedDuration::from_millis(1), "{until}");
    let (work, ..) = requested(&db, Duration::from_mins(1)).await;
    db.store.suspend_session(work.fence, Some(deadline)).await.unwrap();
    assert!(at(&db, work.fence.session_id).await < deadline);
    let (work, ..) = requested(&db, Duration::ZERO).await;
    db.store.suspend_session(work.fence, Some(deadline)).await.unwrap();
    assert_eq!(claim(&db, 9).await.unwrap().fence.session_id, work.fence.session_id);
}

#[tokio::test]
async fn a_request_about_a_call_that_ended_wakes_nobody() {
    let db = db().await;
    let (work, call, _) = requested(&db, Duration::ZERO).await;
    let end = Op::CallFinished(CallEnd {
        call_id: call,
        status: CallStatus::Unknown,
        tool_result: String::new(),
        whole_result: None,
        duration_ms: None,
        refused_by_policy: false,
        injected_instructions: 0,
        error_message: None,
    });
    db.store.commit(work.fence, Batch::new().with(end)).await.unwrap();
    again(&db, work).await;
    db.store.suspend_session(work.fence, None).await.unwrap();
    assert!(claim(&db, 9).await.is_none());
}

/// One more call of the same session waits.
async fn again(db: &Db, work: Work) -> ApprovalId {
    crate::approvals::request(db, work, LONG).await.1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decision_during_the_suspension_is_not_lost() {
    let db = db().await;
    db.open(8).await;
    for _ in 0..40 {
        let (work, _, id) = requested(&db, LONG).await;
        let session = work.fence.session_id;
        let suspend = db.store.suspend_session(work.fence, None);
        let (suspended, decided) = tokio::join!(suspend, approve(&db, session, id));
        suspended.unwrap();
        assert!(matches!(decided, DecideOutcome::Decided(_)), "{decided:?}");
        let resumed = claim(&db, 100).await.expect("the session can go on");
        assert_eq!(resumed.fence.session_id, session);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_during_the_suspension_is_not_lost() {
    let db = db().await;
    db.open(8).await;
    for _ in 0..40 {
        let (work, ..) = requested(&db, LONG).await;
        let session = work.fence.session_id;
        let suspend = db.store.suspend_session(work.fence, None);
        let (suspended, cancelled) = tokio::join!(suspend, db.store.request_cancel(session));
        suspended.unwrap();
        assert!(matches!(cancelled.unwrap(), CancelOutcome::Cancelling { .. }));
        let resumed = claim(&db, 0).await.expect("whatever the cap says");
        assert_eq!(resumed.fence.session_id, session);
        assert_eq!(resumed.session.status, SessionStatus::Cancelling);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_decisions_at_once_one_counts_and_the_session_is_claimed_once() {
    let db = db().await;
    db.open(8).await;
    for _ in 0..20 {
        let (session, call, id) = suspended(&db).await;
        let deny =
            db.store.decide_approval(session, id, ApprovalDecision::Denied, signed_in("bert"));
        let (approved, denied) = tokio::join!(approve(&db, session, id), deny);
        let counts = [approved, denied.unwrap()]
            .iter()
            .filter(|outcome| matches!(outcome, DecideOutcome::Decided(_)))
            .count();
        assert_eq!(counts, 1);
        let claims = tokio::join!(claim(&db, 100), claim(&db, 100));
        let claims: Vec<Claim> = [claims.0, claims.1].into_iter().flatten().collect();
        assert_eq!(claims.len(), 1);
        let close = Batch::new().with(Op::CloseApproval(call));
        db.store.commit(claims[0].fence, close).await.unwrap();
    }
}

#[tokio::test]
async fn sessions_that_wait_are_counted_by_sender_and_alert_type() {
    let db = db().await;
    let of = |principal: &str, kind: &str| NewSession {
        principal: Some(principal.to_owned()),
        alert_type: Some(kind.to_owned()),
        ..alert()
    };
    let mut waits = Vec::new();
    for (principal, kind) in [("mallory", "a"), ("mallory", "a"), ("mallory", "b"), ("anna", "a")] {
        db.create(of(principal, kind)).await;
        let work = db.begin(db.claim().await.unwrap().fence).await;
        crate::approvals::request(&db, work, LONG).await;
        crate::approvals::request(&db, work, LONG).await;
        waits.push(work);
    }
    let count = async |work: Work| {
        let (session, execution) = (work.fence.session_id, work.execution);
        db.store.count_sessions_waiting_for_approval(session, execution).await.unwrap()
    };
    assert_eq!(count(waits[0]).await, 1, "the other one of the sender and the type");
    assert_eq!((count(waits[2]).await, count(waits[3]).await), (0, 0));
}
