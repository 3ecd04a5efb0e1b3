//! The weekly message about what came again: written down once for each week, by whoever comes first, and sent to each destination.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use tarsy_contracts::prevention::Prevention;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::delivery::notifications::finish::NotificationOutcome;
use crate::encode;
use crate::error::Error;

/// A message for one destination, which was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeeklyDelivery {
    pub id: Uuid,
    /// The fence of this claim.
    pub claim: i64,
    pub week: String,
    pub destination: String,
    /// How often it failed.
    pub failures: i32,
    pub created_at: Timestamp,
    /// When it was claimed, by the database's clock.
    pub claimed_at: Timestamp,
    /// When it may have been sent first.
    pub attempted_at: Option<Timestamp>,
    pub found: Prevention,
}

const CLAIM: &str = "
    with due as (
        select d.id from weekly_deliveries d join weekly_messages m using (week)
        where d.status = 'pending' and d.due_at <= statement_timestamp() and d.destination = any($1) and m.found is not null
        order by d.due_at, d.id limit 1
        for no key update of d skip locked
    )
    update weekly_deliveries d
    set claim = d.claim + 1, due_at = statement_timestamp() + make_interval(secs => $2)
    from due, weekly_messages m where d.id = due.id and m.week = d.week
    returning d.id, d.claim, d.week, d.destination, d.failures, d.created_at, statement_timestamp() as claimed_at,
        d.attempted_at, m.found";

impl Store {
    /// Whether somebody looked at a week.
    #[tracing::instrument(name = "db.weekly.is_known", skip_all)]
    pub async fn is_week_known(&self, week: &str) -> Result<bool, Error> {
        let known =
            sqlx::query_scalar("select exists (select from weekly_messages where week = $1)");
        Ok(known.bind(week).fetch_one(&self.pool).await?)
    }

    /// Writes down what came again in a week, to be sent to these destinations, or that nothing did. False if another did it
    /// before.
    #[tracing::instrument(name = "db.weekly.add", skip_all)]
    pub async fn add_week(
        &self,
        week: &str,
        found: Option<&Prevention>,
        destinations: &[String],
    ) -> Result<bool, Error> {
        let mut found = found.map(|found| json!(found));
        encode::clean_maybe_json(&mut found);
        let mut tx = self.pool.begin().await?;
        let added = sqlx::query(
            "insert into weekly_messages (week, found) values ($1, $2) on conflict (week) do nothing",
        )
        .bind(week)
        .bind(&found)
        .execute(&mut *tx)
        .await?;
        if added.rows_affected() == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        if found.is_some() {
            let ids: Vec<Uuid> = destinations.iter().map(|_| Uuid::now_v7()).collect();
            sqlx::query(
                "insert into weekly_deliveries (id, week, destination)
                 select d.id, $1, d.name from unnest($2::uuid[], $3::text[]) as d (id, name)
                 on conflict (week, destination) do nothing",
            )
            .bind(week)
            .bind(ids)
            .bind(destinations)
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Claims a message that is due for one of these destinations; nobody else gets it for the time of the lease.
    #[tracing::instrument(name = "db.weekly.claim", skip_all)]
    pub async fn claim_weekly_delivery(
        &self,
        names: &[String],
        lease: Duration,
    ) -> Result<Option<WeeklyDelivery>, Error> {
        let row = sqlx::query(CLAIM)
            .bind(names)
            .bind(lease.as_secs_f64())
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let cells = Cells::new(&row, "weekly_deliveries");
        let found = cells.maybe_decoded("found")?;
        Ok(Some(WeeklyDelivery {
            id: cells.get("id")?,
            claim: cells.get("claim")?,
            week: cells.text("week")?,
            destination: cells.text("destination")?,
            failures: cells.get("failures")?,
            created_at: cells.time("created_at")?,
            claimed_at: cells.time("claimed_at")?,
            attempted_at: cells.maybe_time("attempted_at")?,
            found: found.ok_or(Error::Inconsistent { table: "weekly_messages" })?,
        }))
    }

    /// Notes that a claimed message is about to be sent; false if another has claimed it by now.
    #[tracing::instrument(name = "db.weekly.begin_send", skip_all)]
    pub async fn begin_weekly_send(&self, id: Uuid, claim: i64) -> Result<bool, Error> {
        let done = sqlx::query(
            "update weekly_deliveries set attempted_at = coalesce(attempted_at, now())
             where id = $1 and claim = $2 and status = 'pending' and due_at > statement_timestamp()",
        )
        .bind(id)
        .bind(claim)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Writes down what became of a claimed message. What it says is deleted with its last delivery.
    #[tracing::instrument(name = "db.weekly.finish", skip_all)]
    pub async fn finish_weekly_delivery(
        &self,
        delivery: &WeeklyDelivery,
        outcome: &NotificationOutcome,
    ) -> Result<bool, Error> {
        let (status, mut error, pause, counts) = match outcome {
            NotificationOutcome::Sent { .. } => ("sent", None, Duration::ZERO, false),
            NotificationOutcome::Retry { error, pause, counts } => {
                ("pending", Some(error.clone()), *pause, *counts)
            }
            NotificationOutcome::Exhausted { error } => {
                ("failed", Some(error.clone()), Duration::ZERO, true)
            }
            NotificationOutcome::Skipped => ("failed", None, Duration::ZERO, false),
        };
        encode::clean_maybe(&mut error);
        let mut tx = self.pool.begin().await?;
        let done = sqlx::query(
            "update weekly_deliveries
             set status = $3, error = $4, due_at = statement_timestamp() + make_interval(secs => $5),
                failures = failures + $6, finished_at = case when $3 <> 'pending' then now() end
             where id = $1 and claim = $2 and status = 'pending'",
        )
        .bind(delivery.id)
        .bind(delivery.claim)
        .bind(status)
        .bind(error)
        .bind(pause.as_secs_f64())
        .bind(i32::from(counts))
        .execute(&mut *tx)
        .await?;
        // A deleted session must not stay in it.
        sqlx::query(
            "update weekly_messages m set found = null
             where m.week = $1 and not exists (
                select from weekly_deliveries d where d.week = m.week and d.status = 'pending')",
        )
        .bind(&delivery.week)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(done.rows_affected() == 1)
    }
}
