//! One JSON document.

use std::borrow::Cow;

use serde_json::Value;

use crate::{
    note::{Note, Notes},
    repair,
    scan::is_space,
    text,
};

/// A document, and what was repaired.
#[derive(Debug, PartialEq)]
pub struct Decoded {
    pub value: Value,
    /// Empty if the bytes are valid JSON.
    pub notes: Vec<Note>,
}

/// Why bytes are no JSON, even if repaired.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("is empty")]
    Empty,
    #[error("is no JSON: {0}")]
    Syntax(
        /// What `serde_json` says of the text before repairs, with line and column. Nothing of the text is in it.
        String,
    ),
}

/// Reads bytes as JSON.
pub fn decode(bytes: &[u8]) -> Result<Decoded, Unreadable> {
    decode_as(bytes, None)
}

/// Reads bytes as JSON. `charset` is the label that the sender gave, which counts where the bytes are no UTF-8.
pub fn decode_as(bytes: &[u8], charset: Option<&str>) -> Result<Decoded, Unreadable> {
    match serde_json::from_slice(bytes) {
        Ok(value) => Ok(Decoded { value, notes: Vec::new() }),
        Err(error) => repaired(bytes, charset, &error),
    }
}

fn repaired(
    bytes: &[u8],
    charset: Option<&str>,
    error: &serde_json::Error,
) -> Result<Decoded, Unreadable> {
    let mut notes = Notes::default();
    let text: Cow<'_, str> = text::read(bytes, charset, &mut notes);
    if text.trim_matches(is_space).is_empty() {
        return Err(Unreadable::Empty);
    }
    let mut refused = error.to_string();
    if !notes.is_empty() {
        match serde_json::from_str(&text) {
            Ok(value) => return Ok(Decoded { value, notes: notes.done() }),
            Err(error) => refused = error.to_string(),
        }
    }
    let repaired = repair::repair(&text, &mut notes);
    match repaired.and_then(|text| serde_json::from_str(&text).ok()) {
        Some(value) => Ok(Decoded { value, notes: notes.done() }),
        None => Err(Unreadable::Syntax(refused)),
    }
}
