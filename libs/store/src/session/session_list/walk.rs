//! The page of a list that is too long to be read as a whole.

use sqlx::postgres::Postgres;
use sqlx::{QueryBuilder, Row};
use tarsy_domain::status::SessionStatus;
use uuid::Uuid;

use crate::database::pool::Connection;
use crate::error::Error;
use crate::session::session_list::estimates::{Estimates, HASHED, has_short_columns, long_columns};
use crate::session::session_list::facets::{has_one_index, is_in_one_index, passing};
use crate::session::session_list::query::{
    Lookups, SessionQuery, SortBy, conditions, fields, filter, key, order, words_occur,
};

/// Sessions that a walk in the order of the list reads.
const AT_LEAST: i64 = 5_000;
/// The same for each session of the page and those before it. Of a long list at least one of 50 sessions passes.
const FOR_EACH: i64 = 50;
/// Entries of `alert_sessions_durations` that are read in the time in which one session is read and sorted.
const ENTRIES: i64 = 6;
/// Entries of it that are read for sessions whose words are looked at.
const ENTRIES_FOR_WORDS: i64 = 120_000;
/// The statuses of sessions that are over.
const ENDED: [SessionStatus; 4] = [
    SessionStatus::Completed,
    SessionStatus::Failed,
    SessionStatus::TimedOut,
    SessionStatus::Cancelled,
];
/// The columns of `alert_sessions_durations`.
const SHORT_COLUMNS: &str =
    "s.id, s.created_at, s.duration_ms, s.status, s.alert_type, s.chain_id, s.severity, s.origin,
    s.degraded_reasons, s.review_id";
/// What else a list is filtered by.
const LONG_COLUMNS: &str =
    ", s.author, s.service, s.fingerprint, s.replay_of, s.triage, s.assignee, s.score";
/// Sessions whose words are looked at, at least.
const LOOKED_AT: i64 = 10_000;

/// The ids of a page of a list for which the planner expects so many sessions. In most lists they are spread over its order, and a
/// walk soon meets enough of them. If those of the first authors, say, are all in another state, it ends and the ids of all
/// that pass are looked up in the index of the order, neither of which reads the sessions themselves; or, with several filters,
/// all that pass are sorted.
pub(super) async fn page(
    connection: &mut Connection,
    query: &SessionQuery,
    estimates: &Estimates,
    place: (i64, i64),
    expected: i64,
) -> Result<Vec<Uuid>, Error> {
    let (limit, offset) = place;
    let along = Order::of(query);
    if along.has_all || ended(query).next().is_some() {
        let bounds = along.bounds(query, estimates, limit.saturating_add(offset), expected);
        let mut sql = QueryBuilder::new("select s.id from (");
        along.walk(&mut sql, query, estimates, bounds);
        sql.push(") s where true");
        words_occur(&mut sql, query);
        sql.push(along.by);
        let walked = ids(connection, sql, place).await?;
        let is_full = i64::try_from(walked.len()).is_ok_and(|found| found == limit);
        if is_full || (bounds.looked_at.is_none() && along.has_all) {
            return Ok(walked);
        }
    }
    if is_in_one_index(query) && along.has_all {
        let mut sql = QueryBuilder::new("select s.id from alert_sessions s where");
        entries(&mut sql, query);
        are_hashed(&mut sql, query);
        sql.push(along.by);
        return ids(connection, sql, place).await;
    }
    let mut sql = QueryBuilder::new("with passed as materialized (");
    let columns = format!("s.id, s.created_at{}", key(query.sort_by));
    passing(&mut sql, &columns, query, estimates.at_once());
    sql.push(") select s.id from passed s").push(order(query.sort_by, query.descending));
    ids(connection, sql, place).await
}

/// Appends that the session passes: the ids of all that do are read from their index first. It is no join for the planner,
/// which keeps the order of the walk.
fn are_hashed(sql: &mut QueryBuilder<Postgres>, query: &SessionQuery) {
    sql.push(" and (s.id in (select s.id");
    filter(sql, query, Lookups::default());
    sql.push(")) is true");
}

/// The order of the list, as an index has it.
struct Order {
    by: &'static str,
    /// Whether the index has every session. That of durations has those that are over, which come first.
    has_all: bool,
}

impl Order {
    const fn of(query: &SessionQuery) -> Self {
        match (query.sort_by, query.descending) {
            (SortBy::Duration, true) => {
                let by = " order by s.duration_ms desc, s.created_at desc, s.id desc";
                Self { by, has_all: false }
            }
            (SortBy::Duration, false) => {
                Self { by: " order by s.duration_ms, s.created_at, s.id", has_all: false }
            }
            (by, descending) => Self { by: order(by, descending), has_all: true },
        }
    }

    /// Appends the sessions that pass, words aside, in the order of the list.
    fn walk(
        &self,
        sql: &mut QueryBuilder<Postgres>,
        query: &SessionQuery,
        estimates: &Estimates,
        bounds: Bounds,
    ) {
        if self.has_all {
            self.walk_of_all(sql, query, bounds.entries);
        } else {
            let columns = if self.is_narrow(query, estimates) { "" } else { LONG_COLUMNS };
            self.walk_of_ended(sql, query, columns, bounds.entries);
        }
        if self.has_hashed(estimates) {
            are_hashed(sql, &long_columns(query));
            let others = SessionQuery {
                author: None,
                service: None,
                fingerprint: None,
                replay_of: None,
                triage: Vec::new(),
                assignee: None,
                min_score: None,
                ..query.clone()
            };
            fields(sql, &others, estimates.on_a_walk());
        } else {
            fields(sql, query, estimates.on_a_walk());
        }
        if let Some(looked_at) = bounds.looked_at {
            sql.push(self.by).push(" limit ").push_bind(looked_at);
        }
    }

    fn walk_of_all(
        &self,
        sql: &mut QueryBuilder<Postgres>,
        query: &SessionQuery,
        limit: Option<i64>,
    ) {
        if limit.is_some() {
            sql.push("select s.* from (");
        }
        sql.push("select s.* from alert_sessions s where");
        entries(sql, query);
        if let Some(limit) = limit {
            sql.push(self.by).push(" limit ").push_bind(limit).push(") s where true");
        }
    }

    /// Sessions that are over: those of each status are in order, and they are merged.
    fn walk_of_ended(
        &self,
        sql: &mut QueryBuilder<Postgres>,
        query: &SessionQuery,
        columns: &str,
        entries: Option<i64>,
    ) {
        // Each has the limit of all, so that the planner merges their indexes instead of sorting.
        let limit = |sql: &mut QueryBuilder<Postgres>| {
            sql.push(self.by);
            if let Some(entries) = entries {
                sql.push(" limit ").push_bind(entries);
            }
        };
        let mut separator = "select s.* from (select s.* from (";
        for status in ended(query) {
            sql.push(separator).push("(select ").push(SHORT_COLUMNS).push(columns);
            sql.push(" from alert_sessions s where s.deleted_at is null");
            sql.push(" and s.completed_at is not null and s.status = ");
            sql.push_bind(status.as_str());
            limit(sql);
            sql.push(")");
            separator = " union all ";
        }
        sql.push(") s");
        limit(sql);
        sql.push(") s where true");
    }

    /// How far a walk goes until it meets the last session of the page.
    fn bounds(
        &self,
        query: &SessionQuery,
        estimates: &Estimates,
        end: i64,
        expected: i64,
    ) -> Bounds {
        if expected > HASHED {
            // Where so many pass, no walk is long.
            return Bounds { entries: None, looked_at: None };
        }
        let for_each = end.saturating_mul(FOR_EACH);
        let is_narrow = self.is_narrow(query, estimates);
        let is_in_order = query.sort_by == SortBy::CreatedAt && has_one_index(query);
        let entries = match query.search {
            Some(_) if is_narrow => Some(ENTRIES_FOR_WORDS),
            // The planner chooses the index of the filter, which is in this order.
            Some(_) if is_in_order => None,
            Some(_) => Some(LOOKED_AT),
            None if is_narrow => Some(expected.saturating_mul(ENTRIES)),
            None => Some(AT_LEAST),
        };
        let looked_at = Some(for_each.max(LOOKED_AT));
        Bounds { entries: entries.map(|entries| entries.max(for_each)), looked_at }
    }

    /// Whether the walk reads index entries alone.
    fn is_narrow(&self, query: &SessionQuery, estimates: &Estimates) -> bool {
        !self.has_all && (has_short_columns(query) || self.has_hashed(estimates))
    }

    fn has_hashed(&self, estimates: &Estimates) -> bool {
        !self.has_all && estimates.are_long_columns_hashed()
    }
}

/// Appends what decides where on the index of the order a walk begins and ends: the time, and the values of the order's own
/// column.
fn entries(sql: &mut QueryBuilder<Postgres>, query: &SessionQuery) {
    let by = |sort_by| query.sort_by == sort_by;
    let fixed = SessionQuery {
        start_date: query.start_date,
        end_date: query.end_date,
        statuses: if by(SortBy::Status) { query.statuses.clone() } else { Vec::new() },
        alert_type: query.alert_type.clone().filter(|_| by(SortBy::AlertType)),
        author: query.author.clone().filter(|_| by(SortBy::Author)),
        min_score: query.min_score.filter(|_| by(SortBy::Score)),
        sort_by: query.sort_by,
        ..SessionQuery::default()
    };
    conditions(sql, &fixed, Lookups::default());
}

/// How far a walk goes.
#[derive(Clone, Copy)]
struct Bounds {
    /// Entries of the index of the order.
    entries: Option<i64>,
    /// Sessions that pass, of which words are looked at.
    looked_at: Option<i64>,
}

/// The statuses of sessions that are over, of those that the query asks for.
fn ended(query: &SessionQuery) -> impl Iterator<Item = SessionStatus> {
    let asked =
        |status: &SessionStatus| query.statuses.is_empty() || query.statuses.contains(status);
    ENDED.into_iter().filter(asked)
}

async fn ids(
    connection: &mut Connection,
    mut sql: QueryBuilder<Postgres>,
    (limit, offset): (i64, i64),
) -> Result<Vec<Uuid>, Error> {
    sql.push(" limit ").push_bind(limit).push(" offset ").push_bind(offset);
    // A plan for other values may be one that reads much.
    let rows = sql.build().persistent(false).fetch_all(connection).await?;
    Ok(rows.iter().map(|row| row.try_get("id")).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use tarsy_testkit::TestPg;

    use super::*;
    use crate::database::store::Store;

    /// 6,000 sessions of "ann", all completed, 60 of "bob", of which every second one failed, and 10 of "cyd" that run. Every
    /// third one is critical, and every fourth one of each author has the word "disk".
    const SESSIONS: &str = "set session_replication_role = replica;
        insert into alert_sessions (id, alert_data, chain_id, author, status, config_snapshot, started_at, completed_at, severity)
        select gen_random_uuid(), 'disk', 'host', case when n <= 6000 then 'ann' when n <= 6060 then 'bob' else 'cyd' end,
            case when n > 6060 then 'in_progress' when n <= 6000 or n % 2 = 0 then 'completed' else 'failed' end, '{}',
            now() - make_interval(secs => n % 300 + 1), case when n <= 6060 then now() end, case when n % 3 = 0 then 'critical' end
        from generate_series(1, 6070) n;
        insert into session_words (session_id, words) select id, case when row_number() over (partition by author order by id) % 4 = 0
            then 'disk'::tsvector else 'cpu'::tsvector end from alert_sessions;
        vacuum analyze alert_sessions, session_words";

    fn walks() -> Vec<SessionQuery> {
        let failed = SessionQuery {
            statuses: vec![SessionStatus::Failed],
            sort_by: SortBy::Author,
            descending: false,
            ..SessionQuery::default()
        };
        let critical = SessionQuery { severity: Some("critical".to_owned()), ..failed.clone() };
        let by = |author: &str| SessionQuery {
            author: Some(author.to_owned()),
            sort_by: SortBy::Duration,
            ..SessionQuery::default()
        };
        let with_word = |query| SessionQuery { search: Some("dis".to_owned()), ..query };
        let mut walks = vec![failed.clone(), critical.clone()];
        for query in [failed, critical, by("ann"), by("bob"), by("cyd"), with_word(by("bob"))] {
            let longest = SessionQuery { sort_by: SortBy::Duration, descending: true, ..query };
            walks.push(SessionQuery { descending: false, ..longest.clone() });
            walks.push(longest);
        }
        walks
    }

    #[tokio::test]
    async fn a_walk_finds_the_page_that_a_sort_finds_wherever_it_is_in_the_order() {
        let pg = TestPg::migrated().await.unwrap();
        let store = Store::connect(pg.url(), 1).await.unwrap();
        let mut connection = store.pool.acquire_for_filters().await.unwrap();
        for statement in SESSIONS.split(';') {
            sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
        }
        for query in walks() {
            let mut sql = QueryBuilder::new("select s.id");
            filter(&mut sql, &query, Lookups::default());
            sql.push(order(query.sort_by, query.descending));
            let sorted = ids(&mut connection, sql, (25, 5)).await.unwrap();
            assert!(sorted.len() >= 5, "{query:?}");
            let estimates = Estimates::of(&mut connection, &query).await.unwrap();
            for expected in [30, i64::MAX] {
                let walked =
                    page(&mut connection, &query, &estimates, (25, 5), expected).await.unwrap();
                assert_eq!(walked, sorted, "{query:?}");
            }
        }
    }
}
