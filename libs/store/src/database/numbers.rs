//! The gapless numbers of a session's events, timeline events and tool calls, taken under its control row's lock.

use jiff::Timestamp;
use sqlx::postgres::PgRow;
use tarsy_contracts::event::Body;
use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::error::Error;
use crate::work::fence::Fence;

/// The first numbers that a transaction took, and its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) seq: i64,
    pub(crate) place: i64,
    pub(crate) call: i64,
    pub(crate) at: Timestamp,
}

/// How many numbers of each kind a transaction takes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) events: i64,
    pub(crate) places: i64,
    pub(crate) calls: i64,
}

/// Checks the fence and takes numbers, in one statement; the row stays locked until the transaction
/// ends, which is what makes the numbers gapless.
pub(crate) async fn take(
    connection: &mut Connection,
    fence: Fence,
    wanted: Wanted,
) -> Result<Numbers, Error> {
    let row = sqlx::query(
        "update session_control
         set event_seq = event_seq + $3, timeline_seq = timeline_seq + $4, call_seq = call_seq + $5
         where session_id = $1 and lease_epoch = $2
         returning event_seq - $3 + 1 as seq, timeline_seq - $4 + 1 as place,
            call_seq - $5 + 1 as call, now() as at",
    )
    .bind(fence.session_id.uuid())
    .bind(fence.epoch)
    .bind(wanted.events)
    .bind(wanted.places)
    .bind(wanted.calls)
    .fetch_optional(connection)
    .await?
    .ok_or(Error::Fenced { session: fence.session_id })?;
    numbers(&row)
}

/// Takes numbers for a writer that is not the session's owner; locks the row.
pub(crate) async fn take_unfenced(
    connection: &mut Connection,
    session: SessionId,
    events: i64,
    places: i64,
) -> Result<Numbers, Error> {
    let row = sqlx::query(
        "update session_control
         set event_seq = event_seq + $2, timeline_seq = timeline_seq + $3
         where session_id = $1
         returning event_seq - $2 + 1 as seq, timeline_seq - $3 + 1 as place,
            call_seq + 1 as call, now() as at",
    )
    .bind(session.uuid())
    .bind(events)
    .bind(places)
    .fetch_optional(connection)
    .await?
    .ok_or(Error::Fenced { session })?;
    numbers(&row)
}

/// Takes numbers for events in a transaction that holds the control row already.
pub(crate) async fn take_more(
    connection: &mut Connection,
    session: SessionId,
    bodies: &[Body],
) -> Result<Numbers, Error> {
    let events = i64::try_from(bodies.len()).unwrap_or(i64::MAX);
    let row = sqlx::query(
        "update session_control set event_seq = event_seq + $2
         where session_id = $1
         returning event_seq - $2 + 1 as seq, timeline_seq + 1 as place, call_seq + 1 as call,
            now() as at",
    )
    .bind(session.uuid())
    .bind(events)
    .fetch_one(connection)
    .await?;
    numbers(&row)
}

/// Reads the row of a statement that took numbers.
pub(crate) fn numbers(row: &PgRow) -> Result<Numbers, Error> {
    let cells = Cells::new(row, "session_control");
    Ok(Numbers {
        seq: cells.get("seq")?,
        place: cells.get("place")?,
        call: cells.get("call")?,
        at: cells.time("at")?,
    })
}
