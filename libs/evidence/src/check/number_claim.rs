//! A number that is looked for.

use super::context::{Context, Judge, Look};
use super::source::Source;
use super::{Ground, Place};
use crate::claim::{Claim, Content, number_word};
use crate::lexer::{TokenKind, lex};
use crate::quantity::{Fit, Precision, Quantity, Unit};
use crate::reading::Reading;
use crate::words::{overlap, stems};

/// `NumberClaim` of a statement that are combined.
pub(super) const MOST_NUMBERS: usize = 12;

/// Readings of a group that are combined.
pub(super) const MOST_READINGS: usize = 200;

/// Readings that are searched for the words near a claim.
pub(super) const MOST_NAMED: usize = 20_000;

/// The look for one number.
pub(super) struct NumberClaim<'n> {
    pub(super) judge: &'n Judge<'n>,
    pub(super) context: &'n Context<'n>,
    pub(super) quantity: Quantity,
    pub(super) claim: &'n Claim,
    pub(super) index: usize,
    pub(super) sources: &'n [usize],
    /// The other numbers of its statement, and of the one before it.
    pub(super) others: Vec<Quantity>,
}

impl NumberClaim<'_> {
    pub(super) fn place(source: &Source, line: usize) -> Place {
        Place { call: source.number, line }
    }

    /// Whether a reading may be the one that is meant; many leave their unit out.
    pub(super) fn is_comparable(&self, found: &Quantity) -> bool {
        let is_minutes = |one: &Quantity, other: &Quantity| {
            one.unit.as_str() == "m" && other.unit.base_unit().as_str() == "B"
        };
        if is_minutes(found, &self.quantity) || is_minutes(&self.quantity, found) {
            return false;
        }
        self.quantity.is_comparable(found) || found.unit == Unit::NONE && found.number != 0.0
    }

    pub(super) fn value_fits(&self, reading: &Reading) -> bool {
        let precision = self.claim.precision;
        match reading.value.quantity {
            Some(quantity) => self.quantity.fits(&quantity, precision) > Fit::No,
            None => lex(&reading.value.text).iter().any(|token| match token.kind {
                TokenKind::Quantity(quantity) => self.quantity.fits(&quantity, precision) > Fit::No,
                _ => false,
            }),
        }
    }

    /// Whether a reading may speak against the claim: a number without a unit does against one with a unit only if the name of
    /// its field is written, or half of it and the field is of the kind that is claimed.
    pub(super) fn may_contradict(&self, source: &Source, reading: &Reading) -> bool {
        let is_bare = reading.value.quantity.is_some_and(|found| found.unit == Unit::NONE);
        if self.quantity.unit == Unit::NONE || !is_bare {
            return true;
        }
        let all = source.field_stems(reading);
        let last = stems(reading.field.rsplit('.').next().unwrap_or_default());
        let written = |stem: &&String| self.context.wide.contains(stem);
        let kinds: &[&str] = match self.quantity.unit.base_unit().as_str() {
            "B" => &["memory", "size", "disk"],
            "s" => &["time", "age", "period"],
            _ => &[],
        };
        let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        last.iter().all(|stem| written(&stem))
            || all.iter().filter(written).count() * 2 >= all.len() && overlap(&kinds, all)
    }

    /// Whether a reading measures what is claimed: a count is no percentage, a time since 1970 no duration, and what is counted in
    /// words has its own field, which is no port and no id.
    pub(super) fn is_of_kind(&self, source: &Source, reading: &Reading) -> bool {
        const LARGEST_SHARE: f64 = 100.0;
        const EPOCH: f64 = 1e9;
        const NUMBERED: &[&str] = &["pid", "id", "code"];
        let Some(found) = reading.value.quantity else { return false };
        let is_bare = found.unit == Unit::NONE;
        let text = &self.context.statement.text;
        let own = text.get(self.context.at..self.context.end).unwrap_or_default();
        let noun = text.get(self.context.end..).unwrap_or_default().split_whitespace().next();
        let is_worded = !own.contains(|c: char| c.is_ascii_digit());
        match self.quantity.unit.base_unit().as_str() {
            "%" => !is_bare || found.number <= LARGEST_SHARE,
            "s" => !is_bare || found.number < EPOCH,
            _ if is_worded => {
                let field = reading.field.to_lowercase();
                let last = field.rsplit(['.', ' ', '_']).next().unwrap_or_default();
                let is_counted =
                    overlap(&stems(noun.unwrap_or_default()), source.field_stems(reading));
                is_counted && !NUMBERED.contains(&last) && !last.ends_with("port")
            }
            _ => true,
        }
    }

    /// The other claims of the statement: they stand beside this one, because claims are in the order of the text.
    pub(super) fn claims_of_statement(&self) -> impl Iterator<Item = (usize, &Claim)> {
        let claims = self.judge.document.claims.as_slice();
        let is_own = |claim: &&Claim| claim.statement == self.claim.statement;
        let before = claims.get(..self.index).unwrap_or_default();
        let first = self.index - before.iter().rev().take_while(is_own).count();
        let own = claims.iter().enumerate().skip(first).take_while(move |(_, one)| is_own(one));
        own.filter(|(index, _)| *index != self.index)
    }

    /// Whether the statement has the value of a reading as another of its numbers: that reading was not left out.
    pub(super) fn is_stated(&self, reading: &Reading) -> bool {
        reading.value.quantity.is_some_and(|found| {
            self.others.iter().any(|other| other.fits(&found, Precision::AsWritten) == Fit::Exact)
        })
    }

    /// How many of the words near the claim the field has.
    pub(super) fn shared(&self, source: &Source, reading: &Reading) -> usize {
        let words = source.field_stems(reading);
        self.context.local.iter().filter(|word| words.contains(word)).count()
    }

    /// How many of the words near the claim stand inside a field without marks between its words: `maxwait`, `numyields`.
    pub(super) fn joined(&self, source: &Source, reading: &Reading) -> usize {
        let fields = source.field_stems(reading);
        let is_inside = |word: &&String| {
            word.len() > 3 && fields.iter().any(|own| own.len() > 5 && own.contains(word.as_str()))
        };
        // What is said of a part is said of its whole.
        let near =
            if self.context.is_whole { &self.context.statement_stems } else { &self.context.local };
        near.iter().filter(is_inside).count()
    }
}

/// Whether the statement has one of these words.
pub(super) fn has_word(numbers: &NumberClaim<'_>, words: &[&str]) -> bool {
    let lower = numbers.context.statement.text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
}

pub(super) fn fits(numbers: &NumberClaim<'_>, value: f64, unit: Unit, step: f64) -> bool {
    let claimed = numbers.quantity;
    // A computed number may be rounded as the claim is written.
    let computed = Quantity { number: value, step: step.min(claimed.step * 1e-3), unit };
    claimed.fits(&computed, numbers.claim.precision) == Fit::Exact
}

/// The other numbers of the statement, and of the one before it.
pub(super) fn statement_numbers(numbers: &NumberClaim<'_>) -> Vec<Quantity> {
    numbers.others.clone()
}

/// Reads [`NumberClaim::others`], once for a claim.
pub(super) fn other_numbers(numbers: &NumberClaim<'_>) -> Vec<Quantity> {
    let context = numbers.context;
    let text = format!(
        "{}\n{}",
        context.statement.text,
        context.statement.nearby.lines().last().unwrap_or_default()
    );
    let own = context.at..context.end;
    // The number of a call is none of a result.
    let text = text.replace("[call ", "[call_");
    let written = lex(&text).into_iter().filter(|token| !own.contains(&token.start));
    let written = written.filter_map(|token| token.quantity());
    // As words, too: `every five seconds`.
    let own = numbers.claims_of_statement();
    let words = number_words(&context.statement.text);
    let worded = own.filter_map(|(_, claim)| match &claim.content {
        Content::Quantity(quantity) => Some(*quantity),
        _ => None,
    });
    let mut all: Vec<Quantity> = written.take(MOST_NUMBERS).collect();
    for one in worded.chain(words.filter(|one| *one != numbers.quantity)) {
        if all.len() < MOST_NUMBERS && !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

/// The groups that a derivation may use: those of the subject, else all small ones.
pub(super) fn groups<'s>(
    numbers: &NumberClaim<'_>,
    index: usize,
    source: &'s Source,
) -> Vec<&'s [Reading]> {
    let own: Vec<usize> = numbers.context.subject.in_source(index).collect();
    let all = || (0..source.groups.len().min(MOST_READINGS)).collect();
    let chosen: Vec<usize> = if own.is_empty() { all() } else { own };
    chosen
        .into_iter()
        .map(|group| source.members(group))
        .map(|members| members.get(..members.len().min(MOST_READINGS)).unwrap_or_default())
        .collect()
}

pub(super) fn contradicted(source: &Source, reading: &Reading, ground: Ground) -> Look {
    let object =
        if reading.object.is_empty() { String::new() } else { format!(" of {}", reading.object) };
    let instead = format!("{}{object}: {}", reading.field, reading.value.text);
    Look::Contradicted(NumberClaim::place(source, reading.line), instead, ground)
}

/// Where a number stands that follows from several places: at the beginning of the first result.
pub(super) fn first_place(numbers: &NumberClaim<'_>) -> Look {
    let source = numbers.sources.first().and_then(|index| numbers.judge.source(*index));
    source.map_or(Look::Nothing, |source| Look::Found(NumberClaim::place(source, 1)))
}

/// The numbers that a text has as words, with their units.
fn number_words(text: &str) -> impl Iterator<Item = Quantity> {
    let tokens = lex(text);
    let pairs: Vec<(String, String)> = tokens
        .iter()
        .zip(tokens.iter().skip(1))
        .map(|(word, next)| (word.text.to_owned(), next.text.to_owned()))
        .collect();
    pairs.into_iter().filter_map(|(word, next)| {
        let unit = Unit::parse(&next).filter(|_| word.len() > 2).unwrap_or(Unit::NONE);
        Some(Quantity { number: number_word(&word)?, step: 1.0, unit })
    })
}
