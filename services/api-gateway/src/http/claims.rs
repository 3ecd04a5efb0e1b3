//! What the checks of a session's texts found.

use axum::extract::State;
use tarsy_contracts::claim::ClaimChecks;
use tarsy_web::{Json, Path, Problem};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::sessions::{OfSession, unknown};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(claims))
}

/// The claims of a session's texts, and which of them the results of tool calls show.
#[utoipa::path(
    get, path = "/sessions/{id}/claims", tag = "sessions", operation_id = "session_claims",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "The checks of its texts, at most the newest 200", body = ClaimChecks),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.session.claims", skip_all, fields(session.id = %path.id))]
async fn claims(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<ClaimChecks>, Problem> {
    app.store.find_session_status(path.id).await?.ok_or_else(|| unknown(path.id))?;
    Ok(Json(app.store.list_claim_checks(path.id).await?))
}
