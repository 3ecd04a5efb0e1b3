//! Whether a number, or a time, follows from any two that a result has.
//!
//! It bears nothing out: of a few hundred numbers two give almost any of two digits. It says that a number which no result
//! shows may have been computed, in a way that no rule has to know.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

use jiff::SignedDuration;

use super::rounding::any;
use crate::lexer::{Token, TokenKind, lex};
use crate::moment::Moment;
use crate::quantity::{Dimension, Precision, Quantity, Unit};
use crate::reading::Reading;

/// Different numbers of one dimension in one result; of more, two give almost any.
const MOST_VALUES: usize = 600;
/// Different times of one result.
const MOST_TIMES: usize = 48;
/// Numbers and words of one result that are read.
const MOST_TOKENS: usize = 20_000;
/// Fields whose values are added.
const MOST_FIELDS: usize = 200;
/// Lines, objects and fields of one result whose numbers are computed with.
const MOST_PARTS: usize = 3_000;
/// Values of a field that are added in threes.
const FEW_VALUES: usize = 12;
/// What people count time in, in seconds, and other sizes that nobody writes down.
const CONSTANTS: [f64; 9] = [2.0, 7.0, 24.0, 60.0, 100.0, 1000.0, 1024.0, 3_600.0, 86_400.0];
/// Sizes of units that a result may leave out: of bytes, sectors and pages, and of seconds.
const SIZES: [f64; 8] = [1.0, 512.0, 1_024.0, 4_096.0, 8_192.0, 1_048_576.0, 1e3, 1e6];
const TIMES: [f64; 4] = [1.0, 1e-3, 1e-6, 1e-9];

/// What is read of a result.
pub(super) struct Parts<'a> {
    pub(super) text: &'a str,
    pub(super) lines: usize,
    pub(super) readings: &'a [Reading],
    /// The readings of each object.
    pub(super) objects: &'a [Range<usize>],
    pub(super) answered_at: Option<Moment>,
}

/// Numbers in the base unit of each dimension.
#[derive(Default)]
struct Numbers(HashMap<Dimension, Vec<f64>>);

/// What people compute with: the numbers of one row, those of one column, times, sums and counts.
#[derive(Default)]
pub(super) struct Values {
    /// All numbers, sums and means of columns, and spans.
    single: Numbers,
    /// Those of a line, of an object, or of a field.
    parts: Vec<Numbers>,
    times: Vec<Moment>,
    /// In seconds, as the result has them.
    durations: Vec<f64>,
    /// The most that can be counted: lines, or objects.
    most: f64,
}

/// The numbers of each column, or field, as a set, and each of them with its unit.
#[derive(Default)]
struct Columns {
    numbers: HashMap<String, Numbers>,
    values: HashMap<(String, Unit), Vec<f64>>,
}

impl Columns {
    fn number(&mut self, column: String, found: &Quantity) {
        if self.values.len() < MOST_FIELDS {
            self.values.entry((column.clone(), found.unit)).or_default().push(found.number);
        }
        if self.numbers.len() < MOST_PARTS {
            self.numbers.entry(column).or_default().number(found);
        }
    }
}

impl Numbers {
    fn number(&mut self, found: &Quantity) {
        for (dimension, size) in found.dimensions() {
            self.add(*dimension, found.number * size);
        }
    }

    fn add(&mut self, dimension: Dimension, value: f64) {
        let list = self.0.entry(dimension).or_default();
        if value > 0.0 && value.is_finite() && list.len() < MOST_VALUES && !list.contains(&value) {
            list.push(value);
        }
    }

    fn sorted(mut self) -> Self {
        for list in self.0.values_mut() {
            list.sort_by(f64::total_cmp);
        }
        self
    }

    fn of(&self, dimension: Dimension) -> &[f64] {
        self.0.get(&dimension).map_or(&[], Vec::as_slice)
    }

    /// Whether one of them is the number, in some unit.
    fn has(&self, dimension: Dimension, range: &RangeInclusive<f64>) -> bool {
        has(self.of(dimension), range)
            || dimension != Dimension::Plain
                && sizes(dimension)
                    .iter()
                    .any(|size| has(self.of(Dimension::Plain), &divided(range, *size)))
    }

    /// Whether two of them give the number, or one and something that everybody knows.
    fn give(&self, dimension: Dimension, range: &RangeInclusive<f64>, spans: &[f64]) -> bool {
        let own = self.of(dimension);
        let plain = self.of(Dimension::Plain);
        let is_of_plain = |size: &f64| {
            let scaled = divided(range, *size);
            adds(plain, &scaled) || scales(plain, &CONSTANTS, &scaled)
        };
        adds(own, range)
            || dimension != Dimension::Plain && sizes(dimension).iter().any(is_of_plain)
            || scales(own, plain, range)
            || scales(own, &CONSTANTS, range)
            || scales(own, self.of(Dimension::Seconds), range)
            || scales(own, spans, range)
            || self.is_ratio(dimension, range)
    }

    /// A number that divides two of one dimension: a factor, or a percentage in any of its senses.
    fn is_ratio(&self, dimension: Dimension, range: &RangeInclusive<f64>) -> bool {
        let (low, high) = (*range.start(), *range.end());
        let ratios = match dimension {
            Dimension::Plain | Dimension::Cores => vec![low..=high],
            Dimension::Percent => {
                let (low, high) = (low / 100.0, high / 100.0);
                let mut all = vec![low..=high, 1.0 - high..=1.0 - low, 1.0 + low..=1.0 + high];
                if high < 1.0 {
                    // A part of what both are together.
                    all.push(low / (1.0 - low)..=high / (1.0 - high));
                }
                all
            }
            _ => return false,
        };
        ratios.iter().any(|ratio| self.0.values().any(|list| divides(list, ratio)))
    }
}

impl Values {
    pub(super) fn new(source: &Parts<'_>) -> Self {
        let mut values = Self::default();
        let mut columns = Columns::default();
        let mut left = MOST_TOKENS;
        for line in source.text.lines() {
            if left == 0 {
                break;
            }
            let found: Vec<_> = lex(line).into_iter().take(left).collect();
            left -= found.len();
            values.line(&found, &mut columns);
        }
        values.objects(source, &mut columns);
        values.times_of(source.answered_at);
        values.durations = values.single.of(Dimension::Seconds).to_vec();
        values.totals(&columns);
        values.spans();
        values.parts.extend(columns.numbers.into_values());
        values.parts.retain(|part| !part.0.is_empty());
        values.parts.truncate(MOST_PARTS);
        values.parts = values.parts.into_iter().map(Numbers::sorted).collect();
        values.single = values.single.sorted();
        #[expect(clippy::cast_precision_loss, reason = "results have some million lines at most")]
        let most = source.lines.max(source.objects.len()) as f64;
        values.most = most;
        values
    }

    /// The numbers of a line, and those that stand at the same place in lines of its form.
    fn line(&mut self, tokens: &[Token<'_>], columns: &mut Columns) {
        let mut row = Numbers::default();
        let numbers: Vec<Quantity> = tokens.iter().filter_map(Token::quantity).collect();
        for (at, one) in numbers.iter().enumerate() {
            row.number(one);
            self.single.number(one);
            columns.number(format!("{at} of {}", numbers.len()), one);
        }
        for token in tokens {
            if let TokenKind::Moment(moment) = token.kind {
                self.moment(moment, &mut row);
            }
        }
        self.parts.push(row);
    }

    fn objects(&mut self, source: &Parts<'_>, columns: &mut Columns) {
        for object in source.objects.iter().take(MOST_PARTS) {
            let mut row = Numbers::default();
            let readings = source.readings.get(object.clone()).unwrap_or_default();
            for reading in readings.iter().take(MOST_VALUES) {
                self.reading(reading, &mut row, columns);
            }
            self.parts.push(row);
        }
    }

    fn reading(&mut self, reading: &Reading, row: &mut Numbers, columns: &mut Columns) {
        if let Some(found) = &reading.value.quantity {
            row.number(found);
            self.single.number(found);
            columns.number(reading.field.to_string(), found);
        } else {
            lex(&reading.value.text)
                .iter()
                .filter_map(Token::quantity)
                .for_each(|found| row.number(&found));
        }
        self.times_of(reading.value.moment);
        self.times_of(reading.time);
    }

    fn times_of(&mut self, moment: Option<Moment>) {
        let is_new = |one: &Moment| self.times.len() < MOST_TIMES && !self.times.contains(one);
        if let Some(moment) = moment.filter(is_new) {
            self.times.push(moment);
        }
    }

    fn moment(&mut self, moment: Moment, row: &mut Numbers) {
        self.times_of(Some(moment));
        // `00:21:40` may be a duration.
        if moment.date.is_none()
            && let Some(time) = moment.time
        {
            // And `21:40` minutes and seconds.
            for value in [seconds(time), seconds(time) / 60.0] {
                row.add(Dimension::Seconds, value);
                self.single.add(Dimension::Seconds, value);
            }
        }
    }

    /// The time between any two times.
    fn spans(&mut self) {
        for (at, one) in self.times.iter().enumerate() {
            let later = self.times.iter().skip(at + 1);
            for span in later.filter_map(|other| one.until(other)) {
                self.single.add(Dimension::Seconds, span.as_secs_f64().abs());
            }
        }
    }

    /// Sums and means of each column, and the sum of any three where there are few.
    fn totals(&mut self, columns: &Columns) {
        for ((_, unit), values) in columns.values.iter().filter(|(_, values)| values.len() > 2) {
            let total: f64 = values.iter().sum();
            #[expect(clippy::cast_precision_loss, reason = "a few thousand values")]
            let mean = total / values.len() as f64;
            let threes = if values.len() <= FEW_VALUES { threes(values) } else { Vec::new() };
            for number in [total, mean].into_iter().chain(threes) {
                self.single.number(&Quantity { number, step: 1.0, unit: *unit });
            }
        }
    }

    /// Whether the number is one of the result in another unit, the sum or mean of a column, the time between two times, a
    /// percentage of a row or column, or small enough to count something.
    pub(super) fn show(&self, claimed: &Quantity, precision: Precision) -> bool {
        let is_count = claimed.unit == Unit::NONE && claimed.step >= 1.0;
        is_count && claimed.number <= self.most
            || any(claimed, precision, |dimension, range| {
                self.single.has(dimension, range)
                    || dimension == Dimension::Percent
                        && self.parts.iter().any(|part| part.is_ratio(dimension, range))
            })
    }

    /// Whether it follows from any two numbers of a row or column.
    pub(super) fn give(&self, claimed: &Quantity, precision: Precision) -> bool {
        let spans = self.single.of(Dimension::Seconds);
        any(claimed, precision, |dimension, range| {
            self.parts.iter().any(|part| part.give(dimension, range, spans))
        })
    }

    /// Whether a time is some duration of the result away from one of its times.
    pub(super) fn give_time(&self, moment: &Moment, slack: SignedDuration) -> bool {
        let spans = self.single.of(Dimension::Seconds);
        let step = moment.step.as_secs_f64();
        // `00:21:40` may be a duration.
        let long = moment.time.filter(|_| moment.date.is_none()).map(seconds);
        if long.is_some_and(|long| has(spans, &(long - step..=long + step))) {
            return true;
        }
        let slack = slack.saturating_add(moment.step);
        let fits = |then: Moment| {
            moment.fits(&then, slack) || moment.fits(&Moment { date: None, ..then }, slack)
        };
        let spans =
            self.durations.iter().filter_map(|s| SignedDuration::try_from_secs_f64(*s).ok());
        let spans: Vec<_> = spans.flat_map(|span| [span, -span]).collect();
        self.times.iter().any(|time| spans.iter().any(|span| time.minus(*span).is_some_and(fits)))
    }
}

/// The sums of any three.
fn threes(values: &[f64]) -> Vec<f64> {
    let mut sums = Vec::new();
    for (at, one) in values.iter().enumerate() {
        for (next, two) in values.iter().enumerate().skip(at + 1) {
            sums.extend(values.iter().skip(next + 1).map(|three| one + two + three));
        }
    }
    sums
}

fn sizes(dimension: Dimension) -> &'static [f64] {
    match dimension {
        Dimension::Bytes | Dimension::Bits => &SIZES,
        Dimension::Seconds => &TIMES,
        Dimension::Cores => &[1.0, 1e-3],
        Dimension::Percent | Dimension::Plain => &[1.0],
    }
}

fn seconds(time: jiff::civil::Time) -> f64 {
    let minutes = f64::from(time.hour()) * 60.0 + f64::from(time.minute());
    let rest = f64::from(time.second()) + f64::from(time.subsec_nanosecond()) * 1e-9;
    minutes * 60.0 + rest
}

fn divided(range: &RangeInclusive<f64>, size: f64) -> RangeInclusive<f64> {
    range.start() / size..=range.end() / size
}

fn has(list: &[f64], range: &RangeInclusive<f64>) -> bool {
    let from = list.partition_point(|one| one < range.start());
    list.get(from).is_some_and(|one| one <= range.end())
}

/// Whether two numbers have such a sum or difference.
fn adds(list: &[f64], range: &RangeInclusive<f64>) -> bool {
    let (low, high) = (range.start(), range.end());
    list.iter().any(|one| {
        has(list, &(low - one..=high - one)) || *one > *low && has(list, &(one - high..=one - low))
    })
}

/// Whether two numbers have such a product or quotient.
fn scales(list: &[f64], by: &[f64], range: &RangeInclusive<f64>) -> bool {
    let (low, high) = (range.start(), range.end());
    by.iter()
        .filter(|by| **by > 1.0)
        .any(|by| has(list, &(low / by..=high / by)) || has(list, &(low * by..=high * by)))
}

fn divides(list: &[f64], ratio: &RangeInclusive<f64>) -> bool {
    *ratio.end() > 0.0
        && list.iter().any(|by| has(list, &(ratio.start().max(0.0) * by..=ratio.end() * by)))
}
