//! Who is signed in.

use axum::extract::State;
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_store::SignIn;
use tarsy_web::{Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::state::AppState;

/// The most sign-ins that are listed.
const MAX_LISTED: i64 = 1_000;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(revoke))
}

#[derive(Debug, Serialize, ToSchema)]
struct SignInView {
    id: Uuid,
    user_name: String,
    /// The user's groups at the issuer when they signed in.
    groups: Vec<String>,
    client_address: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// To the minute.
    #[schema(value_type = String, format = DateTime)]
    last_used_at: Timestamp,
}

impl From<SignIn> for SignInView {
    fn from(sign_in: SignIn) -> Self {
        Self {
            id: sign_in.id,
            user_name: sign_in.user_name,
            groups: sign_in.groups,
            client_address: sign_in.client_address,
            created_at: sign_in.created_at,
            expires_at: sign_in.expires_at,
            last_used_at: sign_in.last_used_at,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct SignIns {
    /// The newest first.
    sign_ins: Vec<SignInView>,
}

/// The sign-ins that are valid.
#[utoipa::path(
    get, path = "/sign-ins", tag = "access", operation_id = "list_sign_ins",
    responses((status = 200, description = "The sign-ins, the newest first", body = SignIns))
)]
#[tracing::instrument(name = "http.sign_in.list", skip_all)]
async fn list(State(app): State<AppState>) -> Result<Json<SignIns>, Problem> {
    let found = app.store.list_sign_ins(MAX_LISTED).await?;
    Ok(Json(SignIns { sign_ins: found.into_iter().map(SignInView::from).collect() }))
}

/// Ends a sign-in; within seconds its requests are refused and its WebSockets are closed.
#[utoipa::path(
    delete, path = "/sign-ins/{id}", tag = "access", operation_id = "revoke_sign_in",
    params(("id" = Uuid, Path, description = "The sign-in")),
    responses(
        (status = 204, description = "It is ended"),
        (status = 404, description = "No sign-in that is valid has this id", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.sign_in.revoke", skip_all)]
async fn revoke(
    State(app): State<AppState>,
    Path(path): Path<OfSignIn>,
) -> Result<StatusCode, Problem> {
    match app.authenticator.revoke(path.id).await? {
        Some(_) => Ok(StatusCode::NO_CONTENT),
        None => Err(Problem::not_found(format!("no sign-in that is valid has the id {}", path.id))),
    }
}

/// The sign-in that a path names.
#[derive(Clone, Copy, Debug, Deserialize)]
struct OfSignIn {
    id: Uuid,
}
