//! All sessions of some time in numbers, from the numbers of each hour.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;
use tarsy_contracts::overview::{
    Overview, OverviewAlert, OverviewBucket, OverviewCost, OverviewTool,
};
use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// Hours that a reader counts itself, the newest first. Usually that is the current one, because the upkeep counts once a
/// minute; while no orchestrator runs it may be all of the last day.
const COUNTED_BY_READERS: i32 = 24;
/// Hours that one statement of the upkeep counts.
const COUNTED_AT_ONCE: i32 = 24;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The sessions that were submitted in some hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverviewQuery {
    pub from: Timestamp,
    pub to: Timestamp,
}

/// Seconds from the epoch on: whole hours.
#[derive(Clone, Copy)]
struct Hours {
    from: i64,
    to: i64,
}

impl Store {
    /// The sessions of some time in numbers.
    #[tracing::instrument(name = "db.overview.find", skip_all)]
    pub async fn find_overview(&self, query: OverviewQuery) -> Result<Overview, Error> {
        let mut connection = self.pool.acquire().await?;
        count_for_reader(&mut connection).await?;
        let hours = Hours {
            from: query.from.as_second().div_euclid(HOUR) * HOUR,
            to: end_of_hour(query.to),
        };
        let bucket_seconds = match hours.to - hours.from {
            seconds if seconds <= 2 * DAY => HOUR,
            seconds if seconds <= 14 * DAY => 6 * HOUR,
            _ => DAY,
        };
        let (p50, p95) = durations(&mut connection, hours).await?;
        let queue = sqlx::query(
            "select (select count(*) from alert_sessions where status = 'pending' and deleted_at is null) as pending,
                (select count(*) from alert_sessions where status in ('in_progress', 'cancelling')
                    and deleted_at is null) as running",
        )
        .fetch_one(&mut connection)
        .await?;
        let time = |second| Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(Overview {
            from: time(hours.from),
            to: time(hours.to),
            bucket_seconds,
            buckets: buckets(&mut connection, hours, bucket_seconds).await?,
            duration_p50_ms: p50,
            duration_p95_ms: p95,
            tools: tools(&mut connection, hours).await?,
            alerts: alerts(&mut connection, hours).await?,
            costs: costs(&mut connection, hours).await?,
            pending: queue.try_get("pending")?,
            running: queue.try_get("running")?,
        })
    }

    /// Counts hours that were not counted yet, the newest first; a bounded number, so call it until it answers 0.
    #[tracing::instrument(name = "db.overview.count", skip_all)]
    pub async fn count_overview_hours(&self) -> Result<u64, Error> {
        let counted: i64 = sqlx::query_scalar("select count_overview_hours($1)")
            .bind(COUNTED_AT_ONCE)
            .fetch_one(&self.pool)
            .await?;
        Ok(u64::try_from(counted).unwrap_or_default())
    }
}

/// Counts the hours that a reader needs and nobody has counted yet.
pub(crate) async fn count_for_reader(connection: &mut Connection) -> Result<(), Error> {
    sqlx::query("select count_overview_hours($1)")
        .bind(COUNTED_BY_READERS)
        .execute(connection)
        .await?;
    Ok(())
}

/// Has the hour of a session counted anew that was counted for good: calls of models came after the session's end.
pub(crate) async fn count_again(
    connection: &mut Connection,
    session: SessionId,
) -> Result<(), Error> {
    sqlx::query(
        "update overview_hours o set counted_at = o.hour
         from alert_sessions s
         where s.id = $1 and o.hour = date_bin('1 hour', s.created_at, '2000-01-01 00:00:00Z')
            and o.counted_at >= o.hour + interval '61 minutes'",
    )
    .bind(session.uuid())
    .execute(connection)
    .await?;
    Ok(())
}

/// The next full hour; the time itself if it is one.
fn end_of_hour(time: Timestamp) -> i64 {
    let second = time.as_second() + i64::from(time.subsec_nanosecond() > 0);
    (second - 1).div_euclid(HOUR) * HOUR + HOUR
}

async fn buckets(
    connection: &mut Connection,
    hours: Hours,
    seconds: i64,
) -> Result<Vec<OverviewBucket>, Error> {
    sqlx::query(
        "select date_bin(make_interval(secs => $3), hour, to_timestamp($1)) as start,
            sum(open)::bigint as open, sum(completed)::bigint as completed, sum(failed)::bigint as failed,
            sum(timed_out)::bigint as timed_out, sum(cancelled)::bigint as cancelled,
            sum(degraded)::bigint as degraded, sum(total_tokens)::bigint as tokens,
            sum(cost_micro_usd)::bigint as cost
         from overview_hours where hour >= to_timestamp($1) and hour < to_timestamp($2)
         group by 1 having sum(open + completed + failed + timed_out + cancelled) > 0 order by 1",
    )
    .bind(seconds_of(hours.from))
    .bind(seconds_of(hours.to))
    .bind(seconds_of(seconds))
    .fetch_all(connection)
    .await?
    .iter()
    .map(bucket)
    .collect()
}

fn bucket(row: &PgRow) -> Result<OverviewBucket, Error> {
    let cells = Cells::new(row, "overview_hours");
    Ok(OverviewBucket {
        start: cells.time("start")?,
        open: cells.get("open")?,
        completed: cells.get("completed")?,
        failed: cells.get("failed")?,
        timed_out: cells.get("timed_out")?,
        cancelled: cells.get("cancelled")?,
        degraded: cells.get("degraded")?,
        total_tokens: cells.get("tokens")?,
        cost_micro_usd: cells.get("cost")?,
    })
}

/// The median, and what 95 percent do not exceed.
async fn durations(
    connection: &mut Connection,
    hours: Hours,
) -> Result<(Option<i64>, Option<i64>), Error> {
    let row = sqlx::query(
        "with steps as (
            select step, sum(sum(sessions)) over (order by step) as until, sum(sum(sessions)) over () as total
            from overview_durations where hour >= to_timestamp($1) and hour < to_timestamp($2) group by step
         )
         select round(power(1.1, 0.5 + min(step) filter (where until >= total * 0.5)))::bigint as p50,
            round(power(1.1, 0.5 + min(step) filter (where until >= total * 0.95)))::bigint as p95
         from steps",
    )
    .bind(seconds_of(hours.from))
    .bind(seconds_of(hours.to))
    .fetch_one(connection)
    .await?;
    Ok((row.try_get("p50")?, row.try_get("p95")?))
}

async fn tools(connection: &mut Connection, hours: Hours) -> Result<Vec<OverviewTool>, Error> {
    sqlx::query(
        "select server_name, tool_name, sum(calls)::bigint as calls, sum(failed)::bigint as failed
         from overview_tools where hour >= to_timestamp($1) and hour < to_timestamp($2)
         group by 1, 2 having sum(failed) > 0 order by 4 desc, 3 desc, 1, 2 limit 20",
    )
    .bind(seconds_of(hours.from))
    .bind(seconds_of(hours.to))
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        Ok(OverviewTool {
            server: row.try_get("server_name")?,
            tool: row.try_get("tool_name")?,
            calls: row.try_get("calls")?,
            failed: row.try_get("failed")?,
        })
    })
    .collect()
}

async fn alerts(connection: &mut Connection, hours: Hours) -> Result<Vec<OverviewAlert>, Error> {
    sqlx::query(
        "select fingerprint, max(title) as title, sum(sessions)::bigint as sessions
         from overview_alerts where hour >= to_timestamp($1) and hour < to_timestamp($2)
         group by 1 order by 3 desc, 1 limit 20",
    )
    .bind(seconds_of(hours.from))
    .bind(seconds_of(hours.to))
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        Ok(OverviewAlert {
            fingerprint: row.try_get("fingerprint")?,
            title: row.try_get("title")?,
            sessions: row.try_get("sessions")?,
        })
    })
    .collect()
}

async fn costs(connection: &mut Connection, hours: Hours) -> Result<Vec<OverviewCost>, Error> {
    sqlx::query(
        "select dimension, name, sessions, tokens, cost, unpriced from (
            select dimension, name, sum(sessions)::bigint as sessions, sum(total_tokens)::bigint as tokens,
                sum(cost_micro_usd)::bigint as cost, sum(unpriced_calls)::bigint as unpriced,
                row_number() over (
                    partition by dimension order by sum(cost_micro_usd) desc nulls last, sum(total_tokens) desc, name
                ) as place
            from overview_costs where hour >= to_timestamp($1) and hour < to_timestamp($2)
            group by 1, 2
         ) c where place <= 20 order by dimension, place",
    )
    .bind(seconds_of(hours.from))
    .bind(seconds_of(hours.to))
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let cells = Cells::new(row, "overview_costs");
        Ok(OverviewCost {
            dimension: cells.word("dimension")?,
            name: cells.text("name")?,
            sessions: cells.get("sessions")?,
            total_tokens: cells.get("tokens")?,
            cost_micro_usd: cells.get("cost")?,
            unpriced_calls: cells.get("unpriced")?,
        })
    })
    .collect()
}

/// As `to_timestamp` and `make_interval` take them.
#[expect(clippy::cast_precision_loss, reason = "seconds of this era are exact")]
const fn seconds_of(seconds: i64) -> f64 {
    seconds as f64
}
