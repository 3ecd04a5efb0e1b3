//! What an earlier owner left: reads it, closes what it left open, and abandons its calls.

use tarsy_store::{Execution, Stage, Store};

use crate::engine::calls;
use crate::engine::context::Context;
use crate::journal::{StopReason, ends_work};

/// The stages and executions of earlier owners.
#[derive(Debug, Default)]
pub(crate) struct PreviousAttempt {
    stages: Vec<Stage>,
    pub(crate) executions: Vec<Execution>,
}

impl PreviousAttempt {
    /// The stage with this number, from 0.
    pub(crate) fn stage(&self, index: i32) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.stage_index == index)
    }
}

/// Closes the events that earlier owners left streaming, and reads their stages and executions.
/// Empty if the session is not resumed.
pub(crate) async fn load(ctx: &Context, resumed: bool) -> Result<PreviousAttempt, StopReason> {
    if !resumed {
        return Ok(PreviousAttempt::default());
    }
    let (journal, session) = (&ctx.journal, ctx.journal.session());
    tracing::info!("resuming");
    journal.write(Store::interrupt_streaming).await?;
    let stages = journal.read(|store| store.list_stages(session)).await?;
    let executions = journal.read(|store| store.list_executions(session)).await?;
    Ok(PreviousAttempt { stages, executions })
}

/// The newest conclusion of an agent, if there is one.
pub(crate) async fn last_conclusion(ctx: &Context) -> Result<Option<String>, StopReason> {
    let session = ctx.journal.session();
    ctx.journal.read(|store| store.find_last_conclusion(session)).await
}

/// Abandons the tool calls that earlier owners left open.
pub(crate) async fn abandon_open_calls(ctx: &Context) -> Result<(), StopReason> {
    let session = ctx.journal.session();
    for execution in ctx.journal.read(|store| store.list_executions(session)).await? {
        if !execution.status.is_terminal() {
            calls::abandon(ctx, execution.id).await?;
        }
    }
    Ok(())
}

/// Abandons the calls that an earlier owner left open if the work ends here. Returns the reason to
/// stop with.
pub(crate) async fn wind_down(ctx: &Context, resumed: bool, reason: StopReason) -> StopReason {
    if resumed && ends_work(reason) {
        abandon_open_calls(ctx).await.err().unwrap_or(reason)
    } else {
        reason
    }
}
