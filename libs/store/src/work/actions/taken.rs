//! An action that is given to the turn that takes it back, once.

use tarsy_domain::access::Identification;
use tarsy_domain::id::{ActionId, SessionId, StageId};

use crate::database::pool::Connection;
use crate::error::Error;

/// Whether the rollback of an action, of a table with this name, waits, runs, or made its call: one that was cancelled before
/// can be begun again.
macro_rules! rollback_began {
    ($of:literal) => {
        concat!(
            "exists (select from stages turn where turn.id = ",
            $of,
            ".rollback_stage_id and (turn.status in ('pending', 'active', 'completed')
                or exists (select from mcp_interactions made where made.stage_id = turn.id)))"
        )
    };
}

pub(crate) use rollback_began;

/// An action that is to be taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewRollback {
    pub(super) action: ActionId,
    pub(super) with: Identification,
}

impl NewRollback {
    /// Gives the action to the turn; false if it cannot be taken back, or is or was.
    pub(crate) async fn take(
        self,
        tx: &mut Connection,
        (session, stage): (SessionId, StageId),
        by: &str,
    ) -> Result<bool, Error> {
        let done = sqlx::query(
            concat!(
                "update actions x set rollback_stage_id = $3, rollback_by = $4, rollback_with = $5
                 where id = $2 and session_id = $1 and rollback_tool is not null and outcome is not null and not ",
                rollback_began!("x")
            ),
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
