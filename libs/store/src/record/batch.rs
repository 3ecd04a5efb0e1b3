//! Every write of an owner: a batch of operations and the events that tell of them, in one
//! transaction under the owner's fence.

pub(crate) mod action;
pub(crate) mod approval;
mod bodies;
mod clean;
pub(crate) mod op;
pub(crate) mod plan;
mod single;
pub(crate) mod statement;
mod write_actions;
mod write_approvals;
mod write_calls;
mod write_claims;
pub(crate) mod write_timeline;
pub(crate) mod write_tools;
mod write_work;

use tarsy_contracts::event::Committed;

use crate::database::numbers::{self, Wanted};
use crate::database::store::Store;
use crate::error::{Conflict, Error};
use crate::record::batch::op::Op;
use crate::record::batch::plan::Plan;
use crate::record::events;
use crate::work::fence::Fence;

/// Operations that are written together or not at all, in the order in which their events tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    ops: Vec<Op>,
}

impl Batch {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, mut op: Op) {
        clean::clean_op(&mut op);
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

    fn check(&self) -> Result<(), Conflict> {
        self.ops.iter().try_for_each(Op::check)
    }

    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// How many operations it holds.
    pub fn len(&self) -> usize {
        self.ops.len()
    }
}

/// A batch with tool calls that is committed.
#[derive(Clone, Debug)]
pub struct CommittedCalls {
    pub events: Vec<Committed>,
    /// The number of the first call; the others follow in their order.
    pub first: i64,
}

impl Store {
    /// Writes a batch, all or nothing, if the fence is current. What it answers is committed and
    /// may be published.
    ///
    /// A connection may break after the commit and before its answer. The caller that then tries
    /// again gets [`Error::Conflict`] for what is written already; the sweeper publishes it.
    #[tracing::instrument(name = "db.batch.commit", skip_all)]
    pub async fn commit(&self, fence: Fence, batch: Batch) -> Result<Vec<Committed>, Error> {
        Ok(self.write_batch(fence, &batch).await?.events)
    }

    /// [`Store::commit`] of a batch that writes tool calls down, with the numbers that they got.
    #[tracing::instrument(name = "db.batch.commit_calls", skip_all)]
    pub async fn commit_calls(&self, fence: Fence, batch: Batch) -> Result<CommittedCalls, Error> {
        self.write_batch(fence, &batch).await
    }

    /// Writes a batch as one statement if it can be one, else as a transaction of several.
    async fn write_batch(&self, fence: Fence, batch: &Batch) -> Result<CommittedCalls, Error> {
        batch.check()?;
        if batch.is_empty() {
            return Ok(CommittedCalls { events: Vec::new(), first: 0 });
        }
        let plan = Plan::of(fence.session_id, batch.ops())?;
        if let Some(tool_sets) = self.tool_sets.find(plan.offered())
            && let Some(statement) = plan.statement(fence, &tool_sets)
        {
            match statement.commit(&self.pool).await {
                Ok(numbers) => {
                    let events = plan.number_events(fence.session_id, numbers)?;
                    return Ok(CommittedCalls { events, first: numbers.call });
                }
                // Nothing is written. The steps find out what refused it, or do what one statement cannot.
                Err(error) if error.is_refusal() => {}
                Err(error) => return Err(error.unconfirmed()),
            }
        }
        let written = retrying!(Box::pin(self.commit_once(fence, &plan)))?;
        self.tool_sets.add(plan.offered());
        Ok(written)
    }

    async fn commit_once(&self, fence: Fence, plan: &Plan<'_>) -> Result<CommittedCalls, Error> {
        let mut tx = self.pool.begin().await?;
        let wanted = Wanted { events: plan.events(), places: plan.places(), calls: plan.calls() };
        let numbers = numbers::take(&mut tx, fence, wanted).await?;
        let events = plan.write(&mut tx, fence.session_id, numbers).await?;
        events::insert(&mut tx, fence.session_id, &events).await?;
        tx.commit().await?;
        Ok(CommittedCalls { events, first: numbers.call })
    }
}
