//! Detects that a model repeats itself.
//!
//! Only text that repeats byte by byte counts: tables and logs, whose lines differ a little, never
//! do. Sentences count earlier than what may be a quotation of a log or a row of a table. Memory is bounded, and the time for a
//! byte does not grow with the text.

mod prose;

use self::prose::{Fences, is_prose};

/// When a text that repeats one part is nothing but repetition.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// The longest repeated part, in bytes.
    max_period: usize,
    /// It must occur this many times in a row,
    min_repeats: usize,
    /// and fill this many bytes.
    min_bytes: usize,
    /// Bytes between two checks.
    step: usize,
}

impl Rule {
    /// The end of the text that a check needs.
    const fn window(self) -> usize {
        self.max_period * self.min_repeats
    }
}

/// Whatever the text is.
const ANY: Rule = Rule { max_period: 2_048, min_repeats: 8, min_bytes: 4_096, step: 1_024 };
/// Sentences outside of quotations, which nobody writes five times in a row.
const PROSE: Rule = Rule { max_period: 1_024, min_repeats: 5, min_bytes: 1_024, step: 256 };

/// Watches a text while it grows.
#[derive(Debug, Default)]
pub(crate) struct RepetitionDetector {
    /// The end of the text.
    tail: Vec<u8>,
    fences: Fences,
    /// Bytes since the last check by each rule.
    unchecked: [usize; 2],
    /// The borders of the reversed tail; kept for its allocation alone.
    borders: Vec<usize>,
}

impl RepetitionDetector {
    /// Appends a delta; whether the text now ends in nothing but repetition.
    pub(crate) fn push(&mut self, delta: &str) -> bool {
        for part in delta.as_bytes().chunks(PROSE.step) {
            self.tail.extend_from_slice(part);
            self.fences.read(part);
            let excess = self.tail.len().saturating_sub(ANY.window() + ANY.step);
            self.tail.drain(..excess);
            let [any, prose] = &mut self.unchecked;
            (*any, *prose) = (*any + part.len(), *prose + part.len());
            let is_due = |unchecked: &mut usize, rule: Rule| {
                let is_due = *unchecked >= rule.step && self.tail.len() >= rule.min_bytes;
                *unchecked = if is_due { 0 } else { *unchecked };
                is_due
            };
            let (check_any, check_prose) = (is_due(any, ANY), is_due(prose, PROSE));
            let repeats_prose = check_prose && !self.fences.is_open() && self.repeats_prose();
            if repeats_prose || (check_any && self.period(ANY).is_some()) {
                return true;
            }
        }
        false
    }

    fn repeats_prose(&mut self) -> bool {
        let Some(period) = self.period(PROSE) else { return false };
        // The part twice has each of its lines and sentences whole, wherever it begins.
        let start = self.tail.len().saturating_sub(2 * period);
        is_prose(&String::from_utf8_lossy(self.tail.get(start..).unwrap_or_default()))
    }

    /// The length of the part whose repetition is some end of the tail; none if there is none. A text is periodic if it has
    /// a border: an end that is also its beginning. Read backwards, every end is a beginning, and one
    /// pass finds the longest border of each.
    fn period(&mut self, rule: Rule) -> Option<usize> {
        let (tail, length) = (self.tail.as_slice(), self.tail.len());
        let backwards = |at: usize| tail.get(length - 1 - at);
        self.borders.clear();
        self.borders.push(0);
        let mut border = 0;
        for at in 1..length.min(rule.window()) {
            while border > 0 && backwards(at) != backwards(border) {
                border = self.borders.get(border - 1).copied().unwrap_or(0);
            }
            border += usize::from(backwards(at) == backwards(border));
            self.borders.push(border);
            let (repeated, period) = (at + 1, at + 1 - border);
            if repeated >= rule.min_bytes && period * rule.min_repeats <= repeated {
                return Some(period);
            }
        }
        None
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

    /// After how many bytes a text is cut.
    fn cut_after(text: &str) -> Option<usize> {
        let mut detector = RepetitionDetector::default();
        let mut read = 0;
        text.split_inclusive([' ', '\u{3002}']).find_map(|part| {
            read += part.len();
            detector.push(part).then_some(read)
        })
    }

    #[test]
    fn sentences_are_cut_after_a_kilobyte_and_long_paragraphs_after_five_times() {
        let paragraph = format!(
            "{} Then I look at the {} of the node again.\n\n",
            "I look at the pods of the namespace first, and at their events.",
            "pressure, the disks, the addresses and the limits "
        );
        let code =
            "The command is right. Now I run it again.\n```sh\nkubectl get pods -n shop\n```\n";
        for (text, most) in [
            ("The pod is down. ".repeat(400), 1_400),
            ("I will now check the logs of the pod.\n".repeat(300), 1_400),
            (paragraph.repeat(30), 1_400),
            (paragraph.repeat(2).replace("first", "at last").repeat(20), 2_100),
            (code.repeat(60), 1_800),
            ("我现在检查日志以及节点的状态。".repeat(200), 1_400),
        ] {
            let after = cut_after(&format!("A good beginning, in one sentence.\n\n{text}"));
            assert!(after.is_some_and(|after| after <= most), "{after:?}: {}", &text[..30]);
        }
    }

    #[test]
    fn what_may_be_quoted_is_not_cut_as_early_as_sentences() {
        let sentence = "The connection was refused by the server. It is tried again.\n";
        for text in [
            format!("The log has:\n\n```\n{}```\nSo it is down.", sentence.repeat(50)),
            format!("> {sentence}").repeat(50),
            format!("    {sentence}").repeat(50),
            format!("| web-1 | {} |\n", sentence.trim()).repeat(40),
            format!("ERROR {sentence}").repeat(50),
            format!("12:00:01 {sentence}").repeat(45),
            "web-1 Running 0\n".repeat(200),
            "- ok\n".repeat(500),
        ] {
            assert_eq!(cut_after(&text), None, "{}", &text[..30]);
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
            assert!(detector.tail.len() <= ANY.window() + ANY.step + PROSE.step);
        }
    }
}
