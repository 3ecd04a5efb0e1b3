//! Why a request to a tool gateway failed. An error of a tool is a result, not an error.

use tarsy_bus::Error as BusError;
use tarsy_domain::code::{Code, Coded};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ToolError {
    /// Every gateway that answered was at its capacity until the timeout.
    #[error("every tool gateway is at its capacity")]
    GatewayBusy,
    /// No gateway answered until the timeout.
    #[error("no tool gateway is running")]
    NoGateway,
    /// The gateway that owns the lease no longer answers.
    #[error("the tool gateway of this lease is gone")]
    GatewayLost,
    /// The gateway runs, and has no such lease any more.
    #[error("the lease on the tool servers has ended")]
    LeaseLost,
    #[error("the tool gateway refused: {message}")]
    Refused { code: Code, message: String },
    #[error("the tool gateway did not answer in time")]
    Timeout,
    #[error("could not reach the tool gateway over the bus")]
    Bus(#[source] tarsy_bus::Error),
    #[error("could not fetch a large tool result")]
    Fetch(#[source] tarsy_bus::Error),
    /// A result in the object store is not UTF-8.
    #[error("a large tool result is not text")]
    NotText,
}

impl ToolError {
    /// Whether the lease is unusable, and a new one has to be opened.
    pub const fn is_lease_lost(&self) -> bool {
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

/// Why a request to an instance of a gateway failed.
pub(crate) fn request_error(error: BusError) -> ToolError {
    match error {
        BusError::Refused(refusal) => {
            ToolError::Refused { code: refusal.code, message: refusal.message }
        }
        BusError::Timeout { .. } => ToolError::Timeout,
        BusError::NoResponders { .. } => ToolError::GatewayLost,
        other => ToolError::Bus(other),
    }
}
