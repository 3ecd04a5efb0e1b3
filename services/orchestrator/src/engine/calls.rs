//! Tool calls: written down before they are made, so that none is made twice.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt as _;
use serde_json::{Value, json};
use tarsy_catalog::Strategy;
use tarsy_contracts::mcp::{CallResult, Outcome};
use tarsy_domain::event::{CallStatus, Role, TimelineKind};
use tarsy_domain::id::{CallId, ExecutionId, InteractionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::{Message, ToolCall};
use tarsy_store::{
    Call as Earlier, CallEnd, CallMoved, EndTimelineEvent, NewCall, NewSummary, NewTimelineEvent,
    Op,
};
use tarsy_tools::{Shown, ToolCallRequest, ToolError};

use crate::engine::agent::Task;
use crate::engine::conversation::Conversation;
use crate::engine::summaries::{self, Waited};
use crate::engine::text::{STORED_TOKENS, cut};
use crate::engine::tools::Tools;
use crate::metrics;
use crate::owner::{Owner, Stop};

/// Calls of one turn that are made at once.
const AT_ONCE: usize = 4;
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

/// A call that is written down.
struct Noted {
    call_id: CallId,
    event: TimelineEventId,
    /// Its number in the session.
    number: i64,
    metadata: Value,
}

impl Noted {
    fn aim(&self) -> Aim {
        Aim { call_id: self.call_id, event: self.event }
    }
}

/// Which call is made, and where it is shown.
#[derive(Clone, Copy)]
struct Aim {
    call_id: CallId,
    event: TimelineEventId,
}

/// What became of a call.
struct Answer {
    status: CallStatus,
    text: String,
    masked: u64,
    refused: bool,
    duration_ms: Option<i64>,
}

impl Answer {
    fn error(text: String) -> Self {
        Self { status: CallStatus::Failed, text, masked: 0, refused: false, duration_ms: None }
    }

    fn of(made: Result<CallResult, ToolError>) -> Self {
        match made {
            Ok(result) => result.into(),
            Err(ToolError::Timeout) => Self {
                status: CallStatus::Unknown,
                text:
                    "The tool gateway did not answer in time. The call may or may not have taken \
                       effect. Check before you call it again."
                        .to_owned(),
                masked: 0,
                refused: false,
                duration_ms: None,
            },
            Err(error) => Self::error(explain(&error)),
        }
    }
}

impl From<CallResult> for Answer {
    fn from(result: CallResult) -> Self {
        let status = if result.is_error { CallStatus::Failed } else { CallStatus::Completed };
        Self {
            status,
            text: result.content,
            masked: result.masked,
            refused: result.refused_by_policy,
            duration_ms: i64::try_from(result.duration_ms).ok(),
        }
    }
}

impl Caller<'_> {
    /// Makes the calls, several at once, and puts each answer at the place kept for it.
    pub(crate) async fn answer(
        &self,
        talk: &mut Conversation,
        calls: Vec<(i32, ToolCall)>,
    ) -> Result<(), Stop> {
        let talk = &Mutex::new(talk);
        // Each future sees its call through to the end of its transaction: one that waited with an
        // open transaction while another is awaited outside would hold the session's lock for ever.
        let made: Vec<Result<(), Stop>> = futures::stream::iter(calls)
            .map(|(sequence, call)| async move {
                if let Some(earlier) = self.finished_before(&call) {
                    return self.take_up(talk, sequence, call, earlier).await;
                }
                match self.see_through(&call).await? {
                    Some((noted, answer)) => self.keep(talk, sequence, call, noted, answer).await,
                    None => self.decline(talk, sequence, call).await,
                }
            })
            .buffer_unordered(AT_ONCE)
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
    async fn see_through(&self, call: &ToolCall) -> Result<Option<(Noted, Answer)>, Stop> {
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
                event: earlier.timeline_event_id.unwrap_or_else(TimelineEventId::fresh),
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
                self.let_go(noted.call_id, stop).await?;
                Err(stop)
            }
        }
    }

    /// A stopped session's call is cancelled, and nobody will ask for its outcome. Otherwise it is
    /// the next owner's.
    async fn let_go(&self, call_id: CallId, stop: Stop) -> Result<(), Stop> {
        let reason = match stop {
            Stop::Cancelled => "the investigation was cancelled",
            Stop::TimedOut => "the investigation ran out of time",
            Stop::Fenced | Stop::Shutdown | Stop::Stuck => return Ok(()),
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
    async fn note(&self, call: &ToolCall) -> Result<Option<Noted>, Stop> {
        let _turn = self.noting.lock().await;
        if !self.task.plan.meter.take_tool_call() {
            return Ok(None);
        }
        let (call_id, event) = (CallId::fresh(), TimelineEventId::fresh());
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
            id: InteractionId::fresh(),
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
        let number = self.owner.read(|| self.owner.app.store.call_number(call_id)).await?;
        Ok(Some(Noted { call_id, event, number, metadata }))
    }

    /// Makes the call.
    async fn make(&self, call: &ToolCall, aim: Aim) -> Result<Answer, Stop> {
        let Some(lease) = self.tools.lease() else {
            return Ok(Answer::error(self.no_tools()));
        };
        match self.owner.unless_stopped(lease.call(self.request(call, aim))).await? {
            Err(error) if error.is_lease_over() => {
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
    async fn fetch(&self, call: &ToolCall, earlier: &Earlier, aim: Aim) -> Result<Answer, Stop> {
        let instance = earlier.gateway_instance.clone().unwrap_or_default();
        tracing::info!(tool.name = call.name, %instance, "asking what became of a call");
        self.ask_what_became(call, aim, &instance).await
    }

    async fn ask_what_became(
        &self,
        call: &ToolCall,
        aim: Aim,
        instance: &str,
    ) -> Result<Answer, Stop> {
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
                        return Ok(unknown());
                    }
                    let pause = tokio::time::sleep(Duration::from_secs(1));
                    self.owner.unless_stopped(pause).await?;
                }
            }
        }
    }

    /// Nobody can tell what became of a call. One that changes nothing is made again; about any
    /// other the model is told the truth.
    async fn make_again(&self, call: &ToolCall, aim: Aim) -> Result<Answer, Stop> {
        let (server, name) = names(&call.name);
        let harmless = self.tools.list().iter().any(|tool| {
            tool.server == server && tool.name == name && (tool.read_only || tool.idempotent)
        });
        if !harmless {
            return Ok(unknown());
        }
        let Some(mut lease) = self.tools.lease() else {
            return Ok(Answer::error(self.no_tools()));
        };
        for _ in 0..LEASES {
            let gateway_instance = lease.instance().to_owned();
            self.owner
                .commit(vec![Op::CallMoved(CallMoved { call_id: aim.call_id, gateway_instance })])
                .await?;
            match self.owner.unless_stopped(lease.call(self.request(call, aim))).await? {
                Err(error) if error.is_lease_over() => {
                    let lost = lease.lease_id();
                    lease = match self.tools.instead_of(lost, self.owner, self.task).await? {
                        Ok(lease) => lease,
                        Err(error) => return Ok(Answer::error(explain(&error))),
                    };
                }
                made => return Ok(Answer::of(made)),
            }
        }
        Ok(unknown())
    }

    /// Tells the model that a call was not made.
    async fn decline(
        &self,
        talk: &Mutex<&mut Conversation>,
        sequence: i32,
        call: ToolCall,
    ) -> Result<(), Stop> {
        let text = self.owner.app.prompts.not_called(self.task.plan.meter.budget());
        let message = self.told(call, text);
        let said = talk.lock().unwrap_or_else(PoisonError::into_inner).say_at(sequence, message);
        self.owner.commit(vec![said]).await
    }

    /// Stores an answer: the call, its timeline event and its message end together, unless the
    /// result is so large that its summary is waited for.
    async fn keep(
        &self,
        talk: &Mutex<&mut Conversation>,
        sequence: i32,
        call: ToolCall,
        noted: Noted,
        answer: Answer,
    ) -> Result<(), Stop> {
        let failed = answer.status != CallStatus::Completed;
        let number = noted.number;
        let summary = if failed { None } else { self.summary_of(&call, &noted, &answer.text) };
        let (call_id, text) = (noted.call_id, answer.text.clone());
        let mut ops = finished(noted, answer);
        let for_model = if let Some(new) = summary {
            ops.push(Op::AskSummary(new.clone()));
            self.owner.commit(ops).await?;
            ops = Vec::new();
            let waited = summaries::wait(self.owner, call_id, Some(new.id)).await?;
            self.instead_of(&text, number, waited, &mut ops)
        } else {
            self.for_model(&text)
        };
        let message = self.message(call, number, &for_model, failed);
        ops.push(talk.lock().unwrap_or_else(PoisonError::into_inner).say_at(sequence, message));
        self.owner.commit(ops).await
    }

    fn request(&self, call: &ToolCall, aim: Aim) -> ToolCallRequest {
        ToolCallRequest {
            call_id: aim.call_id,
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            timeout: CALL_TIMEOUT,
            shown: Some(Shown {
                session_id: self.owner.session(),
                stage_id: self.task.stage,
                execution_id: self.task.execution,
                event_id: aim.event,
            }),
        }
    }

    /// The summary that a result needs, if it does.
    fn summary_of(&self, call: &ToolCall, noted: &Noted, text: &str) -> Option<NewSummary> {
        let (server, tool) = names(&call.name);
        summaries::wanted(
            self.task,
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
    async fn take_up(
        &self,
        talk: &Mutex<&mut Conversation>,
        sequence: i32,
        call: ToolCall,
        earlier: &Earlier,
    ) -> Result<(), Stop> {
        let (store, session) = (&self.owner.app.store, self.owner.session());
        let record = self.owner.read(|| store.mcp_interaction(session, earlier.id)).await?;
        let text = record
            .and_then(|record| record.whole_result.or(record.tool_result))
            .filter(|text| !text.is_empty())
            .or_else(|| earlier.error_message.clone())
            .unwrap_or_default();
        let failed = earlier.status != CallStatus::Completed;
        let mut ops = Vec::new();
        let told = if failed {
            self.for_model(&text)
        } else {
            let waited = summaries::wait(self.owner, earlier.call_id, None).await?;
            self.instead_of(&text, earlier.call_number, waited, &mut ops)
        };
        let message = self.message(call, earlier.call_number, &told, failed);
        ops.push(talk.lock().unwrap_or_else(PoisonError::into_inner).say_at(sequence, message));
        self.owner.commit(ops).await
    }

    /// What the model is told of a large result: its summary, or, with a note on the timeline, its
    /// beginning.
    fn instead_of(&self, text: &str, number: i64, waited: Waited, ops: &mut Vec<Op>) -> String {
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
                self.for_model(text)
            }
            Waited::NotAsked => self.for_model(text),
        }
    }

    /// As much of a result as the model takes.
    fn for_model(&self, text: &str) -> String {
        let limit = self.task.spec.provider.max_tool_result_tokens as usize;
        cut(text, limit).unwrap_or_else(|| text.to_owned())
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

/// The end of a call and of its timeline event.
fn finished(noted: Noted, answer: Answer) -> Vec<Op> {
    let short = cut(&answer.text, STORED_TOKENS);
    let failed = answer.status != CallStatus::Completed;
    let mut metadata = noted.metadata;
    if let Some(fields) = metadata.as_object_mut() {
        fields.insert("call_number".to_owned(), json!(noted.number));
        fields.insert("is_error".to_owned(), json!(failed));
        fields.insert("duration_ms".to_owned(), json!(answer.duration_ms));
        fields.insert("masked".to_owned(), json!(answer.masked > 0));
        fields.insert("masked_values".to_owned(), json!(answer.masked));
        if answer.refused {
            fields.insert("refused_by_policy".to_owned(), json!(true));
        }
        fields.insert("cut".to_owned(), json!(short.is_some()));
    }
    let error_message = failed.then(|| first_line(&answer.text));
    let (shown, whole_result) = match short {
        Some(short) => (short, Some(answer.text)),
        None => (answer.text, None),
    };
    vec![
        Op::CallFinished(CallEnd {
            call_id: noted.call_id,
            status: answer.status,
            tool_result: shown.clone(),
            whole_result,
            duration_ms: answer.duration_ms,
            error_message,
        }),
        Op::CloseEvent(EndTimelineEvent {
            id: noted.event,
            kind: TimelineKind::LlmToolCall,
            status: if failed { TimelineStatus::Failed } else { TimelineStatus::Completed },
            content: shown,
            metadata: Some(metadata),
        }),
    ]
}

/// Notes that nobody will ask any more for the outcomes of an execution's open calls.
pub(crate) async fn abandon(owner: &Owner, execution: ExecutionId) -> Result<(), Stop> {
    let (store, toolbox) = (&owner.app.store, &owner.app.toolbox);
    let reason = "the investigation was given up";
    let calls = owner.read(|| store.calls(execution)).await?;
    for call in calls.into_iter().filter(|call| call.status == CallStatus::Started) {
        let instance = call.gateway_instance.unwrap_or_default();
        let cancel = toolbox.cancel(&instance, call.call_id, reason);
        if let Ok(Ok(())) = tokio::time::timeout(CANCEL_TIMEOUT, cancel).await {
        } else {
            tracing::debug!(call.id = %call.call_id, "not cancelled");
        }
        owner.commit(vec![stopped_call(call.call_id, reason)]).await?;
    }
    Ok(())
}

/// The end of a call that was stopped while it ran.
fn stopped_call(call_id: CallId, reason: &str) -> Op {
    Op::CallFinished(CallEnd {
        call_id,
        status: CallStatus::Unknown,
        tool_result: String::new(),
        whole_result: None,
        duration_ms: None,
        error_message: Some(format!("stopped while it ran: {reason}")),
    })
}

fn unknown() -> Answer {
    Answer {
        status: CallStatus::Unknown,
        text:
            "The outcome of this call is unknown: the tool gateway was lost while it ran. It may \
               or may not have taken effect. Check before you call it again."
                .to_owned(),
        masked: 0,
        refused: false,
        duration_ms: None,
    }
}

/// What a call's timeline event says of it.
fn metadata(call: &ToolCall) -> Value {
    let (server, tool) = names(&call.name);
    json!({
        "server_name": server,
        "tool_name": tool,
        "tool_call_id": call.id,
        "arguments": arguments(&call.arguments),
    })
}

fn explain(error: &ToolError) -> String {
    format!("The call could not be made: {error}.")
}

/// The server and the tool, by whichever of the two separators comes first.
fn names(name: &str) -> (&str, &str) {
    let split = [name.split_once("__"), name.split_once('.')];
    split.into_iter().flatten().min_by_key(|(server, _)| server.len()).unwrap_or(("", name))
}

/// The arguments as JSON when they are, as text when they are not.
fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_tool_name_are_split() {
        assert_eq!(names("host.disk_usage"), ("host", "disk_usage"));
        assert_eq!(names("host__disk_usage"), ("host", "disk_usage"));
        assert_eq!(names("host.disk__usage"), ("host", "disk__usage"));
        assert_eq!(names("odd"), ("", "odd"));
    }

    #[test]
    fn arguments_that_are_no_json_stay_text() {
        assert_eq!(arguments(r#"{"limit":5}"#), json!({"limit": 5}));
        assert_eq!(arguments("limit: 5"), json!("limit: 5"));
    }
}
