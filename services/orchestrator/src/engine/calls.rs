//! Tool calls: each is stored before it is executed, so that a new owner knows of it.

mod abandon;
mod action;
mod approval;
mod deliver;
mod execute;
mod intent;
mod made;
mod own;
mod permission;
mod planned;
mod repeated;
mod repetition;
mod result;
mod rollback;

use futures::StreamExt as _;
use tokio::sync::Semaphore;

pub(crate) use crate::engine::calls::abandon::abandon;
use crate::engine::calls::deliver::Delivery;
use crate::engine::calls::execute::Executor;
use crate::engine::context::Context;
use crate::engine::conversation::{Conversation, PendingCall};
use crate::engine::next::{ToolCalling, last_call_ids};
use crate::engine::task::AgentTask;
use crate::engine::tools::Tools;
use crate::journal::StopReason;

/// Calls of one turn that run at once.
const MAX_RUNNING: usize = 4;
/// Calls of one turn that run or wait for their summaries.
const MAX_OPEN: usize = 16;

/// Executes the calls of one agent.
pub(crate) struct Caller<'a> {
    ctx: &'a Context,
    task: &'a AgentTask<'a>,
    tools: &'a Tools,
    executor: Executor<'a>,
}

impl<'a> Caller<'a> {
    /// Reads the calls that earlier owners stored.
    pub(crate) async fn new(
        ctx: &'a Context,
        task: &'a AgentTask<'a>,
        tools: &'a Tools,
    ) -> Result<Self, StopReason> {
        let executor = Executor::new(ctx, task, tools).await?;
        Ok(Self { ctx, task, tools, executor })
    }

    /// Executes calls, several at once, and stores their results in the conversation.
    pub(crate) async fn execute(
        &self,
        conversation: &mut Conversation,
        calls: Vec<PendingCall>,
    ) -> Result<(), StopReason> {
        let delivery = &Delivery::new(self.ctx, self.task, conversation);
        let slots = &Semaphore::new(MAX_RUNNING);
        let _calling = self.ctx.activity.pause();
        // Each future runs its call to the end of its transaction. One that waited inside of a
        // transaction while another one is awaited outside would hold the session's row lock.
        let done: Vec<Result<(), StopReason>> = futures::stream::iter(calls)
            .map(|pending| self.execute_one(delivery, slots, pending))
            .buffer_unordered(MAX_OPEN)
            .collect()
            .await;
        done.into_iter().collect()
    }

    /// Whether the model's last turn only asks for results that it has, one of them too often.
    pub(crate) fn is_repeating(&self, conversation: &Conversation) -> bool {
        self.executor.repeats_too_often(&last_call_ids(
            conversation,
            ToolCalling::now(self.task, conversation),
        ))
    }

    async fn execute_one(
        &self,
        delivery: &Delivery<'_>,
        slots: &Semaphore,
        pending: PendingCall,
    ) -> Result<(), StopReason> {
        if let Some(ended) = self.executor.find_ended(&pending.call) {
            let _active = self.ctx.activity.start();
            let repetition = self.executor.repetition(&pending.call);
            let is_action = self.executor.is_action(ended.call_id);
            let note = if is_action { self.outcome(ended).await? } else { None };
            return delivery.resume(pending, ended, (repetition, note)).await;
        }
        // Released when the call has ended: its summary is awaited without it.
        let slot = slots.acquire().await.ok();
        // Not before: those that have the slots may all wait for people.
        let _active = self.ctx.activity.start();
        let (call, mut intent) = self.executor.separated(&pending.call);
        intent.dry_run = self.dry_run(&call, &intent).await?;
        match self.executor.run(&call, intent).await? {
            Some((recorded, result)) if self.executor.is_action(recorded.call_id) => {
                let call_id = recorded.call_id;
                self.end_action((recorded, result)).await?;
                drop(slot);
                let Some(stored) = self.stored(call_id).await? else { return Ok(()) };
                let note = self.outcome(&stored).await?;
                delivery.resume(pending, &stored, (None, note)).await
            }
            Some((recorded, result)) => {
                let call = recorded.call_id;
                delivery.store(pending, (recorded, result), slot).await?;
                if let Some(team) = self.task.team {
                    team.begin(call);
                }
                self.executor.note_end();
                Ok(())
            }
            None => delivery.reject(pending).await,
        }
    }
}
