//! Calls that TARSy makes by itself, and that only read: what the effects of actions are compared by.

use futures::future::BoxFuture;
use tarsy_analyst::CallRecord;
use tarsy_contracts::action::{Action, PlannedCall, ReadingBefore};
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::CallId;
use tarsy_domain::status::SessionOrigin;
use tarsy_llm::ToolCall;
use tarsy_store::{ActionStep, Call as StoredCall, Op};

use crate::engine::action::{Held, compare};
use crate::engine::calls::execute::Executor;
use crate::engine::calls::intent::Intent;
use crate::engine::calls::result::{end_call, names};
use crate::engine::tools::Requested;
use crate::journal::StopReason;

/// The number of a call and its result, or the reason why it is not made.
pub(in crate::engine::calls) type Read = Result<(i64, CallRecord), String>;

impl Executor<'_> {
    pub(in crate::engine::calls) fn is_replay(&self) -> bool {
        self.task.plan.session.origin == SessionOrigin::Replay
    }

    /// Whether a session is no replay, or its original has an action of this call that fits.
    pub(in crate::engine::calls) async fn is_as_original(
        &self,
        call: &PlannedCall,
        fits: impl Fn(&Action) -> bool,
    ) -> Result<bool, StopReason> {
        let Some(original) = self.task.plan.session.replay_of else { return Ok(true) };
        let actions = self.ctx.journal.read(|store| store.list_actions(original)).await?;
        Ok(actions.iter().any(|action| {
            let is_same = action.call.arguments == call.arguments;
            is_same && names(&call.full_name()) == names(&action.call.full_name()) && fits(action)
        }))
    }

    /// Makes a call that only reads, or finds the result of an earlier owner. A call that changes something makes one before
    /// it: the type of the future ends there.
    pub(in crate::engine::calls) fn read(
        &self,
        id: String,
        planned: PlannedCall,
        why: String,
    ) -> BoxFuture<'_, Result<Read, StopReason>> {
        Box::pin(async move {
            let arguments = planned.arguments.to_string();
            let (server, name) = (planned.server_name.as_str(), planned.tool_name.as_str());
            let may = self.tools.may_check(Requested { server, name, arguments: &arguments });
            // A replay executes nothing.
            if !may && !self.is_replay() {
                let name = planned.full_name();
                return Ok(Err(format!(
                    "it was not checked: {name} is no tool of this agent that is known to only read"
                )));
            }
            let call = ToolCall { id, name: planned.full_name(), arguments, ..ToolCall::default() };
            if let Some(ended) = self.find_ended(&call) {
                return self.earlier(&planned, ended).await.map(Ok);
            }
            let Some((recorded, result)) = self.run(&call, Intent::check(why)).await? else {
                return Ok(Err("it was not checked: the session has no tool call left".to_owned()));
            };
            let number = recorded.number;
            let record = record(&planned, number, (result.text.clone(), result.status));
            self.ctx.journal.commit(end_call(self.task.scope(), recorded, result)).await?;
            self.note_end();
            Ok(Ok((number, record)))
        })
    }

    /// The result of a call that an earlier owner made.
    async fn earlier(
        &self,
        planned: &PlannedCall,
        ended: &StoredCall,
    ) -> Result<(i64, CallRecord), StopReason> {
        let (session, id) = (self.ctx.journal.session(), ended.id);
        let found = self.ctx.journal.read(|store| store.find_mcp_interaction(session, id)).await?;
        let text = found.and_then(|call| call.tool_result).filter(|text| !text.is_empty());
        let text = text.or_else(|| ended.error_message.clone()).unwrap_or_default();
        Ok((ended.call_number, record(planned, ended.call_number, (text, ended.status))))
    }

    /// Reads the state that an action is to change, by the call of its check: the operation that stores it with what lets the
    /// action be made. None of another call, where that was read before, and where it cannot be read.
    pub(super) async fn read_before(&self, call: CallId) -> Result<Option<Op>, StopReason> {
        if !self.is_action(call) {
            return Ok(None);
        }
        let found = self.ctx.journal.read(|store| store.find_action(call)).await?;
        let unread = found.map(|open| open.action).filter(|action| action.before.is_none());
        let Some(Action { call: own, call_number, plan, .. }) = unread else { return Ok(None) };
        let Some(check) = plan.check else { return Ok(None) };
        if !self.is_as_original(&own, |action| action.before.is_some()).await? {
            return Ok(None);
        }
        let number = call_number.unwrap_or_default();
        let why = format!("reads the state before [call {number}]");
        let read = self.read(format!("tarsy-before-{number}"), check.call, why).await?;
        Ok(read.ok().map(|(call_number, record)| {
            let (observed, shows_effect) = if record.failed {
                (None, None)
            } else {
                let reading = compare(&check.expected, &record.text);
                let shows_effect = match reading.held {
                    Held::Yes => Some(true),
                    Held::No => Some(false),
                    Held::Unclear(_) => None,
                };
                (reading.observed, shows_effect)
            };
            let before = ReadingBefore { call_number, observed, shows_effect };
            Op::Action(ActionStep::Read(call, before))
        }))
    }

    /// The same of a replay, which asks nobody.
    pub(super) async fn read_before_replayed(&self, call: CallId) -> Result<(), StopReason> {
        if !self.is_replay() {
            return Ok(());
        }
        match self.read_before(call).await? {
            Some(op) => self.ctx.journal.commit(vec![op]).await,
            None => Ok(()),
        }
    }
}

/// A result as the analyst reads it.
pub(in crate::engine::calls) fn record(
    planned: &PlannedCall,
    number: i64,
    (text, status): (String, CallStatus),
) -> CallRecord {
    CallRecord {
        number: u32::try_from(number).unwrap_or_default(),
        tool: planned.full_name(),
        arguments: planned.arguments.clone(),
        text,
        failed: status != CallStatus::Completed,
    }
}
