//! Scores: how well sessions were investigated. They are asked for by the end of a session or by a person, made under a lease of
//! their own, and kept: the last one that has a number counts.
//!
//! Whoever writes an event of the session locks `session_control` first and the score second.

mod checks;
mod days;
mod end;
pub(crate) mod overview;
pub(crate) mod read;
pub(crate) mod request;
pub(crate) mod work;

use tarsy_contracts::event::{Body, Committed};
use tarsy_domain::id::{ScoreId, SessionId};
use tarsy_domain::score::ScoreStatus;

use crate::database::numbers;
use crate::database::pool::Connection;
use crate::error::Error;
use crate::record::events;

/// Proof that a score is one's own to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScoreFence {
    pub score_id: ScoreId,
    pub session_id: SessionId,
    /// The lease's number; a newer one makes this one worthless.
    pub epoch: i64,
}

/// Writes the event of how far a score has come; the session's control row is locked.
async fn report(
    tx: &mut Connection,
    session: SessionId,
    score_id: ScoreId,
    (status, score): (ScoreStatus, Option<u8>),
) -> Result<Vec<Committed>, Error> {
    let bodies = [Body::SessionScore { score_id, status, score }];
    let numbers = numbers::take_more(tx, session, &bodies).await?;
    let committed = events::number(session, &bodies, numbers)?;
    events::insert(tx, session, &committed).await?;
    Ok(committed)
}
