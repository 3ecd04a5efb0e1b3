//! How many sessions a list has on all its pages.

use serde_json::Value;
use sqlx::{QueryBuilder, Row};

use crate::error::Error;
use crate::pool::Connection;
use crate::session_list::query::{SessionQuery, filter};

/// Lists of which the planner expects so many times more than are counted are not counted: of words that many sessions have,
/// even the first ones take long.
const SURELY_LONG: i64 = 4;

/// Counts up to `exact`; of a longer list it answers what the planner expects, so that the first
/// page of a million sessions does not wait for a million rows to be counted.
pub(super) async fn count(
    connection: &mut Connection,
    query: &SessionQuery,
    exact: i64,
) -> Result<i64, Error> {
    let beyond = exact.saturating_add(1);
    let mut sql = QueryBuilder::new("explain (format json) select 1");
    filter(&mut sql, query);
    let plan: Value = sql.build().fetch_one(&mut *connection).await?.try_get(0)?;
    let expected = plan.pointer("/0/Plan/Plan Rows").and_then(Value::as_i64);
    let expected = expected.unwrap_or(beyond).max(beyond);
    if expected > exact.saturating_mul(SURELY_LONG) {
        return Ok(expected);
    }
    let mut sql = QueryBuilder::new("select count(*) as total from (select 1");
    filter(&mut sql, query);
    sql.push(" limit ").push_bind(beyond).push(") counted");
    let total: i64 = sql.build().fetch_one(connection).await?.try_get("total")?;
    Ok(if total <= exact { total } else { expected })
}

#[cfg(test)]
mod tests {
    use tarsy_domain::status::SessionStatus;
    use tarsy_testkit::TestPg;

    use super::*;
    use crate::store::Store;

    #[tokio::test]
    async fn a_long_list_is_estimated_and_a_short_one_counted() {
        let pg = TestPg::start().await.unwrap();
        let store = Store::connect(pg.url(), 1).await.unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.pool.acquire().await.unwrap();
        sqlx::raw_sql(
            "insert into alert_sessions (id, alert_data, chain_id, status, config_snapshot)
             select gen_random_uuid(), 'disk', 'host', case when n <= 20 then 'pending' else 'in_progress' end, '{}'
             from generate_series(1, 300) n;
             analyze alert_sessions",
        )
        .execute(&mut connection)
        .await
        .unwrap();
        let all = SessionQuery { search: Some("disk".to_owned()), ..SessionQuery::default() };
        let some = SessionQuery { statuses: vec![SessionStatus::Pending], ..all.clone() };
        assert_eq!(count(&mut connection, &all, 300).await.unwrap(), 300);
        assert_eq!(count(&mut connection, &some, 50).await.unwrap(), 20);
        let estimate = count(&mut connection, &all, 50).await.unwrap();
        assert!((51..=300).contains(&estimate), "{estimate}");
    }
}
