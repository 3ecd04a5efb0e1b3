//! A number within a text.

use std::fmt;

use anyhow::Context as _;

const WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];
const FOURTEEN: &str = "fourteen";

/// What a unit counts: seconds, bytes, or just things.
pub(super) fn unit(name: &str) -> anyhow::Result<f64> {
    Ok(match name {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "min" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        "kB" => 1_000.0,
        "KiB" => 1_024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        _ => anyhow::bail!("{name} is no unit"),
    })
}

/// A text with a number in it.
#[derive(Debug)]
pub(super) struct Pattern {
    before: String,
    after: String,
    unit: f64,
    /// As the table has it.
    text: String,
}

/// A number of a file, in seconds or bytes if it has a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) value: f64,
    pub(super) line: usize,
    /// Where it begins in the [`Text`].
    pub(super) at: usize,
}

/// A file with a blank instead of each run of blanks and line breaks.
pub(super) struct Text {
    text: String,
    /// Where in the text each line begins.
    lines: Vec<usize>,
}

impl Pattern {
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let (before, rest) = text.split_once('{').context("the text has no {}")?;
        let (of, after) = rest.split_once('}').context("the text has no {}")?;
        let (before, after) = (before.to_owned(), after.to_owned());
        Ok(Self { before, after, unit: unit(of)?, text: text.to_owned() })
    }

    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// Every place of the text that is like this.
    pub(super) fn find(&self, text: &Text) -> Vec<Found> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(from) = text.text.get(at..).and_then(|rest| self.start(rest)) {
            let start = at + from;
            let rest = text.text.get(start..).unwrap_or_default();
            if let Some((value, length)) = number(rest)
                && rest.get(length..).is_some_and(|rest| rest.starts_with(&self.after))
                && is_beginning(text.text.get(..start).unwrap_or_default())
            {
                found.push(Found { value: value * self.unit, line: text.line(start), at: start });
            }
            at = start + rest.chars().next().map_or(1, char::len_utf8);
        }
        found
    }

    /// Where a number might begin.
    fn start(&self, rest: &str) -> Option<usize> {
        if self.before.is_empty() {
            return (!rest.is_empty()).then_some(0);
        }
        Some(rest.find(&self.before)? + self.before.len())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Text {
    pub(super) fn new(file: &str) -> Self {
        let (mut text, mut lines) = (String::with_capacity(file.len()), Vec::new());
        for line in file.lines() {
            lines.push(text.len());
            for word in line.split_whitespace() {
                text.push_str(word);
                text.push(' ');
            }
        }
        Self { text, lines }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Where its lines begin.
    pub(super) fn lines(&self) -> &[usize] {
        &self.lines
    }

    fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }
}

/// Whether a number may begin after this: it is not within another one.
fn is_beginning(before: &str) -> bool {
    let mut letters = before.chars().rev();
    match letters.next() {
        Some(letter) if letter.is_alphanumeric() => false,
        Some('.' | ',' | '_') => !letters.next().is_some_and(|letter| letter.is_ascii_digit()),
        _ => true,
    }
}

/// The number that a text begins with, and its length: `10,000`, `10_000`, `0.5` or `ten`.
pub(super) fn number(text: &str) -> Option<(f64, usize)> {
    if !text.starts_with(|letter: char| letter.is_ascii_digit()) {
        let end = text.find(|letter: char| !letter.is_alphabetic()).unwrap_or(text.len());
        let word = text.get(..end)?;
        let place = WORDS.iter().position(|one| *one == word);
        let place = place.or((word == FOURTEEN).then_some(14))?;
        return Some((f64::from(u32::try_from(place).ok()?), end));
    }
    let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, ',' | '_' | '.');
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let whole = text.get(..end)?.trim_end_matches([',', '.', '_']);
    let digits: String = whole.chars().filter(|letter| !matches!(letter, ',' | '_')).collect();
    Some((digits.parse().ok()?, whole.len()))
}
