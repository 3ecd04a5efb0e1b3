//! The newest lines of a text, bounded in number, length and bytes.

use std::collections::VecDeque;

/// The longest line that is shown.
const MAX_LINE_CHARS: usize = 2_000;
/// The most bytes of lines in one answer.
const MAX_BYTES: usize = 48 * 1024;

/// The newest lines, oldest first, and how many fit no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Newest {
    pub(crate) lines: Vec<String>,
    /// Whether lines that were asked for are missing because the answer would be too big.
    pub(crate) cut: bool,
}

/// Takes the newest lines that are wanted.
pub(crate) fn newest(text: &str, limit: usize, wanted: impl Fn(&str) -> bool) -> Newest {
    let mut lines = VecDeque::new();
    let (mut bytes, mut cut) = (0, false);
    for line in
        text.lines().rev().filter(|line| !line.trim().is_empty() && wanted(line)).take(limit)
    {
        let line = clean(line);
        bytes += line.len();
        if bytes > MAX_BYTES {
            cut = true;
            break;
        }
        lines.push_front(line);
    }
    Newest { lines: lines.into(), cut }
}

/// A test for lines that contain a text, whatever its case.
pub(crate) fn containing(part: Option<&str>) -> impl Fn(&str) -> bool {
    let part = part.map(str::to_lowercase);
    move |line| part.as_ref().is_none_or(|part| line.to_lowercase().contains(part.as_str()))
}

/// Takes control characters out of a line and cuts it.
fn clean(line: &str) -> String {
    let mut clean: String = line
        .trim_end()
        .chars()
        .map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c })
        .take(MAX_LINE_CHARS)
        .collect();
    if clean.len() < line.trim_end().len() && line.trim_end().chars().count() > MAX_LINE_CHARS {
        clean.push_str("… (line cut)");
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_wanted_lines_come_oldest_first() {
        let text = "one\nTwo x\n\nthree X\nfour\n";
        assert_eq!(newest(text, 2, |_| true).lines, ["three X", "four"]);
        assert_eq!(newest(text, 9, containing(Some("x"))).lines, ["Two x", "three X"]);
    }

    #[test]
    fn long_lines_and_long_answers_are_truncated_with_a_note() {
        let long = "é".repeat(5_000);
        let found = newest(&long, 1, |_| true);
        assert!(found.lines.iter().all(|line| line.ends_with("(line cut)")));
        let many = vec!["x".repeat(1_000); 100].join("\n");
        let found = newest(&many, 100, |_| true);
        assert!(found.cut && found.lines.len() < 50);
    }

    #[test]
    fn control_characters_do_not_reach_the_answer() {
        assert_eq!(newest("a\u{1b}[31mred\tb", 1, |_| true).lines, ["a\u{fffd}[31mred\tb"]);
    }
}
