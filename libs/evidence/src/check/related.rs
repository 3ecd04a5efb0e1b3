//! Numbers that relate readings to each other, or to a number of the statement: what is left of a percentage, shares, means,
//! factors, and how much a value changed.

use super::context::Look;
use super::number_claim::{NumberClaim, first_place, fits, groups, has_word, statement_numbers};
use super::source::Source;
use crate::lexer::lex;
use crate::quantity::{Fit, Quantity, Unit};
use crate::reading::Reading;

/// Readings of one result that are compared with a number of the statement; of more, one would fit by chance.
const MOST_RELATED: usize = 40;
/// Values of one field that are followed.
const MOST_POINTS: usize = 400;

/// Words for the rest of a percentage.
const RESTS: &[&str] = &[
    "not",
    "inactive",
    "missing",
    "other",
    "others",
    "rest",
    "remaining",
    "left",
    "free",
    "idle",
    "available",
    "unavailable",
    "unassigned",
    "unused",
];
/// Words between a part and its whole.
const SHARES: &[&str] =
    &["limit", "capacity", "quota", "size", "request", "requested", "maximum", "total"];
const MEANS: &[&str] = &["each", "average", "mean", "every", "per"];
const COMPARED: &[&str] = &["more", "less", "higher", "lower", "larger", "smaller"];
/// Words between a preposition and its number.
const APPROXIMATE: &[&str] =
    &["about", "roughly", "only", "almost", "nearly", "around", "just", "over"];
/// Smaller values are counts, and any two of them fit some percentage.
const LEAST_COMPARED: f64 = 10_000.0;
/// Numbers of one text that are compared.
const MOST_WRITTEN: usize = 8;
/// The longest line of a text whose numbers are divided, in bytes.
const LONGEST_LINE: usize = 200;
const CHANGES: &[&str] = &[
    "fell",
    "dropped",
    "rose",
    "grew",
    "grown",
    "shrank",
    "lost",
    "gained",
    "increased",
    "decreased",
    "used",
    "freed",
    "more",
    "less",
    "higher",
    "lower",
    "larger",
    "smaller",
    "doubled",
    "hotter",
    "cooler",
    "warmer",
    "colder",
    "faster",
    "slower",
    "longer",
    "shorter",
    "climbed",
    "jumped",
    "loses",
    "gains",
    "sank",
];

/// Whether the number follows in one of these ways.
pub(super) fn look(numbers: &NumberClaim<'_>) -> Look {
    if names_windows(numbers) {
        return first_place(numbers);
    }
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        let line = rest(numbers, index, source)
            .or_else(|| rest_in_text(numbers, source))
            .or_else(|| with_statement(numbers, index, source))
            .or_else(|| factor(numbers, index, source))
            .or_else(|| more(numbers, index, source))
            .or_else(|| change(numbers, source));
        if let Some(line) = line {
            return Look::Found(NumberClaim::place(source, line));
        }
    }
    Look::Nothing
}

/// `over 1, 5 and 15 minutes`: what the averages of a load are over.
fn names_windows(numbers: &NumberClaim<'_>) -> bool {
    let text = numbers.context.statement.text.to_lowercase();
    let windows = [1.0, 5.0, 15.0];
    let is = |number: f64, window: f64| (number - window).abs() < 1e-9;
    let others = statement_numbers(numbers);
    let is_other = |window: &f64| {
        !is(numbers.quantity.number, *window)
            && others.iter().any(|other| is(other.number, *window))
    };
    windows.into_iter().any(|window| is(numbers.quantity.number, window))
        && text.contains("load")
        && text.contains("minute")
        && windows.iter().any(is_other)
}

fn percent() -> Unit {
    Unit::parse("%").unwrap_or(Unit::NONE)
}

/// What is left of a percentage.
fn rest(numbers: &NumberClaim<'_>, index: usize, source: &Source) -> Option<usize> {
    if numbers.quantity.unit != percent() || !has_word(numbers, RESTS) {
        return None;
    }
    let all = groups(numbers, index, source).into_iter().flatten();
    let shares = all.filter_map(|reading| {
        let found = reading.value.quantity?;
        let is_share = found.unit == percent() || reading.field.to_lowercase().contains("percent");
        (is_share && (0.0..=100.0).contains(&found.number)).then_some((reading, found))
    });
    let mut shares = shares.take(MOST_RELATED);
    let fitting = |found: &Quantity| fits(numbers, 100.0 - found.number, percent(), found.step);
    shares.find(|(_, found)| fitting(found)).map(|(reading, _)| reading.line)
}

/// The line of a text with two numbers of which one is what the other leaves: `limit 100, usage 96`.
fn rest_in_text(numbers: &NumberClaim<'_>, source: &Source) -> Option<usize> {
    if !has_word(numbers, &["left", "remain", "remains", "remaining"]) {
        return None;
    }
    let texts = source.readings.iter().filter(|one| one.value.quantity.is_none());
    texts.take(MOST_POINTS).find_map(|reading| {
        let tokens = lex(&reading.value.text).into_iter().filter_map(|token| token.quantity());
        let written: Vec<Quantity> = tokens.take(MOST_WRITTEN).collect();
        let pairs = written
            .iter()
            .enumerate()
            .flat_map(|(at, one)| written.iter().skip(at + 1).map(move |other| (one, other)));
        let mut pairs = pairs.filter(|(one, other)| one.unit == other.unit);
        let fitting = |(one, other): (&Quantity, &Quantity)| {
            let (unit, left) = (numbers.quantity.unit, (one.number - other.number).abs());
            left > 0.0 && (fits(numbers, left, one.unit, 1.0) || fits(numbers, left, unit, 1.0))
        };
        pairs.any(fitting).then_some(reading.line)
    })
}

/// A reading as a percentage of a number of the statement, or divided by it.
fn with_statement(numbers: &NumberClaim<'_>, index: usize, source: &Source) -> Option<usize> {
    let is_share = numbers.quantity.unit == percent() && has_word(numbers, SHARES);
    let is_mean = numbers.quantity.unit == Unit::NONE && has_word(numbers, MEANS);
    if !is_share && !is_mean {
        return None;
    }
    let others = statement_numbers(numbers);
    let fitting = |reading: &&Reading| {
        let Some(found) = reading.value.quantity.filter(|found| found.number > 0.0) else {
            return false;
        };
        others.iter().any(|other| {
            if is_share {
                let whole = other.base();
                let is_alike = other.unit != Unit::NONE && found.is_comparable(other);
                is_alike
                    && whole > 0.0
                    && fits(numbers, 100.0 * found.base() / whole, percent(), 1e-3)
            } else {
                other.number > 1.0
                    && other.unit == Unit::NONE
                    && found.unit == Unit::NONE
                    && fits(numbers, found.number / other.number, Unit::NONE, 1e-3)
            }
        })
    };
    let all = groups(numbers, index, source).into_iter().flatten();
    let typed = all.take(MOST_RELATED).find(fitting).map(|reading| reading.line);
    typed.or_else(|| if is_mean { mean_of_text(numbers, source, &others) } else { None })
}

/// The line with a number that, divided by one of the statement, is the mean: in a text that is no table.
fn mean_of_text(numbers: &NumberClaim<'_>, source: &Source, others: &[Quantity]) -> Option<usize> {
    let lines = source.text.lines().enumerate().filter(|(_, line)| line.len() <= LONGEST_LINE);
    let written = lines.flat_map(|(at, line)| {
        lex(line).into_iter().filter_map(move |token| Some((at + 1, token.quantity()?)))
    });
    let mut counts = written.filter(|(_, found)| found.unit == Unit::NONE).take(MOST_RELATED);
    let divides = |found: &Quantity| {
        let mut parts =
            others.iter().filter(|other| other.unit == Unit::NONE && other.number > 1.0);
        parts.any(|other| fits(numbers, found.number / other.number, Unit::NONE, 1e-3))
    };
    counts.find(|(_, found)| divides(found)).map(|(line, _)| line)
}

/// How much more one value of an object is than another of the same kind, in percent.
fn more(numbers: &NumberClaim<'_>, index: usize, source: &Source) -> Option<usize> {
    if numbers.quantity.unit != percent() || !has_word(numbers, COMPARED) {
        return None;
    }
    groups(numbers, index, source).into_iter().find_map(|group| {
        let measured =
            group.iter().take(MOST_RELATED).filter_map(|one| Some((one, one.value.quantity?)));
        let measured: Vec<_> =
            measured.filter(|(_, found)| found.base() >= LEAST_COMPARED).collect();
        measured.iter().enumerate().find_map(|(at, (reading, one))| {
            let mut others = measured.iter().skip(at + 1);
            let is_more = |other: &Quantity| {
                let (low, high) = (one.base().min(other.base()), one.base().max(other.base()));
                one.is_comparable(other)
                    && fits(numbers, 100.0 * (high / low - 1.0), percent(), 1e-3)
            };
            others.any(|(_, other)| is_more(other)).then_some(reading.line)
        })
    })
}

/// How many times as large a value of the statement's object is as that of another row.
fn factor(numbers: &NumberClaim<'_>, index: usize, source: &Source) -> Option<usize> {
    let behind = numbers.context.statement.text.get(numbers.context.end..)?;
    if numbers.quantity.unit != Unit::NONE || !behind.trim_start().starts_with("times") {
        return None;
    }
    let own = numbers.context.subject.in_source(index).flat_map(|group| source.members(group));
    let own: Vec<&Reading> = own.take(MOST_RELATED).collect();
    own.iter().find_map(|one| {
        let value = one.value.quantity?;
        let others = source.readings.iter().filter(|other| {
            other.field.eq_ignore_ascii_case(&one.field) && other.object != one.object
        });
        let fitting = |other: &Reading| {
            other.value.quantity.is_some_and(|other| {
                let (low, high) = (value.base().min(other.base()), value.base().max(other.base()));
                low > 0.0
                    && value.is_comparable(&other)
                    && fits(numbers, high / low, Unit::NONE, 1e-3)
            })
        };
        others.take(MOST_RELATED).find(|other| fitting(other)).map(|_| one.line)
    })
}

/// How much a value changed: from one time to the next, from the first to the last, or from the least to the most.
fn change(numbers: &NumberClaim<'_>, source: &Source) -> Option<usize> {
    if !has_word(numbers, CHANGES) || is_end(numbers) {
        return None;
    }
    let mut fields: Vec<&Reading> = Vec::new();
    for reading in source.readings.iter().filter(|one| one.value.quantity.is_some()) {
        let is_new =
            !fields.iter().any(|one| one.field == reading.field && one.object == reading.object);
        if is_new && fields.len() < MOST_RELATED {
            fields.push(reading);
        }
    }
    fields.into_iter().find_map(|field| {
        let same = source
            .readings
            .iter()
            .filter(|one| one.field == field.field && one.object == field.object);
        let values: Vec<Quantity> =
            same.filter_map(|one| one.value.quantity).take(MOST_POINTS).collect();
        if values.len() < 3 {
            return None;
        }
        let least = values.iter().min_by(|one, other| one.base().total_cmp(&other.base()));
        let most = values.iter().max_by(|one, other| one.base().total_cmp(&other.base()));
        let ends = values.first().zip(values.last());
        let steps = values.iter().zip(values.iter().skip(1));
        let mut pairs = ends.into_iter().chain(least.zip(most)).chain(steps);
        pairs.any(|(one, other)| differs_by(numbers, one, other)).then_some(field.line)
    })
}

/// Whether the number is where a change begins or ends: `from 16 GiB to 300 MiB`.
fn is_end(numbers: &NumberClaim<'_>) -> bool {
    let before = numbers.context.statement.text.get(..numbers.context.at).unwrap_or_default();
    let mut words = before.split_whitespace().rev().filter(|word| !APPROXIMATE.contains(word));
    words.next().is_some_and(|word| matches!(word, "from" | "to" | "at" | "is" | "was"))
}

fn differs_by(numbers: &NumberClaim<'_>, one: &Quantity, other: &Quantity) -> bool {
    let (from, to) = (one.base(), other.base());
    if numbers.quantity.unit == percent() {
        return from > 0.0 && fits(numbers, 100.0 * (to - from).abs() / from, percent(), 1e-3);
    }
    let unit = one.unit.base_unit();
    let difference = Quantity { number: (to - from).abs(), unit, step: one.step.min(other.step) };
    difference.number > 0.0
        && (fits(numbers, difference.number, unit, difference.step)
            || unit == Unit::NONE
                && numbers.quantity.unit != Unit::NONE
                && numbers.quantity.fits(&difference, numbers.claim.precision) > Fit::No)
}
