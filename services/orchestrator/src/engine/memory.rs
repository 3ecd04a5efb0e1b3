//! Loads reviewed sessions about the same problem, and memories that fit the alert, once, before the first stage. They are
//! stored with the session, so that later owners give their agents the same, whatever people review meanwhile.

use tarsy_catalog::ResolvedChain;
use tarsy_contracts::alert::AlertFields;
use tarsy_store::{Meaning, Op, Session};

use crate::engine::context::Context;
use crate::journal::StopReason;
use crate::metrics;

/// The most reviewed sessions that an investigation is given.
const MAX_SESSIONS: i64 = 3;

/// The session with what it is given, which is nothing if its chain uses no memory, and the operation that stores that, before
/// an agent reads it.
pub(crate) async fn load(
    ctx: &Context,
    chain: &ResolvedChain,
    mut session: Session,
) -> Result<(Session, Option<Op>), StopReason> {
    if session.seen_before.is_some() {
        return Ok((session, None));
    }
    let found = if chain.memory {
        ctx.journal.read(|store| store.list_seen_before(session.id, MAX_SESSIONS)).await?
    } else {
        Vec::new()
    };
    let most = if chain.memory { chain.max_memories as usize } else { 0 };
    let mut recalled = if most > 0 {
        // Some may be of the sessions above.
        let more = most + found.len();
        let meaning = meaning(ctx, &session).await?;
        ctx.journal
            .read(|store| store.recall_for_session(session.id, meaning.as_ref(), more))
            .await?
    } else {
        None
    };
    if let Some(memories) = &mut recalled {
        memories.retain(|one| found.iter().all(|seen| seen.session_id != one.session_id));
        memories.truncate(most);
    }
    metrics::seen_before(found.len());
    metrics::memories(recalled.as_ref().map_or(0, Vec::len));
    session.seen_before = Some(found.clone());
    session.recalled = recalled.clone();
    Ok((session, Some(Op::SetSeenBefore(found, recalled))))
}

/// What memories are compared with by meaning.
async fn meaning(ctx: &Context, session: &Session) -> Result<Option<Meaning>, StopReason> {
    let AlertFields { title, service, namespace, .. } = &session.fields;
    let stated = [title, service, namespace, &session.alert_type].into_iter().flatten();
    let text: Vec<_> = stated.chain([&session.alert_data]).map(String::as_str).collect();
    ctx.meaning_of(&text.join("\n")).await
}
