//! Executes one call at a gateway, or finds out what became of it.

mod lost;
pub(super) mod reading;

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tarsy_contracts::mcp::Tool;
use tarsy_domain::event::{ApprovalDecision, CallStatus, TimelineKind};
use tarsy_domain::id::{CallId, InteractionId, TimelineEventId};
use tarsy_domain::status::SessionOrigin;
use tarsy_llm::{ToolCall, Unmasked};
use tarsy_store::{Approval, Call as StoredCall, NewCall, Op};
use tarsy_tools::{DisplayTarget, ToolCallRequest};

use crate::engine::action;
use crate::engine::admission::Admission;
use crate::engine::calls::intent::{Intent, separated};
use crate::engine::calls::permission::Permission;
use crate::engine::calls::repeated::Repetitions;
use crate::engine::calls::repetition::Repetition;
use crate::engine::calls::result::{
    CallTarget, RecordedCall, ToolResult, arguments, end_stopped_call, metadata, names, requested,
};
use crate::engine::calls::{approval, own, planned};
use crate::engine::context::Context;
use crate::engine::injected;
use crate::engine::offered::unknown_arguments;
use crate::engine::task::AgentTask;
use crate::engine::tools::Tools;
use crate::journal::StopReason;
use crate::metrics;
use crate::prompts::with_arguments;

/// How long one call may take at most. Its server's `call_timeout`, which the gateway enforces, and the end of
/// the session's time come long before; a gateway that is gone is noticed in any case.
const CALL_TIMEOUT: Duration = Duration::from_hours(24 * 365);
/// How long a gateway may take to accept a cancel.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// Executes the calls of one agent.
pub(super) struct Executor<'a> {
    ctx: &'a Context,
    task: &'a AgentTask<'a>,
    tools: &'a Tools,
    /// Calls that earlier owners stored.
    stored: Vec<StoredCall>,
    /// The calls of a turn are numbered in the order in which the model requested them.
    numbering: tokio::sync::Mutex<()>,
    /// The definitions of tools whose calls are permitted.
    permits: Mutex<HashMap<CallId, String>>,
    permission: Permission<'a>,
    repetitions: Repetitions<'a>,
    actions: Mutex<HashSet<CallId>>,
}

/// How a call begins here: as an earlier owner of the session stored it, or new, with its admission.
enum Begin<'s> {
    Stored(&'s StoredCall),
    New((Admission, Option<String>)),
}

impl<'a> Executor<'a> {
    pub(super) async fn new(
        ctx: &'a Context,
        task: &'a AgentTask<'a>,
        tools: &'a Tools,
    ) -> Result<Self, StopReason> {
        let execution = task.execution;
        let stored = if task.is_resumed {
            ctx.journal.read(|store| store.list_calls(execution)).await?
        } else {
            Vec::new()
        };
        let actions = if task.is_resumed && task.spec.action.is_some() {
            ctx.journal.read(|store| store.list_action_calls(execution)).await?
        } else {
            Vec::new()
        };
        let actions = Mutex::new(actions.into_iter().collect());
        let (numbering, permits) = (tokio::sync::Mutex::default(), Mutex::default());
        let permission = Permission::new(ctx, task, tools);
        let repetitions = Repetitions::new(ctx, task, tools, &stored);
        Ok(Self { ctx, task, tools, stored, numbering, permits, permission, repetitions, actions })
    }

    /// A call whose end an earlier owner stored.
    pub(super) fn find_ended(&self, call: &ToolCall) -> Option<&StoredCall> {
        self.find_stored(call).filter(|stored| stored.status != CallStatus::Started)
    }

    /// Whether an earlier owner stored a call of this name.
    pub(super) fn is_stored(&self, name: &str) -> bool {
        self.stored.iter().any(|stored| stored.tool_call_id.as_deref() == Some(name))
    }

    /// How a call is answered that repeats an earlier one.
    pub(super) fn repetition(&self, call: &ToolCall) -> Option<Repetition> {
        self.repetitions.of(&call.id)
    }

    /// Whether these calls of one turn only repeat earlier ones, one of them too often.
    pub(super) fn repeats_too_often(&self, call_ids: &[String]) -> bool {
        !call_ids.is_empty() && self.repetitions.are_all(call_ids)
    }

    fn find_stored(&self, call: &ToolCall) -> Option<&StoredCall> {
        self.stored.iter().find(|stored| stored.tool_call_id.as_deref() == Some(&call.id))
    }

    /// Whether a call is an action: its effect is checked after it.
    pub(super) fn is_action(&self, call: CallId) -> bool {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner).contains(&call)
    }

    /// A call that a model requests, without what it says of it.
    pub(super) fn separated(&self, call: &ToolCall) -> (ToolCall, Intent) {
        separated(call, self.tools, self.task.spec.action.is_some())
    }

    /// Executes a call, or finds out what became of it. None if the budget has no call left.
    pub(super) async fn run(
        &self,
        call: &ToolCall,
        intent: Intent,
    ) -> Result<Option<(RecordedCall, ToolResult)>, StopReason> {
        if let Some(reason) = self.ctx.journal.stop_reason() {
            return Err(reason);
        }
        let (recorded, begin) = match self.find_stored(call) {
            Some(old) => (RecordedCall::of(old, metadata(call, intent.again)), Begin::Stored(old)),
            None => match self.record(call, intent).await? {
                Some((recorded, admission)) => (recorded, Begin::New(admission)),
                None => return Ok(None),
            },
        };
        let target = recorded.target();
        let result =
            match (self.repetition(call), own::answer(self.ctx, self.task, (call, target)).await) {
                (Some(repetition), _) => self.repetitions.answer(repetition).await,
                (None, Err(reason)) => Err(reason),
                (None, Ok(Some(own))) => Ok(own),
                (None, Ok(None)) => match begin {
                    Begin::Stored(stored) => self.resume(call, target, stored).await,
                    Begin::New(admission) => self.execute_permitted(call, target, admission).await,
                },
            };
        match result {
            Ok(mut result) => {
                if result.is_foreign {
                    let tools = self.tools.list().iter().map(Tool::full_name).collect();
                    result.injected = injected::find(result.text.clone(), tools).await;
                }
                if result.status == CallStatus::Failed
                    && let Some(tool) =
                        unknown_arguments(self.task, &self.tools.list(), requested(call))
                {
                    result.text = with_arguments(&result.text, &tool);
                }
                metrics::tool_call(result.status.as_str());
                Ok(Some((recorded, result)))
            }
            Err(reason) => {
                self.cancel(recorded.call_id, reason).await?;
                Err(reason)
            }
        }
    }

    /// Cancels the call of a session that ends. Otherwise it is the next owner's.
    async fn cancel(&self, call_id: CallId, reason: StopReason) -> Result<(), StopReason> {
        let reason = match reason {
            StopReason::Cancelled => "the investigation was cancelled",
            StopReason::TimedOut => "the investigation ran out of time",
            _ => return Ok(()),
        };
        if let Some(lease) = self.tools.lease() {
            let cancel = lease.cancel(call_id, reason);
            if tokio::time::timeout(CANCEL_TIMEOUT, cancel).await.is_err() {
                tracing::warn!(call.id = %call_id, "a call could not be cancelled in time");
            }
        }
        self.ctx.journal.commit(vec![end_stopped_call(call_id, reason)]).await
    }

    /// Stores a call, which numbers it, and decides whether it may be made. None if the budget has no call left.
    async fn record(
        &self,
        call: &ToolCall,
        intent: Intent,
    ) -> Result<Option<(RecordedCall, (Admission, Option<String>))>, StopReason> {
        // Before anything is awaited: the calls of a turn come here in their order.
        let _turn = self.numbering.lock().await;
        if !self.task.plan.budget.try_add_tool_call() {
            return Ok(None);
        }
        let earlier = self.repetitions.find(call, intent.again.as_deref()).await?;
        let admission = self.permission.admission(call, intent.plan.as_ref()).await?;
        let admission = approval::within_limit(self.ctx, self.task, admission).await?;
        let (call_id, event) = (CallId::new(), TimelineEventId::new());
        let metadata = metadata(call, intent.again.clone());
        let (server, tool) = names(&call.name);
        let scope = self.task.scope();
        let open = scope.stream(event, TimelineKind::LlmToolCall, Some(metadata.clone()));
        let started = Op::CallStarted(NewCall {
            id: InteractionId::new(),
            stage_id: self.task.stage,
            execution_id: self.task.execution,
            call_id,
            gateway_instance: self.gateway_instance(),
            server_name: server.to_owned(),
            tool_name: tool.to_owned(),
            tool_call_id: call.id.clone(),
            tool_arguments: arguments(&call.arguments),
            timeline_event_id: event,
            answered_from: earlier.repetition.map(|repetition| repetition.number),
        });
        let mut ops = vec![open, started];
        ops.extend(approval::request(self.ctx, self.task, &admission, (call, call_id), &intent));
        if let Some(planned) = planned::op(self.task, self.tools, (&admission.0, call_id), intent) {
            self.actions.lock().unwrap_or_else(PoisonError::into_inner).insert(call_id);
            ops.push(planned);
        }
        let number = self.ctx.journal.commit_call(ops, call_id).await?;
        let compared = earlier.compared;
        Ok(Some((RecordedCall { call_id, event, number, metadata, compared }, admission)))
    }

    /// Continues with a call that an earlier owner stored.
    async fn resume(
        &self,
        call: &ToolCall,
        target: CallTarget,
        stored: &StoredCall,
    ) -> Result<ToolResult, StopReason> {
        let journal = &self.ctx.journal;
        match journal.read(|store| store.find_approval(target.call_id)).await? {
            Some(approval) if !approval.is_closed => {
                self.execute_approved(call, target, approval).await
            }
            Some(approval) if approval.decision != Some(ApprovalDecision::Approved) => {
                let decision = approval.decision.unwrap_or(ApprovalDecision::Expired);
                Ok(ToolResult::refused(approval::refusal(decision)))
            }
            approval => {
                self.read_before_replayed(target.call_id).await?;
                let definition = match (approval, self.tools.admission(requested(call))) {
                    (Some(approval), _) => Some(approval.definition),
                    (None, (Admission::Run, definition)) => definition,
                    (None, _) => None,
                };
                if let Some(definition) = definition {
                    self.permit(target.call_id, definition);
                }
                let instance = stored.gateway_instance.as_deref().unwrap_or_default();
                self.find_outcome(call, target, instance).await
            }
        }
    }

    /// Executes a call that was just stored, after its approval if it needs one.
    async fn execute_permitted(
        &self,
        call: &ToolCall,
        target: CallTarget,
        admission: (Admission, Option<String>),
    ) -> Result<ToolResult, StopReason> {
        self.read_before_replayed(target.call_id).await?;
        match admission {
            (Admission::Withheld(why), _) => {
                let text =
                    format!("The tool '{}' was not called: {why}. Use another tool.", call.name);
                return Ok(ToolResult::refused(text));
            }
            (Admission::Unplanned(why), _) => {
                let (name, field) = (&call.name, action::FIELD);
                let text = format!(
                    "The tool '{name}' was not called: {why}. Call it again with `{field}`."
                );
                return Ok(ToolResult::refused(text));
            }
            (Admission::Run, definition) => {
                if let Some(definition) = definition {
                    self.permit(target.call_id, definition);
                }
                return self.execute(call, target).await;
            }
            (Admission::Reads, _) => return self.execute(call, target).await,
            (Admission::Approval(_), _) => {}
        }
        let journal = &self.ctx.journal;
        match journal.read(|store| store.find_approval(target.call_id)).await? {
            Some(approval) => self.execute_approved(call, target, approval).await,
            None => self.execute(call, target).await,
        }
    }

    async fn execute_approved(
        &self,
        call: &ToolCall,
        target: CallTarget,
        approval: Approval,
    ) -> Result<ToolResult, StopReason> {
        let definition = approval.definition.clone();
        let alone_has_arguments = matches!(call.unmasked, Unmasked::Kept(_));
        let approval = approval::wait(self.ctx, approval, alone_has_arguments).await?;
        let is_approved = approval.decision == Some(ApprovalDecision::Approved);
        let before = if is_approved && !approval.is_closed {
            self.read_before(target.call_id).await?
        } else {
            None
        };
        match approval::close(self.ctx, approval, self.gateway_instance(), before).await? {
            ApprovalDecision::Approved => {
                self.permit(target.call_id, definition);
                self.execute(call, target).await
            }
            decision => Ok(ToolResult::refused(approval::refusal(decision))),
        }
    }

    /// Notes that a call of this definition is permitted.
    fn permit(&self, call: CallId, definition: String) {
        self.permits.lock().unwrap_or_else(PoisonError::into_inner).insert(call, definition);
    }

    async fn execute(&self, call: &ToolCall, target: CallTarget) -> Result<ToolResult, StopReason> {
        let Some(lease) = self.tools.lease() else {
            return Ok(ToolResult::error(self.no_tools()));
        };
        let Some(request) = self.request(call, target) else { return Ok(ToolResult::lost()) };
        let request = lease.call(request, CALL_TIMEOUT);
        match self.ctx.journal.unless_stopped(request).await? {
            Err(error) if error.is_lease_lost() => {
                if let Err(error) =
                    self.tools.replace(lease.lease_id(), self.ctx, self.task).await?
                {
                    tracing::warn!(error = %tarsy_telemetry::chain(&error), "no new lease");
                }
                self.find_outcome(call, target, lease.instance()).await
            }
            answer => Ok(ToolResult::from_lease(answer)),
        }
    }

    /// None if the arguments are lost. A replay is answered by those that were recorded.
    fn request(&self, call: &ToolCall, target: CallTarget) -> Option<ToolCallRequest> {
        let is_replay = self.task.plan.session.origin == SessionOrigin::Replay;
        let arguments = if is_replay { Some(call.arguments.as_str()) } else { call.made_with() };
        let permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        Some(ToolCallRequest {
            permit: permits.get(&target.call_id).cloned(),
            call_id: target.call_id,
            name: call.name.clone(),
            arguments: arguments?.to_owned(),
            display: Some(DisplayTarget {
                session_id: self.ctx.journal.session(),
                stage_id: self.task.stage,
                execution_id: self.task.execution,
                event_id: target.event,
            }),
        })
    }

    pub(super) fn note_end(&self) {
        self.repetitions.note_end();
    }

    fn gateway_instance(&self) -> String {
        self.tools.lease().map_or_else(|| "none".to_owned(), |lease| lease.instance().to_owned())
    }

    fn no_tools(&self) -> String {
        let failed = self.tools.failed.iter();
        let reasons: Vec<String> =
            failed.map(|server| format!("{}: {}", server.server, server.error)).collect();
        format!("No tool server can be used. {}", reasons.join("; "))
    }
}
