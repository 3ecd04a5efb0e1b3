//! Access to remote servers by OAuth: tokens are got, kept sealed, renewed and sent, and shown to
//! nobody.
//!
//! The protocol's own library does discovery, registration, PKCE and the token requests. Here is what
//! it leaves open: one renewal at a time over all gateways, what is kept and how, and who logs in.

mod account;
mod bearer;
mod guarded;
mod kept;
mod login;
mod vault;

pub(crate) use account::Account;
pub(crate) use bearer::Bearer;
pub(crate) use login::Logins;
pub use vault::Vault;

/// What can go wrong with the tokens of a server; in words that hold none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The authorization server, or the way to it, failed.
    #[error("{0}")]
    Authorization(#[from] rmcp::transport::auth::AuthError),
    /// What is kept could not be read or written.
    #[error("the tokens could not be kept: {0}")]
    Store(#[from] tarsy_store::Error),
    /// What is kept cannot be opened with the keys at hand.
    #[error("the kept tokens cannot be opened with the keys of TARSY_TOKEN_KEYS; log in again")]
    Sealed,
    /// It took too long.
    #[error("the authorization server did not answer in time")]
    Timeout,
    /// Nothing keeps tokens here.
    #[error("no place to keep tokens is set up: TARSY_TOKEN_KEYS is not set")]
    NoVault,
}
