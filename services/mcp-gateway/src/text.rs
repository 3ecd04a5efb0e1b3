//! Texts and numbers that are bounded.

use std::time::Duration;

/// Truncates a text that is longer than `limit` bytes at a character boundary, and marks it with `…`.
pub(crate) fn truncate(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit));
        text.push('…');
    }
    text
}

/// The duration in milliseconds; the greatest number if it has more.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::truncate;

    #[test]
    fn a_text_is_truncated_at_a_character_boundary() {
        assert_eq!(truncate("äöü".to_owned(), 3), "ä…");
        assert_eq!(truncate("abc".to_owned(), 3), "abc");
    }
}
