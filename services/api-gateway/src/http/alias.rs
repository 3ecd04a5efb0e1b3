//! Redirects from an id that its sender received while PostgreSQL was unavailable to the session that its alert's
//! idempotency key already had.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{StatusCode, Uri};
use tarsy_domain::id::SessionId;

use crate::state::AppState;

const SESSIONS: &str = "/api/v1/sessions/";

/// Answers 308 instead of 404 if the path names an alias.
pub(super) async fn redirect(
    State(app): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let uri = request.uri().clone();
    let response = next.run(request).await;
    if response.status() != StatusCode::NOT_FOUND {
        return response;
    }
    let Some((id, rest)) = session_path(&uri) else { return response };
    match app.store.find_session_by_alias(id).await {
        Ok(Some(session)) => {
            Redirect::permanent(&format!("{SESSIONS}{session}{rest}")).into_response()
        }
        _ => response,
    }
}

/// The session that a path names, and what follows it, with the query.
pub(super) fn session_path(uri: &Uri) -> Option<(SessionId, &str)> {
    let rest = uri.path_and_query()?.as_str().strip_prefix(SESSIONS)?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (id, rest) = rest.split_at(end);
    Some((id.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_session_is_split_after_its_id() {
        let id = SessionId::new();
        let path = |rest: &str| Uri::try_from(format!("{SESSIONS}{id}{rest}")).unwrap();
        assert_eq!(session_path(&path("")), Some((id, "")));
        assert_eq!(session_path(&path("/timeline?after=3")), Some((id, "/timeline?after=3")));
        assert_eq!(session_path(&Uri::from_static("/api/v1/sessions/active")), None);
        assert_eq!(session_path(&Uri::from_static("/api/v1/alerts")), None);
    }
}
