//! The audit log.

use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tarsy_domain::action::ActionOutcome;
use tarsy_store::AuditEntry;
use tarsy_web::{Json, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::http::params::AuditFilter;
use crate::http::permissions;
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// An entry of the audit log.
#[derive(Debug, Serialize, ToSchema)]
struct EntryView {
    id: Uuid,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// The user or the token's name; `anonymous` where nobody was identified.
    principal: String,
    /// How they were identified: `local`, `proxy`, `sign_in:ID`, `oidc_token`, `token:ID`, or `none`.
    credential: String,
    client_address: Option<String>,
    action: String,
    object: Option<String>,
    /// `allowed`, `denied` or `failed`.
    outcome: String,
    /// The HTTP status of the response.
    status: i16,
    /// Finds the request in the logs.
    request_id: Option<String>,
    /// How many requests it stands for, of which the first is described. More than one only where nobody was identified: such
    /// requests of one address are counted for a minute.
    count: i64,
    session_id: Option<Uuid>,
    /// Title of that session, or its alert type; none once it is deleted.
    session_title: Option<String>,
    /// The decision about a tool call that the request made.
    decided: Option<DecidedView>,
    /// What became of an action: `worked`, `did_not_work` or `unknown`. `principal` approved its call, `object` is its tool.
    action_outcome: Option<&'static str>,
    /// What the check of that action read before and after it; none once the session is deleted.
    action_values: Option<ActionValuesView>,
}

/// The values that the check of an action found.
#[derive(Debug, Serialize, ToSchema)]
struct ActionValuesView {
    before: Option<String>,
    after: Option<String>,
}

/// A decision about a tool call.
#[derive(Debug, Serialize, ToSchema)]
struct DecidedView {
    approval_id: Uuid,
    /// `server.tool`.
    tool: String,
    /// `approved` or `denied`.
    decision: &'static str,
    /// What the tool was to be called with; none once the session is deleted.
    arguments: Option<Value>,
    /// The timeline event that shows the call; none once the session is deleted.
    event_id: Option<Uuid>,
}

impl From<AuditEntry> for EntryView {
    fn from(entry: AuditEntry) -> Self {
        Self {
            id: entry.id,
            created_at: entry.created_at,
            principal: entry.principal,
            credential: entry.credential,
            client_address: entry.client_address,
            action: entry.action,
            object: entry.object,
            outcome: entry.outcome,
            status: entry.status,
            request_id: entry.request_id,
            count: entry.count,
            session_id: entry.session_id,
            session_title: entry.session_title,
            decided: entry.decided.map(|call| DecidedView {
                approval_id: call.approval_id,
                tool: call.tool,
                decision: call.decision.as_str(),
                arguments: entry.arguments,
                event_id: entry.event_id,
            }),
            action_outcome: entry.action_outcome.map(ActionOutcome::as_str),
            action_values: entry
                .action_values
                .map(|values| ActionValuesView { before: values.before, after: values.after }),
        }
    }
}

/// A part of the audit log.
#[derive(Debug, Serialize, ToSchema)]
struct Entries {
    /// The newest first.
    entries: Vec<EntryView>,
    /// The actions that a filter may name, in alphabetical order.
    actions: Vec<&'static str>,
}

/// Entries of the audit log, the newest first.
#[utoipa::path(
    get, path = "/audit-log", tag = "access", operation_id = "audit_log",
    params(AuditFilter),
    responses(
        (status = 200, description = "Entries", body = Entries),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.audit_log.list", skip_all)]
async fn list(
    State(app): State<AppState>,
    Query(filter): Query<AuditFilter>,
) -> Result<Json<Entries>, Problem> {
    let entries = app.store.list_audit_entries(&filter.read()?).await?;
    let entries = entries.into_iter().map(EntryView::from).collect();
    Ok(Json(Entries { entries, actions: permissions::actions() }))
}
