//! The error codes that HTTP, gRPC and the bus share.

use std::error::Error;

use serde::{Deserialize, Serialize};

/// The kind of an error, as the caller sees it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Code {
    /// The request cannot succeed as written.
    Invalid,
    /// The caller is not authenticated.
    Unauthenticated,
    /// The caller may not do this.
    Forbidden,
    /// The requested object does not exist, or is not visible to the caller.
    NotFound,
    /// The request conflicts with the current state.
    Conflict,
    /// A rate limit was exceeded; a later request may succeed.
    RateLimited,
    /// A deadline expired.
    Timeout,
    /// A dependency is unavailable; the same request may succeed later.
    Unavailable,
    /// A bug or an unexpected state.
    Internal,
}

impl Code {
    /// Whether the same request may succeed later.
    pub const fn is_transient(self) -> bool {
        matches!(self, Self::RateLimited | Self::Timeout | Self::Unavailable)
    }
}

pub trait Coded: Error + Send + Sync + 'static {
    fn code(&self) -> Code;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_that_a_retry_may_fix_are_transient() {
        assert!(Code::Unavailable.is_transient());
        assert!(Code::Timeout.is_transient());
        assert!(!Code::Conflict.is_transient());
        assert!(!Code::Internal.is_transient());
    }
}
