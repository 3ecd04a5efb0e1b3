//! OAuth at remote servers: obtains, encrypts, refreshes and sends tokens.
//!
//! `rmcp` does discovery, registration, PKCE and the token requests. This module adds one refresh at a
//! time over all gateways, and encrypted storage.

mod account;
mod bearer;
mod credentials;
mod error;
mod send;
mod vault;

pub(crate) use account::Account;
pub(crate) use bearer::Bearer;
pub(crate) use credentials::{Client, Credentials};
pub(crate) use error::Error;
pub use vault::Vault;
