//! Requests to approve tool calls.

use tarsy_domain::id::{CallId, SessionId};

use crate::database::pool::Connection;
use crate::error::Error;
use crate::record::batch::op::NewApproval;
use crate::record::batch::write_timeline::all;

/// Stores new requests, and closes the requests about these calls.
pub(super) async fn write(
    tx: &mut Connection,
    session: SessionId,
    requests: &[&NewApproval],
    closed: &[CallId],
) -> Result<(), Error> {
    for approval in requests {
        request(tx, session, approval).await?;
    }
    for call in closed {
        close(tx, session, *call).await?;
    }
    Ok(())
}

/// Asks for a decision about a call.
async fn request(
    tx: &mut Connection,
    session: SessionId,
    approval: &NewApproval,
) -> Result<(), Error> {
    sqlx::query(
        "insert into tool_approvals
            (id, session_id, execution_id, call_id, timeline_event_id, server_name, tool_name,
             tool_arguments, definition, reason, expires_at, decision, decided_by, decided_with, decided_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + make_interval(secs => $11),
            case when $12::text is not null then 'approved' end, $12, $13,
            case when $12::text is not null then now() end)",
    )
    .bind(approval.id.uuid())
    .bind(session.uuid())
    .bind(approval.execution_id.uuid())
    .bind(approval.call_id.uuid())
    .bind(approval.timeline_event_id.uuid())
    .bind(&approval.server_name)
    .bind(&approval.tool_name)
    .bind(&approval.tool_arguments)
    .bind(&approval.definition)
    .bind(&approval.reason)
    .bind(approval.timeout.as_secs_f64())
    .bind(approval.decided.as_ref().map(|by| by.name.as_str()))
    .bind(approval.decided.as_ref().map(|by| by.with.as_str()))
    .execute(tx)
    .await?;
    Ok(())
}

/// Notes that the owner acts on the decision; without one, the time for it is over.
async fn close(tx: &mut Connection, session: SessionId, call: CallId) -> Result<(), Error> {
    let done = sqlx::query(
        "update tool_approvals
         set closed_at = now(), decision = coalesce(decision, 'expired'),
            decided_at = coalesce(decided_at, now())
         where call_id = $2 and session_id = $1 and closed_at is null",
    )
    .bind(session.uuid())
    .bind(call.uuid())
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "approval")
}
