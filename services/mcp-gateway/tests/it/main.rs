//! The gateway with real MCP servers, over a real bus, as the orchestrator uses it.

#[path = "../../examples/peer/server.rs"]
mod server;

mod calls;
mod health;
mod http;
mod isolation;
mod leases;
mod outcomes;
mod world;
