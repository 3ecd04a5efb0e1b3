//! The adapter to NATS, and the only crate that names `async-nats`: connections, provisioning,
//! publishing, requests, responders, wake-ups and buckets.
//!
//! Rows in PostgreSQL are the facts, messages are hints, and a fallback poll finds what a lost message
//! announced: nothing that this crate loses may be the only copy of anything. It knows no SQL and no
//! HTTP.

mod blobs;
mod check;
mod connect;
mod connection;
mod consume;
mod encode;
mod error;
mod kv;
mod provision;
mod publish;
mod removal;
mod request;
mod respond;
mod spans;
mod storage;
mod stream_state;
mod subscribe;
mod wake_ups;

pub use blobs::Blobs;
pub use connect::{Bus, BusOptions, BusSecurity};
pub use connection::ConnectionState;
pub use consume::Handled;
pub use error::Error;
pub use kv::Kv;
pub use publish::DurableMessage;
pub use removal::{COPIES, TextRemoval, TextStep};
pub use storage::FailedStream;
pub use subscribe::{Incoming, Subscription};
pub use wake_ups::{WakeUp, WakeUps};
