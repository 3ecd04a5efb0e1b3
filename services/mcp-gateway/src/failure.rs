//! The failures of MCP servers, and their messages.

use std::time::Duration;

use http::StatusCode;
use rmcp::model::ErrorData;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::json;
use thiserror::Error;

/// In the `data` of an error of `serve`: its server ended, and whether the request was executed is not known.
const SERVER_ENDED: &str = "tarsy_server_ended";
const UNAUTHORIZED: u16 = 401;
const FORBIDDEN: u16 = 403;
const BUSY: u16 = 429;

/// Why a server is unavailable, or a request to it failed.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The configuration is unusable.
    #[error("{0}")]
    Configuration(String),
    #[error("could not start '{program}': {source}")]
    Spawn { program: String, source: std::io::Error },
    /// No response to the handshake within this time.
    #[error("it did not answer within {0:?}")]
    NoResponse(Duration),
    /// No connection, or no MCP server at the other end.
    #[error("{0}")]
    Refused(String),
    /// The server rejected or aborted the handshake.
    #[error("the handshake failed: {}", handshake_message(.0))]
    Handshake(Box<ClientInitializeError>),
    #[error("its tools could not be listed: {0}")]
    Listing(String),
    /// The connection was lost before the request was sent.
    #[error("the connection was lost before the request was sent")]
    NotSent,
    /// The connection was lost after the request was sent.
    #[error("the connection was lost: {0}")]
    Lost(String),
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The caller cancelled the request.
    #[error("the call was cancelled: {0}")]
    Cancelled(String),
    /// The server replied with a JSON-RPC error.
    #[error("{} (code {})", .0.message, .0.code.0)]
    Protocol(ErrorData),
    #[error("the server is too busy (HTTP status 429)")]
    Busy,
    /// A failure of a subprocess that wrote to its standard error.
    #[error("{failure}")]
    WithStderr {
        failure: Box<Failure>,
        /// Not masked yet.
        stderr: String,
    },
    /// The server requires other credentials or more rights; the HTTP status.
    #[error("{}", status_message(*.0))]
    NoAccess(u16),
    /// The server replied with something that this gateway does not support.
    #[error("{0}")]
    Unsupported(String),
}

/// Why a message could not be sent over one of our own transports.
#[derive(Debug, Error)]
pub(crate) enum SendError {
    /// It cannot be serialized.
    #[error("the request cannot be written: {0}")]
    Unwritable(serde_json::Error),
    /// The server has certainly not received all of it.
    #[error("the request was not sent: {0}")]
    NotSent(String),
    /// The connection broke; the server may have received it.
    #[error("{0}")]
    Broken(String),
    #[error("{}", status_message(.0.as_u16()))]
    Status(StatusCode),
    #[error("no token could be obtained: {0}")]
    NoToken(String),
}

impl From<reqwest::Error> for SendError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_connect() {
            Self::NotSent(error_chain(&error))
        } else {
            Self::Broken(error_chain(&error))
        }
    }
}

impl Failure {
    /// Adds the standard error of a subprocess, if it wrote anything.
    pub(crate) fn with_stderr(self, stderr: String) -> Self {
        if stderr.trim().is_empty() {
            return self;
        }
        Self::WithStderr { failure: Box::new(self), stderr }
    }

    /// Whether the server has certainly not begun to execute the request.
    pub(crate) const fn was_never_sent(&self) -> bool {
        matches!(self, Self::NotSent)
    }

    /// Whether the session is lost.
    pub(crate) const fn is_loss(&self) -> bool {
        matches!(self, Self::NotSent | Self::Lost(_))
    }

    /// Whether the server requires other credentials or more rights.
    pub(crate) fn is_access_denied(&self) -> bool {
        match self {
            Self::NoAccess(_) => true,
            Self::Handshake(error) => match error.as_ref() {
                ClientInitializeError::TransportError { error, .. } => {
                    matches!(send_failure(error.error.as_ref()), Self::NoAccess(_))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a server that rejected one dialect of the protocol may support the other.
    pub(crate) fn may_support_another_dialect(&self) -> bool {
        let error = match self {
            Self::WithStderr { failure, .. } => return failure.may_support_another_dialect(),
            Self::Handshake(error) => error,
            _ => return false,
        };
        match error.as_ref() {
            ClientInitializeError::JsonRpcError(_)
            | ClientInitializeError::NoCompatibleProtocolVersion { .. }
            | ClientInitializeError::ExpectedInitResult(_) => true,
            ClientInitializeError::TransportError { error, .. } => {
                matches!(
                    http(error.error.as_ref()),
                    Some(StreamableHttpError::UnexpectedServerResponse(_))
                )
            }
            _ => false,
        }
    }
}

/// The answer of `serve` to a request whose server ended.
pub(crate) fn server_ended(reason: String) -> ErrorData {
    ErrorData::internal_error(reason, Some(json!({SERVER_ENDED: true})))
}

/// Whether a server behind `serve` ended before it answered. Any server may claim it: the worst that follows is that a
/// read-only call is made once more.
fn has_server_ended(error: &ErrorData) -> bool {
    error.data.as_ref().and_then(|data| data.get(SERVER_ENDED)).is_some()
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(data) if has_server_ended(&data) => {
                Self::Lost(data.message.into_owned())
            }
            ServiceError::McpError(data) => Self::Protocol(data),
            ServiceError::TransportClosed => {
                Self::Lost("the server closed the connection".to_owned())
            }
            ServiceError::TransportSend(error) => send_failure(error.error.as_ref()),
            ServiceError::Cancelled { reason } => {
                Self::Cancelled(reason.unwrap_or_else(|| "by the server".to_owned()))
            }
            ServiceError::Timeout { timeout } => Self::Timeout(timeout),
            other => Self::Unsupported(other.to_string()),
        }
    }
}

impl From<ClientInitializeError> for Failure {
    fn from(error: ClientInitializeError) -> Self {
        if let ClientInitializeError::TransportError { error, .. } = &error
            && is_busy(error.error.as_ref())
        {
            return Self::Busy;
        }
        Self::Handshake(Box::new(error))
    }
}

fn is_busy(error: &(dyn std::error::Error + 'static)) -> bool {
    match (http(error), error.downcast_ref()) {
        (Some(StreamableHttpError::HttpStatus(status)), _) => status.status == BUSY,
        (_, Some(SendError::Status(status))) => *status == BUSY,
        _ => false,
    }
}

/// The failure of a message that was not sent. A broken connection is a loss, after which a new session
/// may succeed; a refusal, a slow network and an unknown error are not.
fn send_failure(error: &(dyn std::error::Error + 'static)) -> Failure {
    if is_busy(error) {
        return Failure::Busy;
    }
    if let Some(error) = error.downcast_ref::<SendError>() {
        return match error {
            SendError::NotSent(_) => Failure::NotSent,
            SendError::Broken(reason) => Failure::Lost(reason.clone()),
            SendError::Status(status) if is_no_access(*status) => {
                Failure::NoAccess(status.as_u16())
            }
            SendError::Unwritable(_) | SendError::Status(_) | SendError::NoToken(_) => {
                Failure::Unsupported(error.to_string())
            }
        };
    }
    match http(error) {
        Some(StreamableHttpError::Client(client)) if client.is_connect() => Failure::NotSent,
        Some(StreamableHttpError::Client(client)) if client.is_timeout() => {
            Failure::Unsupported("the HTTP request took too long".to_owned())
        }
        Some(StreamableHttpError::Client(client)) => Failure::Lost(error_chain(client)),
        Some(StreamableHttpError::HttpStatus(status)) => {
            Failure::Unsupported(status_message(status.status))
        }
        Some(StreamableHttpError::ResponseBodyTooLarge { max_size }) => {
            Failure::Unsupported(format!("the answer has more than {max_size} bytes; ask for less"))
        }
        Some(StreamableHttpError::AuthRequired(_)) => Failure::NoAccess(UNAUTHORIZED),
        Some(StreamableHttpError::InsufficientScope(_)) => Failure::NoAccess(FORBIDDEN),
        Some(StreamableHttpError::Auth(error)) => Failure::Unsupported(token_message(error)),
        Some(
            StreamableHttpError::Sse(_)
            | StreamableHttpError::Io(_)
            | StreamableHttpError::UnexpectedEndOfStream
            | StreamableHttpError::TransportChannelClosed
            | StreamableHttpError::SessionExpired
            | StreamableHttpError::SessionRecoveryTimeout
            | StreamableHttpError::ReinitializationFailed(_),
        ) => Failure::Lost(error.to_string()),
        _ => Failure::Unsupported(error.to_string()),
    }
}

/// Whether a status means that the server requires other credentials or more rights.
pub(crate) fn is_no_access(status: StatusCode) -> bool {
    [UNAUTHORIZED, FORBIDDEN].contains(&status.as_u16())
}

/// Why no token could be obtained: our own messages unchanged, the library's with all causes.
fn token_message(error: &AuthError) -> String {
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

fn status_message(status: u16) -> String {
    match status {
        UNAUTHORIZED => "the server requires other credentials (HTTP 401)".to_owned(),
        FORBIDDEN => "the server forbids it (HTTP 403)".to_owned(),
        status => format!("the server answered with HTTP status {status}"),
    }
}

/// The message of a failed handshake, without the library's internal names.
fn handshake_message(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "the server closed the connection".to_owned(),
        ClientInitializeError::JsonRpcError(data) => {
            format!("{} (code {})", data.message, data.code.0)
        }
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

/// An error with all of its causes, without the address, which may contain credentials.
pub(crate) fn error_chain(error: &reqwest::Error) -> String {
    let mut message = if error.is_connect() {
        "it cannot be connected to".to_owned()
    } else {
        "the HTTP request failed".to_owned()
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}

fn http<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> Option<&'a StreamableHttpError<reqwest::Error>> {
    error.downcast_ref()
}
