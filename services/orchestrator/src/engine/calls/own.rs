//! Calls that TARSy answers itself.

use tarsy_llm::ToolCall;

use crate::engine::calls::result::{CallTarget, ToolResult, requested};
use crate::engine::context::Context;
use crate::engine::task::AgentTask;
use crate::engine::{changes, delegation, dependencies, recall, skills};
use crate::journal::StopReason;

/// The answer to a call of a tool of TARSy's own; none for a call of a tool server.
pub(super) async fn answer(
    ctx: &Context,
    task: &AgentTask<'_>,
    (call, target): (&ToolCall, CallTarget),
) -> Result<Option<ToolResult>, StopReason> {
    if let Some(answer) = delegation::answer(ctx, task, (call, target.call_id)).await? {
        return Ok(Some(ToolResult::own(answer.text).with_effects(answer.effects)));
    }
    if let Some(answer) = recall::answer(ctx, task, (call, target.call_id)).await? {
        return Ok(Some(ToolResult::own(answer).with_text_of_others()));
    }
    let asked = (requested(call), target.call_id);
    if let Some(found) = changes::answer(ctx, task, asked).await? {
        return Ok(Some(ToolResult::own(found).with_text_of_others()));
    }
    let asked = (requested(call), target.call_id);
    if let Some(found) = dependencies::answer(ctx, task, asked).await? {
        return Ok(Some(ToolResult::own(found).with_text_of_others()));
    }
    Ok(skills::answer(task, requested(call)).map(ToolResult::own))
}
