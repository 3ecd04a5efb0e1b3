//! The public HTTP API: accepts alerts, shows and cancels sessions, serves the dashboard.
//!
//! It inserts a session and requests its cancellation; everything else about a session is written by its owner. It
//! does not know how an investigation works: no agents, no prompts, no tools.

mod access;
mod app;
mod changes;
mod configuration;
mod configured;
mod copies;
mod demo;
mod http;
mod intake;
mod masking;
mod messengers;
mod metrics;
mod notices;
mod open_sockets;
mod postmortem;
mod prevention;
mod prompts;
mod quotas;
mod recorded_chain;
mod refusal;
mod schedules;
mod slack;
mod sources;
mod state;
mod submission;
mod topology;
mod watch;
mod weekly;
mod workers;

pub use app::{build, start};
pub use configured::{check, check_address};
pub use http::{DeclaredRoute, Requirement, declared_routes, openapi};
