//! What changed near an alert: loaded once, before the first stage, and stored with the session, so that later owners and
//! replays give their agents the same. Agents look for further changes with a tool that TARSy answers itself.

mod near;
mod tool;

use jiff::SignedDuration;
use serde_json::json;
use tarsy_catalog::ResolvedChain;
use tarsy_contracts::change::{self, GivenChanges};
use tarsy_domain::status::SessionOrigin;
use tarsy_store::{ChangesNear, Op, Session};

use crate::engine::context::Context;
use crate::engine::injected;
use crate::engine::timeline::Scope;
use crate::journal::StopReason;
use crate::metrics;

pub(crate) use self::near::Place;
pub(crate) use self::tool::{answer, with_tool};

/// The most changes that are compared with an alert.
const MAX_COMPARED: i64 = 500;

/// The changes that a session is given, and the operations that store them, before an agent reads them; none if an earlier
/// owner stored them.
pub(crate) async fn load(
    ctx: &Context,
    chain: &ResolvedChain,
    session: &Session,
) -> Result<Option<(GivenChanges, Vec<Op>)>, StopReason> {
    if session.changes.is_some() {
        return Ok(None);
    }
    // A replay has what its original had.
    let is_replay = session.origin == SessionOrigin::Replay;
    let given = if is_replay || chain.changes.most == 0 {
        GivenChanges::default()
    } else {
        find(ctx, chain, session).await?
    };
    metrics::changes_given(given.near.len());
    let found = injected::find(change::lines(&given.near), Vec::new()).await;
    let mut ops = vec![Op::SetChanges(given.clone())];
    if !found.is_empty() {
        ops.push(injected::event(Scope::SESSION, "A change near the alert", &found, json!({})));
    }
    Ok(Some((given, ops)))
}

async fn find(
    ctx: &Context,
    chain: &ResolvedChain,
    session: &Session,
) -> Result<GivenChanges, StopReason> {
    let place = Place::of(session);
    let window = i64::try_from(chain.changes.window_ms).unwrap_or(i64::MAX);
    let until = session.received_at;
    let query = ChangesNear {
        since: until.checked_sub(SignedDuration::from_millis(window)).unwrap_or_default(),
        until,
        names: place.names(),
        limit: MAX_COMPARED,
    };
    let found = ctx.journal.read(|store| store.find_given_changes(query.clone())).await?;
    let most = usize::try_from(chain.changes.most).unwrap_or(usize::MAX);
    Ok(GivenChanges { near: place.nearest(found.near, most), ..found })
}
