//! The length of a text in tokens, and cutting a text to a length.
//!
//! Pure. Most texts are far from any limit, so that an estimate decides. A tokenizer, whose tables
//! take 65 MiB once it is used, counts only when the estimate is near the limit.

/// Estimates count one token for this many bytes.
const BYTES_PER_TOKEN: usize = 4;

pub const fn estimate(text: &str) -> usize {
    estimate_bytes(text.len())
}

/// Estimates the tokens of a text with this many bytes.
pub const fn estimate_bytes(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The tokens of a text: counted when the estimate is within a quarter of the limit, estimated
/// otherwise.
///
/// The count is that of `OpenAI`'s `o200k` vocabulary; other models' differ by a few per cent.
pub fn measure(text: &str, limit: usize) -> usize {
    let estimated = estimate(text);
    let near = estimated.abs_diff(limit) * 4 <= limit;
    if near { count(text) } else { estimated }
}

/// The tokens of a text, counted; takes about a tenth of a second for each MiB.
pub fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

/// The beginning of a text, at most about this many tokens, cut at the end of a line if there is
/// one, with a note; none if the text fits.
pub fn cut(text: &str, tokens: usize) -> Option<String> {
    let limit = tokens.saturating_mul(BYTES_PER_TOKEN);
    if text.len() <= limit {
        return None;
    }
    let end = (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let kept = text.get(..end).unwrap_or_default();
    // Half a line may read like a different fact.
    let kept = kept.rfind('\n').and_then(|at| kept.get(..at)).unwrap_or(kept);
    Some(format!("{kept}\n[cut here: {} of {} bytes shown]", kept.len(), text.len()))
}

/// The end of a text, at most about this many tokens, with a note; none if the text fits.
pub fn cut_front(text: &str, tokens: usize) -> Option<String> {
    let limit = tokens.saturating_mul(BYTES_PER_TOKEN);
    let over = text.len().checked_sub(limit).filter(|over| *over > 0)?;
    let begin = (over..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let kept = text.get(begin..).unwrap_or_default();
    let kept = kept.find('\n').and_then(|at| kept.get(at + 1..)).unwrap_or(kept);
    Some(format!("[the last {} of {} bytes]\n{kept}", kept.len(), text.len()))
}

/// The beginning and the end of a text, at most this many bytes together, three quarters of them at the
/// beginning; none if the text fits. They end and begin with whole lines unless lines are very long.
pub fn ends(text: &str, bytes: usize) -> Option<(&str, &str)> {
    if text.len() <= bytes {
        return None;
    }
    let head = (0..=bytes / 4 * 3).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let tail = text.len() - bytes / 4;
    let tail = (tail..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let (head, tail) = (text.get(..head)?, text.get(tail..)?);
    let lines = head.rfind('\n').filter(|end| *end >= head.len() / 2);
    let head = lines.and_then(|end| head.get(..end)).unwrap_or(head);
    let lines = tail.find('\n').filter(|end| *end <= tail.len() / 2);
    let tail = lines.and_then(|end| tail.get(end + 1..)).unwrap_or(tail);
    Some((head, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_is_not_cut() {
        assert_eq!(cut("short", 2), None);
    }

    #[test]
    fn a_long_text_is_cut_at_a_line_with_a_note() {
        let text = "first line\nsecond line\nthird";
        let cut = cut(text, 5).unwrap();
        assert_eq!(cut, "first line\n[cut here: 10 of 28 bytes shown]");
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        let text = "ééééééééé";
        assert!(cut(text, 1).unwrap().starts_with("éé\n"));
    }

    #[test]
    fn the_end_of_a_text_begins_at_a_line() {
        let text = "first line\nsecond line\nthird";
        assert_eq!(cut_front(text, 3).unwrap(), "[the last 5 of 28 bytes]\nthird");
        assert_eq!(cut_front("ééé", 1).unwrap(), "[the last 4 of 6 bytes]\néé");
        assert_eq!(cut_front("short", 2), None);
    }

    #[test]
    fn the_ends_of_a_text_are_whole_lines_unless_lines_are_very_long() {
        assert_eq!(ends("short", 5), None);
        let lines = "one\ntwo\nthree\nfour\nfive\nsix";
        assert_eq!(ends(lines, 20), Some(("one\ntwo\nthree", "six")));
        let line = "é".repeat(100);
        let (head, tail) = ends(&line, 42).unwrap();
        assert_eq!((head.len(), tail.len()), (30, 10));
    }

    #[test]
    fn a_text_near_the_limit_is_counted_and_one_far_from_it_estimated() {
        // Words of one token each: eight bytes estimate two tokens, the vocabulary has one.
        let text = " evening".repeat(100);
        assert_eq!(estimate(&text), 200);
        assert_eq!(measure(&text, 1_000), 200);
        assert_eq!(measure(&text, 200), 100);
        assert_eq!(measure(&text, 160), 100);
        assert_eq!(measure(&text, 100), 200);
    }
}
