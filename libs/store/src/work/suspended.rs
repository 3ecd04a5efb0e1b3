//! Sessions and questions of which all that is left waits for people: nobody owns them, and their lease expires when they can go on.

use jiff::Timestamp;
use tarsy_domain::id::SessionId;

use crate::database::numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;
use crate::work::fence::Fence;

/// Whether a session `s` is suspended; one that is over may have a question that is.
macro_rules! waits_for_approval {
    () => {
        "s.status = 'in_progress' and exists (
            select from session_control c where c.session_id = s.id and c.suspended_at is not null
         ) as waiting_for_approval"
    };
}
pub(crate) use waits_for_approval;

impl Store {
    /// Gives the lease of a session that waits for approvals back, without counting the attempt. It can be claimed again
    /// after a decision, when the first of the approvals expires, or when its time is over at `deadline`; at once if one of
    /// that has happened, or a cancel was requested. Afterwards the fence is worthless.
    #[tracing::instrument(name = "db.session.suspend", skip_all)]
    pub async fn suspend_session(
        &self,
        fence: Fence,
        deadline: Option<Timestamp>,
    ) -> Result<(), Error> {
        retrying!(Box::pin(self.suspend_once(fence, deadline)))
    }

    async fn suspend_once(&self, fence: Fence, deadline: Option<Timestamp>) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        // Locks the control row. The next statement sees each decision that was made before.
        numbers::take(&mut tx, fence, numbers::Wanted::default()).await?;
        sqlx::query(
            "update session_control c
             set owner_id = null, lease_epoch = lease_epoch + 1, attempts = greatest(attempts - 1, 0),
                suspended_at = case when cancel_requested_at is null then statement_timestamp() end,
                lease_expires_at = case
                    when cancel_requested_at is not null then statement_timestamp()
                    else least(coalesce(a.until, statement_timestamp()), $2)
                end
             from (
                select min(coalesce(a.decided_at, a.expires_at)) as until
                from tool_approvals a
                    join mcp_interactions m on m.call_id = a.call_id and m.status = 'started'
                where a.session_id = $1 and a.closed_at is null
             ) a
             where c.session_id = $1",
        )
        .bind(fence.session_id.uuid())
        .bind(deadline.map(jiff_sqlx::Timestamp::from))
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// How many sessions and questions are suspended.
    #[tracing::instrument(name = "db.session.count_suspended", skip_all)]
    pub async fn count_suspended_sessions(&self) -> Result<i64, Error> {
        let count = sqlx::query_scalar(
            "select count(*) from session_control where suspended_at is not null",
        );
        Ok(count.fetch_one(&self.pool).await?)
    }
}

/// Makes a suspended session claimable at once. The control row is locked.
pub(crate) async fn wake(tx: &mut Connection, session: SessionId) -> Result<(), Error> {
    sqlx::query(
        "update session_control set lease_expires_at = least(lease_expires_at, statement_timestamp())
         where session_id = $1 and suspended_at is not null",
    )
    .bind(session.uuid())
    .execute(tx)
    .await?;
    Ok(())
}

/// Makes a suspended session whose cancel was requested claimable at once, and whatever the cap says: all that is left is to
/// end it. The control row is locked.
pub(crate) async fn wake_cancelled(tx: &mut Connection, session: SessionId) -> Result<(), Error> {
    sqlx::query(
        "update session_control
         set suspended_at = null, lease_expires_at = least(lease_expires_at, statement_timestamp())
         where session_id = $1 and suspended_at is not null",
    )
    .bind(session.uuid())
    .execute(tx)
    .await?;
    Ok(())
}
