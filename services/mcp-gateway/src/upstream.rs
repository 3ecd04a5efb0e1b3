//! MCP sessions with servers.

mod environment;
mod http;
mod listing;
mod process;
mod session;
mod slot;

pub(crate) use environment::Surroundings;
pub(crate) use session::{Answer, Order, Session};
pub(crate) use slot::Slot;
