//! The store against a real PostgreSQL: one test a promise.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper that cannot go on fails its test"
)]

mod access;
mod approvals;
mod backup;
mod batch;
mod changes;
mod chat;
mod claims;
mod dependencies;
mod detail;
mod events;
mod failover;
mod finish;
mod intake;
mod list_filters;
mod lists;
mod llm_queue;
mod memories;
mod notifications;
mod outage;
mod overview;
mod packet_loss;
mod plans;
mod pooler;
mod postmortem;
mod prevention;
mod prose;
mod provider_calls;
mod queue;
mod quotas;
mod redaction;
mod replays;
mod resume;
mod retention;
mod reviews;
mod roles;
mod schema;
mod scores;
mod search;
mod search_texts;
mod sessions;
mod setup;
mod snapshots;
mod summaries;
mod suspended;
mod tls;
mod trace;
mod triage;
mod typed_state;
mod upgrade;
mod upkeep;
mod verdicts;
mod weekly;
