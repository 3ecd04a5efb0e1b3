//! Deletion of a session by a person, and what is answered about it afterwards.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, Uri};
use serde::{Deserialize, Serialize};
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_store::DeleteOutcome;
use tarsy_web::{FieldError, Json, Path, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::copies;
use crate::http::alias::session_path;
use crate::http::sessions::{OfSession, unknown};
use crate::metrics;
use crate::state::AppState;

/// The most characters of a reason, as the table limits it.
pub(super) const MAX_REASON: usize = 500;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(delete))
}

/// Why it is deleted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Reason {
    /// For whoever looks for the session later: 1 to 500 characters, masked like an alert. Names nothing of what is secret.
    #[param(required = true, min_length = 1, max_length = 500)]
    reason: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Deleted {
    /// The session, and its replays.
    deleted_sessions: Vec<Uuid>,
}

/// Deletes a session that has ended, and its replays, for good.
#[utoipa::path(
    delete, path = "/sessions/{id}", tag = "sessions", operation_id = "delete_session",
    params(("id" = Uuid, Path, description = "The session"), Reason),
    responses(
        (status = 200, description = "It is deleted, with all that belongs to it", body = Deleted),
        (status = 400, description = "The reason is missing or too long", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "It, or a replay of it, has not ended, or is being asked about", body = Problem,
         content_type = "application/problem+json"),
        (status = 410, description = "It was deleted before: by whom, when and why", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.delete", skip_all, fields(session.id = %path.id))]
async fn delete(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    principal: Principal,
    Query(query): Query<Reason>,
) -> Result<Json<Deleted>, Problem> {
    let reason =
        read_reason(query.reason.as_deref()).map_err(|error| Problem::invalid(vec![error]))?;
    let reason: String = app.masker.mask(reason)?.chars().take(MAX_REASON).collect();
    match app.store.delete_session(path.id, &principal.name, &reason).await? {
        DeleteOutcome::Deleted(sessions) => {
            metrics::sessions_deleted(sessions.len());
            copies::remove_at_once(&app, &sessions).await;
            let deleted_sessions = sessions.iter().map(|session| session.uuid()).collect();
            Ok(Json(Deleted { deleted_sessions }))
        }
        DeleteOutcome::Running(session) => Err(open(path.id, session, "has not ended")),
        DeleteOutcome::Answering(session) => Err(open(path.id, session, "is being asked about")),
        DeleteOutcome::NotFound => Err(unknown(path.id)),
    }
}

/// The session is still worked on, or a replay of it is.
fn open(wanted: SessionId, session: SessionId, state: &str) -> Problem {
    let which = if wanted == session { "the session" } else { "its replay" };
    let detail = format!(
        "{which} {state}; cancel it first with POST /api/v1/sessions/{session}/cancel or `tarsy cancel {session}`"
    );
    Problem::new(Code::Conflict, detail)
}

/// A reason as it is stored, before it is masked.
pub(super) fn read_reason(given: Option<&str>) -> Result<String, FieldError> {
    let reason = given.unwrap_or_default().trim();
    let wrong = |message: String| Err(FieldError::new("reason", message));
    match reason.chars().count() {
        0 => wrong("is missing; write why, for whoever looks for what was there".to_owned()),
        1..=MAX_REASON if reason.chars().any(char::is_control) => {
            wrong("has a control character; write one line".to_owned())
        }
        1..=MAX_REASON => Ok(reason.to_owned()),
        _ => wrong(format!("is longer than {MAX_REASON} characters; shorten it")),
    }
}

/// Answers 410 with who, when and why instead of 404 if the path names a session that a person deleted.
pub(super) async fn explain(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let response = next.run(request).await;
    if response.status() != StatusCode::NOT_FOUND {
        return response;
    }
    match deleted(&app, &uri).await {
        Some(problem) => problem.into_response(),
        None => response,
    }
}

async fn deleted(app: &AppState, uri: &Uri) -> Option<Problem> {
    let (id, _) = session_path(uri)?;
    let found = app.store.find_deleted_session(id).await.ok()??;
    Some(Problem::gone(format!(
        "the session was deleted by {} on {}: {}",
        found.deleted_by,
        found.deleted_at.strftime("%F %T UTC"),
        found.reason
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_of_a_bounded_length() {
        assert_eq!(read_reason(Some(" leaked a password ")).unwrap(), "leaked a password");
        let long = "x".repeat(MAX_REASON + 1);
        for wrong in [None, Some(" "), Some("two\nlines"), Some(long.as_str())] {
            assert_eq!(read_reason(wrong).unwrap_err().field, "reason", "{wrong:?}");
        }
    }
}
