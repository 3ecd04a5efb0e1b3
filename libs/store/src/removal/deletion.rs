//! Sessions that a person deletes, at once and for good.

use jiff::Timestamp;
use sqlx::postgres::PgRow;
use tarsy_domain::id::SessionId;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;

/// What is kept of a session that a person deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletedSession {
    pub session_id: SessionId,
    pub deleted_by: String,
    pub deleted_at: Timestamp,
    pub reason: String,
}

/// What became of a deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeleteOutcome {
    /// These sessions are gone: the one that was named, and its replays.
    Deleted(Vec<SessionId>),
    /// This one, which is the one that was named or a replay of it, has not ended.
    Running(SessionId),
    /// A question about this one is being answered.
    Answering(SessionId),
    /// There is no such session.
    NotFound,
}

impl Store {
    /// Deletes a session that has ended, and its replays, with all their rows; keeps who did, when and why. `reason` has 1 to
    /// 500 characters.
    #[tracing::instrument(name = "db.session.delete", skip_all)]
    pub async fn delete_session(
        &self,
        session: SessionId,
        person: &str,
        reason: &str,
    ) -> Result<DeleteOutcome, Error> {
        let (mut person, mut reason) = (person.to_owned(), reason.to_owned());
        encode::clean(&mut person);
        encode::clean(&mut reason);
        retrying!(self.delete_once(session, &person, &reason))
    }

    async fn delete_once(
        &self,
        session: SessionId,
        person: &str,
        reason: &str,
    ) -> Result<DeleteOutcome, Error> {
        let rows = sqlx::query("select outcome, session_id from delete_session($1, $2, $3)")
            .bind(session.uuid())
            .bind(person)
            .bind(reason)
            .fetch_all(&self.pool)
            .await?;
        let mut deleted = Vec::with_capacity(rows.len());
        for row in &rows {
            let cells = Cells::new(row, "deleted_sessions");
            let id = cells.id("session_id")?;
            match cells.text("outcome")?.as_str() {
                "running" => return Ok(DeleteOutcome::Running(id)),
                "answering" => return Ok(DeleteOutcome::Answering(id)),
                _ => deleted.push(id),
            }
        }
        Ok(if deleted.is_empty() {
            DeleteOutcome::NotFound
        } else {
            DeleteOutcome::Deleted(deleted)
        })
    }

    /// Sessions that were deleted more than a minute ago, and of which streams may still hold something: whoever had an event
    /// to publish before the deletion has done so. The oldest first, at most `limit`.
    #[tracing::instrument(name = "db.session.deleted_with_copies", skip_all)]
    pub async fn deleted_sessions_with_copies(
        &self,
        limit: i64,
    ) -> Result<Vec<DeletedSession>, Error> {
        let rows = sqlx::query(
            "select session_id, deleted_by, reason, deleted_at from deleted_sessions
             where copies_removed_at is null and deleted_at < now() - interval '1 minute'
             order by deleted_at limit $1",
        )
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(deleted_session).collect()
    }

    /// Notes that streams hold nothing of these sessions any more.
    #[tracing::instrument(name = "db.session.copies_removed", skip_all)]
    pub async fn note_copies_removed(&self, sessions: &[SessionId]) -> Result<(), Error> {
        let ids: Vec<Uuid> = sessions.iter().map(|session| session.uuid()).collect();
        sqlx::query(
            "update deleted_sessions set copies_removed_at = now()
             where session_id = any($1) and copies_removed_at is null",
        )
        .bind(&ids)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Who deleted a session, when and why; none if nobody did.
    #[tracing::instrument(name = "db.session.find_deleted", skip_all)]
    pub async fn find_deleted_session(
        &self,
        session: SessionId,
    ) -> Result<Option<DeletedSession>, Error> {
        let row = sqlx::query(
            "select session_id, deleted_by, reason, deleted_at from deleted_sessions where session_id = $1",
        )
        .bind(session.uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(deleted_session).transpose()
    }
}

fn deleted_session(row: &PgRow) -> Result<DeletedSession, Error> {
    let cells = Cells::new(row, "deleted_sessions");
    Ok(DeletedSession {
        session_id: cells.id("session_id")?,
        deleted_by: cells.text("deleted_by")?,
        deleted_at: cells.time("deleted_at")?,
        reason: cells.text("reason")?,
    })
}
