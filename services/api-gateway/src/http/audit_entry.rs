//! What the audit log says of a request.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;
use http::StatusCode;
use http::request::Parts;
use tarsy_store::NewAuditEntry;
use tarsy_web::request;
use uuid::Uuid;

use crate::access::Principal;

/// What the audit log says of a request before its outcome is known.
pub(super) struct Entry {
    action: &'static str,
    object: String,
    client_address: Option<String>,
}

/// The address that a request comes from.
pub(super) fn client_address(parts: &Parts) -> Option<String> {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map(|info| info.0.ip().to_canonical().to_string())
}

impl Entry {
    pub(super) fn of(action: &'static str, parts: &Parts) -> Self {
        let object = parts.uri.path().to_owned();
        Self { action, object, client_address: client_address(parts) }
    }

    /// The same entry about something else.
    pub(super) fn about(self, object: String) -> Self {
        Self { object, ..self }
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
            object: Some(self.object),
            outcome,
            status: i16::try_from(status.as_u16()).unwrap_or(i16::MAX),
            request_id: request::current().map(|current| current.id),
            count: 1,
        }
    }
}
