//! Delivers the results of calls to the model, cut or summarized to what its provider accepts.

use std::sync::{Mutex, PoisonError};

use tarsy_catalog::ResolvedProvider;
use tarsy_domain::event::{CallStatus, Role};
use tarsy_domain::id::CallId;
use tarsy_llm::{Message, ToolCall};
use tarsy_store::{Call as StoredCall, DeliveredResult, NewSummary, Op};
use tokio::sync::SemaphorePermit;

use crate::engine::calls::repetition::Repetition;
use crate::engine::calls::result::{RecordedCall, ToolResult, end_call, names};
use crate::engine::context::Context;
use crate::engine::conversation::{Conversation, PendingCall};
use crate::engine::next::ToolCalling;
use crate::engine::task::AgentTask;
use crate::engine::tool_summary::{self, LargeResult, SummaryOutcome};
use crate::engine::{delegation, own_tool, recall, skills};
use crate::journal::StopReason;
use crate::prompts::ToolResultText;

/// Delivers the results of one turn's calls.
pub(super) struct Delivery<'a> {
    ctx: &'a Context,
    task: &'a AgentTask<'a>,
    /// The provider that reads the results.
    provider: &'a ResolvedProvider,
    /// Whether results are read as text.
    by_text: bool,
    /// Results come in any order.
    conversation: Mutex<&'a mut Conversation>,
}

impl<'a> Delivery<'a> {
    pub(super) fn new(
        ctx: &'a Context,
        task: &'a AgentTask<'a>,
        conversation: &'a mut Conversation,
    ) -> Self {
        let provider = conversation.provider(task.spec);
        let by_text = ToolCalling::now(task, conversation) == ToolCalling::React;
        Self { ctx, task, provider, by_text, conversation: Mutex::new(conversation) }
    }

    /// Stores that a call was not executed because the budget has none left.
    pub(super) async fn reject(&self, pending: PendingCall) -> Result<(), StopReason> {
        let maximum = self.task.plan.budget.budget().tool_calls;
        let text = self.ctx.services.prompts.not_called(maximum);
        let op = self.insert(pending.sequence, self.as_message(pending.call, text));
        self.ctx.journal.commit(vec![op]).await
    }

    /// Stores a result: the end of the call, of its timeline event, and its message in one
    /// transaction, unless the result is so large that it is summarized first.
    pub(super) async fn store(
        &self,
        pending: PendingCall,
        (recorded, result): (RecordedCall, ToolResult),
        slot: Option<SemaphorePermit<'_>>,
    ) -> Result<(), StopReason> {
        let PendingCall { sequence, call } = pending;
        let failed = result.status != CallStatus::Completed;
        let is_skill = is_skill(&call, failed);
        let without_result = self.without_result(&recorded, &result).await?;
        let summary = if failed || is_skill || without_result.is_some() {
            None
        } else {
            self.summary_request(&call, &recorded, &result.text)
        };
        let (call_id, text) = (recorded.call_id, result.text.clone());
        let addresses_model = !result.injected.is_empty();
        let whole = ToolResultText {
            number: recorded.number,
            text: &text,
            failed,
            is_skill,
            addresses_model,
        };
        let number = recorded.number;
        let mut ops = end_call(self.task.scope(), recorded, result);
        if let Some(short) = without_result {
            ops.push(self.delivered(call_id, &text, &short));
            ops.push(self.insert(sequence, self.numbered(call, number, short)));
            return self.ctx.journal.commit(ops).await;
        }
        let for_model = if let Some(new) = summary {
            ops.push(Op::RequestSummary(new.clone()));
            self.ctx.journal.commit(ops).await?;
            drop(slot);
            ops = Vec::new();
            self.task.plan.budget.expect_summary(call_id);
            let outcome = tool_summary::wait(self.ctx, self.task, call_id, Some(new.id)).await?;
            self.summarized(whole, outcome, &mut ops)
        } else {
            self.cut(&text)
        };
        ops.push(self.delivered(call_id, &text, &for_model));
        let message = self.message(call, ToolResultText { text: &for_model, ..whole });
        ops.push(self.insert(sequence, message));
        self.ctx.journal.commit(ops).await
    }

    /// Delivers a call whose end is stored without its message, with a note about what became of its effect.
    pub(super) async fn resume(
        &self,
        pending: PendingCall,
        stored: &StoredCall,
        (repetition, note): (Option<Repetition>, Option<String>),
    ) -> Result<(), StopReason> {
        let (journal, id) = (&self.ctx.journal, stored.id);
        let session = journal.session();
        if let Some(repetition) = repetition {
            let text = self.repeated(stored.call_number, repetition);
            let message = self.numbered(pending.call, stored.call_number, text);
            return journal.commit(vec![self.insert(pending.sequence, message)]).await;
        }
        let record = journal.read(|store| store.find_mcp_interaction(session, id)).await?;
        let text = record
            .and_then(|record| record.tool_result)
            .filter(|text| !text.is_empty())
            .or_else(|| stored.error_message.clone())
            .unwrap_or_default();
        let failed = stored.status != CallStatus::Completed;
        let whole = ToolResultText {
            number: stored.call_number,
            text: &text,
            failed,
            is_skill: is_skill(&pending.call, failed),
            addresses_model: stored.injected_instructions > 0,
        };
        let mut ops = Vec::new();
        let for_model = if failed {
            self.cut(&text)
        } else {
            let outcome = tool_summary::wait(self.ctx, self.task, stored.call_id, None).await?;
            self.summarized(whole, outcome, &mut ops)
        };
        let for_model = match note {
            Some(note) => format!("{for_model}\n\n{note}"),
            None => for_model,
        };
        ops.push(self.delivered(stored.call_id, &text, &for_model));
        let message = self.message(pending.call, ToolResultText { text: &for_model, ..whole });
        ops.push(self.insert(pending.sequence, message));
        journal.commit(ops).await
    }

    /// What the model reads instead of a result that it has: the number of the earlier call.
    async fn without_result(
        &self,
        recorded: &RecordedCall,
        result: &ToolResult,
    ) -> Result<Option<String>, StopReason> {
        if let Some(repetition) = result.repetition {
            return Ok(Some(self.repeated(recorded.number, repetition)));
        }
        let Some(earlier) = recorded.compared.filter(|_| result.status == CallStatus::Completed)
        else {
            return Ok(None);
        };
        let (journal, session) = (&self.ctx.journal, self.ctx.journal.session());
        let found = journal.read(|store| store.find_mcp_interaction(session, earlier.id)).await?;
        let is_same =
            found.and_then(|call| call.tool_result).is_some_and(|text| text == result.text);
        let prompts = &self.ctx.services.prompts;
        Ok(is_same.then(|| prompts.unchanged(recorded.number, earlier.number, self.by_text)))
    }

    fn repeated(&self, number: i64, repetition: Repetition) -> String {
        let (earlier, times) = (repetition.number, repetition.times);
        let often = repetition.is_too_often().then_some(times);
        self.ctx.services.prompts.repeated((number, earlier), often, self.by_text)
    }

    /// How much of a result the model receives.
    fn delivered(&self, call_id: CallId, result: &str, for_model: &str) -> Op {
        let limit = self.provider.tool_result_tokens();
        let tokens =
            |text: &str| i32::try_from(tarsy_tokens::measure(text, limit)).unwrap_or(i32::MAX);
        Op::DeliverResult(DeliveredResult {
            call_id,
            result_tokens: tokens(result),
            delivered_tokens: tokens(for_model),
        })
    }

    fn summary_request(
        &self,
        call: &ToolCall,
        recorded: &RecordedCall,
        text: &str,
    ) -> Option<NewSummary> {
        let (server, tool) = names(&call.name);
        let (call_id, event, number) = (recorded.call_id, recorded.event, recorded.number);
        let result = LargeResult { call_id, event, number, server, tool, text };
        tool_summary::request(self.task, self.provider, &result)
    }

    /// What the model reads of a large result: its summary, or its beginning and a timeline error.
    fn summarized(
        &self,
        result: ToolResultText<'_>,
        outcome: SummaryOutcome,
        ops: &mut Vec<Op>,
    ) -> String {
        match outcome {
            SummaryOutcome::Summary(summary) => {
                let tokens = tarsy_tokens::estimate(result.text);
                self.ctx.services.prompts.summarized(result.number, tokens, &summary)
            }
            SummaryOutcome::Failed(reason) => {
                ops.push(self.task.scope().error(format!(
                    "The result of [call {}] could not be summarized: {reason}. The agent reads as \
                     much of it as fits.",
                    result.number
                )));
                self.cut(result.text)
            }
            SummaryOutcome::NotRequested => self.cut(result.text),
        }
    }

    /// As much of a result as the provider accepts.
    fn cut(&self, text: &str) -> String {
        tarsy_tokens::cut(text, self.provider.tool_result_tokens())
            .unwrap_or_else(|| text.to_owned())
    }

    fn message(&self, call: ToolCall, result: ToolResultText<'_>) -> Message {
        let prompts = &self.ctx.services.prompts;
        let text =
            if self.by_text { prompts.observation(&result) } else { prompts.tool_result(&result) };
        self.numbered(call, result.number, text)
    }

    fn numbered(&self, call: ToolCall, number: i64, text: String) -> Message {
        Message { call_number: Some(number), ..self.as_message(call, text) }
    }

    /// The message that answers a call: with its id, or in plain text.
    fn as_message(&self, call: ToolCall, text: String) -> Message {
        if self.by_text {
            return Message::new(Role::User, text);
        }
        Message {
            tool_call_id: Some(call.id),
            tool_name: Some(call.name),
            ..Message::new(Role::Tool, text)
        }
    }

    fn insert(&self, sequence: i32, message: Message) -> Op {
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner).insert(sequence, message)
    }
}

/// Whether the result of a call is a skill, which is no data from outside.
fn is_skill(call: &ToolCall, failed: bool) -> bool {
    let (server, tool) = names(&call.name);
    let is_other = delegation::is_own(&call.name)
        || recall::is_own(&call.name)
        || own_tool::is_of_rows(server, tool);
    !failed && skills::is_own(server) && !is_other
}
