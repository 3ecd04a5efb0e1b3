//! The failures of OAuth. The messages contain no tokens.

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The authorization server refused, or the request to it failed.
    #[error("{0}")]
    Authorization(#[from] rmcp::transport::auth::AuthError),
    #[error("the tokens could not be loaded or stored: {0}")]
    Store(#[from] tarsy_store::Error),
    #[error("none of the keys in TARSY_TOKEN_KEYS decrypts the stored tokens; log in again")]
    Decryption,
    #[error("the authorization server did not answer in time")]
    Timeout,
    /// An address that the tool server or its authorization server names.
    #[error("{0}")]
    Refused(String),
    #[error("tokens cannot be stored: TARSY_TOKEN_KEYS is not set")]
    NoVault,
}
