//! Finds out that a model says the same thing over and over.
//!
//! Only what is the same byte by byte counts: tables and logs, whose lines differ a little, are never
//! taken for it. Memory is bounded, and the time for a byte does not grow with the text.

/// What is repeated is at most this long, in bytes.
const LONGEST: usize = 2_048;
/// It is said at least so many times in a row,
const TIMES: usize = 8;
/// and at least so many bytes of it.
const LEAST: usize = 4_096;
/// As much of the end of the text as a verdict needs.
const WINDOW: usize = LONGEST * TIMES;
/// So many bytes come between two verdicts.
const STEP: usize = 1_024;

/// Watches a text while it grows.
#[derive(Debug, Default)]
pub(crate) struct Repetition {
    /// The end of the text.
    tail: Vec<u8>,
    /// Bytes since the last verdict.
    fresh: usize,
    /// The borders of the reversed tail; kept for its memory alone.
    borders: Vec<usize>,
}

impl Repetition {
    /// Reads on; whether the text has come to nothing but repetition.
    pub(crate) fn reads(&mut self, delta: &str) -> bool {
        for part in delta.as_bytes().chunks(STEP) {
            self.tail.extend_from_slice(part);
            self.fresh += part.len();
            if self.fresh < STEP || self.tail.len() < LEAST {
                continue;
            }
            self.fresh = 0;
            let over = self.tail.len().saturating_sub(WINDOW);
            self.tail.drain(..over);
            if self.is_periodic() {
                return true;
            }
        }
        false
    }

    /// Whether some end of the tail is one short piece, again and again. A text is periodic if it has
    /// a border: an end that is also its beginning. Read backwards, every end is a beginning, and
    /// one pass finds the longest border of each.
    fn is_periodic(&mut self) -> bool {
        let backwards = |at: usize| self.tail.iter().rev().nth(at);
        self.borders.clear();
        self.borders.push(0);
        let mut border = 0;
        for at in 1..self.tail.len() {
            while border > 0 && backwards(at) != backwards(border) {
                border = self.borders.get(border - 1).copied().unwrap_or(0);
            }
            border += usize::from(backwards(at) == backwards(border));
            self.borders.push(border);
            let (length, period) = (at + 1, at + 1 - border);
            if length >= LEAST && period * TIMES <= length {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the text is cut when it comes in pieces of this many bytes.
    fn cut(text: &str, piece: usize) -> bool {
        let mut watch = Repetition::default();
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(piece).any(|part| watch.reads(&part.iter().collect::<String>()))
    }

    fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
        (0..count).map(|number| line(number) + "\n").collect()
    }

    #[test]
    fn what_is_said_over_and_over_is_found_however_it_comes() {
        let thousand = "0123456789".repeat(100);
        let paragraph: String =
            thousand.char_indices().map(|(at, c)| if at % 7 == 0 { 'x' } else { c }).collect();
        for text in [
            "The pod is down. ".repeat(400),
            "I will now check the logs.\n".repeat(300),
            "\n".repeat(6_000),
            "é".repeat(3_000),
            lines(6_000, |_| "| a | b |".to_owned()),
            format!("A good beginning. {}", format!("{paragraph}\n").repeat(12)),
        ] {
            for piece in [1, 7, 1_000, 100_000] {
                assert!(cut(&text, piece), "{}", &text[..20]);
            }
        }
    }

    #[test]
    fn tables_logs_and_rulers_are_left_alone() {
        for text in [
            lines(3_000, |number| format!("| web-{number} | Running | 0 |")),
            lines(3_000, |number| format!("12:00:{:02} GET /healthz 200 {number}", number % 60)),
            lines(2_000, |number| format!("{} MiB", number * 7 % 1_000)),
            lines(30, |_| {
                "Warning  BackOff  kubelet  Back-off restarting failed container".to_owned()
            }),
            format!("{}\n{}", "-".repeat(400), lines(500, |number| format!("{number}: ok"))),
            "-".repeat(4_000),
            lines(3_000, |number| {
                format!("pod {} is {}", number / 2, if number % 3 == 0 { "up" } else { "down" })
            }),
        ] {
            assert!(!cut(&text, 64), "{}", &text[..40]);
        }
    }

    #[test]
    fn a_text_of_any_length_takes_bounded_memory() {
        let mut watch = Repetition::default();
        for number in 0..20_000 {
            assert!(!watch.reads(&format!("line {number} of many, none like the other\n")));
            assert!(watch.tail.len() <= WINDOW + 2 * STEP);
        }
    }
}
