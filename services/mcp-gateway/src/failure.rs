//! The failures of MCP servers, and their messages.

mod error_data;
mod messages;

use std::time::Duration;

use http::StatusCode;
use rmcp::model::ErrorData;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use tarsy_contracts::status::ServerFault;
use thiserror::Error;

pub(crate) use self::error_data::{server_ended, with_status};
pub(crate) use self::messages::error_chain;

use self::error_data::{has_server_ended, is_lost_session, protocol_message, status_of};
use self::messages::{
    BUSY, FORBIDDEN, UNAUTHORIZED, handshake_message, http, status_message, token_message,
};
use crate::limits;

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
    #[error("no MCP connection: {}", handshake_message(.0))]
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
    #[error("{}", protocol_message(.0))]
    Protocol(ErrorData),
    /// The server is overloaded, or it or a proxy before it is broken.
    #[error("{reason}")]
    Unavailable {
        status: u16,
        reason: String,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// Both dialects of the handshake failed.
    #[error("{first}; in the dialect without sessions: {second}")]
    BothDialects { first: Box<Failure>, second: Box<Failure> },
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

    /// Both reasons of a failed handshake: the second dialect often fails because there is but the first.
    pub(crate) fn and_in_the_other_dialect(self, second: Self) -> Self {
        if self.to_string() == second.to_string() {
            return second;
        }
        Self::BothDialects { first: Box::new(self), second: Box::new(second) }
    }

    /// Whether the server has certainly not begun to execute the request.
    pub(crate) const fn was_never_sent(&self) -> bool {
        matches!(self, Self::NotSent)
    }

    /// Whether the session is lost, or may be: a new one is opened for the next call.
    pub(crate) const fn is_loss(&self) -> bool {
        match self {
            Self::NotSent | Self::Lost(_) => true,
            Self::Unavailable { status, .. } => *status != BUSY,
            _ => false,
        }
    }

    /// How long to wait before the call is made once more, if a second execution cannot do harm; none if that is no use.
    pub(crate) fn retry_delay(&self, least: Duration) -> Option<Duration> {
        match self {
            Self::NotSent | Self::Lost(_) => Some(least),
            Self::Unavailable { retry_after, .. } => {
                let delay = retry_after.unwrap_or_default().max(least);
                (delay <= limits::RETRY_AFTER).then_some(delay)
            }
            _ => None,
        }
    }

    /// Whether the server is overloaded, but works.
    pub(crate) const fn is_busy(&self) -> bool {
        matches!(self, Self::Unavailable { status: BUSY, .. })
    }

    /// Whether the call reached the server, so that it may have had an effect.
    pub(crate) const fn may_have_effect(&self) -> bool {
        match self {
            Self::Lost(_) => true,
            Self::Unavailable { status, .. } => *status != BUSY,
            _ => false,
        }
    }

    /// What a subprocess wrote to its standard error before it failed, not masked yet.
    pub(crate) fn stderr(&self) -> Option<&str> {
        match self {
            Self::WithStderr { stderr, .. } => Some(stderr),
            Self::BothDialects { first, second } => second.stderr().or_else(|| first.stderr()),
            _ => None,
        }
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
            Self::BothDialects { first, second } => {
                first.is_access_denied() || second.is_access_denied()
            }
            _ => false,
        }
    }

    /// Whether the server refused a handshake for want of credentials, also where it names no way to get them.
    pub(crate) fn wants_credentials(&self) -> bool {
        match self {
            Self::Handshake(error) => {
                self.is_access_denied()
                    || matches!(error.as_ref(), ClientInitializeError::TransportError { error, .. }
                        if is_refused_without_challenge(error.error.as_ref()))
            }
            Self::BothDialects { first, second } => {
                first.wants_credentials() || second.wants_credentials()
            }
            _ => self.is_access_denied(),
        }
    }

    /// Whether what answered a handshake is no MCP server, or speaks neither dialect.
    pub(crate) fn is_answered_otherwise(&self) -> bool {
        matches!(self, Self::BothDialects { .. }) || self.may_support_another_dialect()
    }

    /// What kind of fault it is for whoever sets the server up.
    pub(crate) fn fault(&self) -> ServerFault {
        match self {
            _ if self.wants_credentials() => ServerFault::Credentials,
            Self::Configuration(_) => ServerFault::Settings,
            Self::Spawn { .. } => ServerFault::Program,
            Self::WithStderr { failure, .. } => failure.fault(),
            Self::NoResponse(_) | Self::Timeout(_) => ServerFault::Unresponsive,
            Self::Refused(_) | Self::NotSent => ServerFault::Unreachable,
            Self::Handshake(error) => match error.as_ref() {
                ClientInitializeError::ConnectionClosed(_) => ServerFault::Ended,
                _ if self.is_answered_otherwise() => ServerFault::NoServer,
                ClientInitializeError::TransportError { error, .. } => {
                    send_failure(error.error.as_ref()).fault()
                }
                _ => ServerFault::Other,
            },
            Self::BothDialects { first, .. } => match first.fault() {
                ServerFault::Other => ServerFault::NoServer,
                fault => fault,
            },
            Self::Lost(_) => ServerFault::Ended,
            Self::Listing(_)
            | Self::Cancelled(_)
            | Self::Protocol(_)
            | Self::Unavailable { .. }
            | Self::NoAccess(_)
            | Self::Unsupported(_) => ServerFault::Other,
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

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(data) if has_server_ended(&data) => {
                Self::Lost(data.message.into_owned())
            }
            ServiceError::McpError(data) => match status_of(&data) {
                Some(status) => unavailable(status, protocol_message(&data), None),
                None if is_lost_session(&data) => Self::Lost(protocol_message(&data)),
                None => Self::Protocol(data),
            },
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
            && let busy @ Self::Unavailable { status: BUSY, .. } =
                send_failure(error.error.as_ref())
        {
            return busy;
        }
        Self::Handshake(Box::new(error))
    }
}

/// The failure that a status tells of.
pub(crate) fn unavailable(status: u16, reason: String, retry_after: Option<&str>) -> Failure {
    let seconds = retry_after.and_then(|text| text.trim().parse().ok());
    Failure::Unavailable { status, reason, retry_after: seconds.map(Duration::from_secs) }
}

/// The failure of a message that was not sent. A broken connection is a loss, after which a new session
/// may succeed; a refusal, a slow network and an unknown error are not.
fn send_failure(error: &(dyn std::error::Error + 'static)) -> Failure {
    if let Some(error) = error.downcast_ref::<SendError>() {
        return match error {
            SendError::Status(status) if status.as_u16() == BUSY || status.is_server_error() => {
                unavailable(status.as_u16(), status_message(status.as_u16()), None)
            }
            // With such a status the server does not know the session, so that nothing was executed.
            SendError::NotSent(_) | SendError::Status(StatusCode::NOT_FOUND | StatusCode::GONE) => {
                Failure::NotSent
            }
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
        Some(StreamableHttpError::HttpStatus(error)) => {
            let reason = status_message(error.status);
            unavailable(error.status, reason, error.retry_after.as_deref())
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

fn is_refused_without_challenge(error: &(dyn std::error::Error + 'static)) -> bool {
    let Some(StreamableHttpError::UnexpectedServerResponse(text)) = http(error) else {
        return false;
    };
    let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
    refused.into_iter().any(|status| text.starts_with(&answered_with(status)))
}

/// How the message about an unexpected answer begins.
pub(crate) fn answered_with(status: StatusCode) -> String {
    format!("HTTP {status}")
}

/// Whether a status means that the server requires other credentials or more rights.
pub(crate) fn is_no_access(status: StatusCode) -> bool {
    [UNAUTHORIZED, FORBIDDEN].contains(&status.as_u16())
}
