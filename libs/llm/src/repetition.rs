//! Detects that a model repeats itself.
//!
//! Only text that repeats byte by byte counts: tables and logs, whose lines differ a little, never
//! do. Memory is bounded, and the time for a byte does not grow with the text.

/// The longest repeated part, in bytes.
const MAX_PERIOD: usize = 2_048;
/// It must occur this many times in a row,
const MIN_REPEATS: usize = 8;
/// and fill this many bytes.
const MIN_BYTES: usize = 4_096;
/// The end of the text that a check needs.
const WINDOW: usize = MAX_PERIOD * MIN_REPEATS;
/// Bytes between two checks.
const STEP: usize = 1_024;

/// Watches a text while it grows.
#[derive(Debug, Default)]
pub(crate) struct RepetitionDetector {
    /// The end of the text.
    tail: Vec<u8>,
    /// Bytes since the last check.
    unchecked: usize,
    /// The borders of the reversed tail; kept for its allocation alone.
    borders: Vec<usize>,
}

impl RepetitionDetector {
    /// Appends a delta; whether the text now ends in nothing but repetition.
    pub(crate) fn push(&mut self, delta: &str) -> bool {
        for part in delta.as_bytes().chunks(STEP) {
            self.tail.extend_from_slice(part);
            self.unchecked += part.len();
            if self.unchecked < STEP || self.tail.len() < MIN_BYTES {
                continue;
            }
            self.unchecked = 0;
            let excess = self.tail.len().saturating_sub(WINDOW);
            self.tail.drain(..excess);
            if self.is_periodic() {
                return true;
            }
        }
        false
    }

    /// Whether some end of the tail is one short part, repeated. A text is periodic if it has a
    /// border: an end that is also its beginning. Read backwards, every end is a beginning, and one
    /// pass finds the longest border of each.
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
            if length >= MIN_BYTES && period * MIN_REPEATS <= length {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the text is cut when it arrives in deltas of this many characters.
    fn cut(text: &str, delta: usize) -> bool {
        let mut detector = RepetitionDetector::default();
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(delta).any(|part| detector.push(&part.iter().collect::<String>()))
    }

    fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
        (0..count).map(|number| line(number) + "\n").collect()
    }

    #[test]
    fn repetition_is_detected_whatever_the_size_of_the_deltas() {
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
            for delta in [1, 7, 1_000, 100_000] {
                assert!(cut(&text, delta), "{}", &text[..20]);
            }
        }
    }

    #[test]
    fn tables_logs_and_rulers_are_no_repetition() {
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
    fn the_memory_is_bounded_for_a_text_of_any_length() {
        let mut detector = RepetitionDetector::default();
        for number in 0..20_000 {
            assert!(!detector.push(&format!("line {number} of many, none like the other\n")));
            assert!(detector.tail.len() <= WINDOW + 2 * STEP);
        }
    }
}
