//! The result of a call, prepared for searching.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use jiff::Timestamp;

use super::alike::Spelling;
use super::derivable::{Parts, Values};
use super::rows::{MOST_ROWS, Row, lines};
use super::search::Searchable;
use crate::moment::Moment;
use crate::reading::{Object, Reading, read, time_of};
use crate::words::stems;

/// A call as the record has it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The number that findings cite.
    pub number: u32,
    pub tool: &'c str,
    /// As JSON.
    pub arguments: &'c str,
    /// The whole stored result, or the error.
    pub text: &'c str,
    /// When it answered; ages are counted back from it.
    pub answered_at: Option<Timestamp>,
}

/// Settings without an object that form one group; a bound on time.
const MOST_SETTINGS: usize = 500;

/// Readings of one object that stand together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) object: Object,
    pub(super) readings: Range<usize>,
}

/// A prepared call.
pub(super) struct Source {
    pub(super) number: u32,
    /// Tool and arguments, in small letters.
    pub(super) request: String,
    pub(super) request_stems: Vec<String>,
    pub(super) arguments: String,
    pub(super) text: String,
    pub(super) answered_at: Option<Moment>,
    /// The last time of a line or a value over time: recorded results are older than their call.
    pub(super) latest: Option<Moment>,
    pub(super) search: Searchable,
    pub(super) readings: Vec<Reading>,
    pub(super) groups: Vec<Group>,
    /// Line and index of each reading, by line.
    by_line: Vec<(usize, usize)>,
    pub(super) group_of: Vec<u32>,
    /// The stems of each field.
    fields: HashMap<String, Vec<String>>,
    /// The first and the last stem of each field.
    field_ends: HashSet<String>,
    /// Made when a number is not found.
    rows: OnceLock<Vec<Row>>,
    /// Made when a number or a time is about to be marked.
    values: OnceLock<Values>,
    spelling: OnceLock<Spelling>,
}

impl Source {
    pub(super) fn new(call: &Call<'_>) -> Self {
        let readings = read(call.text);
        let groups = groups(&readings);
        let mut group_of = vec![0; readings.len()];
        for (index, group) in groups.iter().enumerate() {
            for slot in group_of.get_mut(group.readings.clone()).unwrap_or_default() {
                *slot = u32::try_from(index).unwrap_or(u32::MAX);
            }
        }
        let mut fields = HashMap::new();
        for reading in &readings {
            if !fields.contains_key(&*reading.field) {
                fields.insert(reading.field.to_string(), stems(&reading.field));
            }
        }
        let mut by_line: Vec<(usize, usize)> =
            readings.iter().enumerate().map(|(index, reading)| (reading.line, index)).collect();
        by_line.sort_unstable();
        let ends = |stems: &Vec<String>| [stems.first().cloned(), stems.last().cloned()];
        let field_ends = fields.values().flat_map(ends).flatten().collect();
        let request = format!("{} {}", call.tool, call.arguments);
        Self {
            number: call.number,
            request_stems: stems(&request),
            request: request.to_lowercase(),
            arguments: call.arguments.to_owned(),
            text: call.text.to_owned(),
            answered_at: call.answered_at.map(Moment::of_timestamp),
            latest: latest(call.text, &readings),
            search: Searchable::new(call.text),
            readings,
            groups,
            by_line,
            group_of,
            fields,
            field_ends,
            rows: OnceLock::new(),
            values: OnceLock::new(),
            spelling: OnceLock::new(),
        }
    }

    /// Its words, for names and quotations that are about to be marked.
    pub(super) fn spelling(&self) -> &Spelling {
        self.spelling.get_or_init(|| Spelling::new(&self.text))
    }

    /// Its numbers and times, for computing.
    pub(super) fn values(&self) -> &Values {
        self.values.get_or_init(|| {
            let objects: Vec<_> = self.groups.iter().map(|group| group.readings.clone()).collect();
            Values::new(&Parts {
                text: &self.text,
                lines: self.search.lines(),
                readings: &self.readings,
                objects: &objects,
                answered_at: self.answered_at,
            })
        })
    }

    /// Its lines and objects, as rows of numbers.
    pub(super) fn rows(&self) -> &[Row] {
        self.rows.get_or_init(|| {
            let groups = self.groups.iter().take(MOST_ROWS);
            let objects = groups.map(|group| {
                let members = self.readings.get(group.readings.clone()).unwrap_or_default();
                let values = members.iter().map(|one| (one, self.field_stems(one)));
                Row::of_object(&group.object, values)
            });
            lines(&self.text).into_iter().chain(objects).collect()
        })
    }

    pub(super) fn members(&self, group: usize) -> &[Reading] {
        self.groups
            .get(group)
            .and_then(|group| self.readings.get(group.readings.clone()))
            .unwrap_or_default()
    }

    /// The readings of a line.
    pub(super) fn on_line(&self, line: usize) -> impl Iterator<Item = &Reading> {
        let from = self.by_line.partition_point(|pair| pair.0 < line);
        let pairs = self.by_line.get(from..).unwrap_or_default().iter();
        pairs.take_while(move |pair| pair.0 == line).filter_map(|pair| self.readings.get(pair.1))
    }

    pub(super) fn field_stems(&self, reading: &Reading) -> &[String] {
        self.fields.get(&*reading.field).map_or(&[], Vec::as_slice)
    }

    /// Whether a field begins or ends with the noun of these stems.
    pub(super) fn measures(&self, noun: &[String]) -> bool {
        noun.first().is_some_and(|noun| self.field_ends.contains(noun))
    }

    /// The group of a reading by its index.
    pub(super) fn group_at(&self, reading: usize) -> usize {
        self.group_of.get(reading).map_or(0, |group| usize::try_from(*group).unwrap_or(usize::MAX))
    }

    pub(super) fn line(&self, number: usize) -> &str {
        self.search.line(&self.text, number)
    }
}

/// The last of the times at the beginning and the end of a text, and of its values over time.
fn latest(text: &str, readings: &[Reading]) -> Option<Moment> {
    const LINES: usize = 50;
    const READINGS: usize = 1_000;
    let lines = text.lines().take(LINES).chain(text.lines().rev().take(LINES));
    let values = readings.iter().take(READINGS).chain(readings.iter().rev().take(READINGS));
    let times = lines.filter_map(time_of).chain(values.filter_map(|one| one.time));
    times.filter(|one| one.date.is_some() && one.time.is_some()).reduce(|last, one| {
        let is_later = last.until(&one).is_some_and(|span| span.is_positive());
        if is_later { one } else { last }
    })
}

/// Readings of one object in a row. Without an object, those of one line, or of lines without a time whose fields differ:
/// settings and counters.
fn groups(readings: &[Reading]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut last: Option<&Reading> = None;
    let mut fields: HashSet<&str> = HashSet::new();
    for (index, reading) in readings.iter().enumerate() {
        let continues = last.is_some_and(|last| {
            let is_one = if reading.object.is_empty() {
                let is_setting = reading.time.is_none()
                    && last.time.is_none()
                    && fields.len() < MOST_SETTINGS
                    && !fields.contains(&*reading.field);
                last.line == reading.line || is_setting
            } else {
                last.field == reading.field || !repeats(&groups, readings, reading)
            };
            last.object == reading.object && is_one
        });
        if !continues {
            fields.clear();
        }
        fields.insert(&reading.field);
        match groups.last_mut().filter(|_| continues) {
            Some(group) => group.readings.end = index + 1,
            None => {
                groups.push(Group { object: reading.object.clone(), readings: index..index + 1 });
            }
        }
        last = Some(reading);
    }
    groups
}

/// Whether the last group begins with the same field: the next row of the same object.
fn repeats(groups: &[Group], readings: &[Reading], reading: &Reading) -> bool {
    let first = groups.last().and_then(|group| readings.get(group.readings.start));
    first.is_some_and(|first| first.field == reading.field)
}
