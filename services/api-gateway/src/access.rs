//! Who sends a request, and what they may do.

mod audit;
mod authenticator;
mod principal;
mod tokens;

pub(crate) use self::audit::AuditLog;
pub(crate) use self::authenticator::Authenticator;
pub(crate) use self::principal::Principal;
