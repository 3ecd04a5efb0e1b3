//! Telling the model what became of its calls, cut or summarized to what it takes.

use std::sync::{Mutex, PoisonError};

use tarsy_catalog::{ResolvedProvider, Strategy};
use tarsy_domain::event::{CallStatus, Role};
use tarsy_llm::{Message, ToolCall};
use tarsy_store::{Call as Earlier, NewSummary, Op};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::engine::calls::Caller;
use crate::engine::calls::answer::{Answer, Noted, finished, names};
use crate::engine::conversation::Conversation;
use crate::engine::summaries::{self, Waited};
use crate::engine::text::cut;
use crate::owner::StopReason;

/// Who asked for the calls of one turn, and is told of each.
pub(super) struct Listener<'a> {
    /// The conversation; answers come in any order.
    pub(super) talk: Mutex<&'a mut Conversation>,
    /// The provider that speaks now, which need not be the agent's first.
    pub(super) speaks: &'a ResolvedProvider,
    /// Room for calls that are made at once.
    pub(super) places: Semaphore,
}

impl Listener<'_> {
    /// As much of a result as the model takes.
    fn takes(&self, text: &str) -> String {
        let limit = self.speaks.max_tool_result_tokens as usize;
        cut(text, limit).unwrap_or_else(|| text.to_owned())
    }

    fn say_at(&self, sequence: i32, message: Message) -> Op {
        self.talk.lock().unwrap_or_else(PoisonError::into_inner).say_at(sequence, message)
    }
}

impl Caller<'_> {
    /// Tells the model that a call was not made.
    pub(super) async fn decline(
        &self,
        to: &Listener<'_>,
        sequence: i32,
        call: ToolCall,
    ) -> Result<(), StopReason> {
        let text = self.owner.app.prompts.not_called(self.task.plan.budget.limits());
        let message = self.told(call, text);
        let said = to.say_at(sequence, message);
        self.owner.commit(vec![said]).await
    }

    /// Stores an answer: the call, its timeline event and its message end together, unless the
    /// result is so large that its summary is waited for.
    pub(super) async fn keep(
        &self,
        to: &Listener<'_>,
        sequence: i32,
        call: ToolCall,
        (noted, answer): (Noted, Answer),
        place: Option<SemaphorePermit<'_>>,
    ) -> Result<(), StopReason> {
        let failed = answer.status != CallStatus::Completed;
        let number = noted.number;
        let summary = if failed { None } else { self.summary_of(to, &call, &noted, &answer.text) };
        let (call_id, text) = (noted.call_id, answer.text.clone());
        let mut ops = finished(noted, answer);
        let for_model = if let Some(new) = summary {
            ops.push(Op::RequestSummary(new.clone()));
            self.owner.commit(ops).await?;
            drop(place);
            ops = Vec::new();
            let budget = self.task.plan.budget;
            budget.expect_summary(call_id);
            let waited = summaries::wait(self.owner, budget, call_id, Some(new.id)).await?;
            self.instead_of(to, (&text, number), waited, &mut ops)
        } else {
            to.takes(&text)
        };
        let message = self.message(call, number, &for_model, failed);
        ops.push(to.say_at(sequence, message));
        self.owner.commit(ops).await
    }

    /// The summary that a result needs, if it does.
    fn summary_of(
        &self,
        to: &Listener<'_>,
        call: &ToolCall,
        noted: &Noted,
        text: &str,
    ) -> Option<NewSummary> {
        let (server, tool) = names(&call.name);
        summaries::wanted(
            self.task,
            to.speaks,
            &summaries::Of {
                call_id: noted.call_id,
                event: noted.event,
                number: noted.number,
                server,
                tool,
                text,
            },
        )
    }

    /// Takes up a call that an earlier owner saw the end of, but did not tell the model about.
    pub(super) async fn resume_call(
        &self,
        to: &Listener<'_>,
        sequence: i32,
        call: ToolCall,
        earlier: &Earlier,
    ) -> Result<(), StopReason> {
        let (store, session) = (&self.owner.app.store, self.owner.session());
        let record = self.owner.read(|| store.find_mcp_interaction(session, earlier.id)).await?;
        let text = record
            .and_then(|record| record.whole_result.or(record.tool_result))
            .filter(|text| !text.is_empty())
            .or_else(|| earlier.error_message.clone())
            .unwrap_or_default();
        let failed = earlier.status != CallStatus::Completed;
        let mut ops = Vec::new();
        let told = if failed {
            to.takes(&text)
        } else {
            let budget = self.task.plan.budget;
            let waited = summaries::wait(self.owner, budget, earlier.call_id, None).await?;
            self.instead_of(to, (&text, earlier.call_number), waited, &mut ops)
        };
        let message = self.message(call, earlier.call_number, &told, failed);
        ops.push(to.say_at(sequence, message));
        self.owner.commit(ops).await
    }

    /// What the model is told of a large result: its summary, or, with a note on the timeline, its
    /// beginning.
    fn instead_of(
        &self,
        to: &Listener<'_>,
        (text, number): (&str, i64),
        waited: Waited,
        ops: &mut Vec<Op>,
    ) -> String {
        match waited {
            Waited::Summary(summary) => {
                let tokens = tarsy_tokens::estimate(text);
                self.owner.app.prompts.summarized(number, tokens, &summary)
            }
            Waited::Nothing(reason) => {
                ops.push(self.task.note(format!(
                    "The result of [call {number}] could not be summarized: {reason}. The agent \
                     reads as much of it as fits."
                )));
                to.takes(text)
            }
            Waited::NotAsked => to.takes(text),
        }
    }

    /// What tells the model of a result.
    fn message(&self, call: ToolCall, number: i64, text: &str, failed: bool) -> Message {
        let prompts = &self.owner.app.prompts;
        let text = if self.task.spec.strategy == Strategy::React {
            prompts.observation(number, text, failed)
        } else {
            prompts.tool_result(number, text, failed)
        };
        self.told(call, text)
    }

    /// What the conversation says of a call: by its id, or in plain text.
    fn told(&self, call: ToolCall, text: String) -> Message {
        if self.task.spec.strategy == Strategy::React {
            return Message::new(Role::User, text);
        }
        Message {
            tool_call_id: Some(call.id),
            tool_name: Some(call.name),
            ..Message::new(Role::Tool, text)
        }
    }
}
