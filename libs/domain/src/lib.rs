//! Ids, states and state machines that every service shares.
//!
//! Nothing here opens a socket or a file. The system clock and the generator of ids live here so that
//! each exists once.
//!
//! ```
//! use tarsy_domain::status::SessionStatus;
//! assert!(SessionStatus::Completed.transition(SessionStatus::InProgress).is_err());
//! ```

pub mod access;
pub mod action;
pub mod backoff;
pub mod change;
pub mod claim;
pub mod clock;
pub mod code;
pub mod dependency;
pub mod event;
pub mod failure;
pub mod id;
pub mod memory;
pub mod messenger;
pub mod postmortem;
pub mod price;
pub mod review;
pub mod schedule;
pub mod score;
pub mod status;
mod string_enum;
pub mod suggest;
pub mod triage;
pub mod verdict;
