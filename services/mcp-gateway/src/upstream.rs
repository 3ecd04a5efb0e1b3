//! MCP sessions with servers.

mod connector;
mod context;
mod definition;
mod guard;
mod host;
mod http;
mod listing;
mod process;
mod response;
mod session;
mod slot;
mod spares;
mod sse;
mod stdio;
mod stdio_host;
mod tool_set;

pub(crate) use connector::Connector;
pub(crate) use context::{ByServer, Context};
pub(crate) use guard::Guard;
pub(crate) use http::client;
pub(crate) use process::Process;
pub(crate) use response::ToolResponse;
pub(crate) use session::{PendingCall, Session};
pub(crate) use slot::Slot;
pub(crate) use spares::Spares;
pub(crate) use stdio::StdioTransport;
pub use stdio_host::StdioHost;
