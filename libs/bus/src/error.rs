//! What can go wrong on the bus.

use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::{Code, Coded};

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// What can go wrong on the bus.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The connection could not be set up.
    #[error("could not connect to NATS")]
    Connect(#[source] Cause),
    /// A stream, consumer or bucket could not be made.
    #[error("could not provision {what}")]
    Provision {
        /// Its name.
        what: String,
        /// Why not.
        #[source]
        source: Cause,
    },
    /// A message could not be sent.
    #[error("could not publish on {subject}")]
    Publish {
        /// Where to.
        subject: String,
        /// Why not.
        #[source]
        source: Cause,
    },
    /// A subject could not be listened to.
    #[error("could not subscribe to {subject}")]
    Subscribe {
        /// Which.
        subject: String,
        /// Why not.
        #[source]
        source: Cause,
    },
    /// Nobody listens on the subject of a request.
    #[error("nobody answers on {subject}")]
    NoResponders {
        /// Which.
        subject: String,
    },
    /// No answer came in time.
    #[error("no answer on {subject} in time")]
    Timeout {
        /// Which.
        subject: String,
    },
    /// The other side said no.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// A message does not have the shape its subject promises.
    #[error("a message on {subject} has another shape")]
    Shape {
        /// Where.
        subject: String,
        /// How it differs.
        #[source]
        source: serde_json::Error,
    },
    /// A bucket could not be read or written.
    #[error("could not use the bucket {bucket}")]
    Bucket {
        /// Which.
        bucket: String,
        /// Why not.
        #[source]
        source: Cause,
    },
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::Refused(refusal) => refusal.code,
            Self::Timeout { .. } => Code::Timeout,
            Self::Shape { .. } => Code::Internal,
            Self::Connect(_)
            | Self::Provision { .. }
            | Self::Publish { .. }
            | Self::Subscribe { .. }
            | Self::NoResponders { .. }
            | Self::Bucket { .. } => Code::Unavailable,
        }
    }
}
