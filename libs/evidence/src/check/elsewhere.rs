//! What speaks against a number that is there: the time of the statement, or a number or word beside it in its line.

use super::Ground;
use super::context::Look;
use super::nouns::is_noun;
use super::number_claim::{NumberClaim, contradicted};
use super::source::Source;
use crate::lexer::{Token, TokenKind, lex};
use crate::moment::Moment;
use crate::quantity::{Fit, Quantity, Unit};
use crate::reading::Reading;
use crate::words::{share, stems};
use jiff::SignedDuration;

/// Values over time that are compared with one of them.
const MOST_POINTS: usize = 2_000;
/// Lines that are searched for a number behind a word.
const MOST_LINES: usize = 2_000;
/// The longest line of an event, in bytes; what is longer has many.
const LONGEST_LINE: usize = 600;
/// The shortest word that names a number, in bytes.
const SHORTEST_WORD: usize = 3;

impl NumberClaim<'_> {
    /// The value of the same field at the time that the clause gives, if it is another one.
    pub(super) fn at_another_time(&self, source: &Source, reading: &Reading) -> Option<Look> {
        let wanted = self.time_of_clause()?;
        let is_then = |one: &Reading| {
            time_of_reading(source, one).map(|time| wanted.fits(&time, SignedDuration::ZERO))
        };
        if is_then(reading)? {
            return None;
        }
        let same = source
            .readings
            .iter()
            .filter(|other| other.field == reading.field && other.object == reading.object);
        let then: Vec<&Reading> =
            same.take(MOST_POINTS).filter(|other| is_then(other) == Some(true)).collect();
        let first = *then.first()?;
        (!then.iter().any(|other| self.value_fits(other)))
            .then(|| contradicted(source, first, Ground::Moment))
    }

    /// The one time of the clause, behind `at`.
    fn time_of_clause(&self) -> Option<Moment> {
        let text = self.context.clause.as_str();
        let tokens = lex(text);
        let mut times = tokens.iter().filter_map(|token| match token.kind {
            TokenKind::Moment(moment) if moment.time.is_some() => Some((token.start, moment)),
            _ => None,
        });
        let (start, only) = times.next().filter(|_| times.next().is_none())?;
        let before = text.get(..start)?.trim_end();
        before.ends_with(" at").then_some(only)
    }

    /// Whether the line has another number behind a word that names one in the statement, where another line has that one:
    /// `shard 7` and `shard=3 took=62s`.
    pub(super) fn is_of_another_number(&self, source: &Source, line: usize) -> bool {
        let text = source.line(line);
        if text.len() > LONGEST_LINE {
            return false;
        }
        if self.is_label() || is_of_others(&self.context.clause) {
            return false;
        }
        let labels = self.labels();
        labels.iter().any(|(noun, number)| {
            let here = behind(text, noun);
            !here.is_empty()
                && !here.iter().any(|found| {
                    labels.iter().any(|(word, one)| word == noun && is_same(*one, *found))
                })
                && source.text.lines().take(MOST_LINES).any(|other| {
                    other.len() <= LONGEST_LINE
                        && behind(other, noun).iter().any(|found| is_same(*found, *number))
                })
        })
    }

    /// Whether the number itself stands behind a word that it belongs to.
    pub(super) fn is_label(&self) -> bool {
        let before = self.context.statement.text.get(..self.context.at).unwrap_or_default();
        let word = before.strip_suffix(' ').and_then(|head| head.split_whitespace().next_back());
        let is_bare = self.quantity.unit == Unit::NONE && self.quantity.step >= 1.0;
        is_bare && word.is_some_and(|word| word.len() >= SHORTEST_WORD && is_noun(word))
    }

    /// Words before numbers that name what is numbered: of the clause, else of the statement.
    fn labels(&self) -> Vec<(String, f64)> {
        let own = self.context.statement.text.get(self.context.at..self.context.end);
        let of = |text: &str| {
            let tokens = lex(text);
            let pairs = tokens.iter().zip(tokens.iter().skip(1));
            let named = pairs.filter_map(|(word, number)| {
                let found = number.quantity()?;
                let is_label = word.kind == TokenKind::Word
                    && word.text.len() >= SHORTEST_WORD
                    && is_noun(word.text)
                    && found.unit == Unit::NONE
                    && found.step >= 1.0
                    && word.end() + 1 == number.start
                    && Some(number.text) != own;
                is_label.then(|| (word.text.to_lowercase(), found.number))
            });
            named.collect::<Vec<_>>()
        };
        let near = of(&self.context.clause);
        if near.is_empty() { of(&self.context.statement.text) } else { near }
    }

    /// Whether a name with marks inside stands before another number of the line, and the word before this one is not in the
    /// statement: `1102 in TIME_WAIT` and `estab 1102, timewait 581`.
    pub(super) fn is_beside_its_word(&self, source: &Source, line: usize) -> bool {
        let text = source.line(line);
        if text.len() > LONGEST_LINE {
            return false;
        }
        let tokens = lex(text);
        let pairs: Vec<(&str, Quantity)> = tokens
            .iter()
            .zip(tokens.iter().skip(1))
            .filter(|(word, number)| {
                word.kind == TokenKind::Word && number.start.saturating_sub(word.end()) < 3
            })
            .filter_map(|(word, number)| Some((word.text, number.quantity()?)))
            .collect();
        let fits = |found: &Quantity| self.quantity.fits(found, self.claim.precision) > Fit::No;
        let own: Vec<&(&str, Quantity)> = pairs.iter().filter(|pair| fits(&pair.1)).collect();
        let words: Vec<String> = lex(&self.context.clause)
            .iter()
            .filter(|token| token.kind == TokenKind::Word)
            .filter(|token| token.text.contains(['_', '-']))
            .map(|token| joined(token.text))
            .filter(|word| word.len() > SHORTEST_WORD)
            .collect();
        let is_written = |word: &str| {
            words.contains(&joined(word)) || share(&stems(word), &self.context.statement_stems)
        };
        let is_other = |pair: &(&str, Quantity)| {
            !fits(&pair.1) && !self.has_number(&pair.1) && words.contains(&joined(pair.0))
        };
        !own.is_empty() && !own.iter().any(|pair| is_written(pair.0)) && pairs.iter().any(is_other)
    }

    /// Whether the statement has a number.
    fn has_number(&self, wanted: &Quantity) -> bool {
        let numbers = super::number_claim::statement_numbers(self);
        numbers.iter().any(|one| one.fits(wanted, crate::quantity::Precision::AsWritten) > Fit::No)
    }
}

/// Whether a clause speaks of something else than what its sentence numbers.
fn is_of_others(clause: &str) -> bool {
    const WORDS: &[&str] = &[
        "next",
        "previous",
        "following",
        "other",
        "others",
        "another",
        "before",
        "earlier",
        "later",
        "rest",
    ];
    clause.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// When a value was measured.
fn time_of_reading(source: &Source, reading: &Reading) -> Option<Moment> {
    if reading.time.is_some() {
        return reading.time;
    }
    let mut beside = source.on_line(reading.line).filter(|other| other.object == reading.object);
    beside.find_map(|other| other.value.moment.filter(|moment| moment.time.is_some()))
}

/// The numbers that stand directly behind a word of a line.
fn behind(line: &str, noun: &str) -> Vec<f64> {
    let tokens = lex(line);
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let named = pairs.filter(|(word, number)| {
        word.kind == TokenKind::Word
            && word.text.eq_ignore_ascii_case(noun)
            && number.start.saturating_sub(word.end()) < 3
    });
    named.filter_map(|(_, number): (_, &Token<'_>)| Some(number.quantity()?.number)).collect()
}

/// A word without the marks inside: `TIME_WAIT` and `time-wait` are `timewait`.
fn joined(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}
