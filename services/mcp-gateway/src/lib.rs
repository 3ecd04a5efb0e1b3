//! The gateway to MCP servers: opens leases for agent executions, calls tools on them and masks what
//! comes back.
//!
//! It speaks MCP (through `rmcp`) on one side and the bus on the other. It has a database only for the
//! tokens of people's logins at tool servers, knows no agent and no prompt, and decides nothing about
//! an investigation. What a tool says is data: it is
//! made text, masked and handed on.

mod app;
mod arguments;
mod calls;
mod content;
mod failure;
mod fitting;
mod gateway;
mod handlers;
mod health;
mod hub;
mod lease;
mod leases;
mod limits;
mod masks;
mod metrics;
mod names;
mod oauth;
mod oddities;
mod peers;
mod policy;
mod progress;
mod upstream;

pub use app::start;
pub use gateway::{Gateway, Parts, Timing};
pub use oauth::Vault;
