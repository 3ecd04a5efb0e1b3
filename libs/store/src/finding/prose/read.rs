//! Prose as the API shows it.

use sqlx::postgres::PgRow;
use tarsy_contracts::postmortem::{EditedProse, PostmortemProse};
use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

impl Store {
    /// The prose of a session's postmortem; none before somebody asked for it. Whether it is outdated is for the caller to say.
    #[tracing::instrument(name = "db.prose.find", skip_all)]
    pub async fn find_prose(&self, session: SessionId) -> Result<Option<PostmortemProse>, Error> {
        let row = sqlx::query(
            "select status, failure, provider, model_name, requested_by, created_at, finished_at, sentences, left_out, facts,
                edited, edited_by, edited_at
             from postmortem_prose where session_id = $1",
        )
        .bind(session.uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(prose).transpose()
    }
}

fn prose(row: &PgRow) -> Result<PostmortemProse, Error> {
    let cells = Cells::new(row, "postmortem_prose");
    Ok(PostmortemProse {
        status: cells.word("status")?,
        failure: cells.maybe_word("failure")?,
        provider: cells.maybe_text("provider")?,
        model: cells.maybe_text("model_name")?,
        requested_by: cells.text("requested_by")?,
        requested_at: cells.time("created_at")?,
        finished_at: cells.maybe_time("finished_at")?,
        sentences: cells.maybe_decoded("sentences")?.unwrap_or_default(),
        left_out: cells.get("left_out")?,
        facts: cells.maybe_decoded("facts")?.unwrap_or_default(),
        edited: edited(&cells)?,
        outdated: false,
    })
}

fn edited(cells: &Cells<'_>) -> Result<Option<EditedProse>, Error> {
    let Some(texts) = cells.maybe_decoded("edited")? else { return Ok(None) };
    Ok(Some(EditedProse { texts, by: cells.text("edited_by")?, at: cells.time("edited_at")? }))
}
