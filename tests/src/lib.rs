//! The whole product as processes, for end-to-end tests and benches.
//!
//! Every service is the program that ships, started as a process of its own; PostgreSQL, NATS, the
//! MCP servers and llm-service are real. Only the LLM's vendor is played, over its wire protocol.

#![expect(clippy::indexing_slicing, reason = "the crate is tests: a missing field fails them")]

mod browser;
pub mod chaos;
mod checks;
pub mod collector;
pub mod conform;
mod faketime;
mod flow;
pub mod gateway;
pub mod kubernetes;
mod long_session;
pub mod model;
pub mod monitoring;
mod network;
mod plain;
mod posts;
mod process;
mod records;
mod roles;
mod shared;
pub mod soak;
mod stack;
mod tool_server;
mod viewer;

pub use browser::{Measurement, browse};
pub use checks::record_is_whole;
pub use model::{Answer, Asked, Gate, Model, Purpose, Script, usual};
pub use network::TestNetwork;
pub use plain::Plain;
pub use posts::{Failures, Post, Posts, RESPONDER, Receiver};
pub use process::{Sample, sample};
pub use records::Records;
pub use roles::ROLES;
pub use shared::Shared;
pub use stack::{
    Backend, Backends, Client, INTAKE_SECRET, Links, Llm, Programs, Stack, StackOptions, VENDOR,
};
pub use tool_server::ToolServer;
pub use viewer::Viewer;
