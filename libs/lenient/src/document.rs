//! One JSON document.

use std::borrow::Cow;

use serde_json::Value;

use crate::{
    count,
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
    /// A value takes many times the memory of its text.
    #[error("has more than {most} values")]
    TooMany { most: usize },
}

/// Reads bytes as JSON.
pub fn decode(bytes: &[u8]) -> Result<Decoded, Unreadable> {
    decode_as(bytes, None)
}

/// Reads bytes as JSON. `charset` is the label that the sender gave, which counts where the bytes are no UTF-8.
pub fn decode_as(bytes: &[u8], charset: Option<&str>) -> Result<Decoded, Unreadable> {
    decode_at_most(bytes, charset, usize::MAX)
}

/// Reads bytes as [`decode_as`] does, if they have at most so many values.
pub fn decode_at_most(
    bytes: &[u8],
    charset: Option<&str>,
    most: usize,
) -> Result<Decoded, Unreadable> {
    match parse(bytes, most)? {
        Ok(value) => Ok(Decoded { value, notes: Vec::new() }),
        Err(error) => repaired(bytes, charset, &error, most),
    }
}

fn repaired(
    bytes: &[u8],
    charset: Option<&str>,
    error: &serde_json::Error,
    most: usize,
) -> Result<Decoded, Unreadable> {
    let mut notes = Notes::default();
    let text: Cow<'_, str> = text::read(bytes, charset, &mut notes);
    if text.trim_matches(is_space).is_empty() {
        return Err(Unreadable::Empty);
    }
    let mut refused = error.to_string();
    if !notes.is_empty() {
        match parse(text.as_bytes(), most)? {
            Ok(value) => return Ok(Decoded { value, notes: notes.done() }),
            Err(error) => refused = error.to_string(),
        }
    }
    let Some(text) = repair::repair(&text, &mut notes) else {
        return Err(Unreadable::Syntax(refused));
    };
    match parse(text.as_bytes(), most)? {
        Ok(value) => Ok(Decoded { value, notes: notes.done() }),
        Err(_) => Err(Unreadable::Syntax(refused)),
    }
}

fn parse(text: &[u8], most: usize) -> Result<Result<Value, serde_json::Error>, Unreadable> {
    if count::has_more_values(text, most) {
        return Err(Unreadable::TooMany { most });
    }
    Ok(serde_json::from_slice(text))
}
