//! Signing in with OpenID Connect, and signing out.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use tarsy_domain::code::Code;
use tarsy_store::{NewSignIn, secret};
use tarsy_web::{FieldError, Problem, Query};
use url::form_urlencoded;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::{CookieKind, Credential, Identity, Oidc, OidcError, Principal, SignInAttempt};
use crate::http::audit_entry::{Entry, client_address};
use crate::http::params::{SignInAnswer, SignInStart};
use crate::state::AppState;

/// The dashboard's page that says why nobody is signed in.
const PAGE: &str = "/sign-in";

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(begin)).routes(routes!(complete)).routes(routes!(sign_out))
}

/// Why nobody is signed in, as the dashboard's page is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// The attempt took too long, was made by another browser, or is over.
    Attempt,
    /// The issuer, or the person there, refused.
    Denied,
    /// The code or the ID token is not accepted.
    Failed,
    /// None of the user's groups has a role.
    NoRole,
    /// The issuer or the database does not answer.
    Unavailable,
}

impl Refusal {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Attempt => "attempt",
            Self::Denied => "denied",
            Self::Failed => "failed",
            Self::NoRole => "no_role",
            Self::Unavailable => "unavailable",
        }
    }

    /// The status that the audit log has; the browser is redirected.
    const fn status(self) -> StatusCode {
        match self {
            Self::Attempt | Self::Denied | Self::Failed => StatusCode::UNAUTHORIZED,
            Self::NoRole => StatusCode::FORBIDDEN,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl From<OidcError> for Refusal {
    fn from(error: OidcError) -> Self {
        tracing::warn!(error = %tarsy_telemetry::chain(&error), "nobody was signed in");
        if error.is_unavailable() { Self::Unavailable } else { Self::Failed }
    }
}

fn oidc(app: &AppState) -> Result<&Oidc, Problem> {
    app.authenticator
        .oidc()
        .ok_or_else(|| Problem::not_found("nobody signs in here: system.access.mode is not oidc"))
}

/// Begins a sign-in: sends the browser to the issuer.
#[utoipa::path(
    get, path = "/sign-in", tag = "access", operation_id = "sign_in",
    params(SignInStart),
    responses(
        (status = 303, description = "To the issuer, or to the page that says why that is not possible"),
        (status = 400, description = "A bad path to return to", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "Nobody signs in here: the mode is not `oidc`", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.sign_in.begin", skip_all)]
async fn begin(
    State(app): State<AppState>,
    Query(query): Query<SignInStart>,
) -> Result<Response, Problem> {
    let oidc = oidc(&app)?;
    let return_to = query.return_to.unwrap_or_else(|| "/".to_owned());
    if !SignInAttempt::returns_to(&return_to) {
        let message = "must be the path of a page of this server, such as /sessions";
        return Err(Problem::invalid(vec![FieldError::new("return_to", message)]));
    }
    let attempt = SignInAttempt::new(return_to)
        .ok_or_else(|| Problem::new(Code::Unavailable, "the system has no randomness"))?;
    match oidc.authorization_url(&attempt).await {
        Ok(url) => {
            let cookie = app.authenticator.cookies().attempt(&attempt.cookie());
            Ok(redirect(url.as_str(), [cookie]))
        }
        Err(error) => Ok(refused(&app, Refusal::from(error), attempt.return_to())),
    }
}

/// Completes a sign-in: the issuer sends the browser here.
#[utoipa::path(
    get, path = "/sign-in/callback", tag = "access", operation_id = "complete_sign_in",
    params(SignInAnswer),
    responses(
        (status = 303, description = "To the page to return to, or to the one that says why nobody is signed in"),
        (status = 404, description = "Nobody signs in here: the mode is not `oidc`", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.sign_in.complete", skip_all)]
async fn complete(
    State(app): State<AppState>,
    Query(query): Query<SignInAnswer>,
    parts: Parts,
) -> Result<Response, Problem> {
    let oidc = oidc(&app)?;
    let cookie = app.authenticator.cookies().read(&parts.headers, CookieKind::Attempt);
    let attempt = cookie.as_deref().and_then(SignInAttempt::from_cookie);
    let return_to = attempt.as_ref().map_or("/", SignInAttempt::return_to).to_owned();
    let identity = match attempt {
        Some(attempt) => identify(oidc, &query, &attempt).await,
        None => Err(Refusal::Attempt),
    };
    let user = identity.as_ref().ok().map(|identity| identity.name.clone());
    let place = app.audit.reserve().await?;
    let signed_in = match identity {
        Ok(identity) => store(&app, oidc, identity, &parts).await,
        Err(refusal) => Err(refusal),
    };
    let entry = Entry::of("sign_in", &parts);
    match signed_in {
        Ok((principal, cookie)) => {
            place.add(entry.build(Some(&principal), StatusCode::SEE_OTHER));
            let over = app.authenticator.cookies().delete(CookieKind::Attempt);
            Ok(redirect(&return_to, [cookie, over]))
        }
        Err(refusal) => {
            let about = entry.about(format!("{} {}", parts.uri.path(), refusal.as_str()));
            let is_identified = user.is_some();
            let entry = about.build_for_user(user, refusal.status());
            if is_identified {
                place.add(entry);
            } else {
                app.audit.add_anonymous(entry);
            }
            Ok(refused(&app, refusal, &return_to))
        }
    }
}

async fn identify(
    oidc: &Oidc,
    query: &SignInAnswer,
    attempt: &SignInAttempt,
) -> Result<Identity, Refusal> {
    let state = query.state.as_deref().unwrap_or_default();
    if !secret::is_same(state, &attempt.state()) {
        return Err(Refusal::Attempt);
    }
    match (&query.code, &query.error) {
        (Some(code), None) => Ok(oidc.redeem(code, attempt).await?),
        _ => Err(Refusal::Denied),
    }
}

/// Stores the sign-in of a user who has a role; the principal, and the cookie that names the sign-in.
async fn store(
    app: &AppState,
    oidc: &Oidc,
    identity: Identity,
    parts: &Parts,
) -> Result<(Principal, Option<HeaderValue>), Refusal> {
    app.authenticator.role_of(&identity.groups).map_err(|_| Refusal::NoRole)?;
    let text = secret::random_text().ok_or(Refusal::Unavailable)?;
    let new = NewSignIn {
        cookie_hash: secret::hash(&text),
        user_name: identity.name,
        groups: identity.groups,
        client_address: client_address(parts),
        lifetime: oidc.lifetime(),
    };
    let stored = app.store.insert_sign_in(new).await.map_err(|error| {
        tracing::warn!(error = %tarsy_telemetry::chain(&error), "could not store a sign-in");
        Refusal::Unavailable
    })?;
    let principal = app.authenticator.signed_in(stored, &text).map_err(|_| Refusal::NoRole)?;
    Ok((principal, app.authenticator.cookies().sign_in(&text, oidc.lifetime())))
}

/// Ends the sign-in that the request carries.
#[utoipa::path(
    post, path = "/sign-out", tag = "access", operation_id = "sign_out",
    responses(
        (status = 204, description = "It is ended"),
        (status = 409, description = "The sender did not sign in here", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.sign_out", skip_all)]
async fn sign_out(State(app): State<AppState>, principal: Principal) -> Result<Response, Problem> {
    let Credential::SignIn(stored, _) = &principal.credential else {
        let detail = "the request carries no sign-in that could be ended";
        return Err(Problem::new(Code::Conflict, detail));
    };
    app.authenticator.sign_out(stored).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    set_cookies(&mut response, [app.authenticator.cookies().delete(CookieKind::SignIn)]);
    Ok(response)
}

/// To the page that says why nobody is signed in.
fn refused(app: &AppState, refusal: Refusal, return_to: &str) -> Response {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("reason", refusal.as_str()).append_pair("return_to", return_to);
    let over = app.authenticator.cookies().delete(CookieKind::Attempt);
    redirect(&format!("{PAGE}?{}", query.finish()), [over])
}

fn redirect<const N: usize>(to: &str, cookies: [Option<HeaderValue>; N]) -> Response {
    let mut response =
        (StatusCode::SEE_OTHER, [(header::LOCATION, to), (header::CACHE_CONTROL, "no-store")])
            .into_response();
    set_cookies(&mut response, cookies);
    response
}

fn set_cookies<const N: usize>(response: &mut Response, cookies: [Option<HeaderValue>; N]) {
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}
