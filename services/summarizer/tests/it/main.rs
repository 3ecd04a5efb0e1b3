//! The summarizer on a real PostgreSQL and a real nats-server; the model is scripted.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod stack;
mod summaries;
