//! The types of what the results show.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::health::Health;
use super::host::Host;
use super::kind::shown_kind;
use super::listed::Listed;
use super::row::Row;
use super::sample::Sample;
use super::series::Series;
use crate::alert::Focus;
use crate::text::age_seconds;
use crate::verdict::{Quote, Target};

/// Quotations are cut to this many bytes around what they show.
const LONGEST_QUOTE: usize = 240;

/// All that is known.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) received_at: Option<Timestamp>,
    /// The time from which ages are counted: when the alert was received, or that of the newest line of recorded results.
    pub(crate) now: Option<Timestamp>,
    /// Addresses in the alert.
    pub(crate) urls: Vec<String>,
    /// Names of DNS in the alert.
    pub(crate) names: Vec<String>,
    pub(crate) host: Host,
    pub(crate) health: Vec<Health>,
    pub(crate) results: Vec<Examined>,
    pub(crate) records: Vec<Record>,
    pub(crate) events: Vec<Event>,
    pub(crate) messages: Vec<Message>,
    pub(crate) measures: Vec<Measure>,
    pub(crate) spans: Vec<Span>,
    pub(crate) series: Vec<Series>,
    pub(crate) statements: Vec<Statement>,
    pub(crate) rows: Vec<Row>,
    pub(crate) samples: Vec<Sample>,
    /// What changed near the alert.
    pub(crate) changes: Vec<Listed>,
    /// What the alert is about.
    pub(crate) focus: Focus,
}

/// A result, by its lines.
#[derive(Debug)]
pub(crate) struct Examined {
    pub(crate) number: u32,
    pub(crate) tool: String,
    /// The node and the program of it that the call asked for.
    pub(crate) program: Option<(String, String)>,
    /// The command line that it was given; empty without one.
    pub(crate) asked: String,
    /// Its arguments as JSON, in small letters.
    pub(crate) arguments: String,
    pub(crate) lines: Vec<String>,
    /// The line of the result that all of them come from; 0 if each has its own.
    pub(crate) line: usize,
}

/// An object as one result shows it.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// In small letters and singular: `pod`, `deployment`.
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    /// The index of the result.
    pub(crate) result: usize,
    pub(crate) line: usize,
}

/// A field of an object, by its path.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) path: String,
    pub(crate) value: String,
    pub(crate) line: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) target: Target,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) is_warning: bool,
    /// Seconds since it was last seen, if the result shows an age or a time.
    pub(crate) age: Option<f64>,
    /// When it was last seen, if the result shows a time.
    pub(crate) last: Option<Timestamp>,
    /// The age, or the time of the beginning, as the result shows it; empty if it shows none.
    pub(crate) seen: String,
    pub(crate) result: usize,
    pub(crate) line: usize,
}

/// A line of a log, or a text inside a document; repetitions are counted.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) text: String,
    /// Whether a program wrote it about what happened; else it shows a state, and only a phrase that can mean nothing else
    /// counts.
    pub(crate) is_log: bool,
    pub(crate) target: Target,
    pub(crate) count: usize,
    pub(crate) result: usize,
    pub(crate) line: usize,
    /// The time at its beginning, of the last repetition.
    pub(crate) written_at: Option<Timestamp>,
    /// The time in the other forms that programs write, of the last repetition.
    pub(crate) stamped_at: Option<Timestamp>,
    /// The place of its last repetition among the lines of its log, from 0 for the first to 1 for the last.
    pub(crate) place: f64,
}

/// A number of a result.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    /// The names of its object, the widest first.
    pub(crate) object: Vec<String>,
    pub(crate) field: String,
    pub(crate) value: f64,
    pub(crate) text: String,
    pub(crate) result: usize,
    pub(crate) line: usize,
}

/// One operation of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) service: String,
    pub(crate) operation: String,
    pub(crate) failed: bool,
    /// The service that it calls, if it is the caller's side of a call; empty else.
    pub(crate) callee: String,
    /// Whether a span below it failed.
    pub(crate) child_failed: bool,
    /// The time that it spends outside of the spans below it.
    pub(crate) own_seconds: f64,
    pub(crate) result: usize,
    pub(crate) line: usize,
}

/// A statement with its load.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) text: String,
    pub(crate) load: f64,
    /// What it waits for the most, as the result names it; empty if the result does not.
    pub(crate) wait: String,
    /// The index of the result.
    pub(crate) result: usize,
    pub(crate) line: usize,
}

impl Facts {
    /// The words of a result at a line, around `needle`.
    pub(crate) fn quote(&self, result: usize, line: usize, needle: &str) -> Quote {
        let examined = self.results.get(result);
        let text = examined.and_then(|one| one.lines.get(line.saturating_sub(1)));
        let text = excerpt(text.map_or("", |line| line.as_str()), needle);
        let inside = examined.map(|one| one.line).filter(|inside| *inside > 0);
        let call = examined.map_or(0, |one| one.number);
        Quote { call, line: inside.unwrap_or(line), text }
    }

    /// Seconds from a message to the alert; none if either has no time.
    pub(crate) fn age(&self, message: &Message) -> Option<f64> {
        let passed = match message.written_at {
            Some(written) => self.received_at?.duration_since(written),
            None => self.now?.duration_since(message.stamped_at?),
        };
        Some(passed.as_secs_f64().max(0.0))
    }

    /// Seconds since a time as RFC 3339 or RFC 2822 writes it.
    pub(crate) fn seconds_since(&self, time: &str) -> Option<f64> {
        let of_mail = || jiff::fmt::rfc2822::parse(time).ok().map(|time| time.timestamp());
        let time = time.parse::<Timestamp>().ok().or_else(of_mail)?;
        Some(self.now?.duration_since(time).as_secs_f64().max(0.0))
    }

    /// The objects of a kind.
    pub(crate) fn of_kind<'f>(&'f self, kind: &'f str) -> impl Iterator<Item = &'f Record> {
        self.records.iter().filter(move |record| record.kind == kind)
    }

    /// The last observation of each object of a kind, by namespace and name.
    pub(crate) fn latest<'f>(&'f self, kind: &'f str) -> Vec<&'f Record> {
        let mut found = BTreeMap::new();
        for record in self.of_kind(kind) {
            found.insert((&*record.namespace, &*record.name), record);
        }
        found.into_values().collect()
    }

    /// Whether the objects of a kind in a namespace were listed: one that was looked at alone says nothing of the others.
    pub(crate) fn is_listed(&self, kind: &str, namespace: &str) -> bool {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for record in self.of_kind(kind).filter(|one| one.namespace == namespace) {
            *counts.entry(record.result).or_default() += 1;
        }
        counts.values().any(|count| *count > 1)
    }

    /// The kind and namespace of a name, if an object of it was seen.
    pub(crate) fn find_workload(&self, name: &str, namespace: &str) -> Option<&Record> {
        ["deployment", "statefulset", "daemonset"].iter().find_map(|kind| {
            self.of_kind(kind).find(|record| {
                record.name == name && (namespace.is_empty() || record.namespace == namespace)
            })
        })
    }
}

/// What a reader of one result needs to know.
pub(super) struct Source<'s> {
    pub(super) result: usize,
    /// `server.tool`.
    pub(super) tool: &'s str,
    /// The command line that it was given; empty without one.
    pub(super) command: &'s str,
    pub(super) subject: &'s Target,
    pub(super) lines: &'s [String],
}

impl Record {
    /// The value of the first field with this path, or whose path ends in it; the case of letters does not matter. A path in
    /// capitals is a column of a table: `STATUS` is not the status of a condition.
    pub(crate) fn field(&self, path: &str) -> Option<&Field> {
        let is_column = !path.contains(|c: char| c.is_ascii_lowercase());
        let same = |field: &&Field| field.path.eq_ignore_ascii_case(path);
        let ends = |field: &&Field| !is_column && ends_at_dot(&field.path, path);
        self.fields.iter().find(same).or_else(|| self.fields.iter().find(ends))
    }

    pub(crate) fn get(&self, path: &str) -> Option<&str> {
        self.field(path).map(|field| field.value.as_str())
    }

    /// The fields whose path is this, or ends in it at a dot.
    pub(crate) fn fields_ending<'r>(&'r self, path: &'r str) -> impl Iterator<Item = &'r Field> {
        self.fields.iter().filter(move |field| ends_at_dot(&field.path, path))
    }

    /// The fields of a map, with the rest of their path.
    pub(crate) fn map<'r>(
        &'r self,
        path: &'r str,
    ) -> impl Iterator<Item = (&'r str, &'r Field)> + 'r {
        self.fields.iter().filter_map(move |field| {
            let (head, rest) = field.path.split_at_checked(path.len())?;
            let rest = rest.strip_prefix('.')?;
            head.eq_ignore_ascii_case(path).then_some((rest, field))
        })
    }

    pub(crate) fn target(&self) -> Target {
        let shown = self
            .fields
            .iter()
            .find(|field| field.path == "kind" && field.value.eq_ignore_ascii_case(&self.kind));
        let kind = shown.map_or_else(|| shown_kind(&self.kind), |field| &field.value);
        Target::new(kind, &self.name, &self.namespace)
    }

    /// Seconds since the object was made, as its row, its description or its document has it.
    pub(crate) fn age(&self, facts: &Facts) -> Option<f64> {
        let of_row = self.get("AGE").and_then(age_seconds);
        let made = ["metadata.creationTimestamp", "Created on", "CreationTimestamp", "Start Time"];
        of_row.or_else(|| facts.seconds_since(made.iter().find_map(|path| self.get(path))?))
    }

    pub(crate) fn quote(&self, facts: &Facts, field: &Field) -> Quote {
        facts.quote(self.result, field.line, &field.value)
    }
}

fn ends_at_dot(path: &str, end: &str) -> bool {
    let Some(at) = path.len().checked_sub(end.len()) else { return false };
    let is_end = path.get(at..).is_some_and(|tail| tail.eq_ignore_ascii_case(end));
    is_end && (at == 0 || path.as_bytes().get(at - 1) == Some(&b'.'))
}

/// A line without its margins, cut around a part of it if it is long.
pub(crate) fn excerpt(line: &str, needle: &str) -> String {
    let line = line.trim();
    if line.len() <= LONGEST_QUOTE {
        return line.to_owned();
    }
    let at = line.find(needle).unwrap_or(0);
    if let Some(object) = enclosing(line, at) {
        return object.to_owned();
    }
    let length = needle.len().min(LONGEST_QUOTE - 40);
    let from = line.floor_char_boundary(at.saturating_sub((LONGEST_QUOTE - length) / 4));
    let from = match beginning(line, at) {
        Some(object) if at - object + length + 40 <= LONGEST_QUOTE => object,
        _ if from == 0 => 0,
        _ => next_word(line, from, at),
    };
    let to = line.floor_char_boundary((from + LONGEST_QUOTE).min(line.len()));
    let to = if to == line.len() { to } else { last_word(line, (at + length).min(to), to) };
    line.get(from..to).unwrap_or_default().trim().to_owned()
}

/// The beginning of the object of JSON around a place of a line.
fn beginning(line: &str, at: usize) -> Option<usize> {
    let (head, _) = line.split_at_checked(at)?;
    let from = outer(head.char_indices().rev(), '{', '}')?;
    line.get(from + 1..)?.trim_start().starts_with('"').then_some(from)
}

/// The object of JSON around a place of a line, if it is short enough to be quoted whole.
fn enclosing(line: &str, at: usize) -> Option<&str> {
    let (head, tail) = line.split_at_checked(at)?;
    let from = outer(head.char_indices().rev(), '{', '}')?;
    let to = at + outer(tail.char_indices(), '}', '{')?;
    line.get(from..=to).filter(|object| object.len() <= LONGEST_QUOTE)
}

/// The place of the first of these marks that no other one belongs to.
fn outer(chars: impl Iterator<Item = (usize, char)>, mark: char, other: char) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in chars.take(LONGEST_QUOTE) {
        if c == other {
            depth += 1;
        } else if c == mark && depth == 0 {
            return Some(at);
        } else if c == mark {
            depth -= 1;
        }
    }
    None
}

/// The beginning of the first word behind `from`, at most `limit`.
fn next_word(line: &str, from: usize, limit: usize) -> usize {
    let separator = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '[');
    let found = line.get(from..limit).and_then(|text| text.find(separator));
    found.map_or(limit, |at| from + at + 1)
}

/// The end of the last word before `to`, at least `least`.
fn last_word(line: &str, least: usize, to: usize) -> usize {
    let separator = |c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']');
    let found = line.get(least..to).and_then(|text| text.rfind(separator));
    found.map_or(to, |at| least + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_of_a_long_line_is_quoted_whole() {
        let one =
            |name: &str| format!(r#"{{"pid": 14725, "name": "{name}", "cpu_percent": 92.7}}"#);
        let all: Vec<String> = ["init", "rustc", "sshd", "cron", "tmux", "agent"].map(one).to_vec();
        let line = format!(r#"{{"processes": [{}]}}"#, all.join(", "));
        assert!(line.len() > LONGEST_QUOTE);
        assert_eq!(excerpt(&line, "rustc"), one("rustc"));
        let long = format!(
            r#"{{"processes": [{{"pid": 7, "name": "rustc", "cpu": 92.7, "command": "{}"}}]}}"#,
            "x ".repeat(120)
        );
        let begins = r#"{"pid": 7, "name": "rustc", "cpu": 92.7, "command": "x x"#;
        assert!(excerpt(&long, "cpu").starts_with(begins), "{}", excerpt(&long, "cpu"));
        let text = "word ".repeat(80);
        assert!(excerpt(&text, "word").len() <= LONGEST_QUOTE);
    }
}
