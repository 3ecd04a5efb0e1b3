//! Distributions of load generators: a heading with a unit, then a percentage and a value in each line.

use super::{Object, Readings};
use crate::quantity::Unit;

/// Lines of one distribution.
const MOST_LINES: usize = 100;

/// Reads the distribution that begins at the first line, its heading, and returns how many lines it takes.
pub(super) fn read_percentiles(
    lines: &[&str],
    first: usize,
    readings: &mut Readings,
) -> Option<usize> {
    let head = lines.first()?.trim_end_matches(':').trim_end();
    let unit =
        head.strip_suffix(')').and_then(|head| head.rsplit_once('(')).map_or("", |pair| pair.1);
    let unit = Unit::parse(unit);
    let begin = readings.len();
    let mut taken = 1;
    for line in lines.iter().skip(1).take(MOST_LINES) {
        let Some((percent, value)) = row(line) else { break };
        let field = format!("{percent}th percentile");
        readings.push(&Object::default(), &field, value, first + taken);
        taken += 1;
    }
    if let Some(unit) = unit {
        readings.set_unit(begin, unit);
    }
    (taken > 2).then_some(taken)
}

/// `99%   4872`
fn row(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_whitespace();
    let percent = words.next()?.strip_suffix('%')?;
    let value = words.next()?;
    let is_row = percent.parse::<f64>().is_ok()
        && super::whole_quantity(value).is_some()
        && words.next().is_none_or(|word| word.starts_with('('));
    is_row.then_some((percent, value))
}
