//! Makes large tool results short, for the agents that wait for them.
//!
//! A row of `summaries` asks for one; the bus only rings. It is claimed under a lease of its own, its
//! text streams to the session's viewers, and it is finished once: a summarizer that dies leaves it to
//! the next. Whoever asked falls back on the raw result when there is none.

mod app;
mod maker;
mod metrics;
mod prompts;
mod worker;

pub use app::{Parts, start, start_with};
