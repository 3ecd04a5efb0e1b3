//! Tells people and machines of sessions: channels of Slack, and signed webhooks.
//!
//! A row in `notifications` is there before anything is sent; the row is the fact, an event is the
//! hint that one is needed, and a sweep finds what no event told. Whoever sends has claimed the row
//! for a while; after a crash the next one looks whether the message is there before it sends. It
//! must not know chains, agents or tools, and no session ever waits for it.

mod app;
mod channels;
mod courier;
mod metrics;
mod planner;
mod warnings;

pub use app::start;
pub use channels::webhook::schema;
