//! Content that has no text.

pub(super) fn binary_text(what: &str, kind: &str, base64: &str) -> String {
    format!("[{what}: {kind}, {} bytes, not shown]", decoded_length(base64))
}

/// The number of bytes that a base64 text encodes. The text is not decoded: it may have megabytes.
pub(super) fn decoded_length(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}
