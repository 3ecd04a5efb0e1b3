//! Calls that need a person's approval.
//!
//! The request is stored in the transaction that stores the call, so that every owner of the session finds it: a call
//! without one needs none, and nobody is asked twice. The decision is a row that another service writes. Before an
//! approved call is sent, the request is closed; a call whose request is open was certainly not made. A session of which all
//! that is left waits has no owner meanwhile (ADR 0051).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_contracts::timeline::EndTimelineEvent;
use tarsy_domain::event::{ApprovalDecision, TimelineKind};
use tarsy_domain::id::{ApprovalId, CallId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::ToolCall;
use tarsy_store::{Approval, NewApproval, Op, ReassignCall, Store};

use crate::engine::admission::Admission;
use crate::engine::calls::intent::Intent;
use crate::engine::calls::result::{arguments, names};
use crate::engine::context::Context;
use crate::engine::task::AgentTask;
use crate::journal::StopReason;
use crate::metrics;

/// How often the decision is looked up: people take seconds at least.
const POLL: Duration = Duration::from_secs(1);

/// The operations that ask for approval of a call; none if it needs no approval.
pub(super) fn request(
    ctx: &Context,
    task: &AgentTask<'_>,
    (admission, definition): &(Admission, Option<String>),
    (call, call_id): (&ToolCall, CallId),
    intent: &Intent,
) -> Vec<Op> {
    let (Admission::Approval(reason), Some(definition)) = (admission, definition) else {
        return Vec::new();
    };
    let (server, tool) = names(&call.name);
    let (id, event) = (ApprovalId::new(), TimelineEventId::new());
    let timeout = ctx.services.limits.approval;
    let approval = NewApproval {
        id,
        execution_id: task.execution,
        call_id,
        timeline_event_id: event,
        server_name: server.to_owned(),
        tool_name: tool.to_owned(),
        tool_arguments: arguments(&call.arguments),
        definition: definition.clone(),
        reason: reason.clone(),
        timeout,
        decided: intent.rollback.as_ref().map(|(_, by)| by.clone()),
    };
    let mut metadata = shown(id, &approval.server_name, &approval.tool_name);
    if let Some(fields) = metadata.as_object_mut() {
        fields.insert("arguments".to_owned(), approval.tool_arguments.clone());
        fields.insert("reason".to_owned(), json!(approval.reason));
        fields.insert("timeout_seconds".to_owned(), json!(timeout.as_secs()));
        if let Some(Ok(plan)) = &intent.plan {
            fields.insert("action".to_owned(), json!(plan));
        }
        if let Some(run) = &intent.dry_run {
            fields.insert("dry_run".to_owned(), json!(run));
        }
    }
    let open = task.scope().stream(event, TimelineKind::ToolApproval, Some(metadata));
    vec![open, Op::RequestApproval(approval)]
}

/// Withholds a call that needs an approval, if too many sessions of its source wait for one.
pub(super) async fn within_limit(
    ctx: &Context,
    task: &AgentTask<'_>,
    (admission, definition): (Admission, Option<String>),
) -> Result<(Admission, Option<String>), StopReason> {
    if !matches!(admission, Admission::Approval(_)) {
        return Ok((admission, definition));
    }
    let (session, execution) = (ctx.journal.session(), task.execution);
    let count = |store| Store::count_sessions_waiting_for_approval(store, session, execution);
    let waiting = ctx.journal.read(count).await?;
    if waiting < i64::from(ctx.services.limits.waiting_for_approval) {
        return Ok((admission, definition));
    }
    metrics::approval_refused();
    let why = format!(
        "it needs the approval of a person, and {waiting} other sessions of this sender and alert type wait for one already"
    );
    Ok((Admission::Withheld(why), definition))
}

/// Closes a request whose decision is made, or whose time is over. An approved call is noted as one of the gateway `instance`, to
/// which it is sent then, with what was read `before` it.
pub(super) async fn close(
    ctx: &Context,
    approval: Approval,
    instance: String,
    before: Option<Op>,
) -> Result<ApprovalDecision, StopReason> {
    let decision = approval.decision.unwrap_or(ApprovalDecision::Expired);
    if !approval.is_closed {
        let call_id = approval.call_id;
        let mut ops = vec![end(&approval, decision), Op::CloseApproval(call_id)];
        if decision == ApprovalDecision::Approved {
            // The session may have been suspended, and its lease of before is another gateway's.
            ops.push(Op::ReassignCall(ReassignCall { call_id, gateway_instance: instance }));
            ops.extend(before);
        }
        ctx.journal.commit(ops).await?;
    }
    Ok(decision)
}

/// Waits until the decision is made or the time for it is over. If nothing of the session goes on meanwhile, it is suspended; but not while this process
/// alone has what the call is made with, as long as few sessions are kept for that.
pub(super) async fn wait(
    ctx: &Context,
    mut approval: Approval,
    alone_has_arguments: bool,
) -> Result<Approval, StopReason> {
    let journal = &ctx.journal;
    let (mut waiting, mut kept) = (Some(ctx.activity.pause()), None);
    while is_open(&approval) {
        if alone_has_arguments && kept.is_none() {
            kept = Arc::clone(&ctx.services.kept).try_acquire_owned().ok();
            // It counts as something that goes on.
            waiting = waiting.filter(|_| kept.is_none());
        }
        let idle = ctx.activity.idle();
        journal.unless_stopped(tokio::time::sleep(POLL)).await?;
        let found = journal.read(|store| store.find_approval(approval.call_id)).await?;
        approval = found.unwrap_or(approval);
        if is_open(&approval) && idle.is_some() && ctx.activity.idle() == idle {
            return Err(journal.suspend());
        }
    }
    Ok(approval)
}

fn is_open(approval: &Approval) -> bool {
    !approval.is_closed && approval.decision.is_none() && !approval.is_expired
}

/// What the model learns of a call that was not approved.
pub(super) fn refusal(decision: ApprovalDecision) -> String {
    let why = match decision {
        ApprovalDecision::Approved => "it was approved, but not made",
        ApprovalDecision::Denied => "a person denied it",
        ApprovalDecision::Expired => {
            "it needs the approval of a person, and nobody gave it in time"
        }
    };
    format!(
        "The call was not made: {why}. Do not request it again; go on without it, and say in your conclusion what \
         a person would have to do."
    )
}

/// The end of the timeline event that shows a request.
fn end(approval: &Approval, decision: ApprovalDecision) -> Op {
    let name = approval.decided_by.as_deref().unwrap_or("somebody");
    let by = match approval.decided_with {
        Some(with) => format!("{name}, {}", with.described()),
        None => name.to_owned(),
    };
    let content = match decision {
        ApprovalDecision::Approved => format!("Approved by {by}."),
        ApprovalDecision::Denied => format!("Denied by {by}."),
        ApprovalDecision::Expired => "Nobody decided in time: the call was not made.".to_owned(),
    };
    let mut metadata = shown(approval.id, &approval.server_name, &approval.tool_name);
    if let Some(fields) = metadata.as_object_mut() {
        fields.insert("arguments".to_owned(), approval.tool_arguments.clone());
        fields.insert("reason".to_owned(), json!(approval.reason));
        fields.insert("decision".to_owned(), json!(decision.as_str()));
        fields.insert("decided_by".to_owned(), json!(approval.decided_by));
        fields.insert("decided_with".to_owned(), json!(approval.decided_with));
    }
    Op::CloseEvent(EndTimelineEvent {
        id: approval.timeline_event_id,
        kind: TimelineKind::ToolApproval,
        status: TimelineStatus::Completed,
        content,
        metadata: Some(metadata),
    })
}

fn shown(id: ApprovalId, server: &str, tool: &str) -> Value {
    json!({ "approval_id": id, "server_name": server, "tool_name": tool })
}
