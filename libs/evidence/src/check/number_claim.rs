//! A number that is looked for.

use super::Place;
use super::context::{Context, Judge, Look};
use super::source::Source;
use crate::claim::Claim;
use crate::lexer::{TokenKind, lex};
use crate::quantity::{Fit, Quantity, Unit};
use crate::reading::Reading;

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
}

impl NumberClaim<'_> {
    pub(super) fn place(source: &Source, line: usize) -> Place {
        Place { call: source.number, line }
    }

    /// Whether a reading may be the one that is meant; many leave their unit out.
    pub(super) fn is_comparable(&self, found: &Quantity) -> bool {
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
        self.context.local.iter().filter(is_inside).count()
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
    let context = numbers.context;
    let text = format!(
        "{}\n{}",
        context.statement.text,
        context.statement.nearby.lines().last().unwrap_or_default()
    );
    let own = context.at..context.end;
    // The number of a call is none of a result.
    let text = text.replace("[call ", "[call_");
    lex(&text)
        .into_iter()
        .filter(|token| !own.contains(&token.start))
        .filter_map(|token| match token.kind {
            TokenKind::Quantity(quantity) => Some(quantity),
            _ => None,
        })
        .take(MOST_NUMBERS)
        .collect()
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

pub(super) fn contradicted(source: &Source, reading: &Reading) -> Look {
    let object =
        if reading.object.is_empty() { String::new() } else { format!(" of {}", reading.object) };
    let instead = format!("{}{object}: {}", reading.field, reading.value.text);
    Look::Contradicted(NumberClaim::place(source, reading.line), instead)
}

/// Where a number stands that follows from several places: at the beginning of the first result.
pub(super) fn first_place(numbers: &NumberClaim<'_>) -> Look {
    let source = numbers.sources.first().and_then(|index| numbers.judge.source(*index));
    source.map_or(Look::Nothing, |source| Look::Found(NumberClaim::place(source, 1)))
}
