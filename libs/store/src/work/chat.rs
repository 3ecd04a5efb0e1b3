//! Questions about a session that is over: asked without a lease, answered under one.
//!
//! A turn is a stage of its own. It is written when the question is asked, so that nothing but the
//! table knows of it; that there is one at a time is the index `stages_one_chat_turn`.

pub(crate) mod claim;
pub(crate) mod end;
pub(crate) mod question;

use tarsy_domain::id::SessionId;
use tarsy_domain::status::WorkStatus;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::error::Error;

/// How far the session's open turn has come, if one is open.
async fn open_turn(tx: &mut Connection, session: SessionId) -> Result<Option<WorkStatus>, Error> {
    sqlx::query(
        "select status from stages
         where session_id = $1 and chat_id is not null and status in ('pending', 'active')",
    )
    .bind(session.uuid())
    .fetch_optional(tx)
    .await?
    .map(|row| Cells::new(&row, "stages").word("status"))
    .transpose()
}
