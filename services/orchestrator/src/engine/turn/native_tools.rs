//! Which of the provider's own tools a turn may use.
//!
//! A search or an opened page carries text out. Text that a tool returned may ask for that, so that both are off where it
//! is in the prompt, directly or in what earlier agents made of it.

use tarsy_llm::NativeToolUse;
use tarsy_store::Call;

use crate::engine::context::Context;
use crate::engine::task::{AgentTask, Purpose};
use crate::engine::{own_tool, skills};
use crate::journal::StopReason;

/// None beside MCP tools; none that search once the prompt has text from tools.
pub(super) async fn usage(
    ctx: &Context,
    task: &AgentTask<'_>,
    mcp_tools: bool,
) -> Result<NativeToolUse, StopReason> {
    if mcp_tools {
        return Ok(NativeToolUse::Off);
    }
    let mut providers = std::iter::once(&task.spec.provider).chain(&task.spec.fallbacks);
    if !providers.any(|provider| provider.native_tools.searches()) {
        return Ok(NativeToolUse::AsConfigured);
    }
    let has_text = if task.assignment.is_some() {
        others_called(ctx).await?
    } else if reads_others(task) {
        let session = ctx.journal.session();
        ctx.journal.read(|store| store.has_tool_calls(session)).await?
    } else {
        // Its servers may be gone since an earlier owner called them.
        let execution = task.execution;
        !ctx.journal.read(|store| store.list_calls(execution)).await?.is_empty()
    };
    Ok(if has_text { NativeToolUse::WithToolText } else { NativeToolUse::AsConfigured })
}

/// Whether an agent of the session called a tool of a server: what a dispatched agent is to do may have its text.
async fn others_called(ctx: &Context) -> Result<bool, StopReason> {
    let session = ctx.journal.session();
    for execution in ctx.journal.read(|store| store.list_executions(session)).await? {
        let id = execution.id;
        let calls = ctx.journal.read(|store| store.list_calls(id)).await?;
        let has_text = |call: &Call| {
            let tool = call.tool_name.as_deref().unwrap_or_default();
            !skills::is_own(&call.server_name) || own_tool::is_of_rows(&call.server_name, tool)
        };
        if calls.iter().any(has_text) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the prompt has what other agents found.
fn reads_others(task: &AgentTask<'_>) -> bool {
    task.plan.purpose != Purpose::Investigate || !task.plan.findings.is_empty()
}
