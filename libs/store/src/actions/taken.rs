//! An action that is given to the turn that takes it back, once.

use tarsy_domain::access::Identification;
use tarsy_domain::id::{ActionId, SessionId, StageId};

use crate::error::Error;
use crate::pool::Connection;

/// An action that is to be taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewRollback {
    pub(super) action: ActionId,
    pub(super) with: Identification,
}

impl NewRollback {
    /// Gives the action to the turn; false if it cannot be taken back, or was before.
    pub(crate) async fn take(
        self,
        tx: &mut Connection,
        (session, stage): (SessionId, StageId),
        by: &str,
    ) -> Result<bool, Error> {
        let done = sqlx::query(
            "update actions set rollback_stage_id = $3, rollback_by = $4, rollback_with = $5
             where id = $2 and session_id = $1 and rollback_stage_id is null and rollback_tool is not null
                and outcome is not null",
        )
        .bind(session.uuid())
        .bind(self.action.uuid())
        .bind(stage.uuid())
        .bind(by)
        .bind(self.with.as_str())
        .execute(tx)
        .await?;
        Ok(done.rows_affected() == 1)
    }
}
