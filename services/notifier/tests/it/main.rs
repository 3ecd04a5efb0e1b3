//! The notifier as a process, on a real PostgreSQL and a real nats-server; the services that are
//! notified are played over their protocols:
//!
//! - `once`: a hundred sessions through failures and kills, one message each
//! - `channel`: what a channel reads, and where
//! - `webhook`: what a webhook is sent, routing, dead letters
//! - `destinations`: chats, incidents and issues: threads, failures, rate limits, kills
//! - `email`: the same over SMTP
//! - `approvals`: tool calls that wait for approval
//! - `commands`: threads of commands, their results and answers
//! - `shared`: a finding that a person shares
//! - `quiet`: without a destination it rests

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a helper that cannot go on fails its test"
)]

mod approvals;
mod channel;
mod commands;
mod destinations;
mod email;
mod once;
mod quiet;
mod reviews;
mod rollbacks;
mod shared;
mod slack;
mod smtp;
mod stack;
mod vendors;
mod verdict;
mod webhook;
