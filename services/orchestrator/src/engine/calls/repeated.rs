//! A call that reads and repeats one of the last minute is not made: it is answered by the number of the earlier one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tarsy_domain::event::CallStatus;
use tarsy_domain::status::SessionOrigin;
use tarsy_llm::{ToolCall, Unmasked};
use tarsy_store::{Call as StoredCall, CalledTool, EarlierCall};
use tokio::sync::Notify;

use crate::engine::calls::made::Made;
use crate::engine::calls::repetition::Repetition;
use crate::engine::calls::result::{ToolResult, arguments, names, requested};
use crate::engine::context::Context;
use crate::engine::delegation;
use crate::engine::task::AgentTask;
use crate::engine::tools::{Requested, Tools};
use crate::journal::StopReason;

/// How long a result stands for the same call.
const WINDOW: Duration = Duration::from_mins(1);
/// What a call has in common with earlier ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Earlier {
    /// The call that answers it.
    pub(super) repetition: Option<Repetition>,
    /// The last call whose result its own is compared with: it is made again after a while.
    pub(super) compared: Option<EarlierCall>,
}

/// The calls of one agent that were answered by earlier ones.
pub(super) struct Repetitions<'a> {
    ctx: &'a Context,
    task: &'a AgentTask<'a>,
    tools: &'a Tools,
    /// By the model's name for the call.
    known: Mutex<HashMap<String, Repetition>>,
    made: Made,
    ended: Notify,
}

impl<'a> Repetitions<'a> {
    /// Continues from the calls that earlier owners stored.
    pub(super) fn new(
        ctx: &'a Context,
        task: &'a AgentTask<'a>,
        tools: &'a Tools,
        stored: &[StoredCall],
    ) -> Self {
        let (known, ended) = (Mutex::new(known(stored)), Notify::new());
        Self { ctx, task, tools, known, made: Made::of(stored), ended }
    }

    /// Whether a new call repeats an earlier one. `again` is the reason why it is to be made again.
    pub(super) async fn find(
        &self,
        call: &ToolCall,
        again: Option<&str>,
    ) -> Result<Earlier, StopReason> {
        let (server_name, tool_name) = names(&call.name);
        let arguments = &arguments(&call.arguments);
        let may_repeat = self.made.note(server_name, tool_name, arguments);
        // What differs in a secret looks the same in the record.
        if delegation::is_own(&call.name)
            || !may_repeat
            || call.unmasked != Unmasked::Same
            || !self.reads(requested(call))
        {
            return Ok(Earlier::default());
        }
        let (execution, journal) = (self.task.execution, &self.ctx.journal);
        let called = CalledTool { server_name, tool_name, arguments };
        let found =
            journal.read(|store| store.find_earlier_call(execution, called, WINDOW)).await?;
        let Some(earlier) = found else { return Ok(Earlier::default()) };
        if again.is_some() {
            return Ok(Earlier::default());
        }
        if !earlier.is_recent || self.may_have_changed(earlier.number).await? {
            return Ok(Earlier { repetition: None, compared: Some(earlier) });
        }
        let times = earlier.answered + 2;
        let repetition = Repetition { id: earlier.id, number: earlier.number, times };
        self.known().insert(call.id.clone(), repetition);
        Ok(Earlier { repetition: Some(repetition), compared: None })
    }

    /// Whether a call that is not known to read came after this one.
    async fn may_have_changed(&self, since: i64) -> Result<bool, StopReason> {
        let execution = self.task.execution;
        let calls = self.ctx.journal.read(|store| store.list_calls(execution)).await?;
        Ok(calls.iter().filter(|call| call.call_number > since).any(|call| {
            let arguments = call.tool_arguments.as_ref().map(Value::to_string).unwrap_or_default();
            let name = call.tool_name.as_deref().unwrap_or_default();
            !self.reads(Requested { server: &call.server_name, name, arguments: &arguments })
        }))
    }

    /// Whether a call is known to change nothing. A replay executes nothing.
    fn reads(&self, call: Requested<'_>) -> bool {
        self.task.plan.session.origin == SessionOrigin::Replay || self.tools.reads(call)
    }

    /// The result of the earlier call, once it has ended.
    pub(super) async fn answer(&self, repetition: Repetition) -> Result<ToolResult, StopReason> {
        let journal = &self.ctx.journal;
        loop {
            // Before the look, so that no end is missed.
            let ended = self.ended.notified();
            let mut ended = std::pin::pin!(ended);
            ended.as_mut().enable();
            let (session, id) = (journal.session(), repetition.id);
            let found = journal.read(|store| store.find_mcp_interaction(session, id)).await?;
            let status = found.as_ref().map_or(CallStatus::Unknown, |call| call.brief.status);
            if status != CallStatus::Started {
                let error = found.as_ref().and_then(|call| call.brief.error_message.clone());
                let text = found.and_then(|call| call.tool_result).filter(|text| !text.is_empty());
                let text = text.or(error).unwrap_or_default();
                return Ok(ToolResult::repeated(status, text, repetition));
            }
            journal.unless_stopped(ended).await?;
        }
    }

    /// A call has ended: others may repeat it.
    pub(super) fn note_end(&self) {
        self.ended.notify_waiters();
    }

    /// How a call is answered that an earlier owner stored.
    pub(super) fn of(&self, call_id: &str) -> Option<Repetition> {
        self.known().get(call_id).copied()
    }

    /// Whether these calls of one turn only repeat earlier ones, one of them too often.
    pub(super) fn are_all(&self, call_ids: &[String]) -> bool {
        let found: Option<Vec<Repetition>> = call_ids.iter().map(|id| self.of(id)).collect();
        found.is_some_and(|all| all.into_iter().any(Repetition::is_too_often))
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, Repetition>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn known(stored: &[StoredCall]) -> HashMap<String, Repetition> {
    let mut answered: HashMap<i64, i64> = HashMap::new();
    let mut known = HashMap::new();
    for call in stored {
        let Some(number) = call.answered_from else { continue };
        let times = answered.entry(number).or_insert(1);
        *times += 1;
        let earlier = stored.iter().find(|other| other.call_number == number);
        if let (Some(earlier), Some(id)) = (earlier, &call.tool_call_id) {
            known.insert(id.clone(), Repetition { id: earlier.id, number, times: *times });
        }
    }
    known
}
