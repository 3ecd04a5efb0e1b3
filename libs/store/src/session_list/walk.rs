//! The page of a list that is too long to be read as a whole.

use sqlx::postgres::Postgres;
use sqlx::{QueryBuilder, Row};
use uuid::Uuid;

use crate::error::Error;
use crate::pool::Connection;
use crate::session_list::facets::{is_in_one_index, passing};
use crate::session_list::query::{
    SessionQuery, SortBy, conditions, filter, key, order, requirements,
};

/// Sessions that a walk in the order of the list reads.
const AT_LEAST: i64 = 5_000;
/// The same for each session of the page and those before it. Of a long list at least one of 50 sessions passes.
const FOR_EACH: i64 = 50;
/// Ids of so many sessions fit into the memory of a hash table (`work_mem` times `hash_mem_multiplier`).
const HASHED: i64 = 400_000;

/// The ids of a page of a list for which the planner expects so many sessions. In most lists they are spread over its order, and a
/// walk soon meets enough of them. If those of the first authors, say, are all in another state, it ends and the ids of all
/// that pass are looked up in the index of the order, neither of which reads the sessions themselves; or, with several filters,
/// all that pass are sorted.
pub(super) async fn page(
    connection: &mut Connection,
    query: &SessionQuery,
    (limit, offset): (i64, i64),
    expected: i64,
) -> Result<Vec<Uuid>, Error> {
    let end = limit.saturating_add(offset);
    let ordered = order(query.sort_by, query.descending);
    let all = along(query);
    // Where so many pass, no walk is long.
    let bound =
        if expected > HASHED { i64::MAX } else { end.saturating_mul(FOR_EACH).max(AT_LEAST) };
    let mut sql = QueryBuilder::new("select s.id from (select s.*");
    filter(&mut sql, &all);
    sql.push(ordered).push(" limit ").push_bind(bound);
    sql.push(") s where true");
    requirements(&mut sql, query);
    sql.push(ordered);
    let walked = ids(connection, sql, (limit, offset)).await?;
    if expected > HASHED || i64::try_from(walked.len()).is_ok_and(|found| found == limit) {
        return Ok(walked);
    }
    if is_in_one_index(query) {
        let mut sql = QueryBuilder::new("select s.id from alert_sessions s where");
        conditions(&mut sql, &all);
        // It is no join for the planner, which keeps the order of the index.
        sql.push(" and (s.id in (select s.id");
        filter(&mut sql, query);
        sql.push(")) is true").push(ordered);
        return ids(connection, sql, (limit, offset)).await;
    }
    let mut sql = QueryBuilder::new("with passed as materialized (");
    passing(&mut sql, &format!("s.id, s.created_at{}", key(query.sort_by)), query);
    sql.push(") select s.id from passed s").push(ordered);
    ids(connection, sql, (limit, offset)).await
}

/// What decides where on the index of the order a walk begins and ends: the time and the values of the order's own column.
fn along(query: &SessionQuery) -> SessionQuery {
    let by = |sort_by| query.sort_by == sort_by;
    SessionQuery {
        start_date: query.start_date,
        end_date: query.end_date,
        statuses: if by(SortBy::Status) { query.statuses.clone() } else { Vec::new() },
        alert_type: query.alert_type.clone().filter(|_| by(SortBy::AlertType)),
        author: query.author.clone().filter(|_| by(SortBy::Author)),
        ..SessionQuery::default()
    }
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
    use tarsy_domain::status::SessionStatus;
    use tarsy_testkit::TestPg;

    use super::*;
    use crate::store::Store;

    /// 6,000 sessions of "ann", all completed, and 60 of "bob", of which every second one failed.
    const SESSIONS: &str = "set session_replication_role = replica;
        insert into alert_sessions (id, alert_data, chain_id, author, status, config_snapshot, started_at, completed_at, severity)
        select gen_random_uuid(), 'disk', 'host', case when n <= 6000 then 'ann' else 'bob' end,
            case when n <= 6000 or n % 2 = 0 then 'completed' else 'failed' end, '{}', now() - make_interval(secs => n % 300 + 1),
            now(), case when n % 3 = 0 then 'critical' end
        from generate_series(1, 6060) n;
        vacuum analyze alert_sessions";

    #[tokio::test]
    async fn what_a_short_walk_does_not_meet_is_found_in_its_order() {
        let pg = TestPg::start().await.unwrap();
        let store = Store::connect(pg.url(), 1).await.unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.pool.acquire().await.unwrap();
        for statement in SESSIONS.split(';') {
            sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
        }
        let failed = SessionQuery {
            statuses: vec![SessionStatus::Failed],
            sort_by: SortBy::Author,
            descending: false,
            ..SessionQuery::default()
        };
        let critical = SessionQuery { severity: Some("critical".to_owned()), ..failed.clone() };
        for (query, found) in [(failed, 25), (critical, 5)] {
            let mut sql = QueryBuilder::new("select s.id");
            filter(&mut sql, &query);
            sql.push(order(query.sort_by, query.descending));
            let sorted = ids(&mut connection, sql, (25, 5)).await.unwrap();
            assert_eq!(sorted.len(), found);
            let walked = page(&mut connection, &query, (25, 5), 30).await.unwrap();
            assert_eq!(walked, sorted, "{query:?}");
        }
    }
}
