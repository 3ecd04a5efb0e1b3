//! The stored conversation of an agent, as a new owner continues it.

use crate::engine::context::Context;
use crate::engine::conversation::Conversation;
use crate::engine::task::AgentTask;
use crate::journal::StopReason;

/// The conversation as far as it is stored; empty for a new agent.
pub(crate) async fn load(ctx: &Context, task: &AgentTask<'_>) -> Result<Conversation, StopReason> {
    let id = task.execution;
    if !task.is_resumed {
        return Ok(Conversation::from_stored(task.stage, id, Vec::new()));
    }
    let stored = ctx.journal.read(|store| store.list_messages(id)).await?;
    let mut conversation = Conversation::from_stored(task.stage, id, stored);
    if !conversation.is_empty()
        && let Some(execution) = ctx.journal.read(|store| store.find_execution(id)).await?
    {
        conversation.resume(task.spec, &execution);
    }
    Ok(conversation)
}
