//! Checks what findings say against what the tool calls returned.
//!
//! Pure: text in, values out. Three steps, each usable alone:
//!
//! 1. [`read`] turns the output of a tool into typed [`Reading`]s: object, field, value, time, line.
//! 2. [`extract`] finds the [`Claim`]s of a Markdown text: citations, quantities, times, quotations, names.
//! 3. [`Evidence::check`] compares each claim with the whole results of all calls and gives it a [`Verdict`].
//!
//! It knows nothing of sessions, prompts or stores.
//!
//! # Limits
//!
//! The time grows with the length of the results and with the number of claims, never with the square of either: of one result
//! at most 200 000 values are read, of one text at most 2 000 claims are checked, and for each claim at most 200 places, 200 rows
//! and 5 000 events of a result are compared. Callers need no limit of their own for results of some MiB; a text of a
//! finding should be bounded by its caller. Nothing here waits, and hostile text makes nothing fail.

mod apart;
mod check;
mod claim;
mod lexer;
mod moment;
mod quantity;
mod reading;
mod words;

pub use apart::{Apart, Parted, part};
pub use check::{Call, Checked, Evidence, Ground, Place, Report, Verdict};
pub use claim::{Claim, ClaimKind, Content, extract};
pub use moment::Moment;
pub use quantity::{Quantity, Unit};
pub use reading::{Entry, Node, Object, Reading, Shape, Value, documents, read, without_frame};
