//! What people make of the prose.

use serde_json::json;
use tarsy_contracts::postmortem::ProseTexts;
use tarsy_domain::id::SessionId;

use crate::database::store::Store;
use crate::encode;
use crate::error::Error;

impl Store {
    /// Keeps a person's version of the prose beside what the model wrote. False if no model has written it.
    #[tracing::instrument(name = "db.prose.edit", skip_all)]
    pub async fn edit_prose(
        &self,
        session: SessionId,
        texts: &ProseTexts,
        by: &str,
    ) -> Result<bool, Error> {
        let mut texts = json!(texts);
        encode::clean_json(&mut texts);
        let mut by = by.to_owned();
        encode::clean(&mut by);
        let done = sqlx::query(
            "update postmortem_prose p
             set edited = $2, edited_by = $3, edited_at = now()
             from alert_sessions s
             where p.session_id = $1 and p.status = 'completed' and s.id = p.session_id and s.deleted_at is null",
        )
        .bind(session.uuid())
        .bind(texts)
        .bind(by)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() == 1)
    }
}
