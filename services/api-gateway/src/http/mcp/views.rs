//! What callers of tools get to know of sessions: what a reader needs, without the bookkeeping of the API.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use tarsy_contracts::claim::ClaimCounts;
use tarsy_contracts::failure::FailureView;
use tarsy_contracts::finding::FindingSummary;
use tarsy_contracts::search::SearchHit;
use tarsy_contracts::session::{FailingTool, SessionDetail, SessionItem, StageDetail};
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_domain::status::SessionStatus;
use tarsy_domain::triage::Triage;
use tarsy_domain::verdict::{Verdict, VerdictFailure};

/// A session in a line.
#[derive(Serialize)]
pub(super) struct Item<'a> {
    session_id: SessionId,
    title: Option<&'a str>,
    alert_type: Option<&'a str>,
    severity: Option<&'a str>,
    service: Option<&'a str>,
    namespace: Option<&'a str>,
    cluster: Option<&'a str>,
    status: SessionStatus,
    waiting_for_approval: bool,
    started_by: Option<&'a str>,
    created_at: Timestamp,
    completed_at: Option<Timestamp>,
    finding: Option<&'a FindingSummary>,
    summary: Option<&'a str>,
    /// Why the finding needs one.
    needs_second_look: &'a [DegradedReason],
    review: Option<Review>,
    /// The state of work of people on it.
    triage: Triage,
    assignee: Option<&'a str>,
    earlier_of_same_alert: i64,
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a FailureView>,
    page: String,
}

pub(super) fn item(session: &SessionItem, page: String) -> Item<'_> {
    Item {
        session_id: session.id,
        title: session.title.as_deref(),
        alert_type: session.alert_type.as_deref(),
        severity: session.severity.as_deref(),
        service: session.service.as_deref(),
        namespace: session.namespace.as_deref(),
        cluster: session.cluster.as_deref(),
        status: session.status,
        waiting_for_approval: session.waiting_for_approval,
        started_by: session.author.as_deref(),
        created_at: session.created_at,
        completed_at: session.completed_at,
        finding: session.finding.as_ref(),
        summary: session.executive_summary.as_deref(),
        needs_second_look: &session.degraded_reasons,
        review: session.review,
        triage: session.triage,
        assignee: session.assignee.as_deref(),
        earlier_of_same_alert: session.earlier_sessions.count,
        error: session.error_message.as_deref(),
        failure: session.failure.as_ref(),
        page,
    }
}

/// A session, with the texts in which the words of a search occur.
#[derive(Serialize)]
pub(super) struct Hit<'a> {
    #[serde(flatten)]
    session: Item<'a>,
    matches: Vec<Match<'a>>,
}

#[derive(Serialize)]
struct Match<'a> {
    #[serde(rename = "in")]
    kind: &'a str,
    text: &'a str,
}

pub(super) fn hit(hit: &SearchHit, page: String) -> Hit<'_> {
    let matches = hit.matches.iter().map(|one| Match { kind: &one.kind, text: &one.excerpt });
    Hit { session: item(&hit.session, page), matches: matches.collect() }
}

/// How far a session is.
pub(super) fn status(session: &SessionDetail, page: &str) -> Value {
    let item = &session.item;
    json!({
        "session_id": item.id,
        "status": item.status,
        "ended": item.status.is_terminal(),
        "waiting_for_approval": item.waiting_for_approval,
        "stages": session.stages.iter().map(stage).collect::<Vec<_>>(),
        "total_stages": item.total_stages,
        "tool_calls": item.mcp_interaction_count,
        "error": item.error_message,
        "failure": item.failure,
        "page": page,
    })
}

fn stage(stage: &StageDetail) -> Value {
    let agents: Vec<_> = stage
        .executions
        .iter()
        .map(|one| {
            json!({ "agent": one.agent_name, "status": one.status, "error": one.error_message, "failure": one.failure })
        })
        .collect();
    json!({ "name": stage.stage_name, "status": stage.status, "agents": agents })
}

/// What a session found.
#[derive(Serialize)]
pub(super) struct Findings<'a> {
    #[serde(flatten)]
    session: Item<'a>,
    ended: bool,
    verdict: Option<&'a Verdict>,
    no_verdict_because: Option<VerdictFailure>,
    analysis: Option<&'a str>,
    claims: Option<&'a ClaimCounts>,
    tools_that_always_failed: &'a [FailingTool],
}

pub(super) fn findings(session: &SessionDetail, page: String) -> Findings<'_> {
    Findings {
        ended: session.item.status.is_terminal(),
        verdict: session.verdict.as_ref(),
        no_verdict_because: session.verdict_failure,
        analysis: session.final_analysis.as_deref(),
        claims: session.item.claims.as_ref(),
        tools_that_always_failed: &session.failed_tools,
        session: item(&session.item, page),
    }
}
