//! What happened in a session, in order.

use axum::extract::State;
use tarsy_contracts::timeline::TimelineEvent;
use tarsy_web::{Json, Path, Problem, Query};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::params::Part;
use crate::http::sessions::{OfSession, unknown};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(timeline))
}

/// All timeline events of a session, in its order.
#[utoipa::path(
    get, path = "/sessions/{id}/timeline", tag = "sessions", operation_id = "session_timeline",
    params(("id" = Uuid, Path, description = "The session"), Part),
    responses(
        (status = 200, description = "Its timeline", body = Vec<TimelineEvent>),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.timeline", skip_all, fields(session.id = %path.id))]
async fn timeline(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    Query(part): Query<Part>,
) -> Result<Json<Vec<TimelineEvent>>, Problem> {
    let (after, limit) = part.read()?;
    app.store.find_session_status(path.id).await?.ok_or_else(|| unknown(path.id))?;
    let events = app.store.list_timeline(path.id, after, limit).await?;
    Ok(Json(events))
}
