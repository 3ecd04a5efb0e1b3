//! How many sessions the planner expects for each requirement of a list alone.

use sqlx::QueryBuilder;

use crate::database::planner::{EXPLAIN, expected_rows};
use crate::database::pool::Connection;
use crate::error::Error;
use crate::session::session_list::query::{
    FailedTool, Lookup, Lookups, SessionQuery, SortBy, failed_calls, filter, reviews, words,
    words_match,
};

/// The ids of so many sessions fit into the memory of a hash table (`work_mem` times `hash_mem_multiplier`).
pub(super) const HASHED: i64 = 400_000;
/// So few ids are joined faster than a list is walked until it meets them.
const JOINED: i64 = 5_000;

/// The sessions that pass each requirement; none for those that a query has not, or that decide nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimates {
    failed_calls: Option<i64>,
    reviews: Option<i64>,
    words: Option<i64>,
    /// What columns of sessions have.
    columns: Option<i64>,
    /// Of these, what [`long_columns`] have, if a list by duration requires any.
    long_columns: Option<i64>,
}

impl Estimates {
    pub(crate) async fn of(
        connection: &mut Connection,
        query: &SessionQuery,
    ) -> Result<Self, Error> {
        let mut estimates = Self::default();
        if let Some(failed) = &query.failed_tool {
            estimates.failed_calls = Some(expected_calls(connection, failed).await?);
        }
        if !query.reviews.is_empty() {
            let mut sql = QueryBuilder::new(EXPLAIN);
            reviews(&mut sql, &query.reviews);
            estimates.reviews = Some(expected_rows(connection, sql).await?);
        }
        if let Some(words) = query.search.as_deref().and_then(words) {
            let mut sql = QueryBuilder::new(EXPLAIN);
            sql.push(" from session_words w where ");
            words_match(&mut sql, words);
            estimates.words = Some(expected_rows(connection, sql).await?);
        }
        if estimates.failed_calls.is_some() || estimates.words.is_some() {
            let columns = SessionQuery { failed_tool: None, search: None, ..query.clone() };
            estimates.columns = Some(expected_sessions(connection, &columns).await?);
        }
        if query.sort_by == SortBy::Duration && !has_short_columns(query) {
            let columns = long_columns(query);
            estimates.long_columns = Some(expected_sessions(connection, &columns).await?);
        }
        Ok(estimates)
    }

    /// How many rows of another table a list reads at least, one for each session of its smallest requirement. None if it reads
    /// no other table.
    pub(super) fn looked_up(&self) -> Option<i64> {
        self.columns?;
        [self.failed_calls, self.words, self.columns].into_iter().flatten().min()
    }

    /// The look-ups of a walk through sessions.
    pub(crate) fn on_a_walk(&self) -> Lookups {
        Lookups { failed_calls: self.failed_calls.map_or(Lookup::Joined, lookup), ..self.at_once() }
    }

    /// The same where the planner chooses what is read first.
    pub(super) fn at_once(&self) -> Lookups {
        let is_hashed = self.reviews.is_some_and(|reviews| reviews <= HASHED);
        let reviews = if is_hashed { Lookup::Hashed } else { Lookup::Joined };
        Lookups { failed_calls: Lookup::Joined, reviews }
    }

    /// Whether the ids of what long columns have are read first on a walk by duration, whose index has not these columns.
    pub(super) fn are_long_columns_hashed(&self) -> bool {
        self.long_columns.is_some_and(|expected| expected <= HASHED)
    }
}

/// What the query requires of columns that are not in the index of durations: they are too long for an index of several, or people
/// change them.
pub(super) fn long_columns(query: &SessionQuery) -> SessionQuery {
    SessionQuery {
        author: query.author.clone(),
        service: query.service.clone(),
        fingerprint: query.fingerprint.clone(),
        replay_of: query.replay_of,
        triage: query.triage.clone(),
        assignee: query.assignee.clone(),
        min_score: query.min_score,
        ..SessionQuery::default()
    }
}

/// Whether the query requires none of these columns.
pub(super) const fn has_short_columns(query: &SessionQuery) -> bool {
    query.author.is_none()
        && query.service.is_none()
        && query.fingerprint.is_none()
        && query.replay_of.is_none()
        && query.triage.is_empty()
        && query.assignee.is_none()
        && query.min_score.is_none()
}

const fn lookup(expected: i64) -> Lookup {
    if expected > JOINED && expected <= HASHED { Lookup::Hashed } else { Lookup::Joined }
}

async fn expected_sessions(
    connection: &mut Connection,
    query: &SessionQuery,
) -> Result<i64, Error> {
    let mut sql = QueryBuilder::new(EXPLAIN);
    filter(&mut sql, query, Lookups::default());
    expected_rows(connection, sql).await
}

async fn expected_calls(connection: &mut Connection, failed: &FailedTool) -> Result<i64, Error> {
    let mut sql = QueryBuilder::new(EXPLAIN);
    failed_calls(&mut sql, failed);
    expected_rows(connection, sql).await
}
