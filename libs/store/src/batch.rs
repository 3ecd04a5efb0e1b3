//! Every write of an owner: a batch of operations and the events that tell of them, in one
//! transaction under the owner's fence.

pub(crate) mod op;
pub(crate) mod plan;
mod single;
mod write_calls;
mod write_timeline;
mod write_work;

use jiff::Timestamp;
use sqlx::postgres::{PgConnection, PgRow};
use tarsy_contracts::event::{Body, Committed};
use tarsy_domain::id::SessionId;

use crate::batch::op::Op;
use crate::batch::plan::Plan;
use crate::cells::Cells;
use crate::error::Error;
use crate::events;
use crate::queue::Fence;
use crate::store::Store;

/// Operations that are written together or not at all, in the order in which their events tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    ops: Vec<Op>,
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an operation.
    pub fn push(&mut self, mut op: Op) {
        op.clean();
        self.ops.push(op);
    }

    /// The batch with one more operation.
    #[must_use]
    pub fn with(mut self, op: Op) -> Self {
        self.push(op);
        self
    }

    /// What it holds, in order.
    pub(crate) fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// How many operations it holds.
    pub fn len(&self) -> usize {
        self.ops.len()
    }
}

/// What the fence's statement gives: the first free numbers and the transaction's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) seq: i64,
    pub(crate) place: i64,
    pub(crate) call: i64,
    pub(crate) at: Timestamp,
}

impl Store {
    /// Writes a batch, all or nothing, if the fence is current. What it answers is committed and
    /// may be published.
    ///
    /// A connection may break after the commit and before its answer. The caller that then tries
    /// again gets [`Error::Conflict`] for what is written already; the sweeper publishes it.
    #[tracing::instrument(name = "db.batch.commit", skip_all)]
    pub async fn commit(&self, fence: Fence, batch: Batch) -> Result<Vec<Committed>, Error> {
        for op in &batch.ops {
            op.check()?;
        }
        match batch.ops.as_slice() {
            [] => Ok(Vec::new()),
            [Op::OpenEvent(event)] => retrying!(self.open_one(fence, event)),
            [Op::CloseEvent(event)] => retrying!(self.close_one(fence, event)),
            ops => {
                let plan = Plan::of(fence.session_id, ops)?;
                retrying!(self.commit_once(fence, &plan))
            }
        }
    }

    async fn commit_once(&self, fence: Fence, plan: &Plan<'_>) -> Result<Vec<Committed>, Error> {
        let mut tx = self.pool.begin().await?;
        let wanted = Wanted { events: plan.events(), places: plan.places(), calls: plan.calls() };
        let numbers = take(&mut tx, fence, wanted).await?;
        let told = plan.write(&mut tx, fence.session_id, numbers).await?;
        events::insert(&mut tx, fence.session_id, &told).await?;
        tx.commit().await?;
        Ok(told)
    }
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
    connection: &mut PgConnection,
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

/// Takes numbers for somebody who writes for a session without being its owner; locks the row.
pub(crate) async fn take_beside(
    connection: &mut PgConnection,
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
    connection: &mut PgConnection,
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

/// Reads them from a statement that took some.
pub(crate) fn numbers(row: &PgRow) -> Result<Numbers, Error> {
    let cells = Cells::new(row, "session_control");
    Ok(Numbers {
        seq: cells.get("seq")?,
        place: cells.get("place")?,
        call: cells.get("call")?,
        at: cells.time("at")?,
    })
}
