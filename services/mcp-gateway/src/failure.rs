//! What can go wrong with a server, and how it is said.

use std::time::Duration;

use http::StatusCode;
use rmcp::model::ErrorData;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use thiserror::Error;

const UNAUTHORIZED: u16 = 401;
const FORBIDDEN: u16 = 403;
const BUSY: u16 = 429;

/// Why a server could not be had, or did not do what it was asked.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The configuration names something that cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// The subprocess could not be started.
    #[error("could not start '{program}': {source}")]
    Spawn {
        /// The program.
        program: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It did not answer the handshake.
    #[error("it did not answer within {0:?}")]
    Silent(Duration),
    /// It cannot be connected to, or does not answer as a server should.
    #[error("{0}")]
    Refused(String),
    /// It refused the handshake, or broke it off.
    #[error("the handshake failed: {}", told(.0))]
    Handshake(Box<ClientInitializeError>),
    /// Its tools could not be listed.
    #[error("its tools could not be listed: {0}")]
    Listing(String),
    /// It was gone before the request was sent.
    #[error("the connection was gone before the request was sent")]
    NotSent,
    /// It went away while the request was under way.
    #[error("the connection was lost: {0}")]
    Lost(String),
    /// It took too long.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// It was cancelled by whoever asked.
    #[error("the call was cancelled: {0}")]
    Cancelled(String),
    /// It answered with an error of the protocol.
    #[error("{} (code {})", .0.message, .0.code.0)]
    Protocol(ErrorData),
    /// It is too busy to answer.
    #[error("the server is too busy (HTTP status 429)")]
    Busy,
    /// It failed and wrote to its error output.
    #[error("{failure}")]
    Complained {
        /// How it failed.
        failure: Box<Failure>,
        /// All that it wrote, not yet masked.
        complaints: String,
    },
    /// It wants other credentials, or more rights: the HTTP status.
    #[error("{}", refusal(*.0))]
    NoAccess(u16),
    /// It answered with something that this gateway does not handle.
    #[error("{0}")]
    Unsupported(String),
}

/// Why a message did not go out over one of our own transports.
#[derive(Debug, Error)]
pub(crate) enum SendError {
    /// It cannot be written as JSON.
    #[error("the request cannot be written: {0}")]
    Unwritable(serde_json::Error),
    /// The server has surely not got all of it.
    #[error("the request was not sent: {0}")]
    NotSent(String),
    /// The connection broke; the server may have got it.
    #[error("{0}")]
    Broken(String),
    /// The server refused it.
    #[error("{}", refusal(.0.as_u16()))]
    Status(StatusCode),
    /// It needs a token, and none could be had.
    #[error("no token could be had: {0}")]
    NoToken(String),
}

impl From<reqwest::Error> for SendError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_connect() { Self::NotSent(chain(&error)) } else { Self::Broken(chain(&error)) }
    }
}

impl Failure {
    /// The failure, with what the server wrote to its error output.
    pub(crate) fn complained(self, complaints: String) -> Self {
        if complaints.trim().is_empty() {
            return self;
        }
        Self::Complained { failure: Box::new(self), complaints }
    }

    /// Whether the server has surely not begun to work on the request.
    pub(crate) const fn was_never_sent(&self) -> bool {
        matches!(self, Self::NotSent)
    }

    /// Whether the session is of no use any more.
    pub(crate) const fn is_loss(&self) -> bool {
        matches!(self, Self::NotSent | Self::Lost(_))
    }

    /// Whether the server wants other credentials, or more rights.
    pub(crate) fn is_refused_access(&self) -> bool {
        match self {
            Self::NoAccess(_) => true,
            Self::Handshake(error) => match error.as_ref() {
                ClientInitializeError::TransportError { error, .. } => {
                    matches!(of_sending(error.error.as_ref()), Self::NoAccess(_))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a server that refused one dialect may understand the other.
    pub(crate) fn speaks_another_dialect(&self) -> bool {
        let error = match self {
            Self::Complained { failure, .. } => return failure.speaks_another_dialect(),
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
            ServiceError::McpError(data) => Self::Protocol(data),
            ServiceError::TransportClosed => Self::Lost("the server went away".to_owned()),
            ServiceError::TransportSend(error) => of_sending(error.error.as_ref()),
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

/// What it means that a message did not go out: a broken connection is a loss, after which a new
/// session may help; a refusal, a slow network, and what nobody knows, are not.
fn of_sending(error: &(dyn std::error::Error + 'static)) -> Failure {
    if is_busy(error) {
        return Failure::Busy;
    }
    if let Some(error) = error.downcast_ref::<SendError>() {
        return match error {
            SendError::NotSent(_) => Failure::NotSent,
            SendError::Broken(told) => Failure::Lost(told.clone()),
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
        Some(StreamableHttpError::Client(client)) => Failure::Lost(chain(client)),
        Some(StreamableHttpError::HttpStatus(status)) => {
            Failure::Unsupported(refusal(status.status))
        }
        Some(StreamableHttpError::ResponseBodyTooLarge { max_size }) => {
            Failure::Unsupported(format!("the answer has more than {max_size} bytes; ask for less"))
        }
        Some(StreamableHttpError::AuthRequired(_)) => Failure::NoAccess(UNAUTHORIZED),
        Some(StreamableHttpError::InsufficientScope(_)) => Failure::NoAccess(FORBIDDEN),
        Some(StreamableHttpError::Auth(error)) => Failure::Unsupported(no_token(error)),
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

/// Whether a status means that other credentials, or more rights, are wanted.
pub(crate) fn is_no_access(status: StatusCode) -> bool {
    [UNAUTHORIZED, FORBIDDEN].contains(&status.as_u16())
}

/// Why no token could be had: our own words as they are, the library's with all that caused them.
fn no_token(error: &AuthError) -> String {
    let mut told = match error {
        AuthError::CredentialStoreError(told) | AuthError::InternalError(told) => told.clone(),
        other => other.to_string(),
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let next = error.to_string();
        if !told.contains(&next) {
            told = format!("{told}: {next}");
        }
        cause = error.source();
    }
    format!("no token could be had: {told}")
}

/// What a refusal over HTTP says.
fn refusal(status: u16) -> String {
    match status {
        UNAUTHORIZED => "the server wants other credentials (HTTP 401)".to_owned(),
        FORBIDDEN => "the server forbids it (HTTP 403)".to_owned(),
        status => format!("the server answered with HTTP status {status}"),
    }
}

/// What went wrong in a handshake, without the library's inner names.
fn told(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "the server went away".to_owned(),
        ClientInitializeError::JsonRpcError(data) => {
            format!("{} (code {})", data.message, data.code.0)
        }
        ClientInitializeError::TransportError { error, .. } => match http(error.error.as_ref()) {
            Some(StreamableHttpError::AuthRequired(_)) => refusal(UNAUTHORIZED),
            Some(StreamableHttpError::InsufficientScope(_)) => refusal(FORBIDDEN),
            Some(StreamableHttpError::Auth(error)) => no_token(error),
            Some(StreamableHttpError::Client(client)) => chain(client),
            _ => error.error.to_string(),
        },
        other => other.to_string(),
    }
}

/// An error with all that caused it; the address is left out, for it may hold credentials.
pub(crate) fn chain(error: &reqwest::Error) -> String {
    let mut told = if error.is_connect() {
        "it cannot be connected to".to_owned()
    } else {
        "the HTTP request failed".to_owned()
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        told = format!("{told}: {error}");
        cause = error.source();
    }
    told
}

fn http<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> Option<&'a StreamableHttpError<reqwest::Error>> {
    error.downcast_ref()
}
