//! The output of tools as typed readings.

mod csv;
mod format;
mod frame;
mod interval;
mod literal;
mod matrix;
mod pairs;
mod percentiles;
mod piped;
mod sections;
mod series;
mod table;
mod tree;
mod yaml;

use std::fmt;
use std::sync::Arc;

use crate::lexer::whole_quantity;
use crate::moment::{Moment, moment_at};
use crate::quantity::{Quantity, Unit};

pub use format::{documents, read};
pub use frame::without_frame;
pub(crate) use pairs::time_of;
pub use tree::{Entry, Node, Shape};

/// Readings of one result; a bound on memory. What is beyond it is still searched as text.
pub(crate) const MOST_READINGS: usize = 200_000;
/// The longest text of a value that is kept, in bytes; longer ones are found by their place.
const LONGEST_VALUE: usize = 4_096;

/// One value that a result shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub object: Object,
    /// The column, key or path.
    pub field: Arc<str>,
    pub value: Value,
    /// The point in time that the result gives for it.
    pub time: Option<Moment>,
    /// From 1.
    pub line: usize,
}

/// What a reading belongs to, from the widest name to the narrowest: namespace, pod, container. Empty if the result names
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object(Arc<[Box<str>]>);

/// A value as it is written, and what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub text: Box<str>,
    pub quantity: Option<Quantity>,
    pub moment: Option<Moment>,
}

impl Object {
    pub(crate) fn new<'p>(parts: impl IntoIterator<Item = &'p str>) -> Self {
        let named = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
        Self(named.map(Box::from).collect())
    }

    /// The same with the names of another inside.
    pub(crate) fn around(&self, inner: &Self) -> Self {
        if self.is_empty() { inner.clone() } else { Self::new(self.parts().chain(inner.parts())) }
    }

    /// The same with one more, narrower name.
    pub(crate) fn with(&self, part: &str) -> Self {
        Self::new(self.parts().chain([part]))
    }

    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|part| &**part)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" / "))
    }
}

impl Value {
    /// Reads a value; the name of its field may carry the unit.
    pub(crate) fn parse(field: &str, text: &str) -> Self {
        let text = text.trim();
        let mut quantity = whole_quantity(text).or_else(|| interval::of_field(field, text));
        if let Some(found) = quantity.as_mut().filter(|found| found.unit == Unit::NONE) {
            found.unit = Unit::of_field(field).unwrap_or(Unit::NONE);
        }
        let written =
            moment_at(text).filter(|(_, length)| *length == text.len()).map(|found| found.0);
        let epoch =
            quantity.filter(|found| found.unit == Unit::NONE || found.unit == Unit::SECONDS);
        let moment = written.or_else(|| epoch.and_then(|found| Moment::of_epoch(found.number)));
        let kept = text
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .take_while(|end| *end <= LONGEST_VALUE)
            .last();
        Self { text: text.get(..kept.unwrap_or(0)).unwrap_or_default().into(), quantity, moment }
    }
}

/// Collects readings up to the limit.
#[derive(Default)]
pub(crate) struct Readings {
    list: Vec<Reading>,
    time: Option<Moment>,
    nested: Vec<Nested>,
}

/// A text inside a value: what it belongs to, where it stands, and when it was written.
pub(crate) struct Nested {
    pub(crate) text: String,
    pub(crate) object: Object,
    pub(crate) line: usize,
    pub(crate) time: Option<Moment>,
}

impl Readings {
    pub(crate) fn push(&mut self, object: &Object, field: &str, text: &str, line: usize) {
        let text = text.trim();
        if text.is_empty()
            || matches!(text, "<none>" | "<unset>" | "-" | "null" | "None")
            || self.is_full()
        {
            return;
        }
        let value = Value::parse(field, text);
        let reading = Reading {
            object: object.clone(),
            field: field.trim().into(),
            value,
            time: self.time,
            line,
        };
        self.list.push(reading);
    }

    /// The time of the readings that follow.
    pub(crate) fn set_time(&mut self, time: Option<Moment>) {
        self.time = time;
    }

    /// Keeps a text inside a value, which is read afterwards.
    pub(crate) fn nest(&mut self, text: &str, object: &Object, line: usize) {
        let (text, object, time) = (text.to_owned(), object.clone(), self.time);
        self.nested.push(Nested { text, object, line, time });
    }

    /// Gives a unit to the numbers without one from the reading `from` on.
    pub(crate) fn set_unit(&mut self, from: usize, unit: Unit) {
        for reading in self.list.get_mut(from..).unwrap_or_default() {
            if let Some(quantity) =
                reading.value.quantity.as_mut().filter(|found| found.unit == Unit::NONE)
            {
                quantity.unit = unit;
            }
        }
    }

    pub(crate) fn take_nested(&mut self) -> Vec<Nested> {
        std::mem::take(&mut self.nested)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MOST_READINGS
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn finish(self) -> Vec<Reading> {
        self.list
    }
}
