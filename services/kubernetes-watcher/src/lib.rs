//! Watches the warning events of a Kubernetes cluster, and sends them to api-gateway as alerts of a source of kind
//! `kubernetes`; and, if it is configured, what changes of its objects.
//!
//! It stores nothing and decides nothing about alerts: api-gateway knows which event belongs to which session, so that
//! an event may be sent twice. What was not sent before a stop is listed again at the next start, while it is younger
//! than `events.max_age`.

mod app;
mod changes;
mod connection;
mod delivery;
mod filter;
mod metrics;
mod outcome;
mod topology;
mod watch;

pub use app::{check, start};
