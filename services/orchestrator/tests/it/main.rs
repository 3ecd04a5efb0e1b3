//! The orchestrator on a real PostgreSQL and a real nats-server; the model and the tools are
//! scripted.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper that cannot go on fails its test"
)]

mod actions;
mod approvals;
mod attached_alerts;
mod budget;
mod changes;
mod chat;
mod claims;
mod compaction;
mod delegation;
mod dependencies;
mod failures;
mod fallback;
mod flows;
mod gateway;
mod gathering;
mod injected;
mod lines;
mod live;
mod looks;
mod masking;
mod memory;
mod outage;
mod prefixes;
mod prose;
mod react;
mod repeats;
mod replays;
mod requested_tools;
mod resume;
mod run;
mod runbooks;
mod scores;
mod skills;
mod slow_models;
mod small_windows;
mod stack;
mod stop;
mod summaries;
mod suspended;
mod truncation;
mod verdicts;
