//! Numbers that measure nothing by themselves: labels, parts of pairs, and what a call was asked for.

use super::Ground;
use super::context::Look;
use super::count;
use super::nouns::{OTHERS, is_noun};
use super::number_claim::{MOST_NAMED, NumberClaim, contradicted, groups};
use super::scan::Match;
use super::source::Source;
use crate::lexer::{TokenKind, lex, whole_quantity};
use crate::quantity::{Fit, Precision, Quantity, Unit};
use crate::words::stems;

/// Lines that are searched for the part of a whole, and how much of each, in bytes.
const MOST_LINES: usize = 50;
const LONGEST_LINE: usize = 2_000;

/// The number names something, as in `OSD 7` or `operation 771204`, and the results have it.
pub(super) fn look(numbers: &NumberClaim<'_>) -> Look {
    let text = numbers.context.statement.text.as_str();
    let is_bare = numbers.quantity.unit == Unit::NONE && numbers.quantity.step >= 1.0;
    let noun = text.get(..numbers.context.at).unwrap_or_default().split(' ').rev().nth(1);
    let behind = text.get(numbers.context.end..).unwrap_or_default();
    let Some(noun) = noun.filter(|noun| is_bare && is_noun(noun) && !counts_what(behind)) else {
        return Look::Nothing;
    };
    let noun = stems(noun);
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index).filter(|source| !source.measures(&noun))
        else {
            continue;
        };
        let matches: &[Match] =
            numbers.judge.scan.matches.get(numbers.index).map_or(&[], Vec::as_slice);
        if let Some(one) = matches.iter().find(|one| one.source == index && one.fit == Fit::Exact) {
            return Look::Found(NumberClaim::place(source, one.line));
        }
    }
    Look::Nothing
}

/// The number stands in the arguments of a call: `longer than 30 seconds`, `the first 500 lines`.
pub(super) fn asked(numbers: &NumberClaim<'_>, contradicted: Look) -> Look {
    let asked =
        numbers.sources.iter().filter_map(|index| numbers.judge.source(*index)).find(|source| {
            lex(&source.arguments).iter().any(|token| match token.kind {
                // What is asked for has no bytes and no percent.
                TokenKind::Quantity(found)
                    if found.unit == numbers.quantity.unit
                        || numbers.quantity.unit.base_unit() == Unit::SECONDS
                        || numbers.quantity.unit == Unit::NONE =>
                {
                    numbers.quantity.fits(&found, Precision::AsWritten) > Fit::No
                }
                _ => false,
            })
        });
    match asked.filter(|_| contradicted == Look::Nothing && numbers.quantity.number > 1.0) {
        Some(source) => Look::Found(NumberClaim::place(source, 1)),
        None => contradicted,
    }
}

/// For `2 of 5 replicas`, the reading of the statement's object that is such a pair: `2/5`.
pub(super) fn part_of_pair(numbers: &NumberClaim<'_>) -> Look {
    let Some(whole) = numbers.context.whole.filter(|whole| whole.unit == Unit::NONE) else {
        return Look::Nothing;
    };
    let mut other = None;
    for &index in numbers.sources {
        let Some(source) = numbers.judge.source(index) else { continue };
        if let Some(line) = beside(numbers, &whole, index, source) {
            return Look::Found(NumberClaim::place(source, line));
        }
        if numbers.context.subject.is_empty() {
            let written = format!("{}/{}", numbers.quantity.number, whole.number);
            let mut readings = source.readings.iter().take(MOST_NAMED);
            if let Some(pair) = readings.find(|reading| *reading.value.text == *written) {
                return Look::Found(NumberClaim::place(source, pair.line));
            }
        }
        let groups = numbers.context.subject.in_source(index);
        for reading in groups.flat_map(|group| source.members(group)) {
            let pair =
                reading.value.text.split_once('/').and_then(|(part, whole)| {
                    Some((whole_quantity(part)?, whole_quantity(whole)?))
                });
            match pair.filter(|pair| pair.1 == whole) {
                Some((part, _)) if part == numbers.quantity => {
                    return Look::Found(NumberClaim::place(source, reading.line));
                }
                Some(_) => other = other.or(Some(contradicted(source, reading, Ground::Pair))),
                // Another column counts them: `UP-TO-DATE`.
                None if numbers.shared(source, reading) > 0 && numbers.value_fits(reading) => {
                    return Look::Found(NumberClaim::place(source, reading.line));
                }
                None => {}
            }
        }
    }
    if let Some(other) = other {
        return other;
    }
    let (part, whole) = (numbers.quantity.number, whole.number);
    let is_slashed = numbers.context.statement.text.get(numbers.context.end..);
    let mut sources =
        numbers.sources.iter().filter(|_| is_slashed.is_some_and(|it| it.starts_with('/')));
    let counted = sources.find_map(|index| {
        let source = numbers.judge.source(*index)?;
        count::is_pair(numbers, (*index, source), (part, whole)).then_some(source)
    });
    counted.map_or(Look::Nothing, |source| Look::Found(NumberClaim::place(source, 1)))
}

/// The line of the part, if one object has both as values of fields of its own: `18 of 151 connections`.
fn beside(
    numbers: &NumberClaim<'_>,
    whole: &Quantity,
    index: usize,
    source: &Source,
) -> Option<usize> {
    let is_long = |quantity: &Quantity| quantity.number >= 10.0;
    let are_long = is_long(&numbers.quantity) && is_long(whole);
    let words = &numbers.context.statement_stems;
    let is_named = |group: &[crate::reading::Reading]| {
        let name = group.first().map(|one| one.object.to_string().to_lowercase());
        let inside = |word: &&String| {
            word.len() > 3 && name.as_ref().is_some_and(|name| name.contains(word.as_str()))
        };
        words.iter().filter(inside).count() > 1
    };
    let all = groups(numbers, index, source).into_iter();
    all.filter(|group| are_long || is_named(group)).find_map(|group| {
        let find = |wanted: &Quantity| {
            group
                .iter()
                .find(|reading| reading.value.quantity.is_some_and(|found| found == *wanted))
        };
        find(whole).and(find(&numbers.quantity)).map(|reading| reading.line)
    })
}

/// For the whole of a part, the line that has both: `291W / 300W`, `1/3`.
pub(super) fn whole_of_part(numbers: &NumberClaim<'_>) -> Look {
    let text = numbers.context.statement.text.as_str();
    let before = lex(text.get(..numbers.context.at).unwrap_or_default());
    let part = before.iter().rev().find_map(|token| match token.kind {
        TokenKind::Quantity(quantity) => Some(quantity),
        _ => None,
    });
    let Some(part) = part.filter(|_| numbers.context.is_whole) else { return Look::Nothing };
    let matches: &[Match] =
        numbers.judge.scan.matches.get(numbers.index).map_or(&[], Vec::as_slice);
    let has_part = |line: &str| {
        let head = line.char_indices().map(|(at, _)| at).find(|at| *at >= LONGEST_LINE);
        lex(line.get(..head.unwrap_or(line.len())).unwrap_or_default()).iter().any(|token| {
            matches!(token.kind, TokenKind::Quantity(found)
                if part.fits(&found, Precision::AsWritten) == Fit::Exact)
        })
    };
    for one in matches.iter().filter(|one| numbers.sources.contains(&one.source)).take(MOST_LINES) {
        let Some(source) = numbers.judge.source(one.source) else { continue };
        if has_part(source.line(one.line)) {
            return Look::Found(NumberClaim::place(source, one.line));
        }
    }
    Look::Nothing
}

/// Whether the text behind a number begins with what it counts.
fn counts_what(behind: &str) -> bool {
    let Some(rest) = behind.strip_prefix(' ') else {
        return behind.starts_with(|c: char| !matches!(c, '.' | ',' | ')' | ';' | ':'));
    };
    let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    !word.is_empty() && !stems(word).is_empty() && !word.ends_with("ed") && !OTHERS.contains(&word)
}
