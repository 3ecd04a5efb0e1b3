//! Prompt templates that a replay uses instead of the built-in ones.

use std::sync::Arc;

use tarsy_domain::status::SessionOrigin;
use tarsy_store::Session;

use crate::engine::context::Context;
use crate::journal::StopReason;
use crate::prompts::Prompts;

/// The context with the session's own templates. The inner error says what is wrong with them.
pub(crate) async fn apply(
    ctx: &Context,
    session: &Session,
) -> Result<Result<Context, String>, StopReason> {
    let mut ctx = ctx.clone();
    if session.origin != SessionOrigin::Replay {
        return Ok(Ok(ctx));
    }
    let id = session.id;
    let overrides = ctx.journal.read(|store| store.list_prompt_overrides(id)).await?;
    if overrides.is_empty() {
        return Ok(Ok(ctx));
    }
    Ok(Prompts::with_overrides(overrides).map(|prompts| {
        ctx.services.prompts = Arc::new(prompts);
        ctx
    }))
}
