//! Filters as words of the index `alert_sessions_facets_triage`.

use sqlx::QueryBuilder;
use sqlx::postgres::Postgres;

use crate::session::session_list::estimates::has_short_columns;
use crate::session::session_list::query::{Lookups, SessionQuery, filter, without_nul};

/// As the index has it.
const FACETS: &str =
    "session_facets(s.status, s.alert_type, s.chain_id, s.author, s.severity, s.service, s.origin,
    s.degraded_reasons, s.review_id, s.triage, s.assignee)";

/// With fewer words, the index of a filter alone is read.
const ENOUGH: usize = 2;

/// Whether the index of one filter is read.
pub(super) fn has_one_index(query: &SessionQuery) -> bool {
    words(query).len() < ENOUGH
}

/// Whether one index of sessions has all that the query requires, so that no session is read.
pub(super) fn is_in_one_index(query: &SessionQuery) -> bool {
    let is_plain = query.reviews.is_empty()
        && query.reviewed.is_none()
        && query.failed_tool.is_none()
        && query.search.is_none()
        // Its own index has no other column.
        && (query.min_score.is_none() || words(query).is_empty());
    is_plain && has_one_index(query)
}

/// Appends the sessions that pass, as estimates of a `union all` of such columns: those that are over, by the words of the index,
/// and those that are not, of which there are few. With fewer words it is one part, because every filter has an index
/// of its own.
pub(super) fn passing(
    sql: &mut QueryBuilder<Postgres>,
    columns: &str,
    query: &SessionQuery,
    lookups: Lookups,
) {
    let words = words(query);
    sql.push("select ").push(columns);
    filter(sql, query, lookups);
    if words.len() < ENOUGH || is_in_index_of_reviews(query) {
        return;
    }
    sql.push(" and s.completed_at is not null");
    for any in words {
        sql.push(" and ").push(FACETS).push(" && ").push_bind(any);
    }
    for open in ["s.status in ('in_progress', 'cancelling')", "s.status = 'pending'"] {
        sql.push(" union all select ").push(columns);
        filter(sql, query, lookups);
        sql.push(" and ").push(open);
    }
}

/// Whether the index of reviewed sessions, of which there are few, has all that the query requires.
fn is_in_index_of_reviews(query: &SessionQuery) -> bool {
    let is_reviewed = query.reviewed == Some(true) || !query.reviews.is_empty();
    is_reviewed && has_short_columns(query)
}

/// What a session must have, any word of each.
fn words(query: &SessionQuery) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut add = |name: &str, any: Vec<&str>| {
        if !any.is_empty() {
            let word = |value: &str| format!("{name}={}", without_nul(value));
            all.push(any.into_iter().map(word).collect());
        }
    };
    add("status", query.statuses.iter().map(|one| one.as_str()).collect());
    add("origin", query.origins.iter().map(|one| one.as_str()).collect());
    add("triage", query.triage.iter().map(|one| one.as_str()).collect());
    for (name, value) in [
        ("assignee", &query.assignee),
        ("alert_type", &query.alert_type),
        ("chain_id", &query.chain_id),
        ("author", &query.author),
        ("severity", &query.severity),
        ("service", &query.service),
    ] {
        add(name, value.as_deref().into_iter().collect());
    }
    let flag = |flag: bool| if flag { "true" } else { "false" };
    add("degraded", query.degraded.into_iter().map(flag).collect());
    let reviewed = if query.reviews.is_empty() { query.reviewed } else { Some(true) };
    add("reviewed", reviewed.into_iter().map(flag).collect());
    all
}

#[cfg(test)]
mod tests {
    use tarsy_domain::review::Review;
    use tarsy_domain::status::SessionStatus;

    use super::*;

    #[test]
    fn each_filter_is_a_word_and_values_of_one_are_alternatives() {
        let query = SessionQuery {
            statuses: vec![SessionStatus::Failed, SessionStatus::TimedOut],
            author: Some("bob".to_owned()),
            degraded: Some(false),
            reviews: vec![Review::Wrong],
            ..SessionQuery::default()
        };
        let expected = [
            &["status=failed", "status=timed_out"][..],
            &["author=bob"],
            &["degraded=false"],
            &["reviewed=true"],
        ];
        assert_eq!(words(&query), expected);
        assert!(words(&SessionQuery::default()).is_empty());
    }
}
