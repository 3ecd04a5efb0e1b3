//! Leased work: rows that one process claims, works on while it renews a lease, and gives up when the
//! lease is lost, the work is cancelled, its time is over or the process stops.
//!
//! A kind of work implements [`LeasedWork`]; a [`Runner`] does the rest.

mod handle;
mod poll;
mod registry;
mod runner;
mod stop;
mod work;

pub use handle::Lease;
pub use poll::PollInterval;
pub use registry::RunningWork;
pub use runner::Runner;
pub use stop::{StopReason, StopSignal};
pub use work::{LeaseState, LeaseTerms, LeasedWork};
