//! Drives sessions through their chains of agents, and answers questions about them afterwards.
//!
//! It claims a session, works under the lease's epoch, writes everything down as it goes, and can
//! be killed at any point: the next owner reads where it stopped and goes on. It knows no provider,
//! no MCP transport and no browser.

mod app;
mod chat;
mod engine;
mod janitor;
mod library;
mod metrics;
mod owner;
mod prompts;
mod sweeper;
mod worker;

pub use app::{Parts, start, start_with};
pub use library::Library;
