//! Looks whether the tokens of one day are used up.

use tarsy_domain::id::StageId;

use crate::engine::budget::Reached;
use crate::engine::context::Context;
use crate::engine::task::AgentTask;
use crate::journal::StopReason;

/// The budget of today that is used up for a session, or for a question about it.
pub(crate) async fn reached(
    ctx: &Context,
    stage: Option<StageId>,
) -> Result<Option<Reached>, StopReason> {
    let budget = ctx.services.limits.daily;
    if budget.is_off() {
        return Ok(None);
    }
    let session = ctx.journal.session();
    let usage = ctx.journal.read(|store| store.find_daily_usage(session, stage)).await?;
    Ok(budget.reached(usage))
}

/// Looks whether a budget of today is used up before an agent calls its model.
pub(crate) async fn refresh(ctx: &Context, task: &AgentTask<'_>) -> Result<(), StopReason> {
    task.plan.budget.set_daily(reached(ctx, Some(task.stage)).await?);
    Ok(())
}
