//! Objects and events in tables and descriptions of kubectl.

use std::collections::BTreeMap;

use tarsy_evidence::Reading;

use super::kind::{canonical_kind, kind_of_field, kind_of_heading};
use super::model::{Event, Facts, Field, Record, Source};
use super::taken::Taken;
use crate::text::age_seconds;
use crate::verdict::Target;

/// Adds the rows and descriptions, and returns their lines.
pub(super) fn add(facts: &mut Facts, readings: &[Reading], source: &Source<'_>) -> Taken {
    let mut by_line: BTreeMap<usize, Vec<&Reading>> = BTreeMap::new();
    for reading in readings {
        by_line.entry(reading.line).or_default().push(reading);
    }
    let mut taken = Taken::new();
    let mut heading: Option<&'static str> = None;
    let mut described: Option<Record> = None;
    let mut in_events = false;
    for (at, line) in source.lines.iter().enumerate() {
        let number = at + 1;
        let found = by_line.get(&number).map_or(&[][..], |list| list.as_slice());
        if is_heading(line) {
            let asked = canonical_kind(&source.subject.kind).filter(|_| line.starts_with("NAME"));
            heading = kind_of_heading(line).or(asked);
            taken.insert(number);
            finish(facts, described.take());
        } else if line.trim().is_empty() {
            heading = None;
        } else if let Some(kind) = heading {
            taken.insert(number);
            add_row(facts, kind, line, found, (number, source));
        } else if line.starts_with("Name:") {
            finish(facts, described.take());
            described = Some(begin(line, number, source));
            in_events = false;
            taken.insert(number);
        } else if let Some(record) = described.as_mut() {
            taken.insert(number);
            in_events = line.starts_with("Events:") || in_events && line.starts_with(' ');
            match event(found, record, source).filter(|_| in_events) {
                Some(event) => facts.events.push(event),
                None => add_fields(record, line, found, number),
            }
        }
    }
    finish(facts, described);
    taken
}

/// Two or more columns in capitals, as kubectl writes them.
fn is_heading(line: &str) -> bool {
    let starts = line.starts_with(|c: char| c.is_ascii_uppercase());
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_column = |word: &&str| {
        let bare = word.replace("(cores)", "").replace("(bytes)", "");
        bare.bytes().all(|byte| byte.is_ascii_uppercase() || b"-()%/".contains(&byte))
    };
    starts && words.len() > 1 && words.iter().all(is_column) && line.contains("  ")
}

/// The heading of the table that a line, from 1, is a row of.
pub(crate) fn heading_above<'l>(lines: &[&'l str], line: usize) -> Option<&'l str> {
    let above = lines.get(..line.checked_sub(1)?)?.iter().rev();
    let heading =
        above.copied().take_while(|line| !line.trim().is_empty()).find(|line| is_heading(line));
    heading.filter(|heading| kind_of_heading(heading).is_some())
}

fn value<'r>(found: &'r [&Reading], fields: &[&str]) -> &'r str {
    let is =
        |reading: &&&Reading| fields.iter().any(|field| reading.field.eq_ignore_ascii_case(field));
    found.iter().find(is).map_or("", |reading| &*reading.value.text)
}

fn add_row(
    facts: &mut Facts,
    kind: &str,
    line: &str,
    found: &[&Reading],
    (number, source): (usize, &Source<'_>),
) {
    let namespace = value(found, &["NAMESPACE"]);
    let namespace = if namespace.is_empty() { &source.subject.namespace } else { namespace };
    if kind == "event" {
        let object = value(found, &["OBJECT"]);
        let (kind, name) = object.split_once('/').unwrap_or(("", object));
        facts.events.push(Event {
            target: Target::new(kind, name, namespace),
            reason: value(found, &["REASON"]).to_owned(),
            message: value(found, &["MESSAGE"]).to_owned(),
            is_warning: value(found, &["TYPE"]) != "Normal",
            age: age_seconds(value(found, &["LAST SEEN", "LAST"])),
            last: None,
            seen: value(found, &["LAST SEEN", "LAST"]).to_owned(),
            result: source.result,
            line: number,
        });
        return;
    }
    let explicit = value(found, &["KIND"]);
    let name = value(found, &["NAME"]);
    let (prefix, name) = name.split_once('/').unwrap_or(("", name));
    let kind = canonical_kind(explicit).or_else(|| canonical_kind(prefix)).unwrap_or(kind);
    let kind = if kind == "chaos" { source.subject.kind.as_str() } else { kind };
    let name =
        if name.is_empty() { line.split_whitespace().next().unwrap_or_default() } else { name };
    let fields = found
        .iter()
        .map(|reading| Field {
            path: reading.field.to_string(),
            value: reading.value.text.to_string(),
            line: number,
        })
        .collect();
    facts.records.push(Record {
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        fields,
        result: source.result,
        line: number,
    });
}

fn begin(line: &str, number: usize, source: &Source<'_>) -> Record {
    let name = line.split_once(':').map_or("", |pair| pair.1).trim();
    Record {
        kind: source.subject.kind.clone(),
        namespace: source.subject.namespace.clone(),
        name: name.to_owned(),
        fields: Vec::new(),
        result: source.result,
        line: number,
    }
}

fn event(found: &[&Reading], record: &Record, source: &Source<'_>) -> Option<Event> {
    let message = value(found, &["Message"]);
    let reason = value(found, &["Reason"]);
    if reason.is_empty() || message.is_empty() {
        return None;
    }
    Some(Event {
        target: record.target(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        is_warning: value(found, &["Type"]) != "Normal",
        age: age_seconds(value(found, &["Age"])),
        last: None,
        seen: value(found, &["Age"]).to_owned(),
        result: source.result,
        line: found.first()?.line,
    })
}

/// Fields of a description; what stands under a container has its name before it.
fn add_fields(record: &mut Record, line: &str, found: &[&Reading], number: usize) {
    for reading in found {
        if reading.field.as_ref() == "Namespace" && !line.starts_with(' ') {
            record.namespace = reading.value.text.to_string();
        }
        if record.kind.is_empty() && reading.field.as_ref() == "Kind" && !line.starts_with(' ') {
            record.kind = reading.value.text.to_lowercase();
        }
        if (record.kind.is_empty() || record.kind == "event")
            && let Some(kind) = kind_of_field(&reading.field)
        {
            kind.clone_into(&mut record.kind);
        }
        let inner: Vec<&str> = reading
            .object
            .parts()
            .filter(|part| *part != record.name && *part != record.namespace)
            .collect();
        let dot = if inner.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{}", inner.join("."), reading.field);
        record.fields.push(Field { path, value: reading.value.text.to_string(), line: number });
    }
    if found.is_empty() {
        let Some((key, value)) = line.split_once(':') else { return };
        let (path, value) = (key.trim().to_owned(), value.trim().to_owned());
        record.fields.push(Field { path, value, line: number });
    }
}

fn finish(facts: &mut Facts, record: Option<Record>) {
    facts.records.extend(record.filter(|record| !record.fields.is_empty()));
}
