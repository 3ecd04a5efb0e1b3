//! Asking for the prose of a postmortem.

use serde_json::{Value, json};
use tarsy_contracts::postmortem::PostmortemFact;
use tarsy_domain::id::{ProseId, SessionId};
use tarsy_domain::status::SessionStatus;

use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::session::sessions;

/// The most requests of one session: each is a call of a model.
pub const MAX_PROSE_REQUESTS: i32 = 20;

/// A request for prose.
#[derive(Clone, Debug, PartialEq)]
pub struct NewProse {
    pub session_id: SessionId,
    /// The providers and their limits.
    pub writer: Value,
    /// All that the model is given.
    pub facts: Vec<PostmortemFact>,
    pub requested_by: String,
    /// Whether the text of a person may be replaced.
    pub replaces_edited: bool,
}

/// What became of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProseRequest {
    Added,
    NotEnded(SessionStatus),
    /// It is being written.
    Running,
    /// A person has edited it.
    Edited,
    /// The session has had [`MAX_PROSE_REQUESTS`].
    TooMany,
    NotFound,
}

const ADD: &str = "
    insert into postmortem_prose as p (session_id, id, number, requested_by, writer, facts) values ($1, $2, 1, $3, $4, $5)
    on conflict (session_id) do update
    set id = excluded.id, number = p.number + 1, status = 'pending', requested_by = excluded.requested_by,
        writer = excluded.writer, facts = excluded.facts, sentences = '[]', left_out = 0, failure = null,
        prompt_version = null, provider = null, model_name = null, edited = null, edited_by = null, edited_at = null,
        attempts = 0, owner_id = null, lease_expires_at = null, created_at = now(), started_at = null, finished_at = null";

impl Store {
    /// Asks for the prose of a session that has ended, in the place of the one before.
    #[tracing::instrument(name = "db.prose.request", skip_all)]
    pub async fn request_prose(&self, mut new: NewProse) -> Result<ProseRequest, Error> {
        encode::clean(&mut new.requested_by);
        encode::clean_json(&mut new.writer);
        let mut facts = json!(new.facts);
        encode::clean_json(&mut facts);
        retrying!(Box::pin(self.request_prose_once(&new, &facts)))
    }

    async fn request_prose_once(
        &self,
        new: &NewProse,
        facts: &Value,
    ) -> Result<ProseRequest, Error> {
        let mut tx = self.pool.begin().await?;
        let Some(status) = sessions::lock(&mut tx, new.session_id).await? else {
            return Ok(ProseRequest::NotFound);
        };
        let earlier: Option<(bool, bool, i32)> = sqlx::query_as(
            "select status in ('pending', 'in_progress'), edited is not null, number
             from postmortem_prose where session_id = $1 for update",
        )
        .bind(new.session_id.uuid())
        .fetch_optional(&mut *tx)
        .await?;
        let (is_open, is_edited, number) = earlier.unwrap_or_default();
        let refused = match status {
            status if !status.is_terminal() => Some(ProseRequest::NotEnded(status)),
            _ if is_open => Some(ProseRequest::Running),
            _ if is_edited && !new.replaces_edited => Some(ProseRequest::Edited),
            _ if number >= MAX_PROSE_REQUESTS => Some(ProseRequest::TooMany),
            _ => None,
        };
        if let Some(refused) = refused {
            tx.rollback().await?;
            return Ok(refused);
        }
        sqlx::query(ADD)
            .bind(new.session_id.uuid())
            .bind(ProseId::new().uuid())
            .bind(&new.requested_by)
            .bind(&new.writer)
            .bind(facts)
            .execute(&mut *tx)
            .await?;
        // Retention looks at the session again: its calls will have prompts.
        sqlx::query("update alert_sessions set prompts_deleted_at = null where id = $1 and prompts_deleted_at is not null")
            .bind(new.session_id.uuid())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(ProseRequest::Added)
    }
}
