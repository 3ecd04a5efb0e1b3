//! Every filter of lists and of the search, alone and with each other one, against the same filter over values.

use std::collections::BTreeMap;

use jiff::{Timestamp, ToSpan as _};
use sqlx::AssertSqlSafe;
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_domain::status::{SessionOrigin, SessionStatus};
use tarsy_domain::triage::Triage;
use tarsy_store::{FailedTool, SearchQuery, SessionQuery, SortBy};

use crate::setup::{Db, db};

const SESSIONS: usize = 60;
const STATUSES: [SessionStatus; 5] = [
    SessionStatus::Completed,
    SessionStatus::Failed,
    SessionStatus::TimedOut,
    SessionStatus::Cancelled,
    SessionStatus::Pending,
];

/// A session as values. What is no other way to make in every combination is written by plain SQL.
#[derive(Clone, Debug)]
struct Row {
    id: SessionId,
    number: usize,
    status: SessionStatus,
    is_deleted: bool,
    created_at: Timestamp,
}

impl Row {
    fn is(&self, divisor: usize, rest: usize) -> bool {
        self.number % divisor == rest
    }

    fn origin(&self) -> SessionOrigin {
        match self.number % 6 {
            4 => SessionOrigin::Replay,
            5 => SessionOrigin::Recording,
            _ => SessionOrigin::Alert,
        }
    }

    fn review(&self) -> Option<Review> {
        match self.number % 7 {
            1 => Some(Review::Wrong),
            2 => Some(Review::Accurate),
            _ => None,
        }
    }

    /// The state of work, with its assignee.
    fn triage(&self) -> (Triage, Option<&'static str>) {
        match self.number % 8 {
            1 => (Triage::Taken, Some("ann")),
            2 => (Triage::Taken, Some("bob")),
            5 => (Triage::Done, Some("ann")),
            _ => (Triage::New, None),
        }
    }

    fn score(&self) -> Option<u8> {
        let number = u8::try_from(self.number % 9).unwrap();
        (number > 2).then_some(number * 12)
    }

    fn failed_tool(&self) -> Option<&'static str> {
        match self.number % 5 {
            1 => Some("pods_list"),
            2 => Some("pods_log"),
            _ => None,
        }
    }
}

fn maybe<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| format!("'{}'", value.to_string()))
}

async fn seeded(db: &Db) -> Vec<Row> {
    let start: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
    let mut rows: Vec<Row> = Vec::new();
    for number in 0..SESSIONS {
        // Two at a time have the same moment, so that the order needs the id.
        let minutes = i64::try_from(number / 2).unwrap();
        let row = Row {
            id: SessionId::new(),
            number,
            status: STATUSES[number % STATUSES.len()],
            is_deleted: number % 11 == 10,
            created_at: start.checked_add(minutes.minutes()).unwrap(),
        };
        insert(db, &row, rows.first()).await;
        rows.push(row);
    }
    rows
}

async fn insert(db: &Db, row: &Row, original: Option<&Row>) {
    let (id, n, at) = (row.id, row.number, row.created_at);
    let ended = row.status != SessionStatus::Pending;
    let replay_of = original.filter(|_| row.origin() == SessionOrigin::Replay);
    let statement = format!(
        "insert into alert_sessions (id, alert_data, alert_type, chain_id, status, author, config_snapshot, created_at,
            started_at, completed_at, severity, service, fingerprint, degraded_reasons, origin, replay_of, deleted_at)
         values ('{id}', 'disk number{n}', 'type-{}', 'chain-{}', '{}', {}, '{{}}', '{at}', {}, {}, {}, {}, {}, '{}', '{}', {}, {});",
        n % 2,
        n % 3,
        row.status.as_str(),
        maybe((n % 4 > 0).then(|| format!("user-{}", n % 4))),
        maybe(ended.then_some(at)),
        maybe(ended.then(|| at.checked_add(i64::try_from(n % 8).unwrap().seconds()).unwrap())),
        maybe(row.is(3, 0).then_some("critical")),
        maybe(row.is(4, 1).then_some("100%_x")),
        maybe(row.is(5, 3).then_some("print")),
        if row.is(3, 1) { "{no_successful_call}" } else { "{}" },
        row.origin().as_str(),
        maybe(replay_of.map(|original| original.id)),
        maybe(row.is_deleted.then_some(at)),
    );
    let review = row.review().map(|review| {
        format!(
            "insert into session_reviews (id, session_id, review, reviewer, number)
             values ('{id}', '{id}', '{}', 'bob', 1);
             update alert_sessions set review_id = '{id}' where id = '{id}';",
            review.as_str()
        )
    });
    let (triage, assignee) = row.triage();
    let triaged = format!(
        "update alert_sessions set triage = '{}', assignee = {} where id = '{id}';",
        triage.as_str(),
        maybe(assignee),
    );
    let score = row.score().map(|score| {
        format!("update alert_sessions set score = {score}, score_id = '{id}' where id = '{id}';")
    });
    let call = row.failed_tool().map(|tool| {
        format!(
            "insert into mcp_interactions (id, session_id, status, call_id, interaction_type, server_name, tool_name, call_number)
             values (gen_random_uuid(), '{id}', 'failed', '{id}', 'tool_call', 'k8s', '{tool}', 1),
                (gen_random_uuid(), '{id}', 'completed', gen_random_uuid(), 'tool_call', 'k8s', 'fine', 2);"
        )
    });
    let all = [Some(statement), review, score, call, Some(triaged)]
        .into_iter()
        .flatten()
        .collect::<String>();
    sqlx::raw_sql(AssertSqlSafe(all)).execute(&db.raw).await.unwrap();
}

struct Filter {
    name: &'static str,
    set: fn(&mut SessionQuery),
    keeps: fn(&Row) -> bool,
}

fn failed(tool: Option<&str>) -> FailedTool {
    FailedTool { server: "k8s".to_owned(), tool: tool.map(str::to_owned) }
}

fn filter(name: &'static str, set: fn(&mut SessionQuery), keeps: fn(&Row) -> bool) -> Filter {
    Filter { name, set, keeps }
}

fn filters() -> Vec<Filter> {
    vec![
        filter(
            "status",
            |query| query.statuses = vec![SessionStatus::Failed, SessionStatus::Pending],
            |row| matches!(row.status, SessionStatus::Failed | SessionStatus::Pending),
        ),
        filter(
            "alert_type",
            |query| query.alert_type = Some("type-1".to_owned()),
            |row| row.is(2, 1),
        ),
        filter("chain_id", |query| query.chain_id = Some("chain-2".to_owned()), |row| row.is(3, 2)),
        filter(
            "fingerprint",
            |query| query.fingerprint = Some("print".to_owned()),
            |row| row.is(5, 3),
        ),
        filter("reviewed", |query| query.reviewed = Some(true), |row| row.review().is_some()),
        filter("not reviewed", |query| query.reviewed = Some(false), |row| row.review().is_none()),
        filter(
            "review",
            |query| query.reviews = vec![Review::Wrong, Review::Partly],
            |row| row.review() == Some(Review::Wrong),
        ),
        filter("score", |query| query.min_score = Some(60), |row| row.score() >= Some(60)),
        filter("degraded", |query| query.degraded = Some(true), |row| row.is(3, 1)),
        filter("not degraded", |query| query.degraded = Some(false), |row| !row.is(3, 1)),
        filter(
            "origin",
            |query| query.origins = vec![SessionOrigin::Replay, SessionOrigin::Recording],
            |row| row.origin() != SessionOrigin::Alert,
        ),
        filter("author", |query| query.author = Some("user-3".to_owned()), |row| row.is(4, 3)),
        filter("new", |query| query.triage = vec![Triage::New], |row| row.triage().1.is_none()),
        filter(
            "taken or done",
            |query| query.triage = vec![Triage::Taken, Triage::Done],
            |row| row.triage().1.is_some(),
        ),
        filter(
            "assignee",
            |query| query.assignee = Some("ann".to_owned()),
            |row| row.triage().1 == Some("ann"),
        ),
        filter(
            "severity",
            |query| query.severity = Some("critical".to_owned()),
            |row| row.is(3, 0),
        ),
        filter("service", |query| query.service = Some("100%_x".to_owned()), |row| row.is(4, 1)),
        filter("no pattern", |query| query.service = Some("%".to_owned()), |_| false),
        filter("no text with NUL", |query| query.service = Some("\0".to_owned()), |_| false),
        filter(
            "failed_server",
            |query| query.failed_tool = Some(failed(None)),
            |row| row.failed_tool().is_some(),
        ),
        filter(
            "failed_tool",
            |query| query.failed_tool = Some(failed(Some("pods_log"))),
            |row| row.failed_tool() == Some("pods_log"),
        ),
        filter(
            "tool that did not fail",
            |query| query.failed_tool = Some(failed(Some("fine"))),
            |_| false,
        ),
        filter(
            "start_date",
            |query| query.start_date = Some("2026-03-01T00:09:00Z".parse().unwrap()),
            |row| row.number >= 18,
        ),
        filter(
            "end_date",
            |query| query.end_date = Some("2026-03-01T00:20:00Z".parse().unwrap()),
            |row| row.number <= 41,
        ),
    ]
}

/// All sessions of a list, page by page.
async fn listed(db: &Db, query: &SessionQuery, name: &str) -> Vec<SessionId> {
    let mut seen = Vec::new();
    for page in 1.. {
        let query = SessionQuery { page, page_size: 7, ..query.clone() };
        let answer = db.store.list_sessions(query).await.unwrap();
        let is_last = answer.items.len() < 7;
        seen.extend(answer.items.iter().map(|item| item.id));
        if is_last {
            assert_eq!(answer.total_items, i64::try_from(seen.len()).unwrap(), "{name}");
            return seen;
        }
    }
    unreachable!("there is a last page")
}

async fn found(db: &Db, filter: &SessionQuery) -> Vec<SessionId> {
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let filter = filter.clone();
        let query = SearchQuery { text: "disk".to_owned(), filter, limit: 7, after };
        let page = db.store.search(&query).await.unwrap();
        seen.extend(page.hits.iter().map(|hit| hit.session.id));
        let Some(next) = page.next_cursor else { return seen };
        after = Some(next.parse().unwrap());
    }
}

fn newest_first<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<SessionId> {
    let mut kept: Vec<&Row> = rows.filter(|row| !row.is_deleted).collect();
    kept.sort_by_key(|row| std::cmp::Reverse((row.created_at, row.id.uuid())));
    kept.iter().map(|row| row.id).collect()
}

#[tokio::test]
async fn each_filter_alone_and_with_each_other_one_keeps_what_it_should() {
    let db = db().await;
    let rows = seeded(&db).await;
    let filters = filters();
    for (place, one) in filters.iter().enumerate() {
        for other in &filters[place..] {
            let mut query = SessionQuery::default();
            (one.set)(&mut query);
            (other.set)(&mut query);
            // Of two filters of the same field the second one counts.
            let mut first = SessionQuery::default();
            (one.set)(&mut first);
            (other.set)(&mut first);
            let mut alone = SessionQuery::default();
            (other.set)(&mut alone);
            let replaces = first == alone && one.name != other.name;
            let keeps = |row: &&Row| (replaces || (one.keeps)(row)) && (other.keeps)(row);
            let expected = newest_first(rows.iter().filter(keeps));
            let name = format!("{} and {}", one.name, other.name);
            assert_eq!(listed(&db, &query, &name).await, expected, "{name}");
            assert_eq!(found(&db, &query).await, expected, "search: {name}");
        }
    }
}

#[tokio::test]
async fn replays_of_a_session_are_listed() {
    let db = db().await;
    let rows = seeded(&db).await;
    let query = SessionQuery { replay_of: Some(rows[0].id), ..SessionQuery::default() };
    let replays = rows.iter().filter(|row| row.origin() == SessionOrigin::Replay);
    let expected = newest_first(replays);
    assert!(expected.len() > 5);
    assert_eq!(listed(&db, &query, "replay_of").await, expected);
    assert_eq!(found(&db, &query).await, expected);
    let none = SessionQuery { replay_of: Some(rows[1].id), ..SessionQuery::default() };
    assert!(listed(&db, &none, "replay_of").await.is_empty());
}

#[tokio::test]
async fn pages_of_every_order_are_disjoint_and_complete() {
    let db = db().await;
    let rows = seeded(&db).await;
    let mut expected = newest_first(rows.iter());
    expected.sort_by_key(|id| id.uuid());
    let keys: BTreeMap<SessionId, &Row> = rows.iter().map(|row| (row.id, row)).collect();
    for sort_by in
        [SortBy::CreatedAt, SortBy::Status, SortBy::AlertType, SortBy::Author, SortBy::Duration]
    {
        let query = SessionQuery { sort_by, descending: false, ..SessionQuery::default() };
        let up = listed(&db, &query, "up").await;
        let down = listed(&db, &SessionQuery { descending: true, ..query }, "down").await;
        for list in [&up, &down] {
            let mut sorted = list.clone();
            sorted.sort_by_key(|id| id.uuid());
            assert_eq!(sorted, expected, "{sort_by:?}");
        }
        if sort_by == SortBy::Status {
            let words: Vec<&str> = up.iter().map(|id| keys[id].status.as_str()).collect();
            assert!(words.is_sorted(), "{words:?}");
        }
    }
    let by_score = SessionQuery { sort_by: SortBy::Score, ..SessionQuery::default() };
    let mut scored = newest_first(rows.iter().filter(|row| row.score().is_some()));
    scored.sort_by_key(|id| std::cmp::Reverse(keys[id].score()));
    assert_eq!(listed(&db, &by_score, "down").await, scored);
    scored.reverse();
    let up = SessionQuery { descending: false, ..by_score };
    assert_eq!(listed(&db, &up, "up").await, scored);
}
