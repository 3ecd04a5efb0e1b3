//! Alerts of sources that belong to the session and came after its text: each agent is given each of them once.
//!
//! What an agent was given is a fact of its messages, so that a new owner gives it nothing twice. Between the request for
//! a conclusion and its answer nothing is given.

use serde_json::json;
use tarsy_domain::event::{Role, TimelineKind};
use tarsy_llm::Message;
use tarsy_store::Op;

use crate::engine::context::Context;
use crate::engine::conversation::Conversation;
use crate::engine::injected;
use crate::engine::task::AgentTask;
use crate::engine::timeline::Scope;
use crate::journal::StopReason;
use crate::prompts;

/// The most alerts that one message shows; the rest is counted.
const MAX_ALERTS: usize = 20;
/// What an alert takes in a message, in tokens.
const ALERT_TOKENS: usize = 300;

/// Alerts that an agent is given now.
pub(super) struct Given {
    pub(super) text: String,
    /// The place of the last one.
    pub(super) until: i64,
    /// What the timeline shows about them.
    pub(super) marks: Vec<Op>,
}

/// The alerts after this place; none if there are none.
pub(super) async fn find(
    ctx: &Context,
    task: &AgentTask<'_>,
    after: i64,
) -> Result<Option<Given>, StopReason> {
    let session = ctx.journal.session();
    // They take at most a quarter of a first prompt.
    let most = (task.max_prompt_tokens() / 4 / ALERT_TOKENS).clamp(1, MAX_ALERTS);
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let attached =
        ctx.journal.read(|store| store.list_attached_alerts(session, after, most)).await?;
    let Some(until) = attached.newest else { return Ok(None) };
    let texts: Vec<String> = attached.alerts.iter().map(prompts::alert_text).collect();
    let found = injected::find(texts.join("\n"), Vec::new()).await;
    let mut marks = Vec::new();
    let kind = TimelineKind::InjectedInstructions;
    if !found.is_empty()
        && !ctx.journal.read(|store| store.has_session_event(session, kind)).await?
    {
        let source = "An alert that belongs to this session";
        let places: Vec<i64> = attached.alerts.iter().map(|alert| alert.seq).collect();
        marks.push(injected::event(Scope::SESSION, source, &found, json!({"alerts": places})));
    }
    let text = ctx.services.prompts.attached_alerts(&attached, !found.is_empty());
    Ok(Some(Given { text, until, marks }))
}

/// Gives an agent what came since its last message with alerts.
pub(super) async fn give(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &mut Conversation,
) -> Result<(), StopReason> {
    let Some(given) = find(ctx, task, conversation.alerts_until()).await? else { return Ok(()) };
    let mut ops = given.marks;
    let message = Message::new(Role::User, given.text);
    ops.push(conversation.append_with_alerts(message, Some(given.until)));
    ctx.journal.commit(ops).await
}
