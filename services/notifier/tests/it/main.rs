//! The notifier as a process, on a real PostgreSQL and a real nats-server; Slack and webhooks are
//! played over HTTP:
//!
//! - `once`: a hundred sessions through failures and kills, one message each
//! - `channel`: what a channel reads, and where
//! - `webhook`: what a webhook is sent, routing, dead letters
//! - `approvals`: tool calls that wait for approval
//! - `quiet`: without a destination it rests

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that cannot go on fails its test"
)]

mod approvals;
mod channel;
mod once;
mod quiet;
mod reviews;
mod slack;
mod stack;
mod verdict;
mod webhook;
