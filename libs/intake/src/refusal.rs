//! Why a request of a source is not received.

use std::time::Duration;

use url::Url;

use crate::json::ParseError;

/// Why a request is refused. Over HTTP these are 401, 400 and 413, in this order; [`VerifyError::CertificateNeeded`] is for the
/// caller, who fetches the certificate and tries again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The sender could not be verified.
    #[error("the sender is not verified: {0}")]
    Unverified(#[from] VerifyError),
    /// The payload is not what the source sends.
    #[error("the payload is not understood: {0}")]
    Malformed(#[from] ParseError),
    /// The body is too long.
    #[error("the body has {bytes} bytes; send at most {most}")]
    TooLarge { bytes: usize, most: usize },
}

/// Why a sender is not verified. No variant contains what was sent or what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// Nothing was sent that could be verified.
    #[error("{what} is missing; {fix}")]
    Missing { what: String, fix: &'static str },
    /// What was sent does not fit.
    #[error("{what} is wrong; {fix}")]
    Wrong { what: String, fix: &'static str },
    /// What was signed is too old: it may be a request that somebody recorded.
    #[error(
        "what was signed is {age:?} old, more than {most:?}; check the clocks, or send it again"
    )]
    TooOld { age: Duration, most: Duration },
    /// What was signed is from the future.
    #[error("what was signed is {ahead:?} in the future, more than {most:?}; check the clocks")]
    InFuture { ahead: Duration, most: Duration },
    /// The certificate that the signature was made with must be fetched first.
    #[error("the certificate {0} is needed")]
    CertificateNeeded(Url),
    /// No secret was given to compare with.
    #[error("no secret is set for this source; set the variable of its secret_env")]
    NoSecret,
}

impl VerifyError {
    pub(crate) fn missing(what: impl Into<String>, fix: &'static str) -> Self {
        Self::Missing { what: what.into(), fix }
    }

    pub(crate) fn wrong(what: impl Into<String>, fix: &'static str) -> Self {
        Self::Wrong { what: what.into(), fix }
    }
}
