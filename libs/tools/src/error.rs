//! What can go wrong on the way to a tool; what a tool itself says is a result, not an error.

use tarsy_domain::code::{Code, Coded};
use thiserror::Error;

/// Why a gateway did not do what it was asked.
#[derive(Debug, Error)]
pub enum ToolError {
    /// Every gateway that answered was full, for as long as was waited.
    #[error("every tool gateway is busy")]
    GatewayBusy,
    /// No gateway answered at all, for as long as was waited.
    #[error("no tool gateway is running")]
    NoGateway,
    /// The gateway that owns the lease is gone.
    #[error("the tool gateway of this lease is gone")]
    GatewayLost,
    /// The gateway lives, but the lease is over.
    #[error("the lease on the tool servers is over")]
    LeaseLost,
    /// The gateway refused.
    #[error("the tool gateway refused: {message}")]
    Refused {
        /// The kind of refusal.
        code: Code,
        /// The gateway's reason.
        message: String,
    },
    /// No answer came in time.
    #[error("the tool gateway did not answer in time")]
    Timeout,
    /// The bus could not carry the request or its answer.
    #[error("could not reach the tool gateway over the bus")]
    Bus(#[source] tarsy_bus::Error),
    /// The answer lies in the object store and could not be fetched.
    #[error("could not fetch a large tool result")]
    Fetch(#[source] tarsy_bus::Error),
    /// The answer lies in the object store and is no text.
    #[error("a large tool result is not text")]
    NotText,
}

impl ToolError {
    /// Whether the lease can be used no more, and a new one has to be opened.
    pub const fn is_lease_over(&self) -> bool {
        matches!(self, Self::GatewayLost | Self::LeaseLost)
    }
}

impl Coded for ToolError {
    fn code(&self) -> Code {
        match self {
            Self::GatewayBusy => Code::RateLimited,
            Self::NoGateway | Self::GatewayLost | Self::LeaseLost => Code::Unavailable,
            Self::Refused { code, .. } => *code,
            Self::Timeout => Code::Timeout,
            Self::Bus(source) | Self::Fetch(source) => source.code(),
            Self::NotText => Code::Internal,
        }
    }
}
