//! What the audit log says of a request.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;
use http::StatusCode;
use http::request::Parts;
use tarsy_domain::id::SessionId;
use tarsy_store::{DecidedCall, NewAuditEntry};
use tarsy_web::request;
use uuid::Uuid;

use crate::access::Principal;

/// What the audit log says of a request before its outcome is known.
pub(super) struct Entry {
    action: &'static str,
    object: String,
    client_address: Option<String>,
    decided: Option<DecidedCall>,
}

/// The address that a request comes from.
pub(super) fn client_address(parts: &Parts) -> Option<String> {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map(|info| info.0.ip().to_canonical().to_string())
}

impl Entry {
    pub(super) fn of(action: &'static str, parts: &Parts) -> Self {
        Self::new(action, parts.uri.path().to_owned(), client_address(parts))
    }

    /// Of what came by another way, such as a connection to Slack.
    pub(super) fn new(
        action: &'static str,
        object: String,
        client_address: Option<String>,
    ) -> Self {
        Self { action, object, client_address, decided: None }
    }

    /// The same entry about something else.
    pub(super) fn about(self, object: String) -> Self {
        Self { object, ..self }
    }

    /// The same entry with the decision that its request made.
    pub(super) fn with(self, decided: Option<DecidedCall>) -> Self {
        Self { decided, ..self }
    }

    /// The entry of an identified sender's request, or of one whose sender is not identified.
    pub(super) fn build(self, principal: Option<&Principal>, status: StatusCode) -> NewAuditEntry {
        let name = principal.map(|one| one.name.clone());
        let credential = principal.map(|one| one.credential.to_string());
        self.build_for(name, credential, status)
    }

    /// The entry of a user without a credential.
    pub(super) fn build_for_user(self, user: Option<String>, status: StatusCode) -> NewAuditEntry {
        self.build_for(user, None, status)
    }

    fn build_for(
        self,
        principal: Option<String>,
        credential: Option<String>,
        status: StatusCode,
    ) -> NewAuditEntry {
        let outcome = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "denied",
            status if status.is_client_error() || status.is_server_error() => "failed",
            _ => "allowed",
        };
        NewAuditEntry {
            id: Uuid::now_v7(),
            principal: principal.unwrap_or_else(|| "anonymous".to_owned()),
            credential: credential.unwrap_or_else(|| "none".to_owned()),
            client_address: self.client_address,
            action: self.action.to_owned(),
            session_id: session_of(&self.object),
            object: Some(self.object),
            outcome,
            status: i16::try_from(status.as_u16()).unwrap_or(i16::MAX),
            request_id: request::current().map(|current| current.id),
            count: 1,
            decided: self.decided,
        }
    }
}

/// The session in the path of a request.
fn session_of(path: &str) -> Option<Uuid> {
    let rest = path.strip_prefix("/api/v1/sessions/")?;
    let id: SessionId = rest.split('/').next()?.parse().ok()?;
    Some(id.uuid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_that_of_the_path() {
        let id = "0190163d-8694-739b-aea5-966c26f8ad91";
        for rest in ["", "/cancel", "/approvals/0190163d-8694-739b-aea5-966c26f8ad92"] {
            let session = session_of(&format!("/api/v1/sessions/{id}{rest}"));
            assert_eq!(session.unwrap().to_string(), id, "{rest}");
        }
        for other in
            ["/api/v1/sessions", "/api/v1/sessions/active", &format!("/api/v1/tokens/{id}")]
        {
            assert_eq!(session_of(other), None, "{other}");
        }
    }
}
