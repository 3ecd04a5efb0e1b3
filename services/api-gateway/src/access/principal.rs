//! The identified sender of a request.

use std::fmt;

use axum::extract::FromRequestParts;
use http::request::Parts;
use jiff::Timestamp;
use tarsy_catalog::Sender;
use tarsy_domain::access::{Grant, Identification, Permission};
use tarsy_domain::code::Code;
use tarsy_domain::messenger::Messenger;
use tarsy_store::{Digest, secret};
use tarsy_web::Problem;
use uuid::Uuid;

/// The header that shows that a page of ours sends a request.
pub(crate) const CSRF_HEADER: &str = "x-csrf-token";

/// How a sender was identified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Credential {
    /// Not at all: it reached a server in mode `local`.
    Local,
    /// By the token of the start, in mode `local`.
    LocalToken,
    /// By the header of a trusted proxy.
    Proxy,
    Token(Stored),
    /// By the cookie of a browser whose user signed in.
    SignIn(Stored, CsrfToken),
    /// By what a messenger signs or knows, as a person whom the configuration lists.
    Messenger(Messenger),
    /// By a token of the issuer, which is accepted until then.
    OidcToken(Timestamp),
}

/// A credential that the database knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) id: Uuid,
    pub(crate) hash: Digest,
    pub(crate) expires_at: Timestamp,
}

impl Credential {
    pub(crate) const fn kind(&self) -> Identification {
        match self {
            Self::Local => Identification::Local,
            Self::LocalToken => Identification::LocalToken,
            Self::Proxy => Identification::Proxy,
            Self::Token(_) => Identification::ApiToken,
            Self::SignIn(..) => Identification::SignIn,
            Self::Messenger(Messenger::Slack) => Identification::Slack,
            Self::Messenger(Messenger::Mattermost) => Identification::Mattermost,
            Self::Messenger(Messenger::Teams) => Identification::Teams,
            Self::OidcToken(_) => Identification::OidcToken,
        }
    }
}

impl fmt::Display for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::LocalToken => f.write_str("local_token"),
            Self::Proxy => f.write_str("proxy"),
            Self::Messenger(messenger) => write!(f, "{messenger}"),
            Self::Token(stored) => write!(f, "token:{}", stored.id),
            Self::SignIn(stored, _) => write!(f, "sign_in:{}", stored.id),
            Self::OidcToken(_) => f.write_str("oidc_token"),
        }
    }
}

/// What a page of ours sends with every change: a foreign page can have the browser send the cookie, but cannot read this.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CsrfToken(String);

impl CsrfToken {
    /// The token that belongs to the cookie of a sign-in. It is derived, so that the database holds no secret.
    pub(crate) fn of_cookie(cookie: &str) -> Self {
        Self::derived(cookie, "csrf")
    }

    /// A token that whoever does not have the secret cannot know.
    pub(super) fn derived(secret: &str, purpose: &str) -> Self {
        Self(secret::derive(secret, purpose))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn matches(&self, sent: Option<&str>) -> bool {
        sent.is_some_and(|sent| secret::is_same(sent, &self.0))
    }
}

impl fmt::Debug for CsrfToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CsrfToken")
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
            Credential::Token(stored) => format!("token:{}", stored.id),
            _ => format!("user:{}", self.name),
        }
    }

    /// As whom it requests tools: a source of some types sends data, everybody else decides for a person.
    pub(crate) const fn sender(&self) -> Sender {
        match self.grant {
            Grant::Role(_) => Sender::Trusted,
            Grant::Source { .. } => Sender::Source,
        }
    }

    /// Whether it may do something.
    pub(crate) fn may(&self, permission: Permission) -> bool {
        let is_open = self.credential != Credential::Local || permission.is_open_locally();
        is_open && self.grant.allows(permission)
    }

    /// What its changes must carry, if its browser identifies it by a cookie.
    pub(crate) fn csrf_token(&self) -> Option<&CsrfToken> {
        match &self.credential {
            Credential::SignIn(_, token) => Some(token),
            _ => None,
        }
    }

    /// When it stops to be accepted.
    pub(crate) fn expires_at(&self) -> Option<Timestamp> {
        match &self.credential {
            Credential::Local
            | Credential::LocalToken
            | Credential::Proxy
            | Credential::Messenger(_) => None,
            Credential::Token(stored) | Credential::SignIn(stored, _) => Some(stored.expires_at),
            Credential::OidcToken(expires_at) => Some(*expires_at),
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
