//! Who sends a request, and what they may do.

mod audit;
mod authenticator;
mod cookies;
mod local;
mod oidc;
mod principal;
mod remembered;

pub(crate) use self::audit::{AuditLog, Place};
pub(crate) use self::authenticator::{Authenticator, SIGN_IN_PATH};
pub(crate) use self::cookies::CookieKind;
pub(crate) use self::oidc::{CALLBACK_PATH, Identity, Oidc, OidcError, SignInAttempt};
pub(crate) use self::principal::{CSRF_HEADER, Credential, Principal};
