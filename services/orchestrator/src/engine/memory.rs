//! Loads reviewed sessions about the same problem, and memories that fit the alert, once, before the first stage. They are
//! stored with the session, so that later owners give their agents the same, whatever people review meanwhile.

use tarsy_catalog::ResolvedChain;
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::memory::GivenMemory;
use tarsy_contracts::review::SeenBefore;
use tarsy_store::{Meaning, Op, Session};

use crate::engine::context::Context;
use crate::journal::StopReason;
use crate::metrics;

/// The most reviewed sessions that an investigation is given.
const MAX_SESSIONS: i64 = 3;

/// What a session is given, which is nothing if its chain uses no memory.
pub(crate) struct Memories {
    seen_before: Vec<SeenBefore>,
    recalled: Option<Vec<GivenMemory>>,
}

impl Memories {
    /// Gives them to the session. Returns the operation that stores them, before an agent reads them.
    pub(crate) fn give(self, session: &mut Session) -> Op {
        session.seen_before = Some(self.seen_before.clone());
        session.recalled.clone_from(&self.recalled);
        Op::SetSeenBefore(self.seen_before, self.recalled)
    }
}

/// None if an earlier owner stored them.
pub(crate) async fn load(
    ctx: &Context,
    chain: &ResolvedChain,
    session: &Session,
) -> Result<Option<Memories>, StopReason> {
    if session.seen_before.is_some() {
        return Ok(None);
    }
    let seen_before = if chain.memory {
        ctx.journal.read(|store| store.list_seen_before(session.id, MAX_SESSIONS)).await?
    } else {
        Vec::new()
    };
    let most = if chain.memory { chain.max_memories as usize } else { 0 };
    let mut recalled = if most > 0 {
        // Some may be of the sessions above.
        let more = most + seen_before.len();
        let meaning = meaning(ctx, session).await?;
        ctx.journal
            .read(|store| store.recall_for_session(session.id, meaning.as_ref(), more))
            .await?
    } else {
        None
    };
    if let Some(memories) = &mut recalled {
        memories.retain(|one| seen_before.iter().all(|seen| seen.session_id != one.session_id));
        memories.truncate(most);
    }
    metrics::seen_before(seen_before.len());
    metrics::memories(recalled.as_ref().map_or(0, Vec::len));
    Ok(Some(Memories { seen_before, recalled }))
}

/// What memories are compared with by meaning.
async fn meaning(ctx: &Context, session: &Session) -> Result<Option<Meaning>, StopReason> {
    let AlertFields { title, service, namespace, .. } = &session.fields;
    let stated = [title, service, namespace, &session.alert_type].into_iter().flatten();
    let text: Vec<_> = stated.chain([&session.alert_data]).map(String::as_str).collect();
    ctx.meaning_of(&text.join("\n")).await
}
