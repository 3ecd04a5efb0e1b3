//! The one end of a session, and cancels that race with it.

use std::time::Duration;

use futures::future::join_all;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_store::{Batch, CancelOutcome, Conflict, Error, Op, Store};
use tarsy_testkit::{TestLink, TestPg};

use crate::setup::{Db, LEASE, Work, alert, close, db, end, end_execution, end_stage, payload};

async fn with_open_ends(db: &Db) -> Work {
    let work = db.working().await;
    let (open, done) = (work.streaming(), work.streaming());
    let batch = Batch::new()
        .with(Op::OpenEvent(open))
        .with(Op::OpenEvent(done.clone()))
        .with(Op::CloseEvent(close(&done, "whole")));
    db.store.commit(work.fence, batch).await.unwrap();
    work
}

#[tokio::test]
async fn the_end_closes_everything_with_an_event_each() {
    for (status, event_status, work_status) in [
        (SessionStatus::Failed, TimelineStatus::Failed, WorkStatus::Failed),
        (SessionStatus::TimedOut, TimelineStatus::TimedOut, WorkStatus::TimedOut),
        (SessionStatus::Cancelled, TimelineStatus::Cancelled, WorkStatus::Cancelled),
    ] {
        let db = db().await;
        let work = with_open_ends(&db).await;
        let mut how = end(status);
        how.error_message = Some("the model is away".to_owned());
        how.final_analysis = Some("what was found so far".to_owned());
        let committed = db.store.finish_session(work.fence, how).await.unwrap();
        let kinds: Vec<_> = committed.iter().map(|event| event.kind.as_str()).collect();
        assert_eq!(kinds, ["timeline_event.completed", "stage.status", "session.status"]);
        assert_eq!(payload(&committed[0])["status"], event_status.as_str());
        assert_eq!(payload(&committed[0])["metadata"]["interrupted"], true);
        assert_eq!(payload(&committed[1])["status"], work_status.stage_event_status().as_str());
        assert_eq!(payload(&committed[2])["status"], status.as_str());

        let id = work.fence.session_id;
        let session = db.store.find_session(id).await.unwrap().unwrap();
        assert_eq!(session.status, status);
        assert!(session.completed_at.is_some());
        assert_eq!(session.final_analysis.as_deref(), Some("what was found so far"));
        assert_eq!(session.error_message.as_deref(), Some("the model is away"));
        let timeline = db.store.list_timeline(id, None, None).await.unwrap();
        assert_eq!(timeline[0].status, event_status);
        assert_eq!(timeline[1].status, TimelineStatus::Completed);
        assert_eq!(db.store.list_stages(id).await.unwrap()[0].status, work_status);
        let execution = &db.store.list_executions(id).await.unwrap()[0];
        assert_eq!(execution.status, work_status);
        assert_eq!(execution.error_message.as_deref(), Some("the model is away"));
        assert!(db.claim().await.is_none());
        let last = committed.last().unwrap().seq;
        assert_eq!(db.seqs(id).await, (1..=last).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_session_ends_once_and_its_owner_owns_nothing_afterwards() {
    let db = db().await;
    let work = db.working().await;
    let finish = Batch::new()
        .with(Op::EndExecution(end_execution(work.execution, WorkStatus::Completed)))
        .with(Op::EndStage(end_stage(work.stage, 0, "triage", WorkStatus::Completed)));
    db.store.commit(work.fence, finish).await.unwrap();
    let mut how = end(SessionStatus::Completed);
    how.executive_summary = Some("short".to_owned());
    let committed = db.store.finish_session(work.fence, how).await.unwrap();
    assert_eq!(committed.len(), 1);
    let again = db.store.finish_session(work.fence, end(SessionStatus::Failed)).await.unwrap_err();
    assert!(again.is_fenced(), "{again:?}");
    let late = Batch::new().with(Op::OpenEvent(work.streaming()));
    assert!(db.store.commit(work.fence, late).await.unwrap_err().is_fenced());
    let row = db.store.find_session_status(work.fence.session_id).await.unwrap().unwrap();
    assert_eq!(row.status, SessionStatus::Completed);
    assert_eq!(row.executive_summary.as_deref(), Some("short"));
    assert_eq!(db.store.find_last_event_seq(row.id).await.unwrap(), Some(committed[0].seq));
}

#[tokio::test]
async fn an_end_that_is_no_end_is_refused_and_changes_nothing() {
    let db = db().await;
    let work = with_open_ends(&db).await;
    let before = db.store.find_last_event_seq(work.fence.session_id).await.unwrap();
    for status in [SessionStatus::Pending, SessionStatus::InProgress, SessionStatus::Cancelling] {
        let error = db.store.finish_session(work.fence, end(status)).await.unwrap_err();
        assert!(matches!(error, Error::Conflict(Conflict::Transition(_))), "{error:?}");
    }
    assert_eq!(db.status(work.fence.session_id).await, SessionStatus::InProgress);
    assert_eq!(db.store.find_last_event_seq(work.fence.session_id).await.unwrap(), before);
    db.store.finish_session(work.fence, end(SessionStatus::Completed)).await.unwrap();
}

#[tokio::test]
async fn a_cancel_is_answered_by_where_the_session_stands() {
    let db = db().await;
    let cancel = async |id| db.store.request_cancel(id).await.unwrap();
    assert_eq!(cancel(SessionId::new()).await, CancelOutcome::NotFound);

    let waiting = db.pending().await;
    let CancelOutcome::Cancelled { events } = cancel(waiting).await else { panic!("cancelled") };
    assert_eq!((events[0].seq, &payload(&events[0])["status"]), (2, &"cancelled".into()));
    assert_eq!(cancel(waiting).await, CancelOutcome::NothingToCancel(SessionStatus::Cancelled));
    assert_eq!(db.status(waiting).await, SessionStatus::Cancelled);

    let fence = db.claimed().await.fence;
    let running = fence.session_id;
    let CancelOutcome::Cancelling { events } = cancel(running).await else { panic!("cancelling") };
    assert_eq!(payload(&events[0])["status"], "cancelling");
    assert_eq!(cancel(running).await, CancelOutcome::Cancelling { events: vec![] });
    assert_eq!(db.seqs(running).await, [1, 2, 3]);
    db.store.finish_session(fence, end(SessionStatus::Cancelled)).await.unwrap();
    assert_eq!(cancel(running).await, CancelOutcome::NothingToCancel(SessionStatus::Cancelled));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_that_races_with_the_end_leaves_one_end() {
    let db = db().await;
    for _ in 0..15 {
        let work = with_open_ends(&db).await;
        let id = work.fence.session_id;
        let (ended, cancelled) = tokio::join!(
            db.store.finish_session(work.fence, end(SessionStatus::Completed)),
            db.store.request_cancel(id)
        );
        let committed = ended.unwrap();
        let status = match cancelled.unwrap() {
            CancelOutcome::Cancelling { events } => {
                assert!(events[0].seq < committed[0].seq);
                SessionStatus::Cancelled
            }
            CancelOutcome::NothingToCancel(status) => {
                assert_eq!(status, SessionStatus::Completed);
                status
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(db.status(id).await, status);
        let events = db.store.list_events(id, 0, 100).await.unwrap();
        assert!(events.iter().map(|event| event.seq).eq(1..=events.last().unwrap().seq));
        let ends = events
            .iter()
            .filter(|event| event.kind == "session.status")
            .filter(|event| payload(event)["status"] == status.as_str());
        assert_eq!(ends.count(), 1);
        assert_eq!(payload(events.last().unwrap())["status"], status.as_str());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_that_races_with_a_claim_is_never_lost() {
    let db = db().await;
    for _ in 0..15 {
        let id = db.pending().await;
        let (claimed, cancelled) =
            tokio::join!(db.store.claim_session("owner", LEASE, 100), db.store.request_cancel(id));
        match (claimed.unwrap(), cancelled.unwrap()) {
            (None, CancelOutcome::Cancelled { .. }) => {
                assert_eq!(db.status(id).await, SessionStatus::Cancelled);
            }
            (Some(claim), CancelOutcome::Cancelling { .. }) => {
                assert_eq!(db.status(id).await, SessionStatus::Cancelling);
                db.store.finish_session(claim.fence, end(SessionStatus::Cancelled)).await.unwrap();
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn an_accepted_cancel_wins_over_every_other_end() {
    let db = db().await;
    for status in [SessionStatus::Completed, SessionStatus::Failed, SessionStatus::TimedOut] {
        let claim = db.claimed().await;
        let id = claim.fence.session_id;
        db.store.request_cancel(id).await.unwrap();
        let mut how = end(status);
        how.error_message = Some("no answer".to_owned());
        let committed = db.store.finish_session(claim.fence, how).await.unwrap();
        assert_eq!(payload(committed.last().unwrap())["status"], "cancelled");
        let session = db.store.find_session(id).await.unwrap().unwrap();
        assert_eq!((session.status, session.error_message), (SessionStatus::Cancelled, None));
    }
}

#[tokio::test]
async fn no_accepted_cancel_ends_as_completed_however_slow_the_database_answers() {
    let pg = TestPg::migrated().await.unwrap();
    let near = Store::connect(pg.url(), 10).await.unwrap();
    let link = TestLink::to(pg.url()).await.unwrap();
    let far = Store::connect(&link.url(pg.url()), 20).await.unwrap();
    let race = async |round: u64| {
        near.insert_session(alert()).await.unwrap();
        let fence = near.claim_session("owner", LEASE, 1_000).await.unwrap().unwrap().fence;
        // The end begins after the cancels of the first rounds, amid others, and before the last.
        let (ended, cancelled) = tokio::join!(
            async {
                tokio::time::sleep(Duration::from_millis(160)).await;
                far.finish_session(fence, end(SessionStatus::Completed)).await
            },
            async {
                tokio::time::sleep(Duration::from_millis(round * 4)).await;
                far.request_cancel(fence.session_id).await
            }
        );
        ended.unwrap();
        let accepted = matches!(cancelled.unwrap(), CancelOutcome::Cancelling { .. });
        let row = near.find_session_status(fence.session_id).await.unwrap().unwrap();
        assert_eq!(row.status == SessionStatus::Cancelled, accepted, "round {round}");
        accepted
    };
    link.delay(Duration::from_millis(10));
    let mut accepted = 0;
    for first in (0..200).step_by(10) {
        let races = join_all((first..first + 10).map(|round| race(round % 80))).await;
        accepted += races.into_iter().filter(|accepted| *accepted).count();
    }
    assert!((1..200).contains(&accepted), "{accepted} of 200 came in time");
}
