//! What came again and again in a week: the figures against sessions with known findings.

use jiff::Timestamp;
use sqlx::AssertSqlSafe;
use tarsy_contracts::prevention::UnreadSource;
use tarsy_domain::id::SessionId;
use tarsy_store::{
    PreventionPeriod, PreventionRows, Redaction, RedactionEffect, RedactionPosition, RefusalReason,
    RefusedRequests,
};
use uuid::Uuid;

use crate::setup::{Db, db};

/// Of the week that is asked for, and of the one before.
const NOW: &str = "2026-03-11T10:00:00Z";
const BEFORE: &str = "2026-03-04T10:00:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A session that ended with a verdict.
#[derive(Clone, Copy)]
struct Seed {
    at: &'static str,
    fingerprint: &'static str,
    /// `outcome alert_statement`.
    verdict: &'static str,
    /// `category kind name`.
    cause: &'static str,
    /// Columns and values of a review, and none without one.
    review: Option<(&'static str, &'static str)>,
    failed_calls: usize,
    origin: &'static str,
}

const FOUND: Seed = Seed {
    at: NOW,
    fingerprint: "a",
    verdict: "cause_found confirmed",
    cause: "out_of_memory Pod cart-0",
    review: None,
    failed_calls: 0,
    origin: "alert",
};

const NOTHING: Seed =
    Seed { fingerprint: "noise", verdict: "no_fault_found not_confirmed", ..FOUND };

impl Seed {
    /// An id of that time.
    fn id(&self) -> SessionId {
        let millis = u128::try_from(at(self.at).as_millisecond()).unwrap();
        let random = Uuid::now_v7().as_u128() & ((1 << 80) - 1);
        SessionId::from(Uuid::from_u128(millis << 80 | random))
    }
}

async fn run(db: &Db, statement: String) {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(&db.raw).await.unwrap();
}

async fn seed(db: &Db, seed: Seed) -> SessionId {
    let id = seed.id();
    let Seed { at, fingerprint, failed_calls, origin, .. } = seed;
    let (outcome, statement) = seed.verdict.split_once(' ').unwrap();
    let cause: Vec<_> = seed.cause.split(' ').collect();
    let [category, kind, name] = cause[..] else { panic!("{cause:?}") };
    run(
        db,
        format!(
            "insert into alert_sessions (id, alert_data, alert_type, chain_id, status, config_snapshot, created_at, started_at,
                completed_at, fingerprint, title, origin)
             values ('{id}', 'x', 'host', 'host', 'completed', '{{}}', '{at}', '{at}',
                '{at}'::timestamptz + interval '1 minute', '{fingerprint}', 'the {fingerprint}', '{origin}');
             insert into verdicts (id, session_id, source, outcome, alert_statement, cause, category, object_kind, object_name,
                object_namespace, confidence)
             values (gen_random_uuid(), '{id}', 'rules', '{outcome}', '{statement}', 'cause of {name}', '{category}', '{kind}',
                '{name}', 'shop', 'high');
             update alert_sessions s set verdict_id = v.id from verdicts v where v.session_id = s.id and s.id = '{id}';
             insert into mcp_interactions (id, session_id, status, call_id, interaction_type, server_name, tool_name,
                call_number, error_message)
             select gen_random_uuid(), '{id}', case when n = 0 then 'completed' else 'failed' end, gen_random_uuid(), 'tool_call',
                'k8s', 'pods_log', n + 1, case when n > 0 then 'connection refused by hunter2-host' end
             from generate_series(0, {failed_calls}) n",
        ),
    )
    .await;
    if let Some((columns, values)) = seed.review {
        run(
            db,
            format!(
                "with added as (insert into session_reviews (id, session_id, number, reviewer, {columns})
                    values (gen_random_uuid(), '{id}', 1, 'rosa', {values}) returning id)
                 update alert_sessions set review_id = added.id from added where alert_sessions.id = '{id}'"
            ),
        )
        .await;
    }
    id
}

async fn week(db: &Db) -> PreventionRows {
    while db.store.count_overview_hours().await.unwrap() > 0 {}
    let period = PreventionPeriod {
        before: at("2026-03-02T00:00:00Z"),
        from: at("2026-03-09T00:00:00Z"),
        to: at("2026-03-16T00:00:00Z"),
    };
    db.store.find_prevention(period).await.unwrap()
}

/// What and where, and how often in both weeks.
fn causes(rows: &PreventionRows) -> Vec<(&str, &str, i64, i64)> {
    let brief = |one: &'_ tarsy_store::CauseRow| (one.now, one.before);
    rows.causes
        .iter()
        .map(|one| (one.category.as_str(), one.object.as_str(), brief(one).0, brief(one).1))
        .collect()
}

#[tokio::test]
async fn causes_are_those_that_reviewers_leave_standing() {
    let db = db().await;
    let first = seed(&db, FOUND).await;
    let last = seed(&db, Seed { at: "2026-03-12T10:00:00Z", ..FOUND }).await;
    seed(&db, Seed { at: BEFORE, ..FOUND }).await;
    seed(&db, Seed { review: Some(("review", "'accurate'")), ..FOUND }).await;
    seed(&db, Seed { review: Some(("review", "'wrong'")), ..FOUND }).await;
    let corrected = ("review, category, object", "'wrong', 'Disk', 'db'");
    seed(&db, Seed { review: Some(corrected), ..FOUND }).await;
    let partly = ("review, actual_cause", "'partly', 'a leak'");
    seed(&db, Seed { review: Some(partly), ..FOUND }).await;
    seed(&db, NOTHING).await;
    // Neither of the two weeks, nor of an alert.
    seed(&db, Seed { at: "2026-03-16T00:00:00Z", ..FOUND }).await;
    seed(&db, Seed { at: "2026-03-01T23:59:59Z", ..FOUND }).await;
    seed(&db, Seed { origin: "recording", ..FOUND }).await;
    run(
        &db,
        format!(
            "insert into actions (id, session_id, execution_id, call_id, effect, planned_at, ended_at, outcome)
             select gen_random_uuid(), '{first}', gen_random_uuid(), gen_random_uuid(), 'it runs', '{NOW}', '{NOW}', o
             from unnest(array['worked', 'did_not_work', null]) o"
        ),
    )
    .await;

    let rows = week(&db).await;
    assert_eq!((rows.totals.now, rows.totals.before, rows.totals.is_cut), (7, 1, false));
    assert_eq!(causes(&rows), [("out_of_memory", "cart-0", 4, 1), ("disk", "db", 1, 0)]);
    let memory = &rows.causes[0];
    assert_eq!((memory.reviewed, memory.actions, memory.actions_worked), (2, 2, 1));
    assert_eq!((memory.last_session_id, memory.last_at), (last, at("2026-03-12T10:00:00Z")));
    assert_eq!((memory.object_kind.as_str(), memory.namespace.as_deref()), ("Pod", Some("shop")));
    assert_eq!((rows.causes[1].object_kind.as_str(), &rows.causes[1].namespace), ("", &None));
}

#[tokio::test]
async fn an_alert_is_needless_if_all_its_sessions_found_nothing() {
    let db = db().await;
    for one in [
        NOTHING,
        Seed { review: Some(("review", "'accurate'")), ..NOTHING },
        Seed { at: BEFORE, ..NOTHING },
        // A reviewer calls it noise, whatever was found.
        Seed {
            fingerprint: "flapping",
            review: Some(("review, category", "'wrong', 'Noise'")),
            ..FOUND
        },
        Seed { fingerprint: "flapping", ..NOTHING },
        // Once it was something.
        Seed { fingerprint: "real", ..NOTHING },
        Seed { fingerprint: "real", ..NOTHING },
        Seed { fingerprint: "real", at: BEFORE, ..FOUND },
        // What the alert states was seen: only the cause was not found.
        Seed { fingerprint: "open", verdict: "no_fault_found confirmed", ..NOTHING },
        Seed { fingerprint: "open", verdict: "no_fault_found confirmed", ..NOTHING },
        Seed { fingerprint: "once", ..NOTHING },
        Seed { fingerprint: "once", at: BEFORE, ..NOTHING },
    ] {
        seed(&db, one).await;
    }
    let rows = week(&db).await;
    let mut found: Vec<_> = rows
        .alerts
        .iter()
        .map(|one| (one.fingerprint.as_deref(), one.sessions, one.sessions_before, one.reviewed))
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(Some("flapping"), 2, 0, 1), (Some("noise"), 2, 1, 1)]);
    assert!(rows.alerts.iter().all(|one| one.alert_type.as_deref() == Some("host")));
}

#[tokio::test]
async fn what_is_deleted_or_removed_is_in_no_figure() {
    let db = db().await;
    let kept = seed(&db, Seed { failed_calls: 1, ..FOUND }).await;
    let deleted = seed(&db, Seed { failed_calls: 2, at: "2026-03-11T10:30:00Z", ..FOUND }).await;
    seed(&db, Seed { failed_calls: 1, at: BEFORE, ..FOUND }).await;
    let rows = week(&db).await;
    let tool = &rows.tools[0];
    assert_eq!((tool.server.as_str(), tool.tool.as_str()), ("k8s", "pods_log"));
    assert_eq!((tool.calls, tool.failed), (5, 3));
    assert_eq!((tool.calls_before, tool.failed_before), (2, 1));
    let last = tool.last.as_ref().unwrap();
    assert_eq!(
        (last.session_id, last.message.as_str()),
        (deleted, "connection refused by hunter2-host")
    );

    db.store.delete_session(deleted, "ada", "it is about a person").await.unwrap();
    let rows = week(&db).await;
    assert_eq!(causes(&rows), [("out_of_memory", "cart-0", 1, 1)]);
    let tool = &rows.tools[0];
    assert_eq!((tool.calls, tool.failed), (2, 1), "its hour is counted anew");
    assert_eq!(tool.last.as_ref().unwrap().session_id, kept);

    let redaction = Redaction {
        spellings: vec!["hunter2-host".to_owned()],
        reason: "a secret".to_owned(),
        effect: RedactionEffect::Remove,
    };
    let position = RedactionPosition { table: "mcp_interactions".to_owned(), after: None };
    db.store.redact_rows(&redaction, &position).await.unwrap();
    let message = week(&db).await.tools[0].last.clone().unwrap().message;
    assert!(
        !message.contains("hunter2") && message.contains("removed by an administrator"),
        "{message}"
    );
}

#[tokio::test]
async fn sources_are_listed_by_what_was_not_read_of_them() {
    let db = db().await;
    for (source, content, time, repeats) in [
        ("grafana", "not_understood", NOW, 4),
        ("grafana", "not_understood", BEFORE, 0),
        ("grafana", "problem", NOW, 0),
    ] {
        run(
            &db,
            format!(
                "insert into intake_alerts (id, source, fingerprint, content, status, title, alert_type, chain_id, action, reason,
                    decision, received_at, repeats, last_received_at)
                 values (gen_random_uuid(), '{source}', 'f', '{content}', 'firing', 't', 'host', 'host', 'ignore', 'not_understood',
                    '{{}}', '{time}', {repeats}, '{time}')"
            ),
        )
        .await;
    }
    let refused = |source: &str, reason, requests, minute| RefusedRequests {
        minute: at(minute),
        source: source.to_owned(),
        sender: "10.0.0.7".to_owned(),
        reason,
        requests,
    };
    let rows = [
        refused("grafana", RefusalReason::Unverified, 2, NOW),
        refused("grafana", RefusalReason::Busy, 3, NOW),
        refused("nobody", RefusalReason::UnknownSource, 1, BEFORE),
    ];
    db.store.count_refused_requests(&rows).await.unwrap();
    let found = week(&db).await.sources;
    let grafana = UnreadSource {
        source: "grafana".to_owned(),
        not_understood: 5,
        not_understood_before: 1,
        refused: 5,
        refused_before: 0,
        refusal_reasons: vec!["busy".to_owned(), "unverified".to_owned()],
        last_at: at(NOW),
    };
    assert_eq!(found, [grafana], "one that was understood this week is no concern of it");
    assert!(db.store.list_refused_requests(10).await.unwrap().is_empty(), "older than a week");
}
