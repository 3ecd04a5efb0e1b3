//! `NumberClaim` that follow from others: sums, differences, ratios, percentages, durations.

use super::context::Look;
use super::number_claim::{
    MOST_NUMBERS, NumberClaim, first_place, fits, groups, has_word, statement_numbers,
};
use super::source::Source;
use super::{columns, related, shares};
use crate::lexer::lex;
use crate::quantity::{Fit, Precision, Quantity, Unit};
use crate::reading::Reading;

/// Readings that a number of a statement is looked for in.
const MOST_COMPARED: usize = 2_000;

/// Words for a part, and for the whole that it is part of.
const PARTS: &[&str] = &[
    "heap",
    "rss",
    "anon",
    "working",
    "use",
    "request",
    "allocated",
    "active",
    "live",
    "count",
    "busy",
    "fail",
    "error",
    "pid",
    "queue",
    "drop",
    "hit",
    "size",
    "connection",
    "client",
];
const WHOLES: &[&str] = &[
    "size",
    "limit",
    "most",
    "quota",
    "pool",
    "request",
    "hard",
    "allocatable",
    "all",
    "count",
    "max",
];

pub(super) fn look(numbers: &NumberClaim<'_>) -> Look {
    let steps: &[fn(&NumberClaim<'_>) -> Look] =
        &[from_statement, from_pairs, from_arrows, shares::look, columns::look, related::look];
    steps
        .iter()
        .map(|step| step(numbers))
        .find(|look| *look != Look::Nothing)
        .unwrap_or(Look::Nothing)
}

/// From two other numbers of the statement.
fn from_statement(numbers: &NumberClaim<'_>) -> Look {
    let mut others = statement_numbers(numbers);
    if numbers.quantity.unit.as_str() == "%" {
        share_units(&mut others);
    }
    // The same in another unit: `402 seconds, nearly seven minutes`.
    let restated = others.iter().any(|other| {
        other.unit != numbers.quantity.unit
            && other.unit != Unit::NONE
            && numbers.quantity.unit != Unit::NONE
            && numbers.quantity.fits(other, numbers.claim.precision) == Fit::Exact
            && present(numbers, other)
    });
    if restated {
        return first_place(numbers);
    }
    let relates = has_word(numbers, COMPARING)
        || numbers.quantity.unit.as_str() == "%"
        || shares::is_cores(numbers.quantity.unit);
    for (at, one) in others.iter().enumerate().filter(|_| relates) {
        for other in others.iter().skip(at + 1) {
            // The time of a rate may follow from others itself.
            let is_rate = rate(one, other).is_some();
            let (first, second) = (present(numbers, one), present(numbers, other));
            if combines(numbers, one, other) && (first && second || is_rate && (first || second)) {
                return first_place(numbers);
            }
        }
    }
    Look::Nothing
}

/// Gives the first of `12 of 15 GiB` the unit of the second.
fn share_units(numbers: &mut [Quantity]) {
    for at in 1..numbers.len() {
        let unit = numbers.get(at).map_or(Unit::NONE, |one| one.unit);
        let measured = !matches!(unit.as_str(), "" | "%");
        if let Some(before) =
            numbers.get_mut(at - 1).filter(|one| one.unit == Unit::NONE && measured)
        {
            before.unit = unit;
        }
    }
}

/// Words of a change.
const CHANGES: &[&str] = &[
    "freed",
    "free",
    "frees",
    "reclaimed",
    "recovered",
    "grew",
    "shrank",
    "dropped",
    "fell",
    "rose",
    "released",
    "saved",
    "added",
];
/// The longest line that is searched for a change, in bytes.
const LONGEST_LINE: usize = 2_000;

const COMPARING: &[&str] = &[
    "from",
    "to",
    "of",
    "total",
    "sum",
    "together",
    "difference",
    "more",
    "less",
    "grew",
    "grown",
    "rose",
    "risen",
    "increase",
    "increased",
    "fell",
    "dropped",
    "decreased",
    "times",
    "factor",
    "remaining",
    "left",
    "remain",
    "free",
    "out",
    "combined",
    "than",
    "leaving",
    "per",
    "share",
    "ratio",
    "between",
    "gap",
    "after",
    "later",
    "over",
    "short",
    "missing",
    "beyond",
    "exceeds",
];

/// `1400m` beside a number of bytes is in bytes, too.
fn beside_bytes(one: &Quantity, other: &Quantity) -> Quantity {
    let is_bytes = other.unit.base_unit().as_str() == "B" && other.unit.as_str() != "m";
    let unit = if one.unit.as_str() == "m" && is_bytes { "Mi" } else { one.unit.as_str() };
    Quantity { unit: Unit::parse(unit).unwrap_or(one.unit), ..*one }
}

fn combines(numbers: &NumberClaim<'_>, one: &Quantity, other: &Quantity) -> bool {
    let (one, other) = (&beside_bytes(one, other), &beside_bytes(other, one));
    if !one.is_comparable(other) && one.unit != Unit::NONE && other.unit != Unit::NONE {
        return false;
    }
    let comparable = one.unit == other.unit;
    let (a, b) = if comparable { (one.number, other.number) } else { (one.base(), other.base()) };
    let unit = if comparable { one.unit } else { one.unit.base_unit() };
    let step = one.step.min(other.step);
    let (low, high) = (a.min(b), a.max(b));
    if shares::is_cores(numbers.quantity.unit) && unit.base_unit() == Unit::SECONDS {
        // Time on processors within a time.
        return low > 0.0 && fits(numbers, high / low, Unit::CORES, 1e-3);
    }
    if shares::is_cores(numbers.quantity.unit) && unit.as_str() == "%" {
        return fits(numbers, (a + b) / 100.0, Unit::CORES, 1e-3);
    }
    if numbers.quantity.unit.as_str() == "%" {
        let percent = Unit::parse("%").unwrap_or(Unit::NONE);
        return high > 0.0
            && low > 0.0
            && [low / high, high / low - 1.0, 1.0 - low / high, high / low]
                .into_iter()
                .any(|ratio| fits(numbers, ratio * 100.0, percent, 1e-3));
    }
    // What is counted needs no unit; what is measured keeps it.
    let plain = numbers.quantity.unit == Unit::NONE && unit != Unit::NONE;
    if let Some(span) = repeated(one, other).filter(|_| !plain) {
        return fits(numbers, span, Unit::SECONDS, 1e-3);
    }
    if let Some(rate) = rate(one, other).filter(|_| plain) {
        return fits(numbers, rate, Unit::NONE, 1e-3);
    }
    fits(numbers, a + b, unit, step)
        || fits(numbers, high - low, unit, step)
        || plain && low > 0.0 && fits(numbers, high / low, Unit::NONE, 1e-3)
        || unit == Unit::NONE
            && low > 1.0
            && numbers.quantity.unit == Unit::NONE
            && fits(numbers, high / low, Unit::NONE, 1e-3)
}

/// `every 15 seconds, 4 times`: how long it takes.
fn repeated(one: &Quantity, other: &Quantity) -> Option<f64> {
    let is_time = |unit: Unit| unit != Unit::NONE && unit.base_unit() == Unit::SECONDS;
    let (count, time) = match (one.unit == Unit::NONE, other.unit == Unit::NONE) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return None,
    };
    is_time(time.unit).then(|| count.number * time.base())
}

/// `1,200 times within 28 minutes`: how many in each of these.
fn rate(one: &Quantity, other: &Quantity) -> Option<f64> {
    let is_time = |unit: Unit| unit != Unit::NONE && unit.base_unit() == Unit::SECONDS;
    let (count, time) = match (one.unit == Unit::NONE, other.unit == Unit::NONE) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return None,
    };
    (is_time(time.unit) && time.number > 0.0).then(|| count.number / time.number)
}

/// Whether some result, or the alert, has the number; a sum of invented numbers proves nothing.
fn present(numbers: &NumberClaim<'_>, quantity: &Quantity) -> bool {
    let given = &numbers.judge.evidence.given.numbers;
    let is_given =
        || given.iter().any(|other| quantity.fits(other, Precision::AsWritten) > Fit::No);
    let claims = numbers.judge.document.claims.iter().enumerate();
    // The first of a pair has the unit of the second.
    let is_same = |other: &Quantity| {
        *other == *quantity || other.unit == Unit::NONE && is_near(other.number, quantity.number)
    };
    let found = claims.filter(
        |(_, claim)| matches!(&claim.content, crate::claim::Content::Quantity(other) if is_same(other)),
    );
    let mut known = found.filter_map(|(index, _)| numbers.judge.scan.matches.get(index));
    // Not every number of a statement is a claim of its own.
    let is_read = |index: &usize| {
        numbers.judge.source(*index).is_some_and(|source| {
            source.readings.iter().take(MOST_COMPARED).any(|reading| {
                reading
                    .value
                    .quantity
                    .is_some_and(|found| quantity.fits(&found, Precision::AsWritten) == Fit::Exact)
            })
        })
    };
    known.any(|matches| matches.iter().any(|one| numbers.sources.contains(&one.source)))
        || numbers.sources.iter().any(is_read)
        || is_given()
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// A percentage of two readings of one object: what is used, of how much there is.
fn from_pairs(numbers: &NumberClaim<'_>) -> Look {
    let is_share = numbers.quantity.unit.as_str() == "%";
    let is_rest = has_word(
        numbers,
        &["free", "left", "remaining", "remain", "remains", "available", "headroom"],
    );
    let is_mean = has_word(numbers, &["average", "mean", "averages", "avg"]);
    if !is_share && !is_rest && !is_mean {
        return Look::Nothing;
    }
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        if is_mean && let Some(line) = mean_of(numbers, index, source) {
            return Look::Found(NumberClaim::place(source, line));
        }
        if !is_share && !is_rest {
            continue;
        }
        let groups = groups(numbers, index, source);
        if let Some(line) =
            groups.into_iter().find_map(|group| part_in(numbers, source, group, is_share))
        {
            return Look::Found(NumberClaim::place(source, line));
        }
    }
    Look::Nothing
}

/// What became of a number within a line: `4090M->3988M` freed 102 MB.
fn from_arrows(numbers: &NumberClaim<'_>) -> Look {
    if !has_word(numbers, CHANGES) {
        return Look::Nothing;
    }
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        let lines = source.text.lines().enumerate().take(MOST_COMPARED);
        for (at, line) in lines.filter(|(_, line)| line.len() < LONGEST_LINE) {
            let Some((before, after)) = line.split_once("->") else { continue };
            let from = lex(before).last().and_then(crate::lexer::Token::quantity);
            let to = lex(after).first().and_then(crate::lexer::Token::quantity);
            let change = from.zip(to).filter(|(from, to)| {
                let unit = from.unit.base_unit();
                let change = (from.base() - to.base()).abs();
                from.unit == to.unit && change > 0.0 && fits(numbers, change, unit, from.step)
            });
            if change.is_some() {
                return Look::Found(NumberClaim::place(source, at + 1));
            }
        }
    }
    Look::Nothing
}

/// The line of a part in a group that, with its whole, gives the percentage or the rest.
fn part_in(
    numbers: &NumberClaim<'_>,
    source: &Source,
    group: &[Reading],
    is_share: bool,
) -> Option<usize> {
    let measured = |words: &'static [&'static str]| {
        let named = group.iter().filter(move |reading| names_one(source, reading, words));
        named.filter_map(|reading| Some((reading, reading.value.quantity?)))
    };
    let percent = Unit::parse("%").unwrap_or(Unit::NONE);
    let is_pair = |one: &Quantity, whole: &Quantity| {
        let (low, high) = (one.base(), whole.base());
        let fitting = if is_share {
            high > 0.0 && fits(numbers, 100.0 * low / high, percent, 1e-3)
        } else {
            fits(numbers, high - low, one.unit.base_unit(), one.step)
        };
        one.is_comparable(whole) && low < high && fitting
    };
    if is_share && let Some(line) = shares::in_group(numbers, source, group) {
        return Some(line);
    }
    let mut parts = measured(PARTS);
    let part = parts.find(|(_, one)| measured(WHOLES).any(|(_, whole)| is_pair(one, &whole)));
    part.map(|part| part.0.line)
}

/// The line of a sum that gives the mean with its count: `duration_seconds_sum` and `duration_seconds_count`.
fn mean_of(numbers: &NumberClaim<'_>, index: usize, source: &Source) -> Option<usize> {
    let all: Vec<&Reading> = groups(numbers, index, source).into_iter().flatten().collect();
    let sums = all.iter().filter_map(|reading| {
        Some((reading, reading.field.strip_suffix("_sum")?, reading.value.quantity?))
    });
    sums.take(MOST_NUMBERS).find_map(|(reading, name, sum)| {
        let counts = all.iter().filter(|other| {
            other.object == reading.object && other.field.strip_suffix("_count") == Some(name)
        });
        let mut counts = counts.filter_map(|count| count.value.quantity);
        let count = counts.find(|count| count.number > 0.0)?;
        fits(numbers, sum.number / count.number, sum.unit, 1e-3).then_some(reading.line)
    })
}

fn names_one(source: &Source, reading: &Reading, words: &[&str]) -> bool {
    source.field_stems(reading).iter().any(|stem| words.iter().any(|word| stem.starts_with(word)))
}
