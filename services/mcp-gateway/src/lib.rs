//! The gateway to MCP servers: opens leases for agent executions, calls tools on them and masks their
//! results.
//!
//! It connects to MCP servers through `rmcp`, and to the other services over the bus. It uses a database
//! only for the tokens of logins, and for the recorded results of sessions that are replayed. It knows neither agents nor prompts, and treats the output of tools as
//! data.

mod allowed_hosts;
mod app;
mod arguments;
mod call_service;
mod call_span;
mod calls;
mod capacity;
mod classes;
mod content;
mod deadline;
mod failure;
mod gateway;
mod handlers;
mod health;
mod health_checks;
mod host_inspector;
mod lease;
mod lease_service;
mod leases;
mod lifecycle;
mod limits;
mod logins;
mod masks;
mod message_size;
mod metrics;
mod oauth;
mod openings;
mod peers;
mod policy;
mod probes;
mod progress;
mod replay;
mod sandbox;
mod schema;
mod servers;
mod sessions;
mod streamable;
mod text;
mod timing;
mod tls;
mod tool_names;
mod tool_server;
mod tool_warnings;
mod trials;
mod upstream;
mod warnings;
mod watched;
mod wire;

pub use app::{check, start};
pub use gateway::{Gateway, Parts};
pub use oauth::Vault;
pub use replay::Records;
pub use sandbox::{Platform, launch_if_asked};
pub use timing::Timing;
pub use tool_server::{serve, server_to_serve};
pub use upstream::StdioHost;
