//! Numbers that are parts of others: shares in a row or of a whole that a statement names, shares of cores, steps of a line.

use super::context::Look;
use super::number_claim::{MOST_NUMBERS, NumberClaim, fits, groups};
use super::source::Source;
use crate::lexer::{Token, lex};
use crate::quantity::{Fit, Quantity, Unit};
use crate::reading::Reading;

/// Readings that a share of cores is looked for in, and lines that are searched for steps.
const MOST_COMPARED: usize = 2_000;
/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 2_000;
/// Lines around a number of the statement in which its parts stand.
const AROUND: usize = 6;
/// The most numbers of a row that are divided by each other; of more, two fit by chance.
const MOST_IN_ROW: usize = 8;
/// What is counted apart, and is one whole together.
const COMPLEMENTS: &[(&str, &str)] = &[("hit", "miss"), ("succe", "fail"), ("ok", "error")];

pub(super) fn look(numbers: &NumberClaim<'_>) -> Look {
    let steps: &[fn(&NumberClaim<'_>) -> Look] =
        &[from_steps, from_shares_of_cores, from_stated_whole];
    let mut looks = steps.iter().map(|step| step(numbers));
    looks.find(|look| *look != Look::Nothing).unwrap_or(Look::Nothing)
}

/// The line of a part of such a share, in one group of readings.
pub(super) fn in_group(
    numbers: &NumberClaim<'_>,
    source: &Source,
    group: &[Reading],
) -> Option<usize> {
    complement(numbers, source, group)
        .or_else(|| used_up(numbers, source, group))
        .or_else(|| in_row(numbers, group))
}

fn percent() -> Unit {
    Unit::parse("%").unwrap_or(Unit::NONE)
}

/// How long it took from one number of a line to the next, where a line counts time up: `connect 0.012 tls 0.041`.
fn from_steps(numbers: &NumberClaim<'_>) -> Look {
    let unit = numbers.quantity.unit;
    if unit == Unit::NONE || unit.base_unit() != Unit::SECONDS || numbers.quantity.digits() < 2 {
        return Look::Nothing;
    }
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        let lines = source.text.lines().enumerate().take(MOST_COMPARED);
        for (at, line) in lines.filter(|(_, line)| line.len() < LONGEST_LINE) {
            let tokens = lex(line);
            let timed = tokens.iter().filter_map(Token::quantity);
            let timed: Vec<Quantity> = timed.filter(is_fine_time).take(MOST_NUMBERS).collect();
            let is_rising = timed.len() > 2
                && timed
                    .iter()
                    .zip(timed.iter().skip(1))
                    .all(|(one, next)| one.base() <= next.base());
            let mut steps = timed.iter().zip(timed.iter().skip(1));
            let fitting = |(one, next): (&Quantity, &Quantity)| {
                fits(numbers, next.base() - one.base(), Unit::SECONDS, one.step)
            };
            if is_rising && steps.any(fitting) {
                return Look::Found(NumberClaim::place(source, at + 1));
            }
        }
    }
    Look::Nothing
}

/// Whether a number may be seconds with thousandths.
fn is_fine_time(quantity: &Quantity) -> bool {
    let is_time = quantity.unit != Unit::NONE && quantity.unit.base_unit() == Unit::SECONDS;
    is_time || quantity.unit == Unit::NONE && quantity.step <= 1e-3
}

pub(super) fn is_cores(unit: Unit) -> bool {
    matches!(unit.as_str(), "cores" | "mcores")
}

/// Cores that a percentage of one core stands for: `CPU %: 412.77` are 4.1 cores.
fn from_shares_of_cores(numbers: &NumberClaim<'_>) -> Look {
    if !is_cores(numbers.quantity.unit) {
        return Look::Nothing;
    }
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        let all = groups(numbers, index, source).into_iter().flatten().take(MOST_COMPARED);
        let mut shares = all.filter(|reading| {
            source.field_stems(reading).iter().any(|stem| stem == "cpu")
                && reading.value.quantity.is_some_and(|found| {
                    found.unit.as_str() == "%"
                        && fits(numbers, found.number / 100.0, Unit::CORES, 1e-3)
                })
        });
        if let Some(share) = shares.next() {
            return Look::Found(NumberClaim::place(source, share.line));
        }
    }
    Look::Nothing
}

/// A percentage that a number near another one of the statement is of that one: `402 of about 50,000`.
fn from_stated_whole(numbers: &NumberClaim<'_>) -> Look {
    if numbers.quantity.unit != percent() || numbers.quantity.digits() < 2 {
        return Look::Nothing;
    }
    let own = numbers.claims_of_statement();
    let places = own.filter_map(|(index, _)| numbers.judge.scan.matches.get(index)).flatten();
    let exact = places.filter(|one| one.fit == Fit::Exact && numbers.sources.contains(&one.source));
    for one in exact.take(MOST_NUMBERS * 2) {
        let Some(source) = numbers.judge.source(one.source) else { continue };
        let near = one.line.saturating_sub(AROUND).max(1)..=one.line + AROUND;
        let wholes = counts_of(source, one.line);
        let part = near.into_iter().find(|line| {
            counts_of(source, *line).iter().any(|part| {
                let fitting = |whole: &f64| {
                    part < whole && fits(numbers, 100.0 * part / whole, percent(), 1e-3)
                };
                wholes.iter().any(fitting)
            })
        });
        if let Some(line) = part {
            return Look::Found(NumberClaim::place(source, line));
        }
    }
    Look::Nothing
}

/// The line of what is free of a whole, if the rest is such a share.
fn used_up(numbers: &NumberClaim<'_>, source: &Source, group: &[Reading]) -> Option<usize> {
    let named = |words: &'static [&'static str]| {
        group.iter().filter(move |reading| {
            source.field_stems(reading).iter().any(|stem| words.contains(&stem.as_str()))
        })
    };
    let whole = named(&["size"]).find_map(|one| one.value.quantity)?;
    let mut free = named(&["available", "free"]);
    let is_rest = |one: &&Reading| {
        one.value.quantity.is_some_and(|free| {
            free.is_comparable(&whole)
                && whole.base() > free.base()
                && fits(numbers, 100.0 * (1.0 - free.base() / whole.base()), percent(), 1e-3)
        })
    };
    free.find(is_rest).map(|one| one.line)
}

/// The large numbers without a unit in a line.
fn counts_of(source: &Source, line: usize) -> Vec<f64> {
    const LARGE: f64 = 100.0;
    let line = source.line(line);
    let line = if line.len() < LONGEST_LINE { line } else { "" };
    let found = lex(line).into_iter().filter_map(|token| token.quantity());
    let large = found.filter(|one| one.unit == Unit::NONE && one.number >= LARGE);
    large.map(|one| one.number).collect()
}

/// The line of a row of the statement's object in which one number is such a part of another.
fn in_row(numbers: &NumberClaim<'_>, group: &[Reading]) -> Option<usize> {
    const LARGE: f64 = 100.0;
    let measured: Vec<(usize, Quantity)> = group
        .iter()
        .filter_map(|one| Some((one.line, one.value.quantity?)))
        .filter(|(_, found)| found.base() >= LARGE)
        .collect();
    let is_sure = numbers.quantity.digits() > 1 && !numbers.context.subject.is_empty();
    if !is_sure || measured.len() > MOST_IN_ROW {
        return None;
    }
    let pairs = measured.iter().flat_map(|one| measured.iter().map(move |other| (one, other)));
    let mut pairs =
        pairs.filter(|(one, other)| one.1.base() < other.1.base() && one.1.is_comparable(&other.1));
    let fitting = |part: &Quantity, whole: &Quantity| {
        fits(numbers, 100.0 * part.base() / whole.base(), percent(), 1e-3)
    };
    pairs.find(|(one, other)| fitting(&one.1, &other.1)).map(|(one, _)| one.0)
}

/// The line of one of two counts that together are the whole of a rate: hits and misses.
fn complement(numbers: &NumberClaim<'_>, source: &Source, group: &[Reading]) -> Option<usize> {
    let find = |word: &str| {
        let mut named = group.iter().filter(|reading| {
            source.field_stems(reading).iter().any(|stem| stem.starts_with(word))
        });
        named.find_map(|reading| Some((reading.line, reading.value.quantity?.base())))
    };
    COMPLEMENTS.iter().find_map(|(one, other)| {
        let ((line, one), (_, other)) = (find(one)?, find(other)?);
        let whole = one + other;
        let is_share =
            |part: f64| whole > 0.0 && fits(numbers, 100.0 * part / whole, percent(), 1e-3);
        (is_share(one) || is_share(other)).then_some(line)
    })
}
