//! Reads JSON that others wrote almost right: in another encoding, with raw control characters, half an emoji, `NaN`,
//! trailing commas and the like. Each repair is noted; what cannot be read is an error that says where.
//!
//! JSON that is right takes the way of `serde_json` alone and has no notes.

mod count;
mod document;
mod note;
mod repair;
mod scan;
mod text;

pub use document::{Decoded, Unreadable, decode, decode_as, decode_at_most};
pub use note::{Note, Repair};
pub use repair::MAX_DEPTH;
pub use text::{Text, text};
