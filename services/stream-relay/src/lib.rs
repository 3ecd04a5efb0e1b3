//! Live events to browsers over WebSocket, in order, each event exactly once.
//!
//! It reads the events that other services wrote, forwards their bytes unchanged, and publishes
//! nothing. It knows neither chains nor agents nor prompts. One task for each session with viewers
//! ([`session_task`]) orders the events ([`feed`]) and puts them into the viewers' bounded queues
//! ([`outbox`]); a slow viewer delays no other.

mod app;
mod command;
mod feed;
mod hub;
mod metrics;
mod outbox;
mod protocol;
mod resources;
mod row;
mod session_list;
mod session_task;
mod text;
mod viewer;

pub use app::{build, check, serve, start};
