//! Live events to browsers over WebSocket: who watches what, in order, each event exactly once.
//!
//! It reads the events that others wrote and publishes nothing. It must not know chains, agents or
//! prompts; what it forwards it forwards as the bytes that came. One task a watched session
//! ([`watch`]) orders the events ([`feed`]) and puts them into the viewers' bounded queues
//! ([`outbox`]); a slow viewer delays nobody.

mod app;
mod feed;
mod hub;
mod list;
mod metrics;
mod outbox;
mod protocol;
mod row;
mod text;
mod viewer;
mod watch;

pub use app::{build, start};
