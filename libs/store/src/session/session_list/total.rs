//! How many sessions a list has on all its pages, and the page of a list that is short enough to be read as a whole.

use sqlx::{QueryBuilder, Row};
use uuid::Uuid;

use crate::database::planner::{EXPLAIN, expected_rows};
use crate::database::pool::Connection;
use crate::error::Error;
use crate::session::session_list::estimates::Estimates;
use crate::session::session_list::facets::{has_one_index, passing};
use crate::session::session_list::query::{Lookups, SessionQuery, filter, key, order};

/// Lists of which the planner expects so many times more than are read are not read: of words that many sessions have,
/// even the first ones take long.
const SURELY_LONG: i64 = 4;

/// Lists are not read either whose smallest part has more sessions, if each costs a look-up in another table.
const LOOKED_UP: i64 = 8_000;

/// What is known of a list before its page is looked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// Its page, and how many sessions all pages have.
    Short { page: Vec<Uuid>, total: i64 },
    /// How many sessions the planner expects on all pages.
    Long { expected: i64 },
}

/// Reads up to `most` sessions of a list and sorts them, so that the page does not depend on the planner's guess: a walk in the
/// order of the list, through a million sessions of which hardly one passes, is what it chooses where it guesses wrong. Of a
/// longer list it answers what the planner expects, so that the first page of a million sessions does not wait for a million
/// rows to be counted; there, one of `most` sessions of a walk passes.
pub(super) async fn measure(
    connection: &mut Connection,
    query: &SessionQuery,
    estimates: &Estimates,
    (limit, offset): (i64, i64),
    most: i64,
) -> Result<Size, Error> {
    let beyond = most.saturating_add(1);
    // Sessions of any kind are met at once: reading them takes less than asking the planner first.
    if !query.is_unfiltered() {
        let expected = expected(connection, query, beyond).await?;
        let is_long = expected > most.saturating_mul(SURELY_LONG)
            || estimates.looked_up().is_some_and(|looked_up| looked_up > LOOKED_UP);
        if is_long {
            return Ok(Size::Long { expected });
        }
    }
    let mut sql = QueryBuilder::new("with passed as materialized (");
    let columns = format!("s.id, s.created_at{}", key(query.sort_by));
    passing(&mut sql, &columns, query, estimates.at_once());
    // What is materialized without a limit is planned as if all were read, however few are: with one, the planner hopes to meet
    // enough of them soon, and reads far where it hopes in vain. All that pass one filter are met soon.
    if has_one_index(query) && query.search.is_none() {
        sql.push(" limit ").push_bind(beyond);
    }
    sql.push("), few as materialized (select * from passed limit ").push_bind(beyond);
    sql.push(
        "), counted as (select count(*) as total from few)
         select total, array(select s.id from few s where total <= ",
    );
    sql.push_bind(most).push(order(query.sort_by, query.descending));
    sql.push(" limit ").push_bind(limit).push(" offset ").push_bind(offset);
    sql.push(") as page from counted");
    let row = sql.build().persistent(false).fetch_one(&mut *connection).await?;
    let total: i64 = row.try_get("total")?;
    Ok(if total <= most {
        Size::Short { page: row.try_get("page")?, total }
    } else {
        Size::Long { expected: expected(connection, query, beyond).await? }
    })
}

/// How many sessions the planner expects of a list, and at least so many.
async fn expected(
    connection: &mut Connection,
    query: &SessionQuery,
    at_least: i64,
) -> Result<i64, Error> {
    let mut sql = QueryBuilder::new(EXPLAIN);
    filter(&mut sql, query, Lookups::default());
    Ok(expected_rows(connection, sql).await?.max(at_least))
}

/// How many sessions a list has of which a page was read: where a page is not full, the list ends.
pub(super) fn corrected(expected: i64, found: usize, (limit, offset): (i64, i64)) -> i64 {
    let found = i64::try_from(found).unwrap_or(i64::MAX);
    let is_last = found < limit && (found > 0 || offset == 0);
    if is_last { offset.saturating_add(found) } else { expected }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::status::SessionStatus;
    use tarsy_testkit::TestPg;

    use super::*;
    use crate::database::store::Store;

    #[test]
    fn where_a_page_is_not_full_the_list_ends() {
        assert_eq!(corrected(9_000, 25, (25, 50)), 9_000);
        assert_eq!(corrected(9_000, 4, (25, 50)), 54);
        assert_eq!(corrected(9_000, 0, (25, 0)), 0);
        // How many there are before a page beyond the end is not known.
        assert_eq!(corrected(9_000, 0, (25, 50)), 9_000);
    }

    #[tokio::test]
    async fn a_long_list_is_estimated_and_a_short_one_read() {
        let pg = TestPg::migrated().await.unwrap();
        let store = Store::connect(pg.url(), 1).await.unwrap();
        let mut connection = store.pool.acquire_for_filters().await.unwrap();
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
        let place = (25, 10);
        let any = SessionQuery::default();
        let lists = [
            (&all, 300, 25, 300),
            (&some, 50, 10, 20),
            (&any, 300, 25, 300),
            // Longer than what is read: the planner's expectation, after the table was analyzed.
            (&any, 50, 0, 300),
        ];
        for (query, most, page, total) in lists {
            let size =
                measure(&mut connection, query, &Estimates::default(), place, most).await.unwrap();
            let found = match size {
                Size::Short { page, total } => (page.len(), total),
                Size::Long { expected } => (0, expected),
            };
            assert_eq!(found, (page, total), "{query:?}");
        }
        let size = measure(&mut connection, &all, &Estimates::default(), place, 50).await.unwrap();
        assert!(matches!(size, Size::Long { expected: 51..=300 }), "{size:?}");
    }
}
