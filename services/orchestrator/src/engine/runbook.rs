//! Loads the runbook that an alert names, once, before the first stage. It is stored with the session,
//! so that later owners and the chat read the same text.

use tarsy_domain::status::SessionOrigin;
use tarsy_store::{Op, RunbookContent, Session};

use crate::engine::context::Context;
use crate::engine::timeline::Scope;
use crate::journal::StopReason;
use crate::metrics;

/// The session with its runbook, or with the reason why there is none.
pub(crate) async fn load(ctx: &Context, session: &Session) -> Result<Session, StopReason> {
    let mut session = session.clone();
    // A replay has what its original had.
    let is_replay = session.origin == SessionOrigin::Replay;
    let loaded = is_replay || session.runbook.is_some() || session.runbook_error.is_some();
    let Some(address) = session.runbook_url.as_deref().filter(|_| !loaded) else {
        return Ok(session);
    };
    let fetched = ctx.journal.unless_stopped(ctx.services.runbooks.fetch(address)).await?;
    metrics::runbook(if fetched.is_ok() { "fetched" } else { "missing" });
    let error = fetched.as_ref().err().map(|why| {
        format!("The runbook {address} {why}. The investigation continues with the default one.")
    });
    (session.runbook, session.runbook_error) = match fetched {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(error)),
    };
    let content =
        RunbookContent { text: session.runbook.clone(), error: session.runbook_error.clone() };
    let mut ops = vec![Op::SetRunbook(content)];
    ops.extend(error.map(|content| Scope::SESSION.error(content)));
    ctx.journal.commit(ops).await?;
    Ok(session)
}
