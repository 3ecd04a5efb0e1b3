//! The only room that names NATS: connects, provisions, publishes, asks, answers, rings.
//!
//! The row is the fact, the message is the hint, a slow poll is the net: nothing that this room
//! loses may be the only copy of anything. It knows no SQL and no HTTP.

mod blobs;
mod connect;
mod doorbell;
mod error;
mod kv;
mod link;
mod provision;
mod publish;
mod request;
mod respond;
mod subscribe;

pub use blobs::Blobs;
pub use connect::{Bus, BusOptions};
pub use doorbell::{Doorbell, Ring};
pub use error::Error;
pub use kv::Kv;
pub use link::Link;
pub use publish::Durable;
pub use subscribe::{Incoming, Subscription};
