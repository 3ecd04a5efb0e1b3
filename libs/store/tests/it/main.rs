//! The store against a real PostgreSQL: one test a promise.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper that cannot go on fails its test")]

mod access;
mod approvals;
mod batch;
mod chat;
mod claims;
mod detail;
mod events;
mod failover;
mod finish;
mod intake;
mod lists;
mod notifications;
mod outage;
mod packet_loss;
mod queue;
mod quotas;
mod replays;
mod resume;
mod reviews;
mod roles;
mod schema;
mod search;
mod sessions;
mod setup;
mod summaries;
mod tls;
mod trace;
mod typed_state;
mod upkeep;
mod verdicts;
