//! Which sessions a list shows, and in which order.

use jiff::Timestamp;
use sqlx::QueryBuilder;
use sqlx::postgres::Postgres;
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_domain::status::{SessionOrigin, SessionStatus};
use tarsy_domain::triage::Triage;

/// The last word is the beginning of one from so many letters and digits on.
const MIN_BEGINNING: usize = 3;

/// How rows of another table that a session must have are looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// By a join, or a look-up for each session, as the planner chooses.
    #[default]
    Joined,
    /// All their ids are read first, so that other sessions cost no look-ups. It is no join for the planner, which keeps the
    /// order of a walk.
    Hashed,
}

/// How the tables are looked up that a query requires rows of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lookups {
    pub(crate) failed_calls: Lookup,
    pub(crate) reviews: Lookup,
}

/// What a list of sessions is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SortBy {
    #[default]
    CreatedAt,
    Status,
    AlertType,
    Author,
    /// How long it took; what did not end comes last either way.
    Duration,
    /// How well it was investigated; what has no score is left out.
    Score,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTool {
    pub server: String,
    /// Any tool of the server if it is missing.
    pub tool: Option<String>,
}

/// Which sessions, and in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionQuery {
    /// Which page, from 1.
    pub page: i64,
    /// How many on a page.
    pub page_size: i64,
    pub sort_by: SortBy,
    /// From the greatest down.
    pub descending: bool,
    /// Any of these; all if empty.
    pub statuses: Vec<SessionStatus>,
    /// This kind of alert.
    pub alert_type: Option<String>,
    pub chain_id: Option<String>,
    pub fingerprint: Option<String>,
    pub reviewed: Option<bool>,
    /// Any of these reviews; all if empty.
    pub reviews: Vec<Review>,
    /// With this score or a better one.
    pub min_score: Option<u8>,
    /// Whether its findings need a second look.
    pub degraded: Option<bool>,
    /// Any of these; all if empty.
    pub origins: Vec<SessionOrigin>,
    pub replay_of: Option<SessionId>,
    /// Submitted by this user or token.
    pub author: Option<String>,
    /// In any of these states of work; all if empty.
    pub triage: Vec<Triage>,
    /// Taken or done by this person.
    pub assignee: Option<String>,
    pub severity: Option<String>,
    /// Alerts about this service.
    pub service: Option<String>,
    /// Sessions with a call of this tool, or server, that failed.
    pub failed_tool: Option<FailedTool>,
    /// Words that all occur in it; the last one may be the beginning of a word.
    pub search: Option<String>,
    /// Submitted then or later.
    pub start_date: Option<Timestamp>,
    /// Submitted then or earlier.
    pub end_date: Option<Timestamp>,
}

impl Default for SessionQuery {
    fn default() -> Self {
        Self {
            page: 1,
            page_size: 25,
            sort_by: SortBy::default(),
            descending: true,
            statuses: Vec::new(),
            alert_type: None,
            chain_id: None,
            fingerprint: None,
            reviewed: None,
            reviews: Vec::new(),
            min_score: None,
            degraded: None,
            origins: Vec::new(),
            replay_of: None,
            author: None,
            triage: Vec::new(),
            assignee: None,
            severity: None,
            service: None,
            failed_tool: None,
            search: None,
            start_date: None,
            end_date: None,
        }
    }
}

impl SessionQuery {
    /// Whether every session passes.
    pub(super) fn is_unfiltered(&self) -> bool {
        let &Self { page, page_size, sort_by, descending, .. } = self;
        sort_by != SortBy::Score
            && *self == Self { page, page_size, sort_by, descending, ..Self::default() }
    }
}

/// Appends the `from` and `where` clauses.
pub(super) fn filter(sql: &mut QueryBuilder<Postgres>, query: &SessionQuery, lookups: Lookups) {
    sql.push(" from alert_sessions s where");
    conditions(sql, query, lookups);
    words_occur(sql, query);
}

/// Appends that the words of the query occur in the session `s`.
pub(super) fn words_occur(sql: &mut QueryBuilder<Postgres>, query: &SessionQuery) {
    if let Some(search) = &query.search {
        match words(search) {
            Some(words) => {
                sql.push(
                    " and exists (select 1 from session_words w where w.session_id = s.id and ",
                );
                words_match(sql, words);
                sql.push(")")
            }
            None => sql.push(" and false"),
        };
    }
}

/// Appends that the row `w` of `session_words` has these words.
pub(super) fn words_match(sql: &mut QueryBuilder<Postgres>, words: String) {
    sql.push("w.words @@ to_tsquery('simple', ").push_bind(words).push(")");
}

/// Appends what the query requires of the session `s`, `search` aside.
pub(crate) fn conditions(sql: &mut QueryBuilder<Postgres>, query: &SessionQuery, lookups: Lookups) {
    sql.push(" s.deleted_at is null");
    fields(sql, query, lookups);
}

/// The same of a session that is not deleted.
pub(super) fn fields(sql: &mut QueryBuilder<Postgres>, query: &SessionQuery, lookups: Lookups) {
    if !query.statuses.is_empty() {
        let words: Vec<&'static str> =
            query.statuses.iter().map(|status| status.as_str()).collect();
        sql.push(" and s.status = any(").push_bind(words).push(")");
    }
    if let Some(alert_type) = &query.alert_type {
        sql.push(" and s.alert_type = ").push_bind(without_nul(alert_type));
    }
    if let Some(chain_id) = &query.chain_id {
        sql.push(" and s.chain_id = ").push_bind(without_nul(chain_id));
    }
    if let Some(fingerprint) = &query.fingerprint {
        sql.push(" and s.fingerprint = ").push_bind(without_nul(fingerprint));
    }
    match query.reviewed {
        Some(true) => sql.push(" and s.review_id is not null"),
        Some(false) => sql.push(" and s.review_id is null"),
        None => sql,
    };
    if !query.reviews.is_empty() {
        is_reviewed_as(sql, &query.reviews, lookups.reviews);
    }
    more_fields(sql, query);
    if let Some(failed) = &query.failed_tool {
        has_failed_call(sql, failed, lookups.failed_calls);
    }
    if let Some(start) = query.start_date {
        sql.push(" and s.created_at >= ").push_bind(jiff_sqlx::Timestamp::from(start));
    }
    if let Some(end) = query.end_date {
        sql.push(" and s.created_at <= ").push_bind(jiff_sqlx::Timestamp::from(end));
    }
}

fn more_fields(sql: &mut QueryBuilder<Postgres>, query: &SessionQuery) {
    match query.degraded {
        Some(true) => sql.push(" and s.degraded_reasons <> '{}'"),
        Some(false) => sql.push(" and s.degraded_reasons = '{}'"),
        None => sql,
    };
    match query.min_score {
        Some(least) => sql.push(" and s.score >= ").push_bind(i16::from(least)),
        None if query.sort_by == SortBy::Score => sql.push(" and s.score is not null"),
        None => sql,
    };
    if !query.origins.is_empty() {
        let words: Vec<&'static str> = query.origins.iter().map(|one| one.as_str()).collect();
        sql.push(" and s.origin = any(").push_bind(words).push(")");
    }
    if !query.triage.is_empty() {
        let words: Vec<&'static str> = query.triage.iter().map(|one| one.as_str()).collect();
        sql.push(" and s.triage = any(").push_bind(words).push(")");
    }
    if let Some(original) = query.replay_of {
        sql.push(" and s.replay_of = ").push_bind(original.uuid());
    }
    for (column, value) in [
        ("author", &query.author),
        ("assignee", &query.assignee),
        ("severity", &query.severity),
        ("service", &query.service),
    ] {
        if let Some(value) = value {
            sql.push(" and s.").push(column).push(" = ").push_bind(without_nul(value));
        }
    }
}

fn is_reviewed_as(sql: &mut QueryBuilder<Postgres>, words: &[Review], lookup: Lookup) {
    sql.push(" and s.review_id is not null");
    match lookup {
        Lookup::Joined => {
            sql.push(" and exists (select 1");
            reviews(sql, words);
            sql.push(" and v.id = s.review_id)");
        }
        Lookup::Hashed => {
            sql.push(" and (s.review_id in (select v.id");
            reviews(sql, words);
            sql.push(")) is true");
        }
    }
}

/// Appends the reviews of these kinds.
pub(super) fn reviews(sql: &mut QueryBuilder<Postgres>, words: &[Review]) {
    let words: Vec<&'static str> = words.iter().map(|one| one.as_str()).collect();
    sql.push(" from session_reviews v where v.review = any(").push_bind(words).push(")");
}

fn has_failed_call(sql: &mut QueryBuilder<Postgres>, failed: &FailedTool, lookup: Lookup) {
    match lookup {
        Lookup::Joined => {
            sql.push(" and exists (select 1");
            failed_calls(sql, failed);
            sql.push(" and f.session_id = s.id)");
        }
        Lookup::Hashed => {
            sql.push(" and (s.id in (select f.session_id");
            failed_calls(sql, failed);
            sql.push(")) is true");
        }
    }
}

/// Appends the calls of a tool that failed.
pub(super) fn failed_calls(sql: &mut QueryBuilder<Postgres>, failed: &FailedTool) {
    sql.push(
        " from mcp_interactions f where f.interaction_type = 'tool_call' and f.status = 'failed'
         and f.server_name = ",
    );
    sql.push_bind(without_nul(&failed.server));
    if let Some(tool) = &failed.tool {
        sql.push(" and f.tool_name = ").push_bind(without_nul(tool));
    }
}

pub(super) fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// What a person typed as a query for words, of which the last one may be the beginning of one; none if there is no word in it.
pub(super) fn words(search: &str) -> Option<String> {
    let words = search.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(20).collect();
    let last = words.last()?;
    // Many words begin with one or two letters or digits. In scripts without blanks, so few are a word.
    let is_beginning = last.len() >= MIN_BEGINNING || !last.is_ascii();
    Some(format!("{}{}", words.join(" & "), if is_beginning { ":*" } else { "" }))
}

/// The column of the order, beside the time of the submission.
pub(super) const fn key(by: SortBy) -> &'static str {
    match by {
        SortBy::CreatedAt => "",
        SortBy::Status => ", s.status",
        SortBy::AlertType => ", s.alert_type",
        SortBy::Author => ", s.author",
        SortBy::Duration => ", s.duration_ms",
        SortBy::Score => ", s.score",
    }
}

/// The `order by` clause.
pub(super) const fn order(by: SortBy, descending: bool) -> &'static str {
    match (by, descending) {
        (SortBy::CreatedAt, true) => " order by s.created_at desc, s.id desc",
        (SortBy::CreatedAt, false) => " order by s.created_at, s.id",
        (SortBy::Status, true) => " order by s.status desc, s.created_at desc, s.id desc",
        (SortBy::Status, false) => " order by s.status, s.created_at, s.id",
        (SortBy::AlertType, true) => " order by s.alert_type desc, s.created_at desc, s.id desc",
        (SortBy::AlertType, false) => " order by s.alert_type, s.created_at, s.id",
        (SortBy::Author, true) => " order by s.author desc, s.created_at desc, s.id desc",
        (SortBy::Author, false) => " order by s.author, s.created_at, s.id",
        (SortBy::Duration, true) => {
            " order by s.duration_ms desc nulls last, s.created_at desc, s.id desc"
        }
        (SortBy::Duration, false) => " order by s.duration_ms nulls last, s.created_at, s.id",
        (SortBy::Score, true) => " order by s.score desc, s.created_at desc, s.id desc",
        (SortBy::Score, false) => " order by s.score, s.created_at, s.id",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_is_the_beginning_of_one_unless_it_is_too_short() {
        for (typed, expected) in [
            ("pay", Some("pay:*")),
            ("disk of payments-7d9", Some("disk & of & payments & 7d9:*")),
            ("service-7", Some("service & 7")),
            ("10.7.3.0", Some("10 & 7 & 3 & 0")),
            ("磁盘", Some("磁盘:*")),
            (" -- ", None),
        ] {
            assert_eq!(words(typed).as_deref(), expected, "{typed}");
        }
    }
}
