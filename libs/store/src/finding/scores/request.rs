//! Asking for a score.

use serde_json::Value;
use tarsy_contracts::event::Committed;
use tarsy_domain::id::{ScoreId, SessionId};
use tarsy_domain::score::ScoreStatus;
use tarsy_domain::status::SessionStatus;

use super::report;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::session::sessions;

/// The most scores of one session. People compare a few prompts or models, scripts must not fill the table.
pub const MAX_SCORES: i32 = 20;

/// A score that a person asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct NewScore {
    pub session_id: SessionId,
    /// The agent, its providers and limits.
    pub judge: Value,
    pub requested_by: String,
}

/// What became of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScoreRequest {
    Added {
        score_id: ScoreId,
        /// The events to publish.
        events: Vec<Committed>,
    },
    NotEnded(SessionStatus),
    /// Another score of it is being made.
    Running,
    /// The session has [`MAX_SCORES`].
    TooMany,
    NotFound,
}

impl Store {
    /// Asks for a score of a session that has ended; earlier ones are kept.
    #[tracing::instrument(name = "db.score.request", skip_all)]
    pub async fn request_score(&self, mut new: NewScore) -> Result<ScoreRequest, Error> {
        encode::clean(&mut new.requested_by);
        encode::clean_json(&mut new.judge);
        retrying!(Box::pin(self.request_score_once(&new)))
    }

    async fn request_score_once(&self, new: &NewScore) -> Result<ScoreRequest, Error> {
        let mut tx = self.pool.begin().await?;
        let Some(status) = sessions::lock(&mut tx, new.session_id).await? else {
            return Ok(ScoreRequest::NotFound);
        };
        let (last, is_open): (i32, bool) = sqlx::query_as(
            "select coalesce(max(number), 0), coalesce(bool_or(status in ('pending', 'in_progress')), false)
             from scores where session_id = $1",
        )
        .bind(new.session_id.uuid())
        .fetch_one(&mut *tx)
        .await?;
        let refused = match status {
            status if !status.is_terminal() => Some(ScoreRequest::NotEnded(status)),
            _ if is_open => Some(ScoreRequest::Running),
            _ if last >= MAX_SCORES => Some(ScoreRequest::TooMany),
            _ => None,
        };
        if let Some(refused) = refused {
            tx.rollback().await?;
            return Ok(refused);
        }
        let score_id = ScoreId::new();
        sqlx::query(
            "insert into scores (id, session_id, number, requested_by, judge) values ($1, $2, $3, $4, $5)",
        )
        .bind(score_id.uuid())
        .bind(new.session_id.uuid())
        .bind(last + 1)
        .bind(&new.requested_by)
        .bind(&new.judge)
        .execute(&mut *tx)
        .await?;
        // Retention looks at the session again: its calls will have prompts.
        sqlx::query("update alert_sessions set prompts_deleted_at = null where id = $1 and prompts_deleted_at is not null")
            .bind(new.session_id.uuid())
            .execute(&mut *tx)
            .await?;
        let events =
            report(&mut tx, new.session_id, score_id, (ScoreStatus::Pending, None)).await?;
        tx.commit().await?;
        Ok(ScoreRequest::Added { score_id, events })
    }
}

/// Asks for the score of a session that ends, if its configuration wants one: of an alert, and if it completed.
pub(crate) async fn at_end(tx: &mut Connection, session: SessionId) -> Result<(), Error> {
    sqlx::query(concat!(
        "insert into scores (id, session_id, number, judge)
             select $2, c.id, 1, c.judge
             from (select s.id, ",
        config_snapshot!(),
        " -> 'scoring' as judge from alert_sessions s
                where s.id = $1 and s.status = 'completed' and s.origin = 'alert') c
             where jsonb_typeof(c.judge) = 'object'
             on conflict (session_id, number) do nothing",
    ))
    .bind(session.uuid())
    .bind(ScoreId::new().uuid())
    .execute(tx)
    .await?;
    Ok(())
}
