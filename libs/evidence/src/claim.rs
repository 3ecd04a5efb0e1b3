//! The claims of a Markdown text: what can be compared with the results of calls.

mod citation;
mod command;
mod compound;
mod content;
mod document;
mod markdown;
mod phrase;
mod spans;
mod stance;

pub use content::{Claim, ClaimKind, Content};
pub(crate) use document::{Document, Statement};
pub(crate) use markdown::{Block, BlockKind, blocks};
pub(crate) use phrase::clause_at;
pub(crate) use spans::{is_name, number_word};

/// The claims of a text, in its order. Ordinals, headings, versions, advice and suppositions without a citation, and
/// commands are no claims.
pub fn extract(text: &str) -> Vec<Claim> {
    Document::parse(text).claims
}
