//! Tool calls that wait for a person's decision.

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_contracts::action::{ActionPlan, DryRun};
use tarsy_domain::access::Identification;
use tarsy_domain::code::Code;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::{ApprovalId, SessionId};
use tarsy_store::{Approval, DecideOutcome, DecidedCall, Decider, InjectedLine, OpenApproval};
use tarsy_web::{FieldError, Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::notices::Notice;
use crate::state::AppState;

/// The most approvals that are listed.
const MAX_LISTED: i64 = 500;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(decide))
}

/// A tool call that waits, or waited, for a decision.
#[derive(Debug, Serialize, ToSchema)]
struct ApprovalView {
    id: Uuid,
    session_id: Uuid,
    /// The timeline event that shows it.
    event_id: Uuid,
    server_name: String,
    tool_name: String,
    /// What the tool is called with.
    arguments: Value,
    /// Why a person has to decide.
    reason: String,
    #[schema(value_type = String, format = DateTime)]
    requested_at: Timestamp,
    /// From then on it counts as denied.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// `approved`, `denied` or `expired`; none while it waits.
    decision: Option<&'static str>,
    decided_by: Option<String>,
    /// How they were identified: `local_token`, `proxy`, `sign_in`, `oidc_token`, `api_token` or `slack`; none of a decision of
    /// an earlier version.
    decided_with: Option<&'static str>,
}

impl From<Approval> for ApprovalView {
    fn from(approval: Approval) -> Self {
        Self {
            id: approval.id.into(),
            session_id: approval.session_id.into(),
            event_id: approval.timeline_event_id.into(),
            server_name: approval.server_name,
            tool_name: approval.tool_name,
            arguments: approval.tool_arguments,
            reason: approval.reason,
            requested_at: approval.requested_at,
            expires_at: approval.expires_at,
            decision: approval.decision.map(ApprovalDecision::as_str),
            decided_by: approval.decided_by,
            decided_with: approval.decided_with.map(Identification::as_str),
        }
    }
}

/// A tool call that waits, with the alert of its session.
#[derive(Debug, Serialize, ToSchema)]
struct OpenApprovalView {
    #[serde(flatten)]
    approval: ApprovalView,
    /// What the call is meant to do, how that is checked afterwards, and how it is taken back; none of a call of an agent that
    /// is not of type `action`. A model wrote it.
    action: Option<ActionPlan>,
    dry_run: Option<DryRun>,
    /// The first text that the session was given and that addresses a model: the call may have been asked for by it.
    injected: Option<InjectedView>,
    /// The alert in one line.
    title: Option<String>,
    alert_type: Option<String>,
    severity: Option<String>,
    service: Option<String>,
    namespace: Option<String>,
    cluster: Option<String>,
}

impl From<OpenApproval> for OpenApprovalView {
    fn from(open: OpenApproval) -> Self {
        Self {
            approval: open.approval.into(),
            action: open.plan,
            dry_run: open.dry_run,
            injected: open.injected.map(Into::into),
            title: open.title,
            alert_type: open.alert_type,
            severity: open.severity,
            service: open.service,
            namespace: open.namespace,
            cluster: open.cluster,
        }
    }
}

/// A line that addresses a model.
#[derive(Debug, Serialize, ToSchema)]
struct InjectedView {
    /// The number of the call whose result has it; none if the alert has it.
    call: Option<i64>,
    /// At most 300 characters.
    text: String,
}

impl From<InjectedLine> for InjectedView {
    fn from(line: InjectedLine) -> Self {
        Self { call: line.call, text: line.text }
    }
}

/// The tool calls that wait for a decision.
#[derive(Debug, Serialize, ToSchema)]
struct Approvals {
    /// The oldest first.
    approvals: Vec<OpenApprovalView>,
}

/// The tool calls of all sessions that wait for a decision.
#[utoipa::path(
    get, path = "/approvals", tag = "approvals", operation_id = "list_approvals",
    responses((status = 200, description = "What waits, the oldest first", body = Approvals))
)]
#[tracing::instrument(name = "http.approval.list", skip_all)]
async fn list(State(app): State<AppState>) -> Result<Json<Approvals>, Problem> {
    let approvals = app.store.list_open_approvals(MAX_LISTED).await?;
    Ok(Json(Approvals { approvals: approvals.into_iter().map(Into::into).collect() }))
}

/// The approval that a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct OfApproval {
    pub(super) id: SessionId,
    pub(super) approval_id: ApprovalId,
}

/// Why a decision does not count.
#[derive(Debug)]
pub(super) enum NotDecided {
    /// Somebody decided before, or the time is over; which of them.
    Closed(String),
    /// The session has no such approval.
    NotFound(String),
    Failed(tarsy_store::Error),
}

impl From<NotDecided> for Problem {
    fn from(reason: NotDecided) -> Self {
        match reason {
            NotDecided::Closed(detail) => Self::new(Code::Conflict, detail),
            NotDecided::NotFound(detail) => Self::not_found(detail),
            NotDecided::Failed(error) => error.into(),
        }
    }
}

/// Decides for a sender that may: over REST, or with a button in Slack. The first decision counts.
pub(super) async fn decide_as(
    app: &AppState,
    principal: &Principal,
    of: OfApproval,
    decision: ApprovalDecision,
) -> Result<Approval, NotDecided> {
    let (session, id) = (of.id, of.approval_id);
    let decider = Decider { name: &principal.name, with: principal.credential.kind() };
    let outcome = app.store.decide_approval(session, id, decision, decider).await;
    match outcome.map_err(NotDecided::Failed)? {
        DecideOutcome::Decided(approval) => {
            app.notices.send(Notice::ApprovalDecided(session));
            Ok(approval)
        }
        DecideOutcome::Closed(approval) => {
            Err(NotDecided::Closed(match (approval.decision, approval.decided_by) {
                (Some(decision), Some(by)) => format!("it is {decision} already, by {by}"),
                _ => "the time for a decision is over: the call was not made".to_owned(),
            }))
        }
        DecideOutcome::NotFound => {
            Err(NotDecided::NotFound(format!("the session {session} has no approval {id}")))
        }
    }
}

/// A decision about a tool call.
#[derive(Debug, Deserialize, ToSchema)]
struct Decision {
    /// `approve` or `deny`.
    decision: String,
}

/// Approves or denies a tool call that waits. The first decision counts.
#[utoipa::path(
    post, path = "/sessions/{id}/approvals/{approval_id}", tag = "approvals",
    operation_id = "decide_approval",
    params(
        ("id" = Uuid, Path, description = "The session"),
        ("approval_id" = Uuid, Path, description = "The approval"),
    ),
    request_body = Decision,
    responses(
        (status = 200, description = "The decision counts", body = ApprovalView),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "The session has no such approval", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "It was decided before, or too late", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.approval.decide", skip_all, fields(session.id = %path.id))]
async fn decide(
    State(app): State<AppState>,
    principal: Principal,
    Path(path): Path<OfApproval>,
    Json(body): Json<Value>,
) -> Result<(Extension<Option<DecidedCall>>, Json<ApprovalView>), Problem> {
    let decision = read(body).map_err(|error| Problem::invalid(vec![error]))?;
    let approval = decide_as(&app, &principal, path, decision).await?;
    Ok((Extension(audited(&approval)), Json(approval.into())))
}

/// What the audit log keeps of it; none of a call that nobody decided.
pub(super) fn audited(approval: &Approval) -> Option<DecidedCall> {
    Some(DecidedCall {
        approval_id: approval.id.into(),
        tool: format!("{}.{}", approval.server_name, approval.tool_name),
        decision: approval.decision?,
    })
}

fn read(body: Value) -> Result<ApprovalDecision, FieldError> {
    let wrong = || FieldError::new("decision", "write approve or deny");
    let Decision { decision } = serde_json::from_value(body).map_err(|_| wrong())?;
    match decision.as_str() {
        "approve" => Ok(ApprovalDecision::Approved),
        "deny" => Ok(ApprovalDecision::Denied),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_decision_is_approve_or_deny() {
        assert_eq!(read(json!({"decision": "approve"})).unwrap(), ApprovalDecision::Approved);
        assert_eq!(read(json!({"decision": "deny"})).unwrap(), ApprovalDecision::Denied);
        for wrong in [json!({"decision": "expired"}), json!({}), json!([]), json!("approve")] {
            assert_eq!(read(wrong).unwrap_err().field, "decision");
        }
    }
}
