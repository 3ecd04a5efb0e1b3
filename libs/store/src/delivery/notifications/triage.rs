//! Changes of messages about the ends of sessions: they show who works on the session. A message has one row, which is sent
//! again with each change.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;
use tarsy_domain::id::{SessionId, TriageEntryId};
use tarsy_domain::triage::Triage;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// A state of work that the message of a destination does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnnotifiedTriage {
    pub entry_id: TriageEntryId,
    pub session_id: SessionId,
    pub destination: String,
}

/// What a message says of the work on its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifiedTriage {
    pub triage: Triage,
    pub assignee: Option<String>,
    pub since: Timestamp,
}

/// Only the state of now is shown. Messages of sessions that changed long ago are of no interest to anybody.
const UNNOTIFIED: &str = "
    select t.id as entry_id, s.id as session_id, e.destination
    from triage_entries t
    join alert_sessions s on s.triage_entry_id = t.id
    join notifications e on e.session_id = s.id and e.kind = 'ended'
    where t.triage is not null and t.created_at > now() - interval '7 days'
        and e.status = 'sent' and e.external_ref is not null and e.destination = any($1)
        and not exists (
            select 1 from notifications n
            where n.session_id = s.id and n.kind = 'triaged' and n.destination = e.destination
                and (n.triage_entry_id = t.id or n.status = 'pending')
        )
    order by t.created_at
    limit $2";

impl Store {
    /// The states of work that the messages of these destinations do not show, the oldest first.
    #[tracing::instrument(name = "db.notification.list_unnotified_triage", skip_all)]
    pub async fn list_unnotified_triage(
        &self,
        destinations: &[String],
        limit: i64,
    ) -> Result<Vec<UnnotifiedTriage>, Error> {
        let rows = sqlx::query(UNNOTIFIED).bind(destinations).bind(limit);
        let rows = rows.fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "notifications");
                Ok(UnnotifiedTriage {
                    entry_id: cells.id("entry_id")?,
                    session_id: cells.id("session_id")?,
                    destination: cells.text("destination")?,
                })
            })
            .collect()
    }

    /// Has these messages changed; returns how many rows are to be sent. A row that is on its way shows what it finds when it is
    /// sent, and is found again afterwards.
    #[tracing::instrument(name = "db.notification.insert_triage", skip_all)]
    pub async fn insert_triage_notifications(
        &self,
        changes: &[UnnotifiedTriage],
    ) -> Result<u64, Error> {
        let ids: Vec<Uuid> = changes.iter().map(|_| Uuid::now_v7()).collect();
        let entries: Vec<Uuid> = changes.iter().map(|one| one.entry_id.uuid()).collect();
        let sessions: Vec<Uuid> = changes.iter().map(|one| one.session_id.uuid()).collect();
        let destinations: Vec<&str> = changes.iter().map(|one| one.destination.as_str()).collect();
        let row = sqlx::query(
            "with written as (
                insert into notifications as n (id, session_id, kind, destination, status, triage_entry_id)
                select r.id, s.id, 'triaged', r.destination, 'pending', r.entry_id
                from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[])
                        as r (id, entry_id, session_id, destination)
                    join alert_sessions s on s.id = r.session_id
                on conflict (session_id, kind, destination, approval_id, review_id) do update
                set status = 'pending', triage_entry_id = excluded.triage_entry_id, failures = 0, error = null,
                    due_at = now(), finished_at = null
                where n.status <> 'pending'
                returning 1
             )
             select count(*) as pending from written",
        )
        .bind(ids)
        .bind(entries)
        .bind(sessions)
        .bind(destinations)
        .fetch_one(&self.pool)
        .await?;
        Ok(u64::try_from(row.try_get::<i64, _>("pending")?).unwrap_or_default())
    }
}

/// Reads what the claim of a notification selects; none if nobody did anything about the session.
pub(super) fn read(row: &PgRow) -> Result<Option<NotifiedTriage>, Error> {
    let cells = Cells::new(row, "triage_entries");
    let Some(since) = cells.maybe_time("triage_since")? else { return Ok(None) };
    Ok(Some(NotifiedTriage {
        triage: cells.word("triage")?,
        assignee: cells.maybe_text("assignee")?,
        since,
    }))
}
