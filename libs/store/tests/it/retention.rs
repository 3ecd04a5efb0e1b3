//! What is deleted by its age: bounded, by one at a time, and nothing else.

use std::time::Duration;

use tarsy_domain::event::Role;
use tarsy_domain::review::Review;
use tarsy_domain::schedule::ScheduleRunOutcome;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{
    Batch, NewNotification, NewReview, NewScheduleRun, NotificationKind, NotificationOutcome, Op,
    RetainedKind, SessionAges,
};

use crate::setup::{Db, LEASE, Work, alert, call_end, db, end};
use crate::upkeep::every;

const DAY: Duration = Duration::from_hours(24);

/// A finished session with so many messages and calls, that ended two days ago.
async fn old(db: &Db, many: i32) -> Work {
    let work = db.working().await;
    for number in 1..=many {
        let (event, message) = (work.streaming(), work.message(number, Role::User, "why"));
        let call = work.call(event.id);
        let mut outcome = call_end(&call, "cut");
        outcome.whole_result = Some("whole".to_owned());
        let batch = Batch::new()
            .with(Op::LlmInteraction(work.llm(Some(message.id))))
            .with(Op::AppendMessage(message))
            .with(Op::OpenEvent(event))
            .with(Op::CallStarted(call));
        db.store.commit(work.fence, batch).await.unwrap();
        db.store.commit(work.fence, Batch::new().with(Op::CallFinished(outcome))).await.unwrap();
    }
    db.store.finish_session(work.fence, end(SessionStatus::Completed)).await.unwrap();
    sqlx::query("update alert_sessions set completed_at = now() - interval '2 days' where id = $1")
        .bind(work.fence.session_id.uuid())
        .execute(&db.raw)
        .await
        .unwrap();
    work
}

/// How many rows each call took, until one took none.
async fn purged(db: &Db, kind: RetainedKind) -> Vec<u64> {
    let mut batches = Vec::new();
    loop {
        match db.store.purge(kind, DAY).await.unwrap() {
            0 => return batches,
            rows => batches.push(rows),
        }
    }
}

#[tokio::test]
async fn prompts_and_answers_go_before_their_session_and_its_timeline_stays() {
    let db = db().await;
    old(&db, 3).await;
    let recent = db.working().await;
    db.store
        .commit(
            recent.fence,
            Batch::new().with(Op::AppendMessage(recent.message(1, Role::User, "x"))),
        )
        .await
        .unwrap();
    let shown = db.count("select count(*) from timeline_events where content <> ''").await;
    // The rows of all three tables in one statement, then the mark of the session.
    assert_eq!(purged(&db, RetainedKind::Prompts).await, [6, 1]);
    assert_eq!(db.count("select count(*) from messages").await, 1);
    assert_eq!(
        db.count("select count(*) from llm_interactions where llm_request <> '{}' or thinking_content is not null").await,
        0
    );
    assert_eq!(db.count("select count(*) from llm_interactions where input_tokens = 100").await, 3);
    assert_eq!(
        db.count("select count(*) from mcp_interactions where tool_result = 'cut'").await,
        3
    );
    assert_eq!(db.count("select count(*) from timeline_events where content <> ''").await, shown);
}

#[tokio::test]
async fn results_of_tools_go_for_themselves_and_leave_the_search() {
    let db = db().await;
    old(&db, 2).await;
    let found =
        "select count(*) from search_documents where kind = 'tool_call' and body like '%cut%'";
    assert_eq!(db.count(found).await, 2);
    assert_eq!(purged(&db, RetainedKind::ToolResults).await, [4, 1]);
    assert_eq!(db.count("select count(*) from tool_results").await, 0);
    assert_eq!(db.count(found).await, 0);
    assert_eq!(
        db.count("select count(*) from mcp_interactions where status = 'completed'").await,
        2
    );
    assert_eq!(db.count("select count(*) from messages").await, 2);
}

#[tokio::test]
async fn a_batch_is_bounded_and_a_purge_that_was_interrupted_goes_on() {
    let db = db().await;
    let work = old(&db, 1).await;
    sqlx::query(
        "insert into messages (id, session_id, stage_id, execution_id, sequence_number, role, content)
         select gen_random_uuid(), session_id, stage_id, execution_id, n, role, content
         from messages, generate_series(2, 1200) n where session_id = $1",
    )
    .bind(work.fence.session_id.uuid())
    .execute(&db.raw)
    .await
    .unwrap();
    // 500 of 1200 messages, and the one interaction.
    assert_eq!(db.store.purge(RetainedKind::Prompts, DAY).await.unwrap(), 501);
    assert_eq!(db.count("select count(*) from messages").await, 700);
    assert_eq!(purged(&db, RetainedKind::Prompts).await, [500, 200, 1]);
}

#[tokio::test]
async fn while_one_replica_purges_another_one_does_nothing() {
    let db = db().await;
    old(&db, 1).await;
    let mut other = db.raw.begin().await.unwrap();
    sqlx::query("select pg_advisory_xact_lock($1)")
        .bind(0x7461_7273_796f_6c64_i64)
        .execute(&mut *other)
        .await
        .unwrap();
    for kind in [RetainedKind::Prompts, RetainedKind::ToolResults, RetainedKind::Events] {
        assert_eq!(db.store.purge(kind, DAY).await.unwrap(), 0, "{kind:?}");
    }
    assert_eq!(db.store.soft_delete_sessions(every(DAY)).await.unwrap(), 0);
    other.rollback().await.unwrap();
    assert_eq!(db.store.soft_delete_sessions(every(DAY)).await.unwrap(), 1);
}

#[tokio::test]
async fn reviewed_sessions_and_replays_have_ages_of_their_own() {
    let db = db().await;
    let reviewed = old(&db, 0).await.fence.session_id;
    let replay = old(&db, 0).await.fence.session_id;
    let plain = old(&db, 0).await.fence.session_id;
    let review = NewReview {
        session_id: reviewed,
        review: Review::Accurate,
        actual_cause: None,
        object: None,
        category: None,
        reviewer: "rosa".to_owned(),
    };
    db.store.insert_review(review).await.unwrap();
    sqlx::query("update alert_sessions set origin = 'replay' where id = $1")
        .bind(replay.uuid())
        .execute(&db.raw)
        .await
        .unwrap();
    let mut ages = SessionAges { others: DAY * 3, reviewed: DAY * 5, replays: DAY };
    assert_eq!(db.store.soft_delete_sessions(ages).await.unwrap(), 1);
    assert!(db.store.find_session(replay).await.unwrap().is_none());
    ages.others = DAY;
    assert_eq!(db.store.soft_delete_sessions(ages).await.unwrap(), 1);
    assert!(db.store.find_session(plain).await.unwrap().is_none());
    ages.reviewed = DAY;
    assert_eq!(db.store.soft_delete_sessions(ages).await.unwrap(), 1);
    assert!(db.store.find_session(reviewed).await.unwrap().is_none());
}

#[tokio::test]
async fn a_session_whose_question_is_answered_stays_whole() {
    let db = db().await;
    let work = old(&db, 1).await;
    let open = "update stages set status = $2 where session_id = $1";
    let set = async |status: &str| {
        sqlx::query(open)
            .bind(work.fence.session_id.uuid())
            .bind(status)
            .execute(&db.raw)
            .await
            .unwrap();
    };
    set("active").await;
    assert_eq!(db.store.soft_delete_sessions(every(DAY)).await.unwrap(), 0);
    assert_eq!(purged(&db, RetainedKind::Prompts).await, [0_u64; 0]);
    set("completed").await;
    assert_eq!(purged(&db, RetainedKind::Prompts).await, [2, 1]);
    assert_eq!(db.store.soft_delete_sessions(every(DAY)).await.unwrap(), 1);
}

#[tokio::test]
async fn notifications_stay_while_they_or_their_dead_letter_wait() {
    let db = db().await;
    let session_id = db.pending().await;
    let row = |destination: &str| NewNotification {
        session_id,
        kind: NotificationKind::Started,
        destination: destination.to_owned(),
        send: true,
    };
    db.store.insert_notifications(&[row("sent"), row("failed"), row("due")]).await.unwrap();
    for name in ["sent", "failed"] {
        let claimed = db.store.claim_notifications(&[name.to_owned()], 1, LEASE).await.unwrap();
        let outcome = match name {
            "sent" => NotificationOutcome::Sent { external_ref: None },
            _ => NotificationOutcome::Exhausted { error: "gone".to_owned() },
        };
        db.store.finish_notification(claimed[0].id, claimed[0].claim, outcome).await.unwrap();
    }
    // A day is too short: for two days rows keep what was sent from being sent again.
    sqlx::query("update notifications set finished_at = now() - interval '36 hours' where finished_at is not null")
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(purged(&db, RetainedKind::Notifications).await, [0_u64; 0]);
    sqlx::query("update notifications set finished_at = now() - interval '3 days' where finished_at is not null")
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(purged(&db, RetainedKind::Notifications).await, [1]);
    sqlx::query("update dead_letters set retried_at = now() - interval '3 days'")
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(purged(&db, RetainedKind::Notifications).await, [1]);
    assert_eq!(purged(&db, RetainedKind::DeadLetters).await, [1]);
    assert_eq!(db.count("select count(*) from notifications where status = 'pending'").await, 1);
}

#[tokio::test]
async fn rows_of_no_session_go_by_their_own_age() {
    let db = db().await;
    let session = db.create(alert()).await;
    sqlx::raw_sql(
        "insert into token_usage (day, principal, tokens) values
            (current_date, 'a', 1);
         insert into token_usage_parts (day, principal, part, tokens) values
            (current_date - 3, 'a', 5, 1), (current_date, 'a', 6, 1);
         insert into quota_windows (principal, action, started_at, used) values
            ('a', 'submit_alert', now() - interval '2 days', 1), ('b', 'submit_alert', now(), 1);
         insert into intake_alerts (id, source, fingerprint, status, title, alert_type, chain_id, action, reason, decision,
            last_received_at, hold_until)
         select gen_random_uuid(), 's', 'f', 'firing', 't', 'a', 'c', action, 'acknowledged', '{}', at, hold_until from (values
            ('ignore', now() - interval '2 days', null::timestamptz), ('ignore', now(), null),
            ('hold', now() - interval '2 days', now())) t (action, at, hold_until);",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    sqlx::query(
        "insert into idempotency_keys (key, session_id, created_at, principal, request_hash) values
            ('old', $1, now() - interval '2 days', 'p', 'h'), ('new', $1, now(), 'p', 'h')",
    )
    .bind(session.uuid())
    .execute(&db.raw)
    .await
    .unwrap();
    for (kind, left) in [
        (RetainedKind::TokenUsage, "select count(*) from token_usage_parts"),
        (RetainedKind::QuotaWindows, "select count(*) from quota_windows"),
        (RetainedKind::IdempotencyKeys, "select count(*) from idempotency_keys where key = 'new'"),
    ] {
        assert_eq!(purged(&db, kind).await, [1], "{kind:?}");
        assert_eq!(db.count(left).await, 1, "{kind:?}");
    }
    assert_eq!(purged(&db, RetainedKind::Alerts).await, [1]);
    assert_eq!(db.count("select count(*) from intake_alerts").await, 2, "one is held");
}

#[tokio::test]
async fn the_newest_time_of_a_schedule_stays_because_the_next_one_is_reckoned_from_it() {
    let db = db().await;
    let now: jiff::Timestamp = "2026-11-01T06:00:00Z".parse().unwrap();
    for (due_at, person) in
        [(Some(now - DAY * 3), None), (Some(now - DAY * 2), None), (None, Some("ann"))]
    {
        let run = NewScheduleRun {
            schedule: "nightly".to_owned(),
            due_at,
            outcome: ScheduleRunOutcome::Missed,
            requested_by: person.map(str::to_owned),
            notify: "changed",
        };
        assert!(db.store.add_schedule_run(run, None).await.unwrap().is_some());
    }
    let purge = || db.store.purge(RetainedKind::ScheduleRuns, Duration::ZERO);
    assert_eq!((purge().await.unwrap(), purge().await.unwrap()), (1, 0));
}
