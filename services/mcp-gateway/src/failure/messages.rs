//! Failures in words.

use rmcp::service::ClientInitializeError;
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use tarsy_outbound::describe;

use super::error_data::protocol_message;

pub(super) const UNAUTHORIZED: u16 = 401;
pub(super) const FORBIDDEN: u16 = 403;
pub(super) const BUSY: u16 = 429;
/// How an operator names the authorities of a tool server.
const AUTHORITIES_OF_SERVER: &str = "transport.ca_file of the server, or in SSL_CERT_FILE";

/// Why no token could be obtained: our own messages unchanged, the library's with all causes.
pub(super) fn token_message(error: &AuthError) -> String {
    let mut message = match error {
        AuthError::CredentialStoreError(text) | AuthError::InternalError(text) => text.clone(),
        other => other.to_string(),
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let next = error.to_string();
        if !message.contains(&next) {
            message = format!("{message}: {next}");
        }
        cause = error.source();
    }
    format!("no token could be obtained: {message}")
}

pub(super) fn status_message(status: u16) -> String {
    match status {
        UNAUTHORIZED => "the server requires other credentials (HTTP 401)".to_owned(),
        FORBIDDEN => "the server forbids it (HTTP 403)".to_owned(),
        BUSY => "the server is too busy (HTTP status 429)".to_owned(),
        status => format!("the server answered with HTTP status {status}"),
    }
}

/// The message of a failed handshake, without the library's internal names.
pub(super) fn handshake_message(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "the server closed the connection".to_owned(),
        ClientInitializeError::JsonRpcError(data) => protocol_message(data),
        ClientInitializeError::TransportError { error, .. } => match http(error.error.as_ref()) {
            Some(StreamableHttpError::AuthRequired(_)) => status_message(UNAUTHORIZED),
            Some(StreamableHttpError::InsufficientScope(_)) => status_message(FORBIDDEN),
            Some(StreamableHttpError::Auth(error)) => token_message(error),
            Some(StreamableHttpError::Client(client)) => error_chain(client),
            _ => error.error.to_string(),
        },
        other => other.to_string(),
    }
}

/// An error with what to do about it, else with all of its causes; without the address, which may contain credentials.
pub(crate) fn error_chain(error: &reqwest::Error) -> String {
    let prefix = if error.is_connect() { "could not connect" } else { "the HTTP request failed" };
    format!("{prefix}: {}", describe(error, AUTHORITIES_OF_SERVER))
}

pub(super) fn http<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> Option<&'a StreamableHttpError<reqwest::Error>> {
    error.downcast_ref()
}
