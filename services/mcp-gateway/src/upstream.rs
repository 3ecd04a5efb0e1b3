//! MCP sessions with servers.

mod environment;
mod guard;
mod host;
mod http;
mod listing;
mod process;
mod session;
mod slot;
mod spares;
mod sse;
mod stdio;
mod wire;

pub(crate) use environment::{ByServer, Surroundings};
pub(crate) use guard::Guard;
pub(crate) use http::trusting;
pub(crate) use session::{Answer, Order, Session};
pub(crate) use slot::Slot;
pub(crate) use spares::Spares;
