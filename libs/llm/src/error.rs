//! Why a request to a model failed.

use std::time::Duration;

use tarsy_domain::code::{Code, Coded};

/// Why a request to a model failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The provider failed, as llm-service reports it.
    #[error("{message}")]
    Provider {
        /// For people; without keys.
        message: String,
        /// `credentials`, `rate_limited`, `partial_stream_error` and so on.
        code: String,
        /// The same request may succeed later.
        retryable: bool,
        /// The least pause that the provider asks for.
        retry_after: Option<Duration>,
        /// The environment variable with the key that was refused or is not set.
        variable: Option<String>,
    },
    /// llm-service was not reached, or the connection was lost.
    #[error("llm-service could not be reached: {0}")]
    Transport(String),
    /// The stream ended without its final message.
    #[error("llm-service ended the stream before the answer was complete")]
    IncompleteStream,
    /// The request's deadline passed.
    #[error("the model did not answer in time")]
    Timeout,
}

impl Error {
    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Provider { retryable, .. } => *retryable,
            Self::Transport(_) | Self::IncompleteStream => true,
            Self::Timeout => false,
        }
    }

    /// The least pause before the next attempt, if the provider asks for one.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Provider { retry_after, .. } => *retry_after,
            Self::Transport(_) | Self::IncompleteStream | Self::Timeout => None,
        }
    }
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::Provider { code, .. } if code == "rate_limited" => Code::RateLimited,
            Self::Provider { code, .. }
                if matches!(code.as_str(), "credentials" | "unauthenticated") =>
            {
                Code::Unauthenticated
            }
            Self::Provider { code, .. }
                if matches!(code.as_str(), "invalid_request" | "unknown_provider") =>
            {
                Code::Invalid
            }
            Self::Provider { .. } | Self::Transport(_) | Self::IncompleteStream => {
                Code::Unavailable
            }
            Self::Timeout => Code::Timeout,
        }
    }
}
