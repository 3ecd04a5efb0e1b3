//! The stored conversation of an agent, as a new owner continues it.

use tarsy_catalog::ResolvedProvider;
use tarsy_domain::event::TimelineKind;
use tarsy_store::TimelineEvent;

use crate::engine::budget::Limit;
use crate::engine::context::Context;
use crate::engine::conversation::{ActiveProvider, Conversation};
use crate::engine::task::AgentTask;
use crate::journal::StopReason;

/// The conversation as far as it is stored; empty for a new agent.
pub(crate) async fn load(ctx: &Context, task: &AgentTask<'_>) -> Result<Conversation, StopReason> {
    let execution = task.execution;
    let stored = ctx.journal.read(|store| store.list_messages(execution)).await?;
    let mut conversation = Conversation::from_stored(task.stage, execution, stored);
    if conversation.is_empty() {
        return Ok(conversation);
    }
    let (prompts, budget) = (&ctx.services.prompts, task.plan.budget.budget());
    let mut requests = vec![prompts.forced_conclusion(task.spec.max_iterations)];
    requests.extend(
        Limit::ALL.map(|limit| prompts.budget_conclusion(limit.maximum(budget), limit.unit())),
    );
    conversation.find_conclusion_request(&requests);
    if !task.spec.fallbacks.is_empty() {
        let events = ctx.journal.read(|store| store.list_execution_timeline(execution)).await?;
        conversation.resume_provider(active_provider(&task.spec.fallbacks, events.iter()));
    }
    Ok(conversation)
}

/// The provider that was called last, as the timeline of its execution or of the summary shows.
pub(crate) fn active_provider<'a>(
    fallbacks: &[ResolvedProvider],
    events: impl DoubleEndedIterator<Item = &'a TimelineEvent>,
) -> ActiveProvider {
    let switched = events.rev().find(|event| event.kind == TimelineKind::ProviderFallback);
    let metadata = switched.and_then(|event| event.metadata.as_ref());
    let provider = metadata.and_then(|metadata| {
        let to = metadata.get("to")?.as_str()?;
        let at = fallbacks.iter().position(|provider| provider.name == to)?;
        let since = i32::try_from(metadata.get("since")?.as_i64()?).ok()?;
        Some(ActiveProvider { index: at + 1, since })
    });
    provider.unwrap_or_default()
}
