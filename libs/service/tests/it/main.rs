//! Heartbeats, cancels and leased work, over a real nats-server.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod cancels;
mod heartbeat;
mod leases;
