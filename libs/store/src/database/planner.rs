//! What PostgreSQL's planner expects of a statement, which takes less than a millisecond and reads no table.

use serde_json::Value;
use sqlx::postgres::Postgres;
use sqlx::{QueryBuilder, Row};

use crate::database::pool::Connection;
use crate::error::Error;

/// Begins a statement that is explained, not executed.
pub(crate) const EXPLAIN: &str = "explain (format json) select 1";

/// How many rows the planner expects of an explained statement.
pub(crate) async fn expected_rows(
    connection: &mut Connection,
    mut sql: QueryBuilder<Postgres>,
) -> Result<i64, Error> {
    let plan: Value = sql.build().persistent(false).fetch_one(connection).await?.try_get(0)?;
    let rows = plan.pointer("/0/Plan/Plan Rows").and_then(Value::as_i64);
    Ok(rows.unwrap_or(i64::MAX))
}
