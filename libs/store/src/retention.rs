//! Old sessions are deleted in two steps: soft deletion, then removal from the tables.

use std::time::Duration;

use crate::error::Error;
use crate::store::Store;

/// The lock by which one replica at a time cleans up. (`tarsyold` as a number.)
pub(crate) const TURN: i64 = 0x7461_7273_796f_6c64;

/// How many sessions one statement takes.
const AT_ONCE: i64 = 200;

impl Store {
    /// Takes sessions that ended longer than `age` ago out of every list; a bounded number, so call
    /// it until it answers 0. Replicas that come second answer 0 at once.
    #[tracing::instrument(name = "db.session.soft_delete", skip_all)]
    pub async fn soft_delete_sessions(&self, age: Duration) -> Result<u64, Error> {
        let done = sqlx::query(
            "with turn as materialized (select pg_try_advisory_xact_lock($1) as mine),
             old as (
                select id from alert_sessions
                where (select mine from turn)
                    and completed_at < now() - make_interval(secs => $2) and deleted_at is null
                limit $3
             )
             update alert_sessions s set deleted_at = now() from old where s.id = old.id",
        )
        .bind(TURN)
        .bind(age.as_secs_f64())
        .bind(AT_ONCE)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected())
    }

    /// Deletes sessions, with all their rows, that were retired longer than `grace` ago, and
    /// idempotency keys and windows of quotas that have served; bounded like [`Store::soft_delete_sessions`].
    #[tracing::instrument(name = "db.session.purge", skip_all)]
    pub async fn purge_sessions(&self, grace: Duration) -> Result<u64, Error> {
        sqlx::query("delete from idempotency_keys where created_at < now() - interval '24 hours'")
            .execute(&self.pool)
            .await?;
        sqlx::query("delete from token_usage where day < current_date - 90")
            .execute(&self.pool)
            .await?;
        sqlx::query("delete from quota_windows where started_at < now() - interval '1 hour'")
            .execute(&self.pool)
            .await?;
        let done = sqlx::query(
            "with turn as materialized (select pg_try_advisory_xact_lock($1) as mine),
             old as (
                select id from alert_sessions
                where (select mine from turn) and deleted_at < now() - make_interval(secs => $2)
                limit $3
             )
             delete from alert_sessions s using old where s.id = old.id",
        )
        .bind(TURN)
        .bind(grace.as_secs_f64())
        .bind(AT_ONCE)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected())
    }
}
