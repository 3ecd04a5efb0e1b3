//! Live messages about the progress of a session; they are not stored.

use tarsy_contracts::live::LiveBody;
use tarsy_domain::status::{Phase, WorkStatus};

use crate::engine::context::Context;
use crate::engine::task::AgentTask;

/// Publishes to the viewers of the list of sessions.
pub(crate) async fn publish_to_list(ctx: &Context, body: LiveBody) {
    ctx.services.live.publish_to_list(ctx.journal.session(), body).await;
}

/// Publishes an agent's status to the session's viewers.
pub(crate) async fn publish_status(
    ctx: &Context,
    task: &AgentTask<'_>,
    status: WorkStatus,
    error: Option<&str>,
) {
    let body = LiveBody::ExecutionStatus {
        stage_id: task.stage,
        execution_id: task.execution,
        agent_index: task.index,
        status,
        error_message: error.map(str::to_owned),
    };
    ctx.services.live.publish(ctx.journal.session(), body).await;
}

/// Publishes what an agent does to the session's viewers.
pub(crate) async fn publish_phase(
    ctx: &Context,
    task: &AgentTask<'_>,
    phase: Phase,
    message: &str,
) {
    let body = LiveBody::ExecutionProgress {
        stage_id: task.stage,
        execution_id: task.execution,
        phase,
        message: message.to_owned(),
        event_id: None,
    };
    ctx.services.live.publish(ctx.journal.session(), body).await;
}
