//! Requests to the issuer, at addresses that a guard allows: no redirects, a time limit and a size limit each.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, RequestBuilder, StatusCode};

use tarsy_outbound::Guard;

use super::error::OidcError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(10);
/// A discovery document has some kilobytes, the keys of a large issuer some tens of them.
const MAX_BODY: usize = 512 * 1024;

pub(super) fn client(guard: &Arc<Guard>) -> reqwest::Result<Client> {
    let builder = Client::builder().user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")));
    guard.limit(builder).referer(false).connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT).build()
}

/// The status and the body of an answer.
pub(super) struct Answer {
    what: &'static str,
    pub(super) status: StatusCode,
    body: Vec<u8>,
}

impl Answer {
    /// The body as a document.
    pub(super) fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, OidcError> {
        serde_json::from_slice(&self.body)
            .map_err(|source| OidcError::Document { what: self.what, source })
    }

    /// The body of a successful answer as a document.
    pub(super) fn document<T: serde::de::DeserializeOwned>(&self) -> Result<T, OidcError> {
        if !self.status.is_success() {
            return Err(OidcError::Status { what: self.what, status: self.status.as_u16() });
        }
        self.read()
    }
}

/// Sends a request; `what` names the document in errors.
pub(super) async fn send(request: RequestBuilder, what: &'static str) -> Result<Answer, OidcError> {
    let unreachable = |source: reqwest::Error| OidcError::Unreachable { what, source };
    let request = request.header(http::header::ACCEPT, "application/json");
    let mut response = request.send().await.map_err(unreachable)?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > MAX_BODY {
            return Err(OidcError::TooLarge { what, limit: MAX_BODY });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { what, status, body })
}
