//! A turn that takes an action back: one call, which a person asked for, and its check. No model is asked.

use tarsy_contracts::failure::Failure;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::failure::FailureCode;
use tarsy_store::{Conclusion, Op, RollbackTurn};

use crate::engine::calls::Caller;
use crate::engine::context::Context;
use crate::engine::task::{AgentTask, Outcome};
use crate::engine::tools::Tools;
use crate::journal::{StopReason, ends_work};

/// Takes an action back, or goes on with it.
pub(crate) async fn run(
    ctx: &Context,
    task: &AgentTask<'_>,
    turn: &RollbackTurn,
) -> Result<Outcome, StopReason> {
    let execution = task.execution;
    let stored = ctx.journal.read(|store| store.find_execution(execution)).await?;
    if let Some(text) = stored.and_then(|stored| stored.conclusion) {
        return Ok(Outcome::completed(text));
    }
    let tools = Tools::open(ctx, task).await?;
    let done = call(ctx, task, &tools, turn).await;
    if done.as_ref().err().is_none_or(|reason| ends_work(*reason)) {
        tools.close().await;
    }
    match done? {
        Ok(text) => {
            let conclusion =
                Conclusion { execution_id: execution, text: text.clone(), unseen: None };
            let event = task.scope().event(TimelineKind::FinalAnalysis, text.clone());
            ctx.journal.commit(vec![Op::Conclude(conclusion), event]).await?;
            Ok(Outcome::completed(text))
        }
        Err(why) => {
            let number = turn.action.call_number.unwrap_or_default();
            let why = format!("[call {number}] was not rolled back: {why}");
            ctx.journal.commit(vec![task.scope().error(why.clone())]).await?;
            let server = &turn.action.call.server_name;
            let failure = Failure::new(FailureCode::RollbackFailed, why).of_server(server);
            Ok(Outcome::failed(failure))
        }
    }
}

async fn call(
    ctx: &Context,
    task: &AgentTask<'_>,
    tools: &Tools,
    turn: &RollbackTurn,
) -> Result<Result<String, String>, StopReason> {
    let caller = Caller::new(ctx, task, tools).await?;
    caller.roll_back(turn).await
}
