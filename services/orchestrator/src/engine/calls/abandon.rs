//! Open calls of an earlier owner whose results nobody will read.

use std::time::Duration;

use tarsy_domain::event::CallStatus;
use tarsy_domain::id::ExecutionId;

use crate::engine::calls::result::end_stopped_call;
use crate::engine::context::Context;
use crate::journal::StopReason;

/// How long a gateway may take to accept a cancel.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// Cancels an execution's open calls and stores that their outcomes are unknown.
pub(crate) async fn abandon(ctx: &Context, execution: ExecutionId) -> Result<(), StopReason> {
    let reason = "the investigation was abandoned";
    let mut calls = ctx.journal.read(|store| store.list_calls(execution)).await?;
    calls.retain(|call| call.status == CallStatus::Started);
    if calls.is_empty() {
        return Ok(());
    }
    let cancels = calls.iter().map(async |call| {
        let instance = call.gateway_instance.as_deref().unwrap_or_default();
        let cancel = ctx.services.toolbox.cancel(instance, call.call_id, reason);
        let cancelled = tokio::time::timeout(CANCEL_TIMEOUT, cancel).await;
        if !matches!(cancelled, Ok(Ok(()))) {
            tracing::debug!(call.id = %call.call_id, "could not cancel a call");
        }
    });
    futures::future::join_all(cancels).await;
    let ends = calls.iter().map(|call| end_stopped_call(call.call_id, reason));
    ctx.journal.commit(ends.collect()).await
}
