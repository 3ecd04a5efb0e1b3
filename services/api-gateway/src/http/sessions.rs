//! Sessions: lists, one of them, its numbers, and its cancellation.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tarsy_contracts::session::{
    ActiveSessions, FilterOptions, SessionDetail, SessionItem, SessionStatusRow,
};
use tarsy_contracts::session_summary::SessionSummary;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{CancelOutcome, REACHABLE_SESSIONS};
use tarsy_web::{Json, Pagination, Path, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::http::list_query::ListQuery;
use crate::metrics;
use crate::notices::Notice;
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(active))
        .routes(routes!(filter_options))
        .routes(routes!(detail))
        .routes(routes!(summary))
        .routes(routes!(status))
        .routes(routes!(cancel))
}

/// The session that a path names.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct OfSession {
    pub(super) id: SessionId,
}

/// There is no such session.
pub(super) fn unknown(id: SessionId) -> Problem {
    Problem::not_found(format!("there is no session {id}"))
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub(super) struct Page {
    pub(super) sessions: Vec<SessionItem>,
    /// Where the page stands.
    pub(super) pagination: Pagination,
}

/// Sessions, page by page.
#[utoipa::path(
    get, path = "/sessions", tag = "sessions", operation_id = "list_sessions",
    params(ListQuery),
    responses(
        (status = 200, description = "A page", body = Page),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.list", skip_all)]
async fn list(
    State(app): State<AppState>,
    principal: Principal,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page>, Problem> {
    let query = query.read(&principal.name)?;
    let (page, page_size) = (query.page, query.page_size);
    let found = app.store.list_sessions(query).await?;
    let pagination = Pagination::new(page, page_size, found.total_items, REACHABLE_SESSIONS);
    Ok(Json(Page { sessions: found.items, pagination }))
}

/// Running and queued sessions.
#[utoipa::path(
    get, path = "/sessions/active", tag = "sessions", operation_id = "active_sessions",
    responses((status = 200, description = "Running and queued sessions", body = ActiveSessions))
)]
#[tracing::instrument(name = "http.session.active", skip_all)]
async fn active(State(app): State<AppState>) -> Result<Json<ActiveSessions>, Problem> {
    Ok(Json(app.store.list_active_sessions().await?))
}

/// The values that occur in sessions, for filters.
#[utoipa::path(
    get, path = "/sessions/filter-options", tag = "sessions", operation_id = "filter_options",
    responses((status = 200, description = "Values seen", body = FilterOptions))
)]
#[tracing::instrument(name = "http.session.filter_options", skip_all)]
async fn filter_options(State(app): State<AppState>) -> Result<Json<FilterOptions>, Problem> {
    Ok(Json(app.store.list_filter_options().await?))
}

/// One session with its stages.
#[utoipa::path(
    get, path = "/sessions/{id}", tag = "sessions", operation_id = "get_session",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "The session", body = SessionDetail),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.get", skip_all, fields(session.id = %path.id))]
async fn detail(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<SessionDetail>, Problem> {
    let found = app.store.find_session_detail(path.id).await?;
    Ok(Json(found.ok_or_else(|| unknown(path.id))?))
}

/// One session in numbers, with its texts.
#[utoipa::path(
    get, path = "/sessions/{id}/summary", tag = "sessions", operation_id = "session_summary",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "Its numbers and texts", body = SessionSummary),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.summary", skip_all, fields(session.id = %path.id))]
async fn summary(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<SessionSummary>, Problem> {
    let found = app.store.find_session_summary(path.id).await?;
    Ok(Json(found.ok_or_else(|| unknown(path.id))?))
}

/// How far one session has come; light enough for polling.
#[utoipa::path(
    get, path = "/sessions/{id}/status", tag = "sessions", operation_id = "session_status",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "How far it has come", body = SessionStatusRow),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.status", skip_all, fields(session.id = %path.id))]
async fn status(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<SessionStatusRow>, Problem> {
    let found = app.store.find_session_status(path.id).await?;
    Ok(Json(found.ok_or_else(|| unknown(path.id))?))
}

/// A requested cancellation.
#[derive(Debug, Serialize, ToSchema)]
struct Cancelled {
    session_id: Uuid,
    /// One sentence for a person.
    message: &'static str,
}

/// Cancels a session that is not over, or the question that is being answered about it.
#[utoipa::path(
    post, path = "/sessions/{id}/cancel", tag = "sessions", operation_id = "cancel_session",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "It is cancelled, or its owner stops it", body = Cancelled),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "Nothing to cancel", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.cancel", skip_all, fields(session.id = %path.id))]
async fn cancel(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<Cancelled>, Problem> {
    let id = path.id;
    let message = match app.store.request_cancel(id).await? {
        CancelOutcome::NotFound => return Err(unknown(id)),
        CancelOutcome::NothingToCancel(status) => {
            metrics::cancel("nothing_to_cancel");
            let detail = format!("nothing to cancel: the session is {status} already");
            return Err(Problem::new(Code::Conflict, detail));
        }
        CancelOutcome::Cancelled { events } => {
            metrics::cancel("cancelled");
            app.publisher.publish(events);
            app.notices.send(Notice::Status(id, SessionStatus::Cancelled));
            "the session was pending and is cancelled"
        }
        CancelOutcome::Cancelling { events } => {
            metrics::cancel("cancelling");
            if !events.is_empty() {
                app.publisher.publish(events);
                app.notices.send(Notice::Status(id, SessionStatus::Cancelling));
            }
            app.notices.send(Notice::CancelRequested(id));
            "the session is being cancelled"
        }
        CancelOutcome::ChatCancelled { events } => {
            metrics::cancel("chat_cancelled");
            app.publisher.publish(events);
            "the question was pending and is cancelled"
        }
        CancelOutcome::ChatCancelling => {
            metrics::cancel("chat_cancelling");
            app.notices.send(Notice::CancelRequested(id));
            "the answer is being cancelled"
        }
    };
    Ok(Json(Cancelled { session_id: id.uuid(), message }))
}
