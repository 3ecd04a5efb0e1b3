//! Numbers that follow from a column of a result: sums, means, differences, shares.

use std::collections::BTreeMap;

use super::context::Look;
use super::number_claim::{MOST_READINGS, NumberClaim, fits, has_word, statement_numbers};
use super::scan::words;
use super::source::Source;
use crate::lexer::{Token, lex};
use crate::quantity::{Fit, Precision, Quantity, Unit};
use crate::reading::Reading;
use crate::words::{overlap, share, stems};

/// The longest line whose measures are added, in bytes.
const LONGEST_LINE: usize = 2_000;
/// Words of a statement that rows are chosen by.
const MOST_CHOICES: usize = 12;
const SUMS: &[&str] = &[
    "total",
    "sum",
    "together",
    "combined",
    "altogether",
    "overall",
    "across",
    "all",
    "both",
    "whole",
    "entire",
    "spent",
];
/// Those that say so plainly.
const TOTALS: &[&str] =
    &["total", "sum", "together", "combined", "altogether", "whole", "entire", "spent"];
/// Rows that are few.
const FEW: usize = 8;
const MEANS: &[&str] = &["average", "mean", "averages"];
const DIFFERENCES: &[&str] = &[
    "grew",
    "rose",
    "fell",
    "increased",
    "dropped",
    "difference",
    "delta",
    "more",
    "less",
    "fewer",
    "increase",
    "grown",
    "behind",
    "ahead",
    "apart",
    "lags",
    "lag",
    "gap",
];

/// One value of a column, and the group that it belongs to.
struct Cell {
    group: usize,
    line: usize,
    quantity: Quantity,
}

/// What the statement may say of a column.
struct Wanted {
    sums: bool,
    means: bool,
    differs: bool,
    /// The parts that a percentage, or a whole, goes with.
    parts: Vec<Quantity>,
}

/// Whether the number follows from a column.
pub(super) fn look(numbers: &NumberClaim<'_>) -> Look {
    let is_share = numbers.quantity.unit.as_str() == "%";
    let is_whole = numbers.context.is_whole;
    let wanted = Wanted {
        sums: has_word(numbers, SUMS),
        means: has_word(numbers, MEANS),
        differs: has_word(numbers, DIFFERENCES),
        parts: if is_share || is_whole { statement_numbers(numbers) } else { Vec::new() },
    };
    if !(wanted.sums || wanted.means || wanted.differs || is_share || is_whole) {
        return Look::Nothing;
    }
    let is_total = has_word(numbers, TOTALS);
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        let own: Vec<usize> = numbers.context.subject.in_source(index).collect();
        let columns = columns(source);
        let choices = choices(numbers, source, own);
        let names_one = columns.iter().any(|(field, _)| share(&numbers.context.local, field));
        for (field, cells) in columns {
            let is_named = overlap(&numbers.context.local, field);
            if names_one && !share(&numbers.context.local, field) {
                continue;
            }
            for chosen in &choices {
                let cells: Vec<&Cell> =
                    cells.iter().filter(|cell| chosen.binary_search(&cell.group).is_ok()).collect();
                let Some(first) = cells.first().filter(|_| cells.len() > 1) else { continue };
                // A unit names the column, too.
                let is_measured =
                    numbers.quantity.unit != Unit::NONE && first.quantity.unit != Unit::NONE;
                // A sum that is called one needs no name where there is little to add.
                let is_counted =
                    is_total && cells.len() <= FEW && first.quantity.unit == Unit::NONE;
                let is_column = is_named || is_measured || is_counted;
                if is_column && column_fits(numbers, &cells, &wanted)
                    || chosen.len() > 1 && share_fits(numbers, &cells, &wanted)
                {
                    return Look::Found(NumberClaim::place(source, first.line));
                }
            }
            if share_fits(numbers, &cells.iter().collect::<Vec<_>>(), &wanted)
                || wanted.differs
                    && !is_distance(field)
                    && differs_from_others(numbers, index, &cells)
            {
                let line = cells.first().map_or(1, |cell| cell.line);
                return Look::Found(NumberClaim::place(source, line));
            }
        }
        if let Some(line) = is_total.then(|| sum_of_lines(numbers, index, source)).flatten() {
            return Look::Found(NumberClaim::place(source, line));
        }
    }
    Look::Nothing
}

/// The first of the lines with a word of the statement whose last measures add up to the number.
fn sum_of_lines(numbers: &NumberClaim<'_>, index: usize, source: &Source) -> Option<usize> {
    if numbers.quantity.unit == Unit::NONE {
        return None;
    }
    let statement = numbers.context.statement;
    let near = statement.nearby.lines().last().unwrap_or_default();
    let words = words(&format!("{} {near}", statement.text));
    words.iter().take(MOST_CHOICES * 2).find_map(|word| {
        let lines = numbers.judge.scan.lines(word, index);
        let measured = lines.iter().take(MOST_READINGS).filter_map(|line| {
            let text = Some(source.line(*line)).filter(|line| line.len() <= LONGEST_LINE)?;
            let tokens = lex(text);
            let quantities = tokens.iter().rev().filter_map(Token::quantity);
            quantities
                .filter(|found| found.unit != Unit::NONE)
                .find(|found| found.is_comparable(&numbers.quantity))
        });
        let measured: Vec<Quantity> = measured.collect();
        let first = measured.first().filter(|_| measured.len() > 1)?;
        let total: f64 = measured.iter().map(Quantity::base).sum();
        fits(numbers, total, first.unit.base_unit(), first.step).then(|| lines.first().copied())?
    })
}

/// The columns of a result: the stems of a field, and its numbers in the first groups.
fn columns(source: &Source) -> Vec<(&[String], Vec<Cell>)> {
    let mut columns: BTreeMap<&str, (&Reading, Vec<Cell>)> = BTreeMap::new();
    for group in 0..source.groups.len().min(MOST_READINGS) {
        for reading in source.members(group).iter().take(MOST_READINGS) {
            if let Some(quantity) = reading.value.quantity {
                let cell = Cell { group, line: reading.line, quantity };
                columns.entry(&reading.field).or_insert((reading, Vec::new())).1.push(cell);
            }
        }
    }
    columns.into_values().map(|(one, cells)| (source.field_stems(one), cells)).collect()
}

/// The sets of groups that may be meant: those of the subject, all, and those with a word of the statement in their name.
fn choices(numbers: &NumberClaim<'_>, source: &Source, own: Vec<usize>) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..source.groups.len().min(MOST_READINGS)).collect();
    let mut choices = vec![all.clone()];
    if !own.is_empty() {
        // Of what is named, a sum of others says nothing.
        if numbers.context.subject.names.len() == 1 && own.len() == 1 {
            choices.clear();
        }
        choices.push(own);
    }
    let named: Vec<(usize, Vec<String>)> = all
        .iter()
        .filter_map(|group| Some((*group, stems(&source.groups.get(*group)?.object.to_string()))))
        .collect();
    for word in stems(&numbers.context.clause).iter().take(MOST_CHOICES) {
        let chosen: Vec<usize> = named
            .iter()
            .filter(|(_, stems)| share(stems, std::slice::from_ref(word)))
            .map(|named| named.0)
            .collect();
        if chosen.len() > 1 && chosen.len() < all.len() {
            choices.push(chosen);
        }
    }
    choices
}

fn column_fits(numbers: &NumberClaim<'_>, cells: &[&Cell], wanted: &Wanted) -> bool {
    let (Some(first), Some(last)) = (cells.first(), cells.last()) else { return false };
    let (unit, step) = (first.quantity.unit.base_unit(), first.quantity.step);
    let total: f64 = cells.iter().map(|cell| cell.quantity.base()).sum();
    #[expect(clippy::cast_precision_loss, reason = "a few hundred values")]
    let mean = total / cells.len() as f64;
    let difference = (first.quantity.base() - last.quantity.base()).abs();
    wanted.sums && sum_fits(numbers, cells, total, unit)
        || wanted.means && fits(numbers, mean, unit, 1e-3)
        || wanted.differs && fits(numbers, difference, unit, step)
}

/// A sum in the base unit, or in the unit that all of its parts have.
fn sum_fits(numbers: &NumberClaim<'_>, cells: &[&Cell], total: f64, unit: Unit) -> bool {
    let Some(first) = cells.first() else { return false };
    let same = cells.iter().all(|cell| cell.quantity.unit == first.quantity.unit);
    let written: f64 = cells.iter().map(|cell| cell.quantity.number).sum();
    fits(numbers, total, unit, first.quantity.step)
        || same && fits(numbers, written, first.quantity.unit, first.quantity.step)
}

/// A percentage of the sum, or of the largest, of a column; or the sum itself behind `88 of`.
fn share_fits(numbers: &NumberClaim<'_>, cells: &[&Cell], wanted: &Wanted) -> bool {
    let total: f64 = cells.iter().map(|cell| cell.quantity.base()).sum();
    let largest = cells.iter().map(|cell| cell.quantity.base()).fold(0.0, f64::max);
    let percent = Unit::parse("%").unwrap_or(Unit::NONE);
    cells.iter().any(|cell| {
        let part = cell.quantity.base();
        let is_written = wanted
            .parts
            .iter()
            .any(|written| written.fits(&cell.quantity, Precision::AsWritten) > Fit::No);
        is_written
            && part > 0.0
            && if numbers.quantity.unit == percent {
                [total, largest]
                    .into_iter()
                    .any(|whole| part < whole && fits(numbers, 100.0 * part / whole, percent, 1e-3))
            } else {
                fits(numbers, total, cell.quantity.unit.base_unit(), cell.quantity.step)
            }
    })
}

/// Whether a field is a distance itself: of how far one replica lags, less is no lag.
fn is_distance(field: &[String]) -> bool {
    field.iter().any(|stem| matches!(stem.as_str(), "lag" | "delay" | "behind" | "diff"))
}

/// The difference between the statement's object and any other row.
fn differs_from_others(numbers: &NumberClaim<'_>, source: usize, cells: &[Cell]) -> bool {
    let subject = &numbers.context.subject;
    let own = cells.iter().filter(|cell| subject.contains(source, cell.group)).take(2);
    own.into_iter().any(|own| {
        cells.iter().any(|other| {
            let difference = (own.quantity.base() - other.quantity.base()).abs();
            let unit = own.quantity.unit.base_unit();
            difference > 0.0 && fits(numbers, difference, unit, own.quantity.step)
        })
    })
}
