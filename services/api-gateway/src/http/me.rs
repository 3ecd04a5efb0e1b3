//! The sender of the request, as this server identifies it.

use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use strum::IntoEnumIterator as _;
use tarsy_domain::access::{Grant, Permission};
use tarsy_web::{Json, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::{Credential, Principal};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(me))
}

/// The sender of a request.
#[derive(Debug, Serialize, ToSchema)]
struct Me {
    /// The user, or the name of the API token.
    name: String,
    /// The role; none for an alert source, and in mode `local` for a sender without the token of the start.
    role: Option<&'static str>,
    /// What the sender may do.
    permissions: Vec<&'static str>,
    /// How people are identified: `local`, `proxy` or `oidc`.
    mode: &'static str,
    /// When the sender stops to be accepted; none for a sender who does not expire.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// What every change must carry as `X-CSRF-Token`; none for a sender who did not sign in.
    csrf_token: Option<String>,
    /// Whether this server accepts requests from other machines without identifying their sender.
    insecure: bool,
}

/// Who the sender is, and what they may do.
#[utoipa::path(
    get, path = "/me", tag = "access", operation_id = "me",
    responses(
        (status = 200, description = "The sender", body = Me),
        (status = 401, description = "The sender is not identified", body = Problem,
         content_type = "application/problem+json"),
    )
)]
async fn me(State(app): State<AppState>, principal: Principal) -> Json<Me> {
    let role = match principal.grant {
        _ if principal.credential == Credential::Local => None,
        Grant::Role(role) => Some(role.as_str()),
        Grant::Source { .. } => None,
    };
    let allowed = Permission::iter().filter(|permission| principal.may(*permission));
    Json(Me {
        role,
        permissions: allowed.map(Permission::as_str).collect(),
        expires_at: principal.expires_at(),
        csrf_token: principal.csrf_token().map(|token| token.as_str().to_owned()),
        name: principal.name,
        mode: app.authenticator.mode().as_str(),
        insecure: app.insecure,
    })
}
