//! The command line as a process:
//!
//! - `models`: model servers, played over their protocols, found, tried and written into the configuration
//! - `servers`: these servers
//! - `skills`: those of a repository, which is played

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that cannot go on fails its test"
)]

mod models;
mod servers;
mod skills;
