//! What every HTTP surface shares: the server loop, problem responses, extractors, middleware, pagination.
//!
//! This crate knows HTTP and nothing of sessions, tables or subjects. A handler answers with
//! `Result<_, Problem>`; every error that is [`Coded`](tarsy_domain::code::Coded) becomes one.

pub mod author;
mod base_path;
mod body;
pub mod cors;
pub mod credential;
pub mod extract;
pub mod headers;
pub mod host;
pub mod origin;
pub mod page;
pub mod problem;
pub mod request;
pub mod server;
mod unique_keys;

pub use author::TrustedProxies;
pub use base_path::BasePath;
pub use body::{BodyError, read_body};
pub use credential::CredentialEnd;
pub use extract::{
    BodyLimit, Json, MAX_BODY, Path, Query, RawBody, body_limit, refuse_repeated_keys,
};
pub use host::AllowedHosts;
pub use origin::Origins;
pub use page::Pagination;
pub use problem::{FieldError, Problem};
pub use server::{ServerLimits, serve};
