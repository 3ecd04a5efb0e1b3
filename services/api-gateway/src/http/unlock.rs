//! Gives a browser what identifies it in mode `local`, for the token of the start.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::header;
use serde::Serialize;
use tarsy_domain::code::Code;
use tarsy_web::{Json, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::{Credential, Principal};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(unlock))
}

/// What a page keeps.
#[derive(Debug, Serialize, ToSchema)]
struct Unlocked {
    /// What every request of the page carries as `X-CSRF-Token`, beside the cookie.
    csrf_token: String,
}

/// Takes the token of the start as `Authorization: Bearer`, and answers with a cookie and a key: a browser that sends both
/// may do everything.
#[utoipa::path(
    post, path = "/unlock", tag = "access", operation_id = "unlock",
    responses(
        (status = 200, description = "The key; the cookie is set", body = Unlocked),
        (status = 409, description = "The request does not carry the token of the start", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.unlock", skip_all)]
async fn unlock(State(app): State<AppState>, principal: Principal) -> Result<Response, Problem> {
    let (Credential::LocalToken, Some(token)) =
        (&principal.credential, app.authenticator.local_token())
    else {
        let detail =
            "the request does not carry the token of the start, which counts in mode local";
        return Err(Problem::new(Code::Conflict, detail));
    };
    let csrf_token = token.page_key().as_str().to_owned();
    let cookie = app.authenticator.cookies().local(token.cookie());
    let mut response =
        ([(header::CACHE_CONTROL, "no-store")], Json(Unlocked { csrf_token })).into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
