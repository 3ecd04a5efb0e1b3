//! Old sessions are deleted in two steps: soft deletion, then removal from the tables.

use std::time::Duration;

use super::TURN;
use crate::database::store::Store;
use crate::error::Error;

/// How many sessions one statement takes.
const AT_ONCE: i64 = 200;
/// How many sessions one statement deletes with all of their rows, of which each may have thousands.
const PURGED_AT_ONCE: i64 = 20;

/// How long sessions are kept after their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionAges {
    pub others: Duration,
    /// Those that a person has reviewed.
    pub reviewed: Duration,
    pub replays: Duration,
}

impl Store {
    /// Takes sessions that ended longer ago than they are kept out of every list; a bounded number, so call it until it answers
    /// 0. Replicas that come second answer 0 at once. A session whose question is being answered stays.
    #[tracing::instrument(name = "db.session.soft_delete", skip_all)]
    pub async fn soft_delete_sessions(&self, ages: SessionAges) -> Result<u64, Error> {
        let done = sqlx::query(
            "with turn as materialized (select pg_try_advisory_xact_lock($1) as mine),
             old as (
                select s.id from alert_sessions s
                where (select mine from turn) and s.deleted_at is null
                    and s.completed_at < now() - make_interval(secs => least($2::float8, $3, $4))
                    and s.completed_at < now() - make_interval(secs => case
                        when s.review_id is not null then $3 when s.origin <> 'alert' then $4 else $2 end)
                    and not exists (select from stages g where g.session_id = s.id and g.status in ('pending', 'active'))
                limit $5
             )
             update alert_sessions s set deleted_at = now() from old where s.id = old.id",
        )
        .bind(TURN)
        .bind(ages.others.as_secs_f64())
        .bind(ages.reviewed.as_secs_f64())
        .bind(ages.replays.as_secs_f64())
        .bind(AT_ONCE)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected())
    }

    /// Deletes sessions, with all their rows, that were retired longer than `grace` ago; bounded like
    /// [`Store::soft_delete_sessions`].
    #[tracing::instrument(name = "db.session.purge", skip_all)]
    pub async fn purge_sessions(&self, grace: Duration) -> Result<u64, Error> {
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
        .bind(PURGED_AT_ONCE)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected())
    }
}
