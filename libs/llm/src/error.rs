//! Why a model did not answer.

use std::time::Duration;

use tarsy_domain::code::{Code, Coded};

/// Why a model did not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The provider refused or broke off, and llm-service says how.
    #[error("{message}")]
    Provider {
        /// In words for a person; no keys.
        message: String,
        /// `credentials`, `rate_limited`, `partial_stream_error` and so on.
        code: String,
        /// The same request may succeed later.
        retryable: bool,
        /// When the provider wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// llm-service could not be reached, or the connection broke.
    #[error("llm-service could not be reached: {0}")]
    Transport(String),
    /// The stream ended without its last chunk.
    #[error("llm-service broke off in the middle of an answer")]
    BrokenOff,
    /// No answer came in time.
    #[error("the model did not answer in time")]
    Timeout,
}

impl Error {
    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Provider { retryable, .. } => *retryable,
            Self::Transport(_) | Self::BrokenOff => true,
            Self::Timeout => false,
        }
    }

    /// How long to wait before asking again, if the provider said so.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Provider { retry_after, .. } => *retry_after,
            Self::Transport(_) | Self::BrokenOff | Self::Timeout => None,
        }
    }
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::Provider { code, .. } if code == "rate_limited" => Code::RateLimited,
            Self::Provider { code, .. } if code == "credentials" => Code::Unauthenticated,
            Self::Provider { code, .. } if code == "invalid_request" => Code::Invalid,
            Self::Provider { .. } | Self::Transport(_) | Self::BrokenOff => Code::Unavailable,
            Self::Timeout => Code::Timeout,
        }
    }
}
