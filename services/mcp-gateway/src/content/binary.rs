//! Content that has no text, and texts in base64.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::limits;

/// Kinds of content that are texts, beside `text/…`.
const TEXTS: [&str; 6] = ["json", "xml", "yaml", "csv", "javascript", "x-ndjson"];

/// The text that a resource has in base64; none if it is of another kind, or so long that most of it would be cut off.
pub(super) fn text_of(kind: &str, base64: &str) -> Option<String> {
    let (kind, subtype) = kind.split(';').next()?.trim().split_once('/')?;
    let is_text = kind == "text" || TEXTS.contains(&subtype.rsplit('+').next().unwrap_or(subtype));
    if !is_text || decoded_length(base64) > limits::RESULT_BYTES {
        return None;
    }
    String::from_utf8(BASE64_STANDARD.decode(base64).ok()?).ok()
}

pub(super) fn binary_text(what: &str, kind: &str, base64: &str) -> String {
    format!("[{what}: {kind}, {} bytes, not shown]", decoded_length(base64))
}

/// The number of bytes that a base64 text encodes. The text is not decoded: it may have megabytes.
pub(super) fn decoded_length(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}
