//! A database with as many sessions as an installation has, and what people ask of it.

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::review::Review;
use tarsy_domain::status::{SessionOrigin, SessionStatus};
use tarsy_store::{FailedTool, OverviewQuery, SearchQuery, SessionQuery, SortBy, Store};

const SEED: &str = include_str!("many_sessions.sql");

/// Fills a migrated, empty database with sessions of the last 90 days, their steps, and the documents of the search. It takes
/// about 5 kB of disk for each session.
pub async fn seed_sessions(url: &str, sessions: u32) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    // A number; `set` takes no parameters.
    let size = AssertSqlSafe(format!("set seed.sessions = '{sessions}'"));
    sqlx::raw_sql(size).execute(&mut connection).await?;
    sqlx::raw_sql(SEED).execute(&mut connection).await.context("the sessions")?;
    sqlx::raw_sql("vacuum analyze").execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// Something that pages of the dashboard ask the store for.
#[derive(Clone, Debug)]
pub enum ListRequest {
    Sessions(Box<SessionQuery>),
    FilterOptions,
    Active,
    Search(Box<SearchQuery>),
    /// The sessions of so many days until now in numbers.
    Overview(i64),
}

impl ListRequest {
    /// Asks for it, and answers how many rows came.
    pub async fn send(&self, store: &Store) -> anyhow::Result<usize> {
        Ok(match self {
            Self::Sessions(query) => store.list_sessions((**query).clone()).await?.items.len(),
            Self::FilterOptions => store.list_filter_options().await?.alert_types.len(),
            Self::Active => store.list_active_sessions().await?.queued.len(),
            Self::Search(query) => store.search(query).await?.hits.len(),
            Self::Overview(days) => {
                let to = SystemClock.now();
                let from = to.checked_sub(SignedDuration::from_hours(24 * days))?;
                store.find_overview(OverviewQuery { from, to }).await?.buckets.len()
            }
        })
    }
}

/// What is asked of the lists, the search and the overview of [`seed_sessions`], by name: every order and filter, values that
/// many, few and no sessions have, and pairs that exclude each other.
pub fn list_requests() -> Vec<(String, ListRequest)> {
    let mut requests = vec![
        ("filter options".to_owned(), ListRequest::FilterOptions),
        ("active sessions".to_owned(), ListRequest::Active),
    ];
    requests.extend(orders());
    requests.extend(filters().into_iter().map(|(name, filter)| sessions(name, filter)));
    requests.extend(pairs().into_iter().map(|(name, filter)| sessions(name, filter)));
    requests.extend(failed_tools().into_iter().map(|(name, filter)| sessions(name, filter)));
    requests.extend(by_duration().into_iter().map(|(name, filter)| sessions(name, filter)));
    requests.extend(searches());
    requests.extend(
        [1, 7, 30, 90].map(|days| (format!("overview {days} d"), ListRequest::Overview(days))),
    );
    requests
}

fn sessions(name: &str, query: SessionQuery) -> (String, ListRequest) {
    (format!("list {name}"), ListRequest::Sessions(Box::new(query)))
}

fn orders() -> Vec<(String, ListRequest)> {
    let sorts = [
        ("created_at", SortBy::CreatedAt),
        ("status", SortBy::Status),
        ("alert_type", SortBy::AlertType),
        ("author", SortBy::Author),
        ("duration", SortBy::Duration),
    ];
    let mut orders = Vec::new();
    for (name, sort_by) in sorts {
        for (direction, descending) in [("desc", true), ("asc", false)] {
            let query = SessionQuery { sort_by, descending, ..SessionQuery::default() };
            orders.push(sessions(&format!("by {name} {direction}"), query));
        }
    }
    let deep = SessionQuery { page: 400, ..SessionQuery::default() };
    orders.push(sessions("page 400", deep));
    let largest = SessionQuery { page_size: 100, ..SessionQuery::default() };
    orders.push(sessions("of 100", largest));
    orders
}

fn failed(server: &str, tool: Option<&str>) -> FailedTool {
    FailedTool { server: server.to_owned(), tool: tool.map(str::to_owned) }
}

fn days_ago(days: i64) -> Option<Timestamp> {
    SystemClock.now().checked_sub(SignedDuration::from_hours(24 * days)).ok()
}

/// Each filter alone.
fn filters() -> Vec<(&'static str, SessionQuery)> {
    let all = SessionQuery::default;
    vec![
        ("status=completed", SessionQuery { statuses: vec![SessionStatus::Completed], ..all() }),
        ("status=failed", SessionQuery { statuses: vec![SessionStatus::Failed], ..all() }),
        (
            "status=timed_out,cancelled",
            SessionQuery {
                statuses: vec![SessionStatus::TimedOut, SessionStatus::Cancelled],
                ..all()
            },
        ),
        ("status=pending", SessionQuery { statuses: vec![SessionStatus::Pending], ..all() }),
        ("alert_type frequent", SessionQuery { alert_type: Some("type-0".to_owned()), ..all() }),
        ("alert_type rare", SessionQuery { alert_type: Some("type-30".to_owned()), ..all() }),
        ("chain_id", SessionQuery { chain_id: Some("chain-3".to_owned()), ..all() }),
        ("chain_id unknown", SessionQuery { chain_id: Some("none".to_owned()), ..all() }),
        (
            "fingerprint frequent",
            SessionQuery { fingerprint: Some("fingerprint-0".to_owned()), ..all() },
        ),
        (
            "fingerprint rare",
            SessionQuery { fingerprint: Some("fingerprint-19000".to_owned()), ..all() },
        ),
        ("reviewed=true", SessionQuery { reviewed: Some(true), ..all() }),
        ("reviewed=false", SessionQuery { reviewed: Some(false), ..all() }),
        ("review=wrong", SessionQuery { reviews: vec![Review::Wrong], ..all() }),
        ("degraded=true", SessionQuery { degraded: Some(true), ..all() }),
        ("degraded=false", SessionQuery { degraded: Some(false), ..all() }),
        ("origin=replay", SessionQuery { origins: vec![SessionOrigin::Replay], ..all() }),
        ("origin=recording", SessionQuery { origins: vec![SessionOrigin::Recording], ..all() }),
        (
            "origin=alert,replay",
            SessionQuery { origins: vec![SessionOrigin::Alert, SessionOrigin::Replay], ..all() },
        ),
        ("replay_of none", SessionQuery { replay_of: Some(uuid::Uuid::nil().into()), ..all() }),
        ("author", SessionQuery { author: Some("user-7".to_owned()), ..all() }),
        ("severity", SessionQuery { severity: Some("critical".to_owned()), ..all() }),
        ("service", SessionQuery { service: Some("service-42".to_owned()), ..all() }),
        ("failed_server", SessionQuery { failed_tool: Some(failed("kubernetes", None)), ..all() }),
        (
            "failed_tool",
            SessionQuery { failed_tool: Some(failed("kubernetes", Some("pods_log"))), ..all() },
        ),
        (
            "failed_tool unknown",
            SessionQuery { failed_tool: Some(failed("kubernetes", Some("x"))), ..all() },
        ),
        ("search frequent", SessionQuery { search: Some("error".to_owned()), ..all() }),
        ("search rare", SessionQuery { search: Some("c4ca4238a".to_owned()), ..all() }),
        ("search unknown", SessionQuery { search: Some("qqqqq".to_owned()), ..all() }),
        ("last 2 days", SessionQuery { start_date: days_ago(2), ..all() }),
        ("before 80 days", SessionQuery { end_date: days_ago(80), ..all() }),
    ]
}

/// Filters together, also such that no session passes.
fn pairs() -> Vec<(&'static str, SessionQuery)> {
    let all = SessionQuery::default;
    let failed_status = || vec![SessionStatus::Failed];
    vec![
        (
            "author never that status",
            SessionQuery { author: Some("user-7".to_owned()), statuses: failed_status(), ..all() },
        ),
        (
            "service never that chain",
            SessionQuery {
                service: Some("service-42".to_owned()),
                chain_id: Some("chain-3".to_owned()),
                ..all()
            },
        ),
        (
            "degraded never that status",
            SessionQuery { degraded: Some(true), statuses: failed_status(), ..all() },
        ),
        (
            "reviewed never degraded",
            SessionQuery { reviewed: Some(true), degraded: Some(true), ..all() },
        ),
        (
            "origin never that author",
            SessionQuery {
                origins: vec![SessionOrigin::Replay],
                author: Some("user-7".to_owned()),
                ..all()
            },
        ),
        (
            "review=wrong and severity",
            SessionQuery {
                reviews: vec![Review::Wrong],
                severity: Some("info".to_owned()),
                ..all()
            },
        ),
    ]
}

/// A failed tool with another filter.
fn failed_tools() -> Vec<(&'static str, SessionQuery)> {
    let failed_tool = || SessionQuery {
        failed_tool: Some(failed("kubernetes", Some("pods_log"))),
        ..SessionQuery::default()
    };
    vec![
        (
            "failed_tool and status",
            SessionQuery { statuses: vec![SessionStatus::Failed], ..failed_tool() },
        ),
        (
            "failed_tool and service",
            SessionQuery { service: Some("service-42".to_owned()), ..failed_tool() },
        ),
        ("failed_tool 80 days ago", SessionQuery { end_date: days_ago(80), ..failed_tool() }),
    ]
}

/// Filters in the order of the duration.
fn by_duration() -> Vec<(&'static str, SessionQuery)> {
    let by_duration = || SessionQuery { sort_by: SortBy::Duration, ..SessionQuery::default() };
    let failed_status = || vec![SessionStatus::Failed];
    vec![
        ("status=failed by duration", SessionQuery { statuses: failed_status(), ..by_duration() }),
        ("degraded by duration", SessionQuery { degraded: Some(true), ..by_duration() }),
        ("reviewed by duration", SessionQuery { reviewed: Some(true), ..by_duration() }),
        (
            "severity by duration",
            SessionQuery { severity: Some("critical".to_owned()), ..by_duration() },
        ),
        (
            "failed_tool by duration",
            SessionQuery {
                failed_tool: Some(failed("kubernetes", Some("pods_log"))),
                ..by_duration()
            },
        ),
        ("last 2 days by duration", SessionQuery { start_date: days_ago(2), ..by_duration() }),
    ]
}

fn searches() -> Vec<(String, ListRequest)> {
    let texts = [
        ("frequent word", "error"),
        ("two frequent words", "503 error"),
        ("rare word", "oomkilled"),
        ("unknown word", "qqqqq"),
        ("frequent and rare word", "error word4711"),
        ("frequent beginning", "wor"),
        ("rare beginning", "c4ca4"),
        ("name", "service-7"),
        ("address", "10.7.3.0"),
        ("frequent words that are no name", "error-503-http"),
    ];
    let all = SessionQuery::default;
    let filtered = [
        (
            "word of one status",
            "refused",
            SessionQuery { statuses: vec![SessionStatus::Failed], ..all() },
        ),
        (
            "rare word of an author",
            "oomkilled",
            SessionQuery { author: Some("user-7".to_owned()), ..all() },
        ),
        (
            "frequent word that no such session has",
            "cluster-2",
            SessionQuery { author: Some("user-7".to_owned()), ..all() },
        ),
        ("word of 80 days ago", "oomkilled", SessionQuery { end_date: days_ago(80), ..all() }),
        (
            "word of sessions with a failed tool",
            "timeout",
            SessionQuery { failed_tool: Some(failed("kubernetes", None)), ..all() },
        ),
    ];
    let alone = texts.into_iter().map(|(name, words)| (name, words, all()));
    alone
        .chain(filtered)
        .map(|(name, words, filter)| {
            let text = words.to_owned();
            let query = SearchQuery { text, filter, limit: 20, after: None };
            (format!("search {name}"), ListRequest::Search(Box::new(query)))
        })
        .collect()
}
