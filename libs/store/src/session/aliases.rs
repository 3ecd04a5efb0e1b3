//! Ids that a sender received for an alert whose idempotency key had a session already.

use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

impl Store {
    /// The session of which this id is an alias.
    #[tracing::instrument(name = "db.session.find_by_alias", skip_all)]
    pub async fn find_session_by_alias(&self, id: SessionId) -> Result<Option<SessionId>, Error> {
        let row = sqlx::query("select session_id from session_aliases where id = $1")
            .bind(id.uuid())
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| Cells::new(&row, "session_aliases").id("session_id")).transpose()
    }
}

pub(crate) async fn insert_alias(
    connection: &mut Connection,
    alias: SessionId,
    session: SessionId,
) -> Result<(), Error> {
    sqlx::query(
        "insert into session_aliases (id, session_id) select $1, id from alert_sessions where id = $2
         on conflict (id) do nothing",
    )
    .bind(alias.uuid())
    .bind(session.uuid())
    .execute(connection)
    .await?;
    Ok(())
}
