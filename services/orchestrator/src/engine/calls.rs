//! Tool calls: written down before they are made, so that none is made twice.

mod answer;
mod deliver;

use std::sync::Mutex;
use std::time::Duration;

use futures::StreamExt as _;
use tarsy_contracts::mcp::Outcome;
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::id::{CallId, ExecutionId, InteractionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::ToolCall;
use tarsy_store::{Call as Earlier, NewCall, NewTimelineEvent, Op, ReassignCall};
use tarsy_tools::{DisplayTarget, ToolCallRequest};
use tokio::sync::Semaphore;

use crate::engine::agent::Task;
use crate::engine::calls::answer::{Aim, Answer, Noted, arguments, metadata, names, stopped_call};
use crate::engine::calls::deliver::Listener;
use crate::engine::conversation::Conversation;
use crate::engine::tools::Tools;
use crate::metrics;
use crate::owner::{Owner, StopReason};

/// Calls of one turn that are made at once,
const AT_ONCE: usize = 4;
/// and those that are made or wait for their summaries.
const OPEN_AT_ONCE: usize = 16;
/// The longest that one call may take, over the limit of its server.
const CALL_TIMEOUT: Duration = Duration::from_secs(100);
/// How long a gateway may hold its answer while a call still runs.
const OUTCOME_WAIT: Duration = Duration::from_secs(20);
/// How long telling a gateway to cancel may take.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// Leases on which a harmless call is made again: the one at hand, and a new one.
const LEASES: usize = 2;

/// Makes the calls of one agent.
pub(crate) struct Caller<'a> {
    /// The session's owner.
    pub(crate) owner: &'a Owner,
    /// The agent.
    pub(crate) task: &'a Task<'a>,
    /// Its tools.
    pub(crate) tools: &'a Tools,
    /// Calls that were written down by an earlier owner.
    pub(crate) earlier: Vec<Earlier>,
    /// Calls of one turn get their numbers in the order in which the model asked for them.
    pub(crate) noting: tokio::sync::Mutex<()>,
}

impl Caller<'_> {
    /// Makes the calls, several at once, and puts each answer at the place kept for it.
    pub(crate) async fn answer(
        &self,
        talk: &mut Conversation,
        calls: Vec<(i32, ToolCall)>,
    ) -> Result<(), StopReason> {
        let to = &Listener {
            speaks: talk.provider(self.task.spec),
            talk: Mutex::new(talk),
            places: Semaphore::new(AT_ONCE),
        };
        // Each future sees its call through to the end of its transaction: one that waited with an
        // open transaction while another is awaited outside would hold the session's lock for ever.
        let made: Vec<Result<(), StopReason>> = futures::stream::iter(calls)
            .map(|(sequence, call)| async move {
                if let Some(earlier) = self.finished_before(&call) {
                    return self.resume_call(to, sequence, call, earlier).await;
                }
                // Given back as soon as the call is over: a summary is awaited without it.
                let place = to.places.acquire().await.ok();
                match self.see_through(&call).await? {
                    Some(done) => self.keep(to, sequence, call, done, place).await,
                    None => self.decline(to, sequence, call).await,
                }
            })
            .buffer_unordered(OPEN_AT_ONCE)
            .collect()
            .await;
        made.into_iter().collect()
    }

    /// The record of a call whose end an earlier owner wrote down.
    fn finished_before(&self, call: &ToolCall) -> Option<&Earlier> {
        self.earlier.iter().find(|earlier| {
            earlier.tool_call_id.as_deref() == Some(&call.id)
                && earlier.status != CallStatus::Started
        })
    }

    /// Makes one call, or finds out what became of it; not if there is no room for it in the budget.
    async fn see_through(&self, call: &ToolCall) -> Result<Option<(Noted, Answer)>, StopReason> {
        if let Some(stop) = self.owner.stopped() {
            return Err(stop);
        }
        let known = self.earlier.iter().find(|earlier| {
            earlier.tool_call_id.as_deref() == Some(&call.id)
                && earlier.status == CallStatus::Started
        });
        let noted = match known {
            Some(earlier) => Noted {
                call_id: earlier.call_id,
                event: earlier.timeline_event_id.unwrap_or_else(TimelineEventId::new),
                number: earlier.call_number,
                metadata: metadata(call),
            },
            None => match self.note(call).await? {
                Some(noted) => noted,
                None => return Ok(None),
            },
        };
        let answered = match known {
            Some(earlier) => self.fetch(call, earlier, noted.aim()).await,
            None => self.make(call, noted.aim()).await,
        };
        match answered {
            Ok(answer) => {
                metrics::tool_call(answer.status.as_str());
                Ok(Some((noted, answer)))
            }
            Err(stop) => {
                self.abandon_calls(noted.call_id, stop).await?;
                Err(stop)
            }
        }
    }

    /// A stopped session's call is cancelled, and nobody will ask for its outcome. Otherwise it is
    /// the next owner's.
    async fn abandon_calls(&self, call_id: CallId, stop: StopReason) -> Result<(), StopReason> {
        let reason = match stop {
            StopReason::Cancelled => "the investigation was cancelled",
            StopReason::TimedOut => "the investigation ran out of time",
            StopReason::Fenced | StopReason::Shutdown | StopReason::Stuck => return Ok(()),
        };
        if let Some(lease) = self.tools.lease() {
            let cancel = lease.cancel(call_id, reason);
            if tokio::time::timeout(CANCEL_TIMEOUT, cancel).await.is_err() {
                tracing::warn!(call.id = %call_id, "a call could not be cancelled in time");
            }
        }
        self.owner.commit(vec![stopped_call(call_id, reason)]).await
    }

    /// Writes the call down, which gives it its number, if the budget has room for it.
    async fn note(&self, call: &ToolCall) -> Result<Option<Noted>, StopReason> {
        let _turn = self.noting.lock().await;
        if !self.task.plan.budget.take_tool_call() {
            return Ok(None);
        }
        let (call_id, event) = (CallId::new(), TimelineEventId::new());
        let metadata = metadata(call);
        let (server, tool) = names(&call.name);
        let open = Op::OpenEvent(NewTimelineEvent {
            id: event,
            stage_id: Some(self.task.stage),
            execution_id: Some(self.task.execution),
            kind: TimelineKind::LlmToolCall,
            status: TimelineStatus::Streaming,
            content: String::new(),
            metadata: Some(metadata.clone()),
        });
        let started = Op::CallStarted(NewCall {
            id: InteractionId::new(),
            stage_id: self.task.stage,
            execution_id: self.task.execution,
            call_id,
            gateway_instance: self.instance(),
            server_name: server.to_owned(),
            tool_name: tool.to_owned(),
            tool_call_id: call.id.clone(),
            tool_arguments: arguments(&call.arguments),
            timeline_event_id: event,
        });
        self.owner.commit(vec![open, started]).await?;
        let number = self.owner.read(|| self.owner.app.store.find_call_number(call_id)).await?;
        Ok(Some(Noted { call_id, event, number, metadata }))
    }

    /// Makes the call.
    async fn make(&self, call: &ToolCall, aim: Aim) -> Result<Answer, StopReason> {
        let Some(lease) = self.tools.lease() else {
            return Ok(Answer::error(self.no_tools()));
        };
        match self.owner.unless_stopped(lease.call(self.request(call, aim), CALL_TIMEOUT)).await? {
            Err(error) if error.is_lease_lost() => {
                let lost = lease.lease_id();
                if let Err(error) = self.tools.instead_of(lost, self.owner, self.task).await? {
                    tracing::warn!(error = %tarsy_telemetry::chain(&error), "no new lease");
                }
                self.ask_what_became(call, aim, lease.instance()).await
            }
            made => Ok(Answer::of(made)),
        }
    }

    /// A call that an earlier owner made: what became of it?
    async fn fetch(
        &self,
        call: &ToolCall,
        earlier: &Earlier,
        aim: Aim,
    ) -> Result<Answer, StopReason> {
        let instance = earlier.gateway_instance.clone().unwrap_or_default();
        tracing::info!(tool.name = call.name, %instance, "asking what became of a call");
        self.ask_what_became(call, aim, &instance).await
    }

    async fn ask_what_became(
        &self,
        call: &ToolCall,
        aim: Aim,
        instance: &str,
    ) -> Result<Answer, StopReason> {
        let toolbox = &self.owner.app.toolbox;
        let mut failures = 0;
        loop {
            let asked = toolbox.outcome(instance, aim.call_id, OUTCOME_WAIT);
            match self.owner.unless_stopped(asked).await? {
                Ok(Outcome::Running) => {}
                Ok(Outcome::Result { result }) => return Ok(result.into()),
                Ok(Outcome::Unknown) => return self.make_again(call, aim).await,
                Err(error) => {
                    failures += 1;
                    tracing::warn!(error = %tarsy_telemetry::chain(&error), failures, "no outcome");
                    if failures == 10 {
                        return Ok(Answer::unknown());
                    }
                    let pause = tokio::time::sleep(Duration::from_secs(1));
                    self.owner.unless_stopped(pause).await?;
                }
            }
        }
    }

    /// Nobody can tell what became of a call. One that changes nothing is made again; about any
    /// other the model is told the truth.
    async fn make_again(&self, call: &ToolCall, aim: Aim) -> Result<Answer, StopReason> {
        let (server, name) = names(&call.name);
        let harmless = self.tools.list().iter().any(|tool| {
            tool.server == server && tool.name == name && (tool.read_only || tool.idempotent)
        });
        if !harmless {
            return Ok(Answer::unknown());
        }
        let Some(mut lease) = self.tools.lease() else {
            return Ok(Answer::error(self.no_tools()));
        };
        for _ in 0..LEASES {
            let gateway_instance = lease.instance().to_owned();
            self.owner
                .commit(vec![Op::ReassignCall(ReassignCall {
                    call_id: aim.call_id,
                    gateway_instance,
                })])
                .await?;
            match self
                .owner
                .unless_stopped(lease.call(self.request(call, aim), CALL_TIMEOUT))
                .await?
            {
                Err(error) if error.is_lease_lost() => {
                    let lost = lease.lease_id();
                    lease = match self.tools.instead_of(lost, self.owner, self.task).await? {
                        Ok(lease) => lease,
                        Err(error) => return Ok(Answer::failed(&error)),
                    };
                }
                made => return Ok(Answer::of(made)),
            }
        }
        Ok(Answer::unknown())
    }

    fn request(&self, call: &ToolCall, aim: Aim) -> ToolCallRequest {
        ToolCallRequest {
            call_id: aim.call_id,
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            display: Some(DisplayTarget {
                session_id: self.owner.session(),
                stage_id: self.task.stage,
                execution_id: self.task.execution,
                event_id: aim.event,
            }),
        }
    }

    fn instance(&self) -> String {
        self.tools.lease().map_or_else(|| "none".to_owned(), |lease| lease.instance().to_owned())
    }

    fn no_tools(&self) -> String {
        let reasons: Vec<String> = self
            .tools
            .failed
            .iter()
            .map(|server| format!("{}: {}", server.server, server.error))
            .collect();
        format!("No tool server can be used. {}", reasons.join("; "))
    }
}

/// Notes that nobody will ask any more for the outcomes of an execution's open calls.
pub(crate) async fn abandon(owner: &Owner, execution: ExecutionId) -> Result<(), StopReason> {
    let (store, toolbox) = (&owner.app.store, &owner.app.toolbox);
    let reason = "the investigation was given up";
    let mut calls = owner.read(|| store.list_calls(execution)).await?;
    calls.retain(|call| call.status == CallStatus::Started);
    let cancels = calls.iter().map(async |call| {
        let instance = call.gateway_instance.as_deref().unwrap_or_default();
        let cancel = toolbox.cancel(instance, call.call_id, reason);
        if let Ok(Ok(())) = tokio::time::timeout(CANCEL_TIMEOUT, cancel).await {
        } else {
            tracing::debug!(call.id = %call.call_id, "not cancelled");
        }
    });
    futures::future::join_all(cancels).await;
    if calls.is_empty() {
        return Ok(());
    }
    owner.commit(calls.iter().map(|call| stopped_call(call.call_id, reason)).collect()).await
}
