//! Numbers that are written in several parts: `12 and a half minutes`, `2 hours and 41 minutes`.

use std::ops::Range;

use super::content::Content;
use crate::quantity::{Precision, Quantity, Unit};

const HALF: &str = " and a half ";

type Found = (Range<usize>, Content, Precision);

/// Joins the parts of each number.
pub(super) fn join(prose: &str, claims: &mut Vec<Found>) {
    for (range, content, _) in claims.iter_mut() {
        if let Content::Quantity(quantity) = content
            && let Some((whole, end)) = with_half(prose, range.end, *quantity)
        {
            (*quantity, range.end) = (whole, end);
        }
    }
    // `3 and 20 seconds, respectively` are two.
    let are_apart = ["respectively", "between "].iter().any(|word| prose.contains(word));
    let mut at = 0;
    while !are_apart && at + 1 < claims.len() {
        match whole(prose, claims.get(at), claims.get(at + 1)) {
            Some((quantity, end)) => {
                claims.remove(at + 1);
                if let Some(first) = claims.get_mut(at) {
                    (first.1, first.0.end) = (Content::Quantity(quantity), end);
                }
            }
            None => at += 1,
        }
    }
}

fn with_half(prose: &str, end: usize, found: Quantity) -> Option<(Quantity, usize)> {
    let behind = prose.get(end..)?.strip_prefix(HALF).filter(|_| found.step >= 1.0)?;
    let word = behind.split(|c: char| !c.is_alphabetic()).next()?;
    let unit = Unit::parse(word).unwrap_or(found.unit);
    let end = end + HALF.len() + if unit == Unit::NONE { 0 } else { word.len() };
    Some((Quantity { number: found.number + 0.5, step: 0.5, unit }, end))
}

/// A duration whose second part counts a smaller unit.
fn whole(prose: &str, one: Option<&Found>, next: Option<&Found>) -> Option<(Quantity, usize)> {
    let ((first, Content::Quantity(long), _), (second, Content::Quantity(short), _)) =
        (one?, next?)
    else {
        return None;
    };
    let between = prose.get(first.end..second.start)?.trim();
    let is_time = |one: &Quantity| one.unit != Unit::NONE && one.unit.base_unit() == Unit::SECONDS;
    let size = |one: &Quantity| Quantity { number: 1.0, ..*one }.base();
    let is_whole = matches!(between, "" | "and" | ",")
        && is_time(long)
        && is_time(short)
        && long.step >= 1.0
        && short.base() < size(long);
    let total = Quantity::seconds(long.base() + short.base(), short.step * size(short));
    is_whole.then_some((total, second.end))
}
