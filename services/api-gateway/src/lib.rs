//! The public door: alerts come in, sessions are looked at and cancelled, the dashboard is served.
//!
//! It writes a session's first row and asks for its cancellation; everything else about a session
//! is its owner's. It must not know how an investigation is done: no agents, no prompts, no tools.

mod app;
mod http;
mod intake;
mod masking;
mod metrics;
mod submission;
mod watch;

pub use app::{build, start};
pub use http::openapi;
