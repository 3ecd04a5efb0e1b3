//! The words of the product: identifiers, states, and the rules between them.
//!
//! Pure by design: nothing here opens a socket or a file. The two rims that every room needs, the
//! clock and fresh identifiers, live here so that they exist once.
//!
//! ```
//! use tarsy_domain::status::SessionStatus;
//! assert!(SessionStatus::Completed.step(SessionStatus::InProgress).is_err());
//! ```

pub mod backoff;
pub mod clock;
pub mod code;
pub mod event;
pub mod id;
pub mod status;
