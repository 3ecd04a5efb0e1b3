//! Why a token or a sign-in is refused.

use jsonwebtoken::errors::ErrorKind;
use tarsy_domain::code::{Code, Coded};
use tarsy_outbound::{AUTHORITIES, describe};

/// What can go wrong with the issuer, or with one of its tokens.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OidcError {
    #[error("the issuer's {what} cannot be reached: {}", describe(source, AUTHORITIES))]
    Unreachable { what: &'static str, source: reqwest::Error },
    #[error("the issuer's {what} answered with status {status}")]
    Status { what: &'static str, status: u16 },
    #[error("the issuer's {what} answered more than {limit} bytes")]
    TooLarge { what: &'static str, limit: usize },
    #[error("the issuer's {what} cannot be read")]
    Document { what: &'static str, source: serde_json::Error },
    #[error(
        "the discovery document is that of the issuer {found}; write this in system.access.oidc.issuer"
    )]
    OtherIssuer { found: String },
    #[error("the {what} of the discovery document is not https")]
    Unsafe { what: &'static str },
    #[error(
        "the issuer names {host} for its {what}, which is refused: {fault}; list the host in \
         system.access.oidc.endpoint_hosts if it is yours"
    )]
    Refused { what: &'static str, host: String, fault: &'static str },
    #[error("the issuer did not answer a moment ago")]
    Waiting,
    #[error("too many people sign in at once; try again")]
    Busy,
    #[error("the issuer refused the code: {error}")]
    Rejected { error: String },
    #[error("the token {}", words(.0.kind()))]
    Token(#[from] jsonwebtoken::errors::Error),
    #[error("the token is signed with an algorithm that is not accepted")]
    Algorithm,
    #[error("the issuer has no key for the token")]
    UnknownKey,
    #[error("the claim {claim} of the token {problem}")]
    Claim { claim: String, problem: &'static str },
}

impl OidcError {
    /// Whether it is the issuer's, not the sender's.
    pub(crate) const fn is_unavailable(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Status { .. }
                | Self::TooLarge { .. }
                | Self::Document { .. }
                | Self::OtherIssuer { .. }
                | Self::Unsafe { .. }
                | Self::Refused { .. }
                | Self::Waiting
                | Self::Busy
        )
    }
}

impl Coded for OidcError {
    fn code(&self) -> Code {
        if self.is_unavailable() { Code::Unavailable } else { Code::Unauthenticated }
    }
}

fn words(kind: &ErrorKind) -> String {
    let text = match kind {
        ErrorKind::ExpiredSignature => "is expired",
        ErrorKind::ImmatureSignature => "is not valid yet",
        ErrorKind::InvalidAudience => "is for another audience",
        ErrorKind::InvalidIssuer => "is of another issuer",
        ErrorKind::InvalidSignature => "has a wrong signature",
        ErrorKind::MissingRequiredClaim(claim) => return format!("has no claim {claim}"),
        _ => "cannot be read",
    };
    text.to_owned()
}
