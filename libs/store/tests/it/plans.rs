//! How PostgreSQL executes the statements of lists, search and overview with many sessions: what is read must not grow with
//! what is stored. The plans are those of the statements that the store really sends, as `auto_explain` reports them.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tarsy_testkit::{list_requests, seed_sessions};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::setup::{Db, db};

const SESSIONS: u32 = 10_000;
/// Tables that grow with the sessions.
const LARGE: [&str; 11] = [
    "alert_sessions",
    "session_control",
    "stages",
    "llm_interactions",
    "mcp_interactions",
    "timeline_events",
    "search_documents",
    "session_words",
    "events",
    "memories",
    "memory_vectors",
];
/// Pages of 8 kB that one statement may touch, each time counted: 5,000 sessions that a list reads at most, with their words or
/// calls, each by an index.
const MAX_BUFFERS: i64 = 15_000;

/// Collects what the server reports about statements.
#[derive(Clone, Default)]
struct Notices(Arc<Mutex<Vec<String>>>);

impl Notices {
    fn take(&self) -> Vec<Value> {
        let taken = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let plans = taken.iter().filter_map(|text| text.split_once("plan:\n"));
        plans.map(|(_, plan)| serde_json::from_str(plan).unwrap()).collect()
    }
}

struct Message<'a>(&'a Notices);

impl Visit for Message<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.0.0.lock().unwrap_or_else(PoisonError::into_inner).push(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

impl Subscriber for Notices {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::postgres::notice"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Message(self));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

async fn many_sessions() -> Db {
    let db = db().await;
    seed_sessions(db.pg.url(), SESSIONS).await.unwrap();
    while db.store.count_overview_hours().await.unwrap() > 0 {}
    sqlx::raw_sql(
        "analyze;
         do $$ begin
            execute format('alter database %I set session_preload_libraries = ''auto_explain''', current_database());
            -- A table of this size may be read as a whole because that is quicker; now only where no index serves.
            execute format('alter database %I set enable_seqscan = off', current_database());
            execute format('alter database %I set auto_explain.log_min_duration = 0', current_database());
            execute format('alter database %I set auto_explain.log_level = notice', current_database());
            execute format('alter database %I set auto_explain.log_format = json', current_database());
            execute format('alter database %I set auto_explain.log_analyze = on', current_database());
            execute format('alter database %I set auto_explain.log_buffers = on', current_database());
            execute format('alter database %I set auto_explain.log_timing = off', current_database());
            execute format('alter database %I set auto_explain.log_nested_statements = on', current_database());
         end $$",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    db
}

fn buffers(plan: &Value) -> i64 {
    ["Shared Hit Blocks", "Shared Read Blocks"]
        .iter()
        .filter_map(|name| plan.pointer("/Plan")?.get(name)?.as_i64())
        .sum()
}

/// The large tables that a plan reads from one end to the other.
fn scanned<'a>(node: &'a Value, tables: &mut Vec<&'a str>) {
    let table = node["Relation Name"].as_str().unwrap_or_default();
    if node["Node Type"] == "Seq Scan" && LARGE.contains(&table) {
        tables.push(table);
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        scanned(child, tables);
    }
}

#[tokio::test]
async fn no_request_reads_a_large_table_from_one_end_to_the_other() {
    let db = many_sessions().await;
    let notices = Notices::default();
    let _guard = tracing::subscriber::set_default(notices.clone());
    let store = db.reconnect().await;
    let mut wrong = Vec::new();
    let groups = list_requests().into_iter();
    let requests = groups.flat_map(|group| {
        let name = group.name;
        group.requests.into_iter().map(move |(detail, one)| (format!("{name} {detail}"), one))
    });
    for (name, request) in requests {
        notices.take();
        request.send(&store).await.unwrap();
        let plans = notices.take();
        assert!(!plans.is_empty(), "{name}: no plan was reported");
        for plan in &plans {
            let statement = plan["Query Text"].as_str().unwrap_or_default();
            // An estimate runs nothing.
            if statement.starts_with("explain") {
                continue;
            }
            let mut tables = Vec::new();
            scanned(&plan["Plan"], &mut tables);
            let touched = buffers(plan);
            if !tables.is_empty() || touched > MAX_BUFFERS {
                wrong.push(format!("{name}: {touched} buffers, scans {tables:?}\n{statement}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
