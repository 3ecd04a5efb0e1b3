//! The numbers of a result in rows, with the words beside them: what a statement may add, compare and divide.

use crate::lexer::{Token, TokenKind, lex};
use crate::moment::Moment;
use crate::quantity::{Quantity, Unit};
use crate::reading::{Object, Reading};
use crate::words::{share, stems};

/// Rows of one result; of more, some would fit by chance.
pub(super) const MOST_ROWS: usize = 2_000;
/// Numbers of a row.
const MOST_IN_ROW: usize = 24;
/// Words and numbers of a line that are read.
const MOST_TOKENS: usize = 120;
/// Words of a row.
const MOST_WORDS: usize = 80;
/// The longest line that is one row, in bytes.
const LONGEST_LINE: usize = 600;
/// How far below the names of its columns a row may stand, in lines.
const MOST_BELOW: usize = 12;

/// A line, or the values of one object.
pub(super) struct Row {
    stems: Vec<String>,
    pub(super) numbers: Vec<Quantity>,
    /// The same in other ways: a time of day that is a duration (`00:21:40`), a duration in several units (`1 minute, 12
    /// seconds`), thousandths (`41500m`).
    pub(super) derived: Vec<Quantity>,
    pub(super) moments: Vec<Moment>,
}

impl Row {
    /// The values of one object, whose fields have these stems.
    pub(super) fn of_object<'r>(
        object: &Object,
        values: impl Iterator<Item = (&'r Reading, &'r [String])>,
    ) -> Self {
        let mut row = Self {
            stems: stems(&object.to_string()),
            numbers: Vec::new(),
            derived: Vec::new(),
            moments: Vec::new(),
        };
        for (reading, field) in values.take(MOST_IN_ROW) {
            row.numbers.extend(reading.value.quantity);
            row.moments.extend(reading.value.moment);
            if row.stems.len() <= MOST_WORDS {
                row.stems.extend(field.iter().cloned());
                if reading.value.quantity.is_none() {
                    row.stems.extend(stems(&reading.value.text));
                }
            }
        }
        row
    }

    /// Whether it has a word of these.
    pub(super) fn is_about(&self, words: &[String]) -> bool {
        share(words, &self.stems)
    }

    /// How many of these words it has.
    pub(super) fn shared(&self, words: &[String]) -> usize {
        words.iter().filter(|word| self.stems.contains(word)).count()
    }
}

/// The lines of a text that have numbers or times.
pub(super) fn lines(text: &str) -> Vec<Row> {
    let mut heading: Option<(usize, Vec<String>)> = None;
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| line.len() <= LONGEST_LINE) {
        let tokens = lex(line);
        let numbers: Vec<Quantity> =
            tokens.iter().filter_map(Token::quantity).take(MOST_IN_ROW).collect();
        let mut words = stems(line);
        words.truncate(MOST_WORDS);
        let moments: Vec<Moment> = tokens.iter().filter_map(moment).collect();
        if numbers.is_empty() && moments.is_empty() {
            heading = Some((at, words));
            continue;
        }
        if let Some((above, names)) = &heading
            && at - above <= MOST_BELOW
        {
            words.extend(names.iter().cloned());
        }
        rows.push(Row { stems: words, numbers, derived: derived(&tokens), moments });
        if rows.len() >= MOST_ROWS {
            break;
        }
    }
    rows
}

fn moment(token: &Token<'_>) -> Option<Moment> {
    match token.kind {
        TokenKind::Moment(moment) => Some(moment),
        _ => None,
    }
}

/// [`Row::derived`] of a line.
fn derived(tokens: &[Token<'_>]) -> Vec<Quantity> {
    let mut derived: Vec<Quantity> = Vec::new();
    let mut long: Option<Quantity> = None;
    for token in tokens.iter().take(MOST_TOKENS) {
        let clock = moment(token).filter(|one| one.date.is_none()).and_then(|one| one.time);
        if let Some(clock) = clock {
            let minutes = i32::from(clock.hour()) * 60 + i32::from(clock.minute());
            let seconds = minutes * 60 + i32::from(clock.second());
            derived.push(Quantity::seconds(f64::from(seconds), 1.0));
        }
        let Some(found) = token.quantity() else { continue };
        if found.unit.as_str() == "m" {
            derived.push(thousandth(&found));
        }
        // The next unit of a duration is smaller than the one before it.
        let is_time = found.unit != Unit::NONE && found.unit.base_unit() == Unit::SECONDS;
        long = match long.filter(|_| is_time) {
            Some(long) if found.base() < long.step => {
                let whole = Quantity::seconds(long.base() + found.base(), size(&found));
                derived.push(whole);
                Some(whole)
            }
            _ if is_time => Some(Quantity::seconds(found.base(), size(&found))),
            _ => None,
        };
    }
    derived
}

/// `41500m` is 41.5.
pub(super) fn thousandth(found: &Quantity) -> Quantity {
    Quantity { number: found.number * 1e-3, step: found.step * 1e-3, unit: Unit::NONE }
}

/// One in the last digit of a duration, in seconds.
fn size(found: &Quantity) -> f64 {
    if found.number > 0.0 { found.base() / found.number * found.step } else { 1.0 }
}
