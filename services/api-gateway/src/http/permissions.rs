//! What each route requires of its sender. A route that is not listed here stops the start.

mod routes;

use std::sync::Arc;

use anyhow::ensure;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{Method, StatusCode};
use strum::IntoEnumIterator as _;
use tarsy_domain::access::{Permission, SocketAction};
use tarsy_domain::code::Code;
use tarsy_store::{DecidedCall, NewAuditEntry};
use tarsy_web::{CredentialEnd, FieldError, Problem};
use utoipa::openapi::OpenApi;

pub(super) use self::routes::MCP_PATH;
pub use self::routes::Requirement;
use self::routes::{Audited, ROUTES, Route};
use crate::access::{CSRF_HEADER, Credential, Place, Principal};
use crate::http::audit_entry::Entry;
use crate::http::{slack, websocket};
use crate::open_sockets::SocketPlace;
use crate::state::AppState;

/// A route, and what it requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredRoute {
    pub method: Method,
    /// With placeholders, such as `/api/v1/sessions/{id}`.
    pub path: &'static str,
    pub requires: Requirement,
}

/// Every route of the API.
pub fn declared_routes() -> impl Iterator<Item = DeclaredRoute> {
    ROUTES.iter().map(|route| DeclaredRoute {
        method: route.method.clone(),
        path: route.path,
        requires: route.requires,
    })
}

/// The entry of what became of an action, which no request makes.
const CHECK_ACTION: &str = "check_action";

/// What entries of the audit log are about, in alphabetical order.
pub(super) fn actions() -> Vec<&'static str> {
    let mut actions: Vec<_> = ROUTES.iter().map(|route| route.action).collect();
    actions.push(CHECK_ACTION);
    actions.sort_unstable();
    actions.dedup();
    actions
}

fn find(method: &Method, path: &str) -> Option<&'static Route> {
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    ROUTES.iter().find(|route| route.method == *method && route.path == path)
}

/// The route of a request. A method that is not listed, such as the CONNECT of a WebSocket over HTTP/2, requires what
/// the path's first one does.
fn route_of(method: &Method, path: &str) -> Option<&'static Route> {
    find(method, path).or_else(|| ROUTES.iter().find(|route| route.path == path))
}

/// Whether a sender has what a route requires.
pub(super) fn may(principal: &Principal, method: &Method, path: &str) -> bool {
    match route_of(method, path).map(|route| route.requires) {
        Some(Requirement::Permission(permission)) => principal.may(permission),
        Some(Requirement::Nothing | Requirement::Sender) => true,
        Some(Requirement::SlackSignature | Requirement::SourceVerification) | None => false,
    }
}

/// Whether a path needs no sender.
pub(super) fn is_public(path: &str) -> bool {
    ROUTES.iter().any(|route| route.path == path && route.requires == Requirement::Nothing)
}

/// Fails unless every operation of the API is listed, and whoever may open a WebSocket may do all its actions: they are
/// not looked at again.
pub(super) fn check(api: &OpenApi) -> anyhow::Result<()> {
    for (path, item) in &api.paths.paths {
        let operations = [
            (Method::GET, item.get.is_some()),
            (Method::POST, item.post.is_some()),
            (Method::PUT, item.put.is_some()),
            (Method::PATCH, item.patch.is_some()),
            (Method::DELETE, item.delete.is_some()),
        ];
        for (method, _) in operations.into_iter().filter(|(_, exists)| *exists) {
            ensure!(
                find(&method, path).is_some(),
                "the route {method} {path} has no entry in http/permissions.rs"
            );
        }
    }
    let socket = find(&Method::GET, websocket::PATH).map(|route| route.requires);
    for action in SocketAction::iter() {
        ensure!(
            socket == Some(Requirement::Permission(action.permission())),
            "the WebSocket's action {action} requires another permission than opening it"
        );
    }
    Ok(())
}

/// Lets a request pass if its sender is identified and has the route's permission, and adds the sender to it.
pub(super) async fn authorize(
    State(app): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let method = request.method().clone();
    let Some(route) = path.as_deref().and_then(|path| route_of(&method, path)) else {
        tracing::error!(path, "a route has no entry in http/permissions.rs");
        return Problem::not_found("there is no such route").into_response();
    };
    if route.requires == Requirement::Nothing {
        return next.run(request).await;
    }
    if route.requires == Requirement::SlackSignature {
        return slack::authorize(app, route.action, request, next).await;
    }
    let (mut parts, body) = request.into_parts();
    let entry = Entry::of(route.action, &parts);
    if route.requires == Requirement::SourceVerification {
        let response = next.run(Request::from_parts(parts, body)).await;
        if response.status() == StatusCode::UNAUTHORIZED {
            app.audit.add_anonymous(entry.build(None, response.status()));
        }
        return response;
    }
    let principal = match app.authenticator.identify(&parts).await {
        Ok(principal) => principal,
        Err(problem) => {
            if problem.status().is_client_error() {
                app.audit.add_anonymous(entry.build(None, problem.status()));
            }
            return problem.into_response();
        }
    };
    if let Err(problem) = allowed(route, &principal, &parts) {
        return logged(&app, (&principal, &method), None, entry, problem.into_response()).await;
    }
    let place = match reserve(&app, route).await {
        Ok(place) => place,
        Err(problem) => return problem.into_response(),
    };
    if route.path == websocket::PATH {
        let place = match app.open_sockets.acquire(&principal, app.catalog().system.limits) {
            Ok(place) => place,
            Err(problem) => return problem.into_response(),
        };
        parts.extensions.insert(watch_credential(&app, principal.clone(), place));
    }
    parts.extensions.insert(principal.clone());
    let response = next.run(Request::from_parts(parts, body)).await;
    logged(&app, (&principal, &method), place, entry.with(decided(&response)), response).await
}

/// The response, once the audit log has what it is to have of the request.
async fn logged(
    app: &AppState,
    (principal, method): (&Principal, &Method),
    place: Option<Place>,
    entry: Entry,
    response: Response,
) -> Response {
    let status = response.status();
    let entry = entry.build(Some(principal), status);
    let (refused, is_counted) =
        (status == StatusCode::FORBIDDEN, is_counted(principal, method, status));
    match place {
        _ if is_counted && (refused || place.is_some()) => app.audit.add_anonymous(entry),
        Some(place) => place.add(entry),
        None if refused => return audited(app, entry, response).await,
        None => {}
    }
    response
}

/// Whether requests are counted in the audit log, as those of nobody are: whoever reaches a server in mode `local` and shows no
/// token may read and fail without end. What such a sender submits has quotas, and an entry each.
fn is_counted(principal: &Principal, method: &Method, status: StatusCode) -> bool {
    principal.credential == Credential::Local
        && (!status.is_success() || matches!(*method, Method::GET | Method::HEAD))
}

/// What the request decided about a tool call, as its handler reports it.
fn decided(response: &Response) -> Option<DecidedCall> {
    response.extensions().get::<Option<DecidedCall>>().cloned().flatten()
}

/// A place in the audit log, if the route always needs one.
async fn reserve(app: &AppState, route: &Route) -> Result<Option<Place>, Problem> {
    match route.audited {
        Audited::Always => app.audit.reserve().await.map(Some),
        Audited::Denials => Ok(None),
    }
}

/// The response to a request that was refused, once the audit log has it.
async fn audited(app: &AppState, entry: NewAuditEntry, response: Response) -> Response {
    match app.audit.reserve().await {
        Ok(place) => {
            place.add(entry);
            response
        }
        Err(problem) => problem.into_response(),
    }
}

fn allowed(route: &Route, principal: &Principal, parts: &Parts) -> Result<(), Problem> {
    let reads = matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
    if let (false, Some(token)) = (reads, principal.csrf_token()) {
        let sent = parts.headers.get(CSRF_HEADER).and_then(|value| value.to_str().ok());
        if !token.matches(sent) {
            return Err(forged());
        }
    }
    match route.requires {
        Requirement::Permission(permission) if !principal.may(permission) => {
            Err(denied(permission, principal))
        }
        _ => Ok(()),
    }
}

/// Reports the end of a credential to the WebSocket that it opens, and holds its place, for as long as it is open.
fn watch_credential(app: &AppState, principal: Principal, place: SocketPlace) -> CredentialEnd {
    let (sender, end) = CredentialEnd::new();
    let authenticator = Arc::clone(&app.authenticator);
    app.sockets.spawn(async move {
        tokio::select! {
            () = authenticator.ended(&principal) => drop(sender.send(true)),
            () = sender.closed() => {}
        }
        sender.closed().await;
        drop(place);
    });
    end
}

fn forged() -> Problem {
    let message = "is missing or wrong; send csrf_token of GET /api/v1/me with every change, or send an \
                   API token instead of the cookie";
    Problem::new(Code::Forbidden, format!("X-CSRF-Token: {message}"))
        .with_errors(vec![FieldError::new("X-CSRF-Token", message)])
}

fn denied(permission: Permission, principal: &Principal) -> Problem {
    if principal.credential == Credential::Local {
        return Problem::new(
            Code::Forbidden,
            format!(
                "this needs the permission {permission}, and with it the token of this start: open the address that \
                 `tarsy open` prints, or send the token as `Authorization: Bearer`"
            ),
        );
    }
    let role = permission.least_role();
    Problem::new(
        Code::Forbidden,
        format!("this needs the permission {permission}, which the role {role} has"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_that_is_not_listed_stops_the_start() {
        let mut api = crate::http::openapi();
        let sessions = api.paths.paths["/api/v1/sessions"].clone();
        api.paths.paths.insert("/api/v1/unlisted".to_owned(), sessions.clone());
        let error = check(&api).unwrap_err().to_string();
        assert!(error.contains("GET /api/v1/unlisted"), "{error}");
        api.paths.paths.remove("/api/v1/unlisted");
        let mut other_method = sessions;
        other_method.delete = other_method.get.take();
        api.paths.paths.insert("/api/v1/sessions".to_owned(), other_method);
        assert!(check(&api).unwrap_err().to_string().contains("DELETE /api/v1/sessions"));
    }

    #[test]
    fn every_route_is_listed_once() {
        check(&crate::http::openapi()).unwrap();
        for (index, route) in ROUTES.iter().enumerate() {
            let same = ROUTES.iter().skip(index + 1);
            let mut same =
                same.filter(|other| (&other.method, other.path) == (&route.method, route.path));
            assert!(same.next().is_none(), "{} {}", route.method, route.path);
        }
    }
}
