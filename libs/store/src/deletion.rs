//! Sessions that a person deletes, at once and for good.

use jiff::Timestamp;
use tarsy_domain::id::SessionId;

use crate::cells::Cells;
use crate::encode;
use crate::error::Error;
use crate::store::Store;

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
        row.map(|row| {
            let cells = Cells::new(&row, "deleted_sessions");
            Ok(DeletedSession {
                session_id: cells.id("session_id")?,
                deleted_by: cells.text("deleted_by")?,
                deleted_at: cells.time("deleted_at")?,
                reason: cells.text("reason")?,
            })
        })
        .transpose()
    }
}
