//! How PostgreSQL executes the statements of lists, search and overview with many sessions: what is read must not grow with
//! what is stored. The plans are those of the statements that the store really sends, as `auto_explain` reports them.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

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
    fn take(&self) -> Vec<Plan> {
        let taken = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        taken.iter().filter_map(|text| Plan::read(text)).collect()
    }
}

/// A statement and how it was executed.
struct Plan {
    statement: String,
    nodes: String,
}

impl Plan {
    /// Reads what `auto_explain` says: the statement, then a line for each node, of which the first has the costs of all.
    fn read(notice: &str) -> Option<Self> {
        let (_, text) = notice.split_once("plan:\nQuery Text: ")?;
        let (before, _) = text.split_once("  (cost=").unwrap();
        let (statement, _) = before.rsplit_once('\n').unwrap();
        let nodes = text.split_at(statement.len()).1.to_owned();
        Some(Self { statement: statement.to_owned(), nodes })
    }

    /// The pages that the whole statement touched; a node that touched none has no such line.
    fn buffers(&self) -> i64 {
        let line = self.nodes.lines().find_map(|line| line.trim().strip_prefix("Buffers: "));
        let shared =
            line.and_then(|line| line.split(", ").find_map(|kind| kind.strip_prefix("shared ")));
        let counts =
            shared.unwrap_or_default().split(' ').filter_map(|count| count.split_once('='));
        let read = counts.filter(|(name, _)| matches!(*name, "hit" | "read"));
        read.map(|(_, pages)| pages.parse::<i64>().unwrap()).sum()
    }

    /// The large tables that are read from one end to the other.
    fn scanned(&self) -> Vec<&str> {
        let scans = self.nodes.split("Seq Scan on ").skip(1);
        let tables = scans.filter_map(|rest| rest.split_whitespace().next());
        tables.filter(|table| LARGE.contains(table)).collect()
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
            execute format('alter database %I set auto_explain.log_format = text', current_database());
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

#[test]
fn a_plan_is_read_with_its_buffers_and_scans() {
    let notice = "duration: 0.5 ms  plan:\nQuery Text: select (a)\n  from stages\nLimit  (cost=0.00..1.00 rows=1 width=4) (actual rows=1 loops=1)\n  \
                  Buffers: shared hit=12 read=3, temp read=7 written=7\n  ->  Parallel Seq Scan on stages s  (cost=0.00..1.00 rows=1 width=4)\n        \
                  Buffers: shared hit=11\n  ->  Seq Scan on small  (cost=0.00..1.00 rows=1 width=4)";
    let plan = Plan::read(notice).unwrap();
    assert_eq!(plan.statement, "select (a)\n  from stages");
    assert_eq!((plan.buffers(), plan.scanned()), (15, vec!["stages"]));
    assert!(Plan::read("another notice").is_none());
}

#[tokio::test]
async fn no_request_reads_a_large_table_from_one_end_to_the_other() {
    let db = many_sessions().await;
    let notices = Notices::default();
    // With one subscriber alone, an event that another thread is the first to send is taken for one that nobody wants.
    let _second = tracing::Dispatch::new(notices.clone());
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
            let statement = &plan.statement;
            // An estimate runs nothing.
            if statement.starts_with("explain") {
                continue;
            }
            let (tables, touched) = (plan.scanned(), plan.buffers());
            if !tables.is_empty() || touched > MAX_BUFFERS {
                wrong.push(format!("{name}: {touched} buffers, scans {tables:?}\n{statement}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
