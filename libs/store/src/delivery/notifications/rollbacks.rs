//! Changes of messages about the ends of sessions: they show what became of rollbacks.

use sqlx::Row;
use tarsy_domain::id::{ApprovalId, SessionId};
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// A rollback that is over, and that the message of a destination does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnnotifiedRollback {
    /// That of its call.
    pub approval_id: ApprovalId,
    pub session_id: SessionId,
    pub destination: String,
}

/// Messages of sessions whose rollbacks were over long ago are of no interest to anybody.
const UNNOTIFIED: &str = "
    select a.id as approval_id, x.session_id, e.destination
    from actions x
    join tool_approvals a on a.call_id = x.call_id
    join notifications e on e.session_id = x.session_id and e.kind = 'ended'
    where x.rolls_back is not null and x.ended_at is not null and x.ended_at > now() - interval '7 days'
        and e.status = 'sent' and e.external_ref is not null and e.destination = any($1)
        and not exists (
            select 1 from notifications n
            where n.approval_id = a.id and n.kind = 'rolled_back' and n.destination = e.destination
        )
    order by x.ended_at
    limit $2";

impl Store {
    /// The rollbacks that the messages of these destinations do not show, the oldest first.
    #[tracing::instrument(name = "db.notification.list_unnotified_rollbacks", skip_all)]
    pub async fn list_unnotified_rollbacks(
        &self,
        destinations: &[String],
        limit: i64,
    ) -> Result<Vec<UnnotifiedRollback>, Error> {
        let rows = sqlx::query(UNNOTIFIED).bind(destinations).bind(limit);
        let rows = rows.fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "notifications");
                Ok(UnnotifiedRollback {
                    approval_id: cells.id("approval_id")?,
                    session_id: cells.id("session_id")?,
                    destination: cells.text("destination")?,
                })
            })
            .collect()
    }

    /// Writes rows that are not there yet; returns how many were.
    #[tracing::instrument(name = "db.notification.insert_rollbacks", skip_all)]
    pub async fn insert_rollback_notifications(
        &self,
        rollbacks: &[UnnotifiedRollback],
    ) -> Result<u64, Error> {
        let ids: Vec<Uuid> = rollbacks.iter().map(|_| Uuid::now_v7()).collect();
        let approvals: Vec<Uuid> = rollbacks.iter().map(|one| one.approval_id.uuid()).collect();
        let destinations: Vec<&str> =
            rollbacks.iter().map(|one| one.destination.as_str()).collect();
        let row = sqlx::query(
            "with written as (
                insert into notifications (id, session_id, kind, destination, status, approval_id)
                select r.id, a.session_id, 'rolled_back', r.destination, 'pending', a.id
                from unnest($1::uuid[], $2::uuid[], $3::text[]) as r (id, approval_id, destination)
                    join tool_approvals a on a.id = r.approval_id
                on conflict (session_id, kind, destination, approval_id, review_id) do nothing
                returning 1
             )
             select count(*) as pending from written",
        )
        .bind(ids)
        .bind(approvals)
        .bind(destinations)
        .fetch_one(&self.pool)
        .await?;
        Ok(u64::try_from(row.try_get::<i64, _>("pending")?).unwrap_or_default())
    }
}
