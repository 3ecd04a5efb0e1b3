//! Errors of NATS operations.

use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::{Code, Coded};

type Cause = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("could not connect to NATS")]
    Connect(#[source] Cause),
    /// Creating or updating a stream, consumer or bucket failed.
    #[error("could not provision {what}")]
    Provision {
        what: String,
        #[source]
        source: Cause,
    },
    /// How something is could not be read.
    #[error("could not read the state of {what}")]
    Inspect {
        what: String,
        #[source]
        source: Cause,
    },
    /// What a service needs does not exist.
    #[error(
        "NATS has no {what}; run `tarsy migrate` with NATS_URL set, or keep `tarsy provision` running"
    )]
    Missing { what: String },
    #[error("could not publish on {subject}")]
    Publish {
        subject: String,
        #[source]
        source: Cause,
    },
    /// The client has no connection; nothing was sent.
    #[error("not connected to NATS, could not publish on {subject}")]
    Disconnected { subject: String },
    #[error("could not subscribe to {subject}")]
    Subscribe {
        subject: String,
        #[source]
        source: Cause,
    },
    #[error("no responders on {subject}")]
    NoResponders { subject: String },
    #[error("no answer on {subject} in time")]
    Timeout { subject: String },
    /// The responder refused; the refusal has a code.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// A message does not have the shape that its subject requires.
    #[error("a message on {subject} has another shape")]
    Shape {
        subject: String,
        #[source]
        source: serde_json::Error,
    },
    #[error("could not remove what {what} holds")]
    Remove {
        what: String,
        #[source]
        source: Cause,
    },
    #[error("could not use the bucket {bucket}")]
    Bucket {
        bucket: String,
        #[source]
        source: Cause,
    },
}

impl Error {
    /// Whether a stream may have stored a message although its publisher got this error.
    pub const fn may_have_been_stored(&self) -> bool {
        matches!(self, Self::Timeout { .. })
    }
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::Refused(refusal) => refusal.code,
            Self::Timeout { .. } => Code::Timeout,
            Self::Shape { .. } => Code::Internal,
            Self::Connect(_)
            | Self::Provision { .. }
            | Self::Inspect { .. }
            | Self::Missing { .. }
            | Self::Publish { .. }
            | Self::Disconnected { .. }
            | Self::Subscribe { .. }
            | Self::NoResponders { .. }
            | Self::Remove { .. }
            | Self::Bucket { .. } => Code::Unavailable,
        }
    }
}
