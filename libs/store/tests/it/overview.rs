//! The overview: its figures against sessions with known outcomes.

use std::pin::pin;

use jiff::{Timestamp, ToSpan as _};
use serde_json::json;
use sqlx::AssertSqlSafe;
use tarsy_contracts::overview::{
    Overview, OverviewAlert, OverviewBucket, OverviewCost, OverviewTool,
};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::price::CostDimension;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{NewSession, OverviewQuery, ScoreEnd};
use tarsy_testkit::{a_judgement, a_score_call, begin_score};

use crate::setup::{Db, alert, db, end};

/// A session that was submitted at a time.
#[derive(Clone, Copy)]
struct Seed {
    at: &'static str,
    status: &'static str,
    seconds: i64,
    /// Of calls of `k8s.pods_log`.
    failed_calls: usize,
    fingerprint: Option<&'static str>,
    cost: Option<i64>,
}

const COMPLETED: Seed = Seed {
    at: "2026-03-02T10:00:00Z",
    status: "completed",
    seconds: 60,
    failed_calls: 0,
    fingerprint: None,
    cost: Some(5),
};

/// Each has one call of `k8s.pods_log` that succeeded, and one of a model with 100 tokens.
async fn seed(db: &Db, seed: Seed) {
    let at: Timestamp = seed.at.parse().unwrap();
    let over = !matches!(seed.status, "pending" | "in_progress");
    let ended = at.checked_add(seed.seconds.seconds()).unwrap();
    let maybe = |text: Option<String>| text.map_or("null".to_owned(), |text| format!("'{text}'"));
    let calls: Vec<_> = (0..=seed.failed_calls)
        .map(|call| {
            let status = if call > 0 { "failed" } else { "completed" };
            format!(
                "insert into mcp_interactions (id, session_id, status, call_id, interaction_type, server_name, tool_name, call_number)
                 select gen_random_uuid(), id, '{status}', gen_random_uuid(), 'tool_call', 'k8s', 'pods_log', {}
                 from made;",
                call + 1
            )
        })
        .collect();
    let calls = calls.concat();
    let statement = format!(
        "create temp table made as select gen_random_uuid() as id;
         insert into alert_sessions (id, alert_data, chain_id, status, config_snapshot, created_at, started_at, completed_at,
            degraded_reasons, fingerprint, title)
         select id, 'disk', 'host', '{}', '{{}}', '{at}', '{at}', {}, '{}', {}, 'the title' from made;
         insert into llm_interactions (id, session_id, interaction_type, model_name, llm_request, llm_response, total_tokens,
            cost_micro_usd)
         select gen_random_uuid(), id, 'iteration', 'm', '{{}}', '{{}}', 100, {} from made;
         {calls}
         drop table made",
        seed.status,
        maybe(over.then(|| ended.to_string())),
        if seed.failed_calls > 0 { "{no_successful_call}" } else { "{}" },
        maybe(seed.fingerprint.map(str::to_owned)),
        maybe(seed.cost.map(|cost| cost.to_string())),
    );
    let mut connection = db.raw.acquire().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await.unwrap();
}

async fn overview(db: &Db, from: &str, to: &str) -> Overview {
    let query = OverviewQuery { from: from.parse().unwrap(), to: to.parse().unwrap() };
    db.store.find_overview(query).await.unwrap()
}

async fn count_all(db: &Db) {
    while db.store.count_overview_hours().await.unwrap() > 0 {}
}

fn bucket(start: &str, completed: i64) -> OverviewBucket {
    OverviewBucket {
        start: start.parse().unwrap(),
        open: 0,
        completed,
        failed: 0,
        timed_out: 0,
        cancelled: 0,
        degraded: 0,
        total_tokens: 100 * completed,
        cost_micro_usd: (completed > 0).then_some(5 * completed),
    }
}

#[tokio::test]
async fn an_empty_database_has_an_overview_of_nothing() {
    let db = db().await;
    let empty = overview(&db, "2026-03-02T10:15:00Z", "2026-03-03T10:15:00Z").await;
    let expected = Overview {
        from: "2026-03-02T10:00:00Z".parse().unwrap(),
        to: "2026-03-03T11:00:00Z".parse().unwrap(),
        bucket_seconds: 3600,
        buckets: Vec::new(),
        duration_p50_ms: None,
        duration_p95_ms: None,
        tools: Vec::new(),
        alerts: Vec::new(),
        costs: Vec::new(),
        pending: 0,
        running: 0,
    };
    assert_eq!(empty, expected);
    assert_eq!(db.store.count_overview_hours().await.unwrap(), 0);
}

/// What is not yet committed is no hour without sessions.
#[tokio::test]
async fn a_reader_awaits_another_that_counts() {
    let db = db().await;
    seed(&db, COMPLETED).await;
    let mut counting = db.raw.begin().await.unwrap();
    sqlx::query("select count_overview_hours(100000)").execute(&mut *counting).await.unwrap();
    let reader = db.reconnect().await;
    let query = OverviewQuery {
        from: "2026-03-02T10:00:00Z".parse().unwrap(),
        to: "2026-03-02T11:00:00Z".parse().unwrap(),
    };
    let mut reading = pin!(reader.find_overview(query));
    let waits = "select exists (select from pg_locks join pg_database on oid = database
        where datname = current_database() and locktype = 'advisory' and not granted)";
    let it_waits =
        async { while !sqlx::query_scalar::<_, bool>(waits).fetch_one(&db.raw).await.unwrap() {} };
    tokio::select! {
        biased;
        seen = &mut reading => panic!("it did not wait: {seen:?}"),
        () = it_waits => {}
    }
    counting.commit().await.unwrap();
    let seen = reading.await.unwrap();
    assert_eq!(seen.buckets, [bucket("2026-03-02T10:00:00Z", 1)]);
}

#[tokio::test]
async fn what_is_spent_after_a_sessions_end_is_counted_in_its_hour() {
    let db = db().await;
    let snapshot = json!({"stages": [], "scoring": {"agent": "ScoringAgent"}});
    db.create(NewSession { config_snapshot: snapshot, ..alert() }).await;
    let fence = db.claim().await.unwrap().fence;
    db.store.finish_session(fence, end(SessionStatus::Completed)).await.unwrap();
    sqlx::query("update alert_sessions set created_at = created_at - interval '3 days'")
        .execute(&db.raw)
        .await
        .unwrap();
    count_all(&db).await;
    let now = SystemClock.now();
    let query = OverviewQuery { from: now - 90.hours(), to: now };
    let tokens = async || db.store.find_overview(query).await.unwrap().buckets[0].total_tokens;
    assert_eq!(tokens().await, 0);
    let claim = begin_score(&db.store).await.unwrap();
    db.store.judge_score(claim.fence, a_judgement(72), a_score_call()).await.unwrap();
    let done = ScoreEnd::Completed(Ok(Vec::new()));
    db.store.finish_score(claim.fence, done, Some(a_score_call())).await.unwrap();
    count_all(&db).await;
    assert!(tokens().await > 0);
}

/// A reader that waits for longer than that sees what was counted before.
#[tokio::test]
async fn a_reader_does_not_wait_for_ever_for_another_that_counts() {
    let db = db().await;
    seed(&db, COMPLETED).await;
    count_all(&db).await;
    let mut counting = db.raw.begin().await.unwrap();
    sqlx::query("select count_overview_hours(100000)").execute(&mut *counting).await.unwrap();
    let seen = overview(&db, "2026-03-02T10:00:00Z", "2026-03-02T11:00:00Z").await;
    assert_eq!(seen.buckets, [bucket("2026-03-02T10:00:00Z", 1)]);
    counting.rollback().await.unwrap();
}

#[tokio::test]
async fn every_figure_is_that_of_the_sessions() {
    let db = db().await;
    for (status, failed_calls) in
        [("failed", 3), ("timed_out", 1), ("cancelled", 0), ("pending", 0), ("in_progress", 0)]
    {
        let one = Seed { status, failed_calls, fingerprint: Some("a"), cost: None, ..COMPLETED };
        seed(&db, one).await;
    }
    for seconds in [10, 10, 10, 10, 1000] {
        let at = "2026-03-02T11:59:59.999999Z";
        seed(&db, Seed { at, seconds, fingerprint: Some("b"), ..COMPLETED }).await;
    }
    count_all(&db).await;
    let seen = overview(&db, "2026-03-02T10:00:00Z", "2026-03-02T12:00:00Z").await;
    let first = OverviewBucket {
        open: 2,
        failed: 1,
        timed_out: 1,
        cancelled: 1,
        degraded: 2,
        total_tokens: 500,
        ..bucket("2026-03-02T10:00:00Z", 0)
    };
    assert_eq!(seen.buckets, [first, bucket("2026-03-02T11:00:00Z", 5)]);
    let tool = OverviewTool {
        server: "k8s".to_owned(),
        tool: "pods_log".to_owned(),
        calls: 14,
        failed: 4,
    };
    assert_eq!(seen.tools, [tool]);
    let alert = |fingerprint: &str| OverviewAlert {
        fingerprint: fingerprint.to_owned(),
        title: Some("the title".to_owned()),
        sessions: 5,
    };
    assert_eq!(seen.alerts, [alert("a"), alert("b")]);
    let cost = |dimension, name: &str| OverviewCost {
        dimension,
        name: name.to_owned(),
        sessions: 10,
        total_tokens: 1000,
        cost_micro_usd: Some(25),
        unpriced_calls: 5,
    };
    // Calls of models without an execution belong to no agent.
    let costs = [cost(CostDimension::Chain, "host"), cost(CostDimension::Model, "m")];
    assert_eq!(seen.costs, costs);
    assert_eq!((seen.pending, seen.running), (1, 1));
    // 10 s four times, 60 s three times, 1000 s: within five percent.
    let within = |value: Option<i64>, expected: i64| {
        value.is_some_and(|value| (value - expected).abs() * 20 <= expected)
    };
    assert!(within(seen.duration_p50_ms, 10_000), "{seen:?}");
    assert!(within(seen.duration_p95_ms, 1_000_000), "{seen:?}");
}

#[tokio::test]
async fn the_range_begins_and_ends_with_full_hours() {
    let db = db().await;
    for at in ["2026-03-02T09:59:59.999999Z", "2026-03-02T10:00:00Z", "2026-03-02T12:00:00Z"] {
        seed(&db, Seed { at, ..COMPLETED }).await;
    }
    count_all(&db).await;
    for (from, to, hours) in [
        ("2026-03-02T10:00:00Z", "2026-03-02T12:00:00Z", &["10"][..]),
        ("2026-03-02T10:59:59.9Z", "2026-03-02T11:00:00Z", &["10"]),
        ("2026-03-02T10:00:00Z", "2026-03-02T12:00:00.5Z", &["10", "12"]),
        ("2026-03-02T09:30:00Z", "2026-03-02T10:00:00.000001Z", &["09", "10"]),
        ("2026-03-02T11:00:00Z", "2026-03-02T12:00:00Z", &[]),
    ] {
        let seen = overview(&db, from, to).await;
        let starts: Vec<String> =
            seen.buckets.iter().map(|one| one.start.to_string()[11..13].to_owned()).collect();
        assert_eq!(starts, hours, "{from} to {to}");
    }
}

#[tokio::test]
async fn buckets_grow_with_the_range() {
    let db = db().await;
    for at in ["2026-03-01T00:30:00Z", "2026-03-01T07:30:00Z", "2026-03-20T07:30:00Z"] {
        seed(&db, Seed { at, ..COMPLETED }).await;
    }
    count_all(&db).await;
    for (to, seconds, counts) in [
        ("2026-03-03T00:00:00Z", 3600, &[1, 1][..]),
        ("2026-03-15T00:00:00Z", 6 * 3600, &[1, 1]),
        ("2026-03-25T00:00:00Z", 24 * 3600, &[2, 1]),
    ] {
        let seen = overview(&db, "2026-03-01T00:00:00Z", to).await;
        let completed: Vec<i64> = seen.buckets.iter().map(|one| one.completed).collect();
        assert_eq!((seen.bucket_seconds, &completed[..]), (seconds, counts), "{to}");
    }
}

#[tokio::test]
async fn the_time_zone_of_the_database_changes_nothing() {
    let db = db().await;
    seed(&db, COMPLETED).await;
    seed(&db, Seed { at: "2026-03-02T10:59:00Z", ..COMPLETED }).await;
    sqlx::raw_sql(
        "do $$ begin execute format('alter database %I set timezone = ''Asia/Kathmandu''', current_database()); end $$",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    let store = db.reconnect().await;
    while store.count_overview_hours().await.unwrap() > 0 {}
    let query = OverviewQuery {
        from: "2026-03-02T10:00:00Z".parse().unwrap(),
        to: "2026-03-02T11:00:00Z".parse().unwrap(),
    };
    let seen = store.find_overview(query).await.unwrap();
    assert_eq!(seen.buckets, [bucket("2026-03-02T10:00:00Z", 2)]);
    assert_eq!((seen.from, seen.to), (query.from, query.to));
}

/// Of the last day, in which nobody counted.
#[tokio::test]
async fn the_first_reader_of_a_day_sees_all_its_hours() {
    let db = db().await;
    for hours in 0..20 {
        seed(&db, COMPLETED).await;
        let moved = format!(
            "update alert_sessions set created_at = now() - interval '{hours} hours' where created_at < '2026-03-03'"
        );
        sqlx::raw_sql(AssertSqlSafe(moved)).execute(&db.raw).await.unwrap();
    }
    let now: Timestamp = sqlx::query_scalar::<_, jiff_sqlx::Timestamp>("select now()")
        .fetch_one(&db.raw)
        .await
        .unwrap()
        .to_jiff();
    let query = OverviewQuery { from: now.checked_sub(24.hours()).unwrap(), to: now };
    let seen = db.store.find_overview(query).await.unwrap();
    assert_eq!(seen.buckets.iter().map(|one| one.completed).sum::<i64>(), 20, "{seen:?}");
}

#[tokio::test]
async fn an_hour_is_counted_again_until_its_sessions_are_over() {
    let db = db().await;
    seed(&db, Seed { status: "in_progress", ..COMPLETED }).await;
    count_all(&db).await;
    let hour = async || overview(&db, "2026-03-02T10:00:00Z", "2026-03-02T11:00:00Z").await;
    assert_eq!((hour().await.buckets[0].open, hour().await.running), (1, 1));
    sqlx::raw_sql(
        "update alert_sessions set status = 'completed', completed_at = started_at + interval '1 minute';
         update overview_hours set counted_at = created_at from (select min(created_at) as created_at from alert_sessions) s where open > 0",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    assert_eq!(hour().await.buckets, [bucket("2026-03-02T10:00:00Z", 1)]);
    // The current hour may be due again by now.
    let counted = async || {
        let counted = "select counted_at from overview_hours where hour = '2026-03-02T10:00:00Z'";
        let counted = sqlx::query_scalar::<_, jiff_sqlx::Timestamp>(counted);
        counted.fetch_one(&db.raw).await.unwrap().to_jiff()
    };
    let before = counted().await;
    db.store.count_overview_hours().await.unwrap();
    assert_eq!(counted().await, before);
}

#[tokio::test]
async fn a_deleted_session_does_not_count() {
    let db = db().await;
    seed(&db, COMPLETED).await;
    seed(&db, Seed { at: "2026-03-02T10:30:00Z", ..COMPLETED }).await;
    sqlx::raw_sql(
        "update alert_sessions set deleted_at = now() where created_at < '2026-03-02T10:15:00Z'",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    count_all(&db).await;
    let seen = overview(&db, "2026-03-02T10:00:00Z", "2026-03-02T11:00:00Z").await;
    assert_eq!(seen.buckets, [bucket("2026-03-02T10:00:00Z", 1)]);
    assert_eq!(seen.tools, []);
}
