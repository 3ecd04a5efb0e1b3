//! Sources, their verification, rules and decisions, through the library's own surface.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper that cannot go on fails its test")]

mod applications;
mod aws;
mod changes;
mod checks;
mod cloudevents;
mod clouds;
mod decisions;
mod foreign;
mod groups;
mod incidents;
mod kubernetes;
mod mapping;
mod properties;
mod routing;
mod sns;
mod support;
mod usual;
mod verification;
