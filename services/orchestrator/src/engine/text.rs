//! Cutting texts to size.

/// Characters that stand for one token in estimates.
const CHARS_PER_TOKEN: usize = 4;

/// The longest tool result that a timeline shows and an interaction keeps, in tokens; the whole
/// text has a table of its own.
pub(crate) const STORED_TOKENS: usize = 8_000;

/// A text cut to about so many tokens, with a note; none when it fits.
pub(crate) fn cut(text: &str, tokens: usize) -> Option<String> {
    let limit = tokens.saturating_mul(CHARS_PER_TOKEN);
    if text.len() <= limit {
        return None;
    }
    let end = (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let kept = text.get(..end).unwrap_or_default();
    // A line that is cut in its middle reads like a fact that it is not.
    let kept = kept.rfind('\n').and_then(|at| kept.get(..at)).unwrap_or(kept);
    Some(format!("{kept}\n[cut here: {} of {} bytes shown]", kept.len(), text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_is_not_touched() {
        assert_eq!(cut("short", 2), None);
    }

    #[test]
    fn a_long_text_ends_at_a_line_and_says_so() {
        let text = "first line\nsecond line\nthird";
        let cut = cut(text, 5).unwrap();
        assert_eq!(cut, "first line\n[cut here: 10 of 28 bytes shown]");
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        let text = "ééééééééé";
        assert!(cut(text, 1).unwrap().starts_with("éé\n"));
    }
}
