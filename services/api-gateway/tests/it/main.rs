//! The gateway against a real PostgreSQL and a real NATS, as its callers see it.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that cannot go on fails its test"
)]

mod access;
mod actions;
mod alerts;
mod any_bytes;
mod approvals;
mod below_a_path;
mod browser;
mod changes;
mod chat;
mod commands;
mod conformance;
mod connections;
mod deletion;
mod described;
mod find;
mod heartbeats;
mod intake;
mod intake_policy;
mod ipv6;
mod local;
mod matrix;
mod mcp;
mod oidc;
mod openapi;
mod outage;
mod pages;
mod postmortem;
mod providers;
mod quotas;
mod redactions;
mod released;
mod replays;
mod requested_tools;
mod reviews;
mod schedules;
mod scores;
mod sessions;
mod shared_findings;
mod slack;
mod sources;
mod stack;
mod system;
mod tool_server_test;
mod triage;
mod websocket;
