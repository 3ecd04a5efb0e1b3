//! Who works on what: claims, leases and their fences. All times are the database's.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;
use tarsy_contracts::event::{Body, Committed};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode::{self, Tail};
use crate::error::Error;
use crate::session::sessions::{self, Session};
use crate::work::fence::Fence;

#[derive(Clone, Debug)]
pub struct Claim {
    pub fence: Fence,
    pub session: Session,
    /// How often it was claimed, this time included.
    pub attempts: i32,
    /// Another owner started it: the stored state must be recovered first.
    pub resumed: bool,
    /// The time since it was first started, by the database's clock.
    pub elapsed: Duration,
    pub events: Vec<Committed>,
}

/// A claim whose session was not read yet: its events can be published before that.
#[derive(Debug)]
pub struct ClaimedRow {
    row: PgRow,
    id: SessionId,
    at: Timestamp,
    resumed: bool,
    pub events: Vec<Committed>,
}

impl ClaimedRow {
    pub fn read(self) -> Result<Claim, Error> {
        let session = sessions::read(&self.row)?;
        let cells = Cells::new(&self.row, "session_control");
        Ok(Claim {
            fence: Fence { session_id: self.id, epoch: cells.get("lease_epoch")? },
            elapsed: elapsed(session.started_at, self.at),
            session,
            attempts: cells.get("attempts")?,
            resumed: self.resumed,
            events: self.events,
        })
    }
}

/// The state of a session at the renewal of its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewal {
    pub cancel_requested: bool,
    pub status: SessionStatus,
}

const CLAIM: &str = concat!(
    "select ",
    session_columns!(),
    ", c.lease_epoch, c.attempts, c.event_seq, c.resumed, c.at
     from claim_session($1, $2, $3, $4, $5) c cross join lateral (select (c.session).*) s"
);

/// The time from a start to a claim, both by the database's clock; zero without a start.
pub(crate) fn elapsed(started_at: Option<Timestamp>, at: Timestamp) -> Duration {
    let elapsed = started_at.map(|started_at| at.duration_since(started_at));
    elapsed.and_then(|elapsed| Duration::try_from(elapsed).ok()).unwrap_or_default()
}

impl Store {
    /// Claims the session whose lease ran out first; else, if fewer than `cap` sessions have an owner in the whole cluster,
    /// the suspended one that was decided about first, else the oldest pending one.
    #[tracing::instrument(name = "db.session.claim", skip_all)]
    pub async fn claim_session(
        &self,
        owner: &str,
        lease: Duration,
        cap: i64,
    ) -> Result<Option<Claim>, Error> {
        self.claim_session_row(owner, lease, cap).await?.map(ClaimedRow::read).transpose()
    }

    /// [`Store::claim_session`] for a caller that publishes the events first.
    #[tracing::instrument(name = "db.session.claim_row", skip_all)]
    pub async fn claim_session_row(
        &self,
        owner: &str,
        lease: Duration,
        cap: i64,
    ) -> Result<Option<ClaimedRow>, Error> {
        retrying!(Box::pin(self.claim_once(owner, lease, cap)))
    }

    async fn claim_once(
        &self,
        owner: &str,
        lease: Duration,
        cap: i64,
    ) -> Result<Option<ClaimedRow>, Error> {
        let body = Body::SessionStatus { status: SessionStatus::InProgress };
        let row = sqlx::query(CLAIM)
            .bind(owner)
            .bind(lease.as_secs_f64())
            .bind(cap)
            .bind(body.kind())
            .bind(encode::members(&body)?)
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let cells = Cells::new(&row, "session_control");
        let (id, at) = (cells.id("id")?, cells.time("at")?);
        let resumed: bool = cells.get("resumed")?;
        let mut events = Vec::new();
        if !resumed {
            events.push(Tail::new(id, &body)?.committed(id, cells.get("event_seq")?, None, at));
        }
        Ok(Some(ClaimedRow { row, id, at, resumed, events }))
    }

    /// Keeps the lease; [`Error::Fenced`] if it is another's by now.
    #[tracing::instrument(name = "db.lease.renew", skip_all)]
    pub async fn renew_lease(&self, fence: Fence, lease: Duration) -> Result<Renewal, Error> {
        let row = sqlx::query(
            "update session_control c
             set lease_expires_at = statement_timestamp() + make_interval(secs => $3)
             from alert_sessions s
             where c.session_id = $1 and c.lease_epoch = $2 and c.owner_id is not null
                and s.id = c.session_id
             returning c.cancel_requested_at is not null as cancel_requested, s.status",
        )
        .bind(fence.session_id.uuid())
        .bind(fence.epoch)
        .bind(lease.as_secs_f64())
        .fetch_optional(&self.pool)
        .await?
        .ok_or(Error::Fenced { session: fence.session_id })?;
        let cells = Cells::new(&row, "alert_sessions");
        Ok(Renewal {
            cancel_requested: cells.get("cancel_requested")?,
            status: cells.word("status")?,
        })
    }

    /// Gives the lease back at once, without counting the attempt: a graceful stop.
    #[tracing::instrument(name = "db.lease.release", skip_all)]
    pub async fn release_lease(&self, fence: Fence) -> Result<(), Error> {
        let done = sqlx::query(
            "update session_control
             set owner_id = null, lease_expires_at = statement_timestamp(),
                attempts = greatest(attempts - 1, 0)
             where session_id = $1 and lease_epoch = $2 and owner_id is not null",
        )
        .bind(fence.session_id.uuid())
        .bind(fence.epoch)
        .execute(&self.pool)
        .await?;
        if done.rows_affected() == 0 {
            return Err(Error::Fenced { session: fence.session_id });
        }
        Ok(())
    }

    /// How many sessions could be claimed now.
    #[tracing::instrument(name = "db.session.count_claimable", skip_all)]
    pub async fn count_claimable_sessions(&self, cap: i64) -> Result<i64, Error> {
        let row = sqlx::query(
            "with due as (
                select c.suspended_at is not null as suspended
                from session_control c join alert_sessions s on s.id = c.session_id
                where c.lease_expires_at <= statement_timestamp()
                    and s.status in ('in_progress', 'cancelling')
             )
             select
                (select count(*) from due where not suspended)
                + least(
                    (select count(*) from due where suspended)
                        + (select count(*) from alert_sessions where status = 'pending'),
                    greatest($1 - (select count(*) from alert_sessions where status in ('in_progress', 'cancelling'))
                        + (select count(*) from session_control c join alert_sessions s on s.id = c.session_id
                           where c.suspended_at is not null and s.status in ('in_progress', 'cancelling')), 0)
                ) as claimable",
        )
        .bind(cap)
        .fetch_one(&self.pool)
        .await?;
        Ok(row.try_get("claimable")?)
    }

    /// How many sessions are in progress or cancelling, those that are suspended included.
    #[tracing::instrument(name = "db.session.count_in_progress", skip_all)]
    pub async fn count_in_progress_sessions(&self) -> Result<i64, Error> {
        let row = sqlx::query(
            "select count(*) as sessions from alert_sessions where status in ('in_progress', 'cancelling')",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(row.try_get("sessions")?)
    }

    /// How many sessions wait.
    #[tracing::instrument(name = "db.session.count_pending", skip_all)]
    pub async fn count_pending_sessions(&self) -> Result<i64, Error> {
        let row =
            sqlx::query("select count(*) as sessions from alert_sessions where status = 'pending'")
                .fetch_one(&self.pool)
                .await?;
        Ok(row.try_get("sessions")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_elapsed_time_is_never_negative() {
        let start = Timestamp::from_second(1_000).unwrap();
        let later = Timestamp::from_second(1_090).unwrap();
        assert_eq!(elapsed(Some(start), later), Duration::from_secs(90));
        assert_eq!(elapsed(Some(later), start), Duration::ZERO);
        assert_eq!(elapsed(None, later), Duration::ZERO);
    }
}
