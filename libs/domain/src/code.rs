//! The one vocabulary of failure shared by HTTP, gRPC and the bus.

use std::error::Error;

use serde::{Deserialize, Serialize};

/// What kind of failure this is, seen from the caller.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Code {
    /// The request cannot succeed as written.
    Invalid,
    /// The caller did not say who it is.
    Unauthenticated,
    /// The caller may not do this.
    Forbidden,
    /// The thing asked for does not exist, or is hidden.
    NotFound,
    /// The request fights with the current state.
    Conflict,
    /// Too much was asked for; later is fine.
    RateLimited,
    /// No answer came in time.
    Timeout,
    /// A dependency is away; the same request may succeed later.
    Unavailable,
    /// A bug or an unforeseen state.
    Internal,
}

impl Code {
    /// Whether trying the same thing again can help.
    pub const fn is_transient(self) -> bool {
        matches!(self, Self::RateLimited | Self::Timeout | Self::Unavailable)
    }
}

/// An error that knows its [`Code`].
pub trait Coded: Error + Send + Sync + 'static {
    /// The kind of failure.
    fn code(&self) -> Code;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_that_pass_by_themselves_are_transient() {
        assert!(Code::Unavailable.is_transient());
        assert!(Code::Timeout.is_transient());
        assert!(!Code::Conflict.is_transient());
        assert!(!Code::Internal.is_transient());
    }
}
