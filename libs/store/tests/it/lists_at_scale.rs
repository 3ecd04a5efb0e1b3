//! Lists, searches and the overview of many sessions: no query reads a large table from its beginning to its end.

use jiff::{Timestamp, ToSpan};
use sqlx::AssertSqlSafe;
use tarsy_domain::status::{SessionOrigin, SessionStatus};
use tarsy_store::{FailedTool, OverviewQuery, SearchQuery, SessionQuery, SortBy};
use tarsy_testkit::eventually;

use crate::setup::{Db, db};

/// Enough for the planner to prefer indexes.
const SESSIONS: u32 = 8_000;
const LARGE: &str = "'alert_sessions', 'search_documents', 'mcp_interactions', 'llm_interactions', 'timeline_events'";

/// Rows of the large tables that were read without an index.
async fn rows_without_index(db: &Db) -> i64 {
    let sql = format!(
        "select coalesce(sum(seq_tup_read), 0)::bigint from pg_stat_user_tables where relname in ({LARGE})"
    );
    sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&db.raw).await.unwrap()
}

fn filters(now: Timestamp) -> Vec<SessionQuery> {
    let all = SessionQuery::default;
    let text = |value: &str| Some(value.to_owned());
    let mut filters = vec![
        all(),
        SessionQuery { statuses: vec![SessionStatus::Failed], ..all() },
        SessionQuery { statuses: vec![SessionStatus::Completed, SessionStatus::Failed], ..all() },
        SessionQuery { alert_type: text("type-1"), ..all() },
        SessionQuery { chain_id: text("chain-1"), ..all() },
        SessionQuery { fingerprint: text("fingerprint-7"), ..all() },
        SessionQuery { degraded: Some(true), ..all() },
        SessionQuery { origins: vec![SessionOrigin::Replay], ..all() },
        SessionQuery { severity: text("critical"), ..all() },
        SessionQuery { service: text("service-7"), ..all() },
        SessionQuery { author: text("user-7"), ..all() },
        SessionQuery { start_date: Some(now - 6.hours()), ..all() },
        SessionQuery { search: text("error"), ..all() },
        SessionQuery {
            failed_tool: Some(FailedTool {
                server: "kubernetes".to_owned(),
                tool: text("nodes_top"),
            }),
            ..all()
        },
    ];
    for sort_by in [SortBy::Status, SortBy::AlertType, SortBy::Author, SortBy::Duration] {
        filters.push(SessionQuery { sort_by, ..all() });
    }
    filters
}

#[tokio::test]
async fn no_list_search_or_overview_reads_a_large_table_without_an_index() {
    let db = db().await;
    let seed = include_str!("lists_at_scale/seed.sql");
    let script = format!("set seed.sessions = '{SESSIONS}'; {seed}");
    sqlx::raw_sql(AssertSqlSafe(script)).execute(&db.raw).await.unwrap();
    sqlx::raw_sql("vacuum analyze").execute(&db.raw).await.unwrap();
    while db.store.count_overview_hours().await.unwrap() > 0 {}
    sqlx::raw_sql("select pg_stat_force_next_flush(); select 1").execute(&db.raw).await.unwrap();
    let before = rows_without_index(&db).await;

    let to = db.store.read_time().await.unwrap();
    for filter in filters(to) {
        db.store.list_sessions(filter.clone()).await.unwrap();
        for text in ["error", "oomkilled", "word499", "nosuchword", "timeout oomkilled"] {
            let filter = SessionQuery { search: None, ..filter.clone() };
            let query = SearchQuery { text: text.to_owned(), filter, limit: 20, after: None };
            db.store.search(&query).await.unwrap();
        }
    }
    db.store.find_overview(OverviewQuery { from: to - 720.hours(), to }).await.unwrap();
    db.store.list_filter_options().await.unwrap();

    // A server process reports what it read when it ends, at the latest.
    db.store.close();
    eventually("the connections are closed", async || {
        db.count("select count(*) from pg_stat_activity where application_name = 'tarsy' and datname = current_database()")
            .await
            == 0
    })
    .await;
    assert_eq!(rows_without_index(&db).await, before);
}
