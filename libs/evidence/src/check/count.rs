//! Counts: rows of a table, rows with a value, lines with a word.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Look;
use super::number_claim::NumberClaim;
use super::scan::words;
use super::source::Source;
use crate::quantity::Unit;
use crate::words::stems;

/// Words whose lines are counted together.
const MOST_WORDS: usize = 24;
/// What every line of a result may be called.
const LINES: &[&str] =
    &["line", "lines", "entry", "entries", "row", "rows", "message", "messages", "event", "events"];
/// Words behind a number that no row can be.
const MEASURES: &[&str] = &[
    "restart",
    "second",
    "minute",
    "hour",
    "day",
    "percent",
    "byte",
    "port",
    "core",
    "millisecond",
    "thread",
    "exit",
];

/// Whether so many rows or lines are as the statement says.
pub(super) fn look(numbers: &NumberClaim<'_>) -> Look {
    let quantity = numbers.quantity;
    if quantity.unit != Unit::NONE
        || quantity.step < 1.0
        || quantity.number < 1.0
        || quantity.number > 100_000.0
    {
        return Look::Nothing;
    }
    let behind = numbers.context.statement.text.get(numbers.context.end..).unwrap_or_default();
    let noun: Vec<&str> = behind
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(3)
        .collect();
    let measured =
        stems(&noun.join(" ")).iter().take(1).any(|stem| MEASURES.contains(&stem.as_str()));
    let lettered = noun.first().is_some_and(|word| word.chars().all(char::is_alphabetic));
    if measured || !lettered && !noun.is_empty() {
        return Look::Nothing;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to lie between 1 and 100 000"
    )]
    let wanted = quantity.number as usize;
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        if counts(numbers, index, source).contains(&wanted) {
            return Look::Found(NumberClaim::place(source, 1));
        }
    }
    Look::Nothing
}

/// Whether so many of so many rows are as the statement says: `1/2`.
pub(super) fn is_pair(
    numbers: &NumberClaim<'_>,
    (index, source): (usize, &Source),
    (part, whole): (f64, f64),
) -> bool {
    const MOST_ROWS: f64 = 100.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to lie between 1 and 100"
    )]
    let wanted = |number: f64| number as usize;
    let is_small = |number: f64| (1.0..MOST_ROWS).contains(&number);
    is_small(part) && is_small(whole) && {
        let counts = counts(numbers, index, source);
        counts.contains(&wanted(part)) && counts.contains(&wanted(whole))
    }
}

fn counts(numbers: &NumberClaim<'_>, index: usize, source: &Source) -> BTreeSet<usize> {
    let text = numbers.context.statement.text.as_str();
    let mut counts = BTreeSet::new();
    let totals = totals(source);
    counts.extend(&totals);
    let behind = numbers.context.statement.text.get(numbers.context.end..).unwrap_or_default();
    let nouns = behind.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    if nouns.take(3).any(|noun| LINES.contains(&noun.to_lowercase().as_str())) {
        counts.insert(source.text.lines().filter(|line| !line.trim().is_empty()).count());
    }
    let mut selected: Vec<BTreeSet<usize>> = Vec::new();
    for word in selectors(text).into_iter().take(MOST_WORDS) {
        let lines: BTreeSet<usize> = numbers.judge.scan.lines(&word, index).into_iter().collect();
        let groups = groups_with(source, &word);
        counts.extend([
            lines.len(),
            numbers.judge.scan.occurrences(&word, index).len(),
            groups.len(),
        ]);
        if text.contains("not ") || text.contains("un") || text.contains("except") {
            counts.extend(totals.iter().map(|total| total.saturating_sub(groups.len())));
        }
        if lines.len() > 1 {
            selected.push(lines);
        }
    }
    for (at, one) in selected.iter().enumerate() {
        counts.extend(selected.iter().skip(at + 1).map(|other| one.intersection(other).count()));
    }
    counts
}

/// Words, names and numbers that rows may be chosen by.
fn selectors(text: &str) -> Vec<String> {
    let mut selectors = words(text);
    selectors.sort_unstable();
    selectors.dedup();
    selectors
}

/// How many objects have the same first field: the rows of each table.
fn totals(source: &Source) -> BTreeSet<usize> {
    let mut rows: BTreeMap<(&str, usize), BTreeSet<&crate::reading::Object>> = BTreeMap::new();
    for (index, group) in source.groups.iter().enumerate() {
        if let Some(first) = source.members(index).first() {
            rows.entry((&first.field, group.object.parts().count()))
                .or_default()
                .insert(&group.object);
        }
    }
    rows.values().map(BTreeSet::len).collect()
}

/// The groups with a value that begins with the word.
fn groups_with(source: &Source, word: &str) -> Vec<usize> {
    let has = |index: &usize| {
        source.members(*index).iter().any(|reading| {
            let value = reading.value.text.to_lowercase();
            value == "true" && reading.field.eq_ignore_ascii_case(word)
                || value == word
                || value.starts_with(word)
                    && value
                        .get(word.len()..)
                        .is_some_and(|rest| rest.starts_with([' ', ':', ',', '(']))
        })
    };
    (0..source.groups.len()).filter(has).collect()
}
