//! Durations that follow from times, and ages.

use super::context::Look;
use super::number_claim::{MOST_NUMBERS, MOST_READINGS, NumberClaim, fits, groups, has_word};
use super::source::Source;
use crate::lexer::{TokenKind, lex};
use crate::moment::Moment;
use crate::quantity::{Quantity, Unit};
use crate::reading::{Reading, time_of};

/// Words of a span between two things.
const BETWEEN: &[&str] =
    &["between", "from", "until", "after", "before", "later", "since", "to", "then"];

/// Times of all results that are compared with each other.
const MOST_ACROSS: usize = 160;

/// Words of a distance between two things.
const APART: &[&str] = &[
    "lag", "lags", "lagged", "lagging", "behind", "ahead", "apart", "gap", "drift", "older",
    "newer",
];

/// Looks for the two times, or the age, that the duration follows from.
pub(super) fn look(number: &NumberClaim<'_>) -> Look {
    match from_times(number) {
        Look::Nothing => from_ages(number),
        look => look,
    }
}

fn is_duration(quantity: &Quantity) -> bool {
    quantity.is_comparable(&Quantity::seconds(1.0, 1.0)) && quantity.unit != Unit::NONE
}

/// The time between two moments: of the statement, or the first and last of a log or of the lines with its names.
fn from_times(numbers: &NumberClaim<'_>) -> Look {
    if !is_duration(&numbers.quantity) {
        return Look::Nothing;
    }
    let text = format!("{} {}", numbers.context.statement.text, numbers.context.statement.nearby);
    let written: Vec<Moment> = moments(&text).take(MOST_NUMBERS).collect();
    let places = numbers.sources.first().and_then(|index| numbers.judge.source(*index));
    let between = |one: &Moment, other: &Moment| {
        // Whole seconds, or minutes, leave a fraction out on both sides.
        let cut = one.step.max(other.step).as_secs_f64();
        let slack = if cut >= 1.0 { cut } else { 0.0 };
        one.until(other).is_some_and(|span| {
            let span = span.as_secs_f64().abs();
            [span, span - slack, span + slack]
                .into_iter()
                .any(|span| fits(numbers, span, Unit::SECONDS, 1e-3))
        })
    };
    for (at, one) in written.iter().enumerate() {
        if written.iter().skip(at + 1).any(|other| between(one, other)) {
            return places
                .map_or(Look::Nothing, |source| Look::Found(NumberClaim::place(source, 1)));
        }
    }
    let mut all: Vec<(usize, Moment)> = Vec::new();
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        let known = known_times(numbers, index, source);
        // Pairs of one word; of two words only where the statement goes from one to the other.
        let ranges = has_word(numbers, BETWEEN);
        for (at, (line, one)) in known.iter().enumerate() {
            let partner = known.get(at ^ 1).map(|pair| &pair.1);
            let others = known.iter().filter(|_| ranges).map(|pair| &pair.1).chain(&written);
            if partner.into_iter().chain(others).any(|other| between(one, other)) {
                return Look::Found(NumberClaim::place(source, *line));
            }
        }
        let typed = groups(numbers, index, source).into_iter().flatten();
        let typed = typed.filter_map(|reading| reading.value.moment).take(MOST_NUMBERS);
        all.extend(known.iter().map(|(_, one)| *one).chain(typed).map(|one| (index, one)));
        if typed_spans(numbers, index, source, &between) || apart(numbers, index, source, &between)
        {
            return Look::Found(NumberClaim::place(source, 1));
        }
    }
    across(numbers, &all, &between)
}

/// From what one result shows to what another one does.
fn across(
    numbers: &NumberClaim<'_>,
    all: &[(usize, Moment)],
    between: &dyn Fn(&Moment, &Moment) -> bool,
) -> Look {
    let all = all.get(..all.len().min(MOST_ACROSS)).unwrap_or_default();
    let place = numbers.sources.first().and_then(|index| numbers.judge.source(*index));
    let is_exact = numbers.quantity.digits() > 1 && has_word(numbers, BETWEEN);
    let apart = |at: usize, (source, one): &(usize, Moment)| {
        all.iter().skip(at + 1).any(|(other, two)| source != other && between(one, two))
    };
    match place {
        Some(place) if is_exact && all.iter().enumerate().any(|(at, one)| apart(at, one)) => {
            Look::Found(NumberClaim::place(place, 1))
        }
        _ => Look::Nothing,
    }
}

/// The first and last times of the lines with each name and word of the statement, in pairs, and of all lines.
fn known_times(numbers: &NumberClaim<'_>, index: usize, source: &Source) -> Vec<(usize, Moment)> {
    let names = numbers.context.subject.names.iter();
    let mut lines: Vec<Vec<usize>> =
        names.map(|name| numbers.judge.scan.lines(name, index)).collect();
    lines.extend(
        super::scan::words(&numbers.context.statement.text)
            .iter()
            .map(|word| numbers.judge.scan.lines(word, index)),
    );
    lines.push((1..=source.search.lines()).collect());
    let mut known: Vec<(usize, Moment)> = Vec::new();
    for list in lines.iter().filter(|list| !list.is_empty()) {
        let timed = |line: &usize| time_of(source.line(*line)).map(|moment| (*line, moment));
        let first = list.iter().take(MOST_READINGS).find_map(timed);
        let last = list.iter().rev().take(MOST_READINGS).find_map(timed);
        known.extend(first.zip(last).map(|(first, last)| [first, last]).into_iter().flatten());
    }
    known.truncate(64);
    known
}

/// Two times of the same object: started and finished.
fn typed_spans(
    numbers: &NumberClaim<'_>,
    index: usize,
    source: &Source,
    between: &dyn Fn(&Moment, &Moment) -> bool,
) -> bool {
    groups(numbers, index, source).into_iter().take(64).any(|group| {
        let known: Vec<Moment> =
            group.iter().filter_map(|reading| reading.value.moment).take(16).collect();
        known
            .iter()
            .enumerate()
            .any(|(at, one)| known.iter().skip(at + 1).any(|other| between(one, other)))
    })
}

/// The time between the statement's object and another row, in the same field: how far a replica lags.
fn apart(
    numbers: &NumberClaim<'_>,
    index: usize,
    source: &Source,
    between: &dyn Fn(&Moment, &Moment) -> bool,
) -> bool {
    if !has_word(numbers, APART) {
        return false;
    }
    let own: Vec<&Reading> = groups(numbers, index, source)
        .into_iter()
        .flatten()
        .filter(|reading| reading.value.moment.is_some())
        .take(16)
        .collect();
    let timed = source.readings.iter().take(MOST_READINGS * 10);
    timed.filter_map(|reading| Some((&reading.field, reading.value.moment?))).any(
        |(field, other)| {
            own.iter().any(|own| {
                own.field == *field && own.value.moment.is_some_and(|one| between(&one, &other))
            })
        },
    )
}

pub(super) fn moments(text: &str) -> impl Iterator<Item = Moment> {
    lex(text).into_iter().filter_map(|token| match token.kind {
        TokenKind::Moment(moment) => Some(moment),
        _ => None,
    })
}

/// How long ago a moment was when the call answered.
fn from_ages(numbers: &NumberClaim<'_>) -> Look {
    if !is_duration(&numbers.quantity) {
        return Look::Nothing;
    }
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        let latest = numbers.judge.evidence.sources.iter().take(MOST_NUMBERS);
        let nows: Vec<Moment> =
            latest.flat_map(|one| [one.answered_at, one.latest]).flatten().collect();
        for group in groups(numbers, index, source) {
            for reading in group {
                let Some(moment) = reading.value.moment else { continue };
                let mut spans = nows.iter().filter_map(|now| moment.until(now));
                if spans.any(|span| fits(numbers, span.as_secs_f64().abs(), Unit::SECONDS, 1e-3)) {
                    return Look::Found(NumberClaim::place(source, reading.line));
                }
            }
        }
        let Some(now) = source.answered_at.or(source.latest) else { continue };
        let first = (1..=source.search.lines().min(MOST_READINGS))
            .filter_map(|line| Some((line, time_of(source.line(line))?)));
        for (line, moment) in first {
            if moment
                .until(&now)
                .is_some_and(|span| fits(numbers, span.as_secs_f64().abs(), Unit::SECONDS, 1e-3))
            {
                return Look::Found(NumberClaim::place(source, line));
            }
        }
    }
    Look::Nothing
}
