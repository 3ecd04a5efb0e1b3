//! Heartbeats, cancels and leased work, over a real nats-server; the settings that documents name.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod cancels;
mod documents;
mod heartbeat;
mod leases;
