//! The identified sender of a request.

use std::fmt;

use axum::extract::FromRequestParts;
use http::request::Parts;
use tarsy_domain::access::Grant;
use tarsy_domain::code::Code;
use tarsy_web::Problem;
use uuid::Uuid;

/// How a sender was identified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Credential {
    /// By reaching a server in mode `local`.
    Local,
    /// By the header of a trusted proxy.
    Proxy,
    /// By an API token.
    Token(Uuid),
}

impl fmt::Display for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::Proxy => f.write_str("proxy"),
            Self::Token(id) => write!(f, "token:{id}"),
        }
    }
}

/// The identified sender of a request; `authorize` adds it to the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Principal {
    /// The user, or the name of the token.
    pub(crate) name: String,
    pub(crate) credential: Credential,
    pub(crate) grant: Grant,
}

impl Principal {
    /// What its idempotency keys belong to.
    pub(crate) fn scope(&self) -> String {
        match self.credential {
            Credential::Token(id) => format!("token:{id}"),
            Credential::Local | Credential::Proxy => format!("user:{}", self.name),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Principal {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            Problem::new(Code::Unauthenticated, "this route needs an identified sender")
        })
    }
}
