//! Recognises what a text is, part by part, and hands each part to its reader.

use super::csv::read_csv;
use super::frame::without_frame;
use super::literal::literal_at;
use super::pairs::{leading_time, read_listed, read_pairs};
use super::percentiles::read_percentiles;
use super::piped::read_piped;
use super::sections::Sections;
use super::series::read_sample;
use super::table::read_table;
use super::tree::{Node, Shape, read_tree};
use super::{Object, Reading, Readings, yaml};

/// The longest line that is searched for pairs; longer ones are data that no person reads.
const LONGEST_LINE: usize = 64 * 1024;

/// How deep texts inside texts are read.
const MOST_TEXTS: usize = 3;

/// Documents of one result; a bound on memory.
const MOST_DOCUMENTS: usize = 20_000;

/// What the output of a tool shows, in the order of its lines. At most 200 000 readings.
pub fn read(text: &str) -> Vec<Reading> {
    let mut readings = Readings::default();
    read_text(&without_frame(text), &mut readings, 0);
    readings.finish()
}

/// The documents of JSON, YAML and Python in the output of a tool, in the order of their lines: those that the whole text is
/// made of, or those that begin at a line of it. A text that is no such document gives none.
pub fn documents(text: &str) -> Vec<Node> {
    let text = &*without_frame(text);
    if let Some(documents) = yaml_documents(text) {
        return documents;
    }
    let mut found = Vec::new();
    let mut offset = 0;
    let mut number = 1;
    while found.len() < MOST_DOCUMENTS {
        let rest = text.get(offset..).unwrap_or_default();
        let Some(line) = rest.split_inclusive('\n').next() else { break };
        if line.starts_with("apiVersion:") || line.starts_with("- apiVersion:") {
            let mut documents = yaml::documents(rest).unwrap_or_default();
            for node in &mut documents {
                node.shift(number - 1);
            }
            found.append(&mut documents);
            break;
        }
        let literal = line
            .trim_start()
            .starts_with(['{', '['])
            .then(|| literal_at(rest.trim_start(), number));
        let taken = match literal.flatten() {
            Some((node, length)) => {
                found.push(node);
                rest.len() - rest.trim_start().len() + length
            }
            None => line.len(),
        };
        number += rest.get(..taken).unwrap_or_default().matches('\n').count();
        offset += taken;
        if literal_ends_in_line(text, offset) {
            offset += text.get(offset..).and_then(|rest| rest.find('\n')).map_or(0, |at| at + 1);
            number += 1;
        }
    }
    found
}

/// Whether a document ended before the end of its line.
fn literal_ends_in_line(text: &str, offset: usize) -> bool {
    offset > 0
        && text.get(..offset).is_some_and(|before| !before.ends_with('\n'))
        && text.get(offset..).is_some_and(|rest| rest.contains('\n'))
}

/// Reads the texts that are values of others; all of such a text stands in one line there.
fn read_nested(readings: &mut Readings, texts: usize) {
    for nested in readings.take_nested() {
        if texts >= MOST_TEXTS || readings.is_full() {
            return;
        }
        let mut inner = Readings::default();
        read_text(&nested.text, &mut inner, texts + 1);
        for reading in inner.finish() {
            readings.set_time(reading.time.or(nested.time));
            let object = nested.object.around(&reading.object);
            readings.push(&object, &reading.field, &reading.value.text, nested.line);
        }
        readings.set_time(None);
    }
}

fn read_text(text: &str, readings: &mut Readings, texts: usize) {
    if let Some(documents) = yaml_documents(text) {
        for node in &documents {
            read_tree(node, readings);
        }
        read_nested(readings, texts);
        return;
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut offsets = Vec::with_capacity(lines.len());
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        offsets.push(offset);
        offset += line.len();
    }
    let mut sections = Sections::default();
    let mut at = 0;
    while at < lines.len() && !readings.is_full() {
        // What follows many empty lines is read once, not from each of them.
        if lines.get(at).is_some_and(|line| line.trim().is_empty()) {
            at += 1;
            continue;
        }
        let rest = offsets.get(at).and_then(|offset| text.get(*offset..)).unwrap_or_default();
        at += match read_literal(rest, at + 1, readings, texts) {
            Some(taken) => taken,
            None => {
                read_lines(lines.get(at..).unwrap_or_default(), at + 1, &mut sections, readings)
            }
        };
    }
}

/// Reads what begins at the first line, and returns how many lines it takes.
fn read_lines(
    lines: &[&str],
    number: usize,
    sections: &mut Sections,
    readings: &mut Readings,
) -> usize {
    let Some(&line) = lines.first() else { return 1 };
    if line.trim().is_empty() || line.len() > LONGEST_LINE {
        return 1;
    }
    if let Some((time, behind)) = leading_time(line) {
        let rest = line.get(behind..).unwrap_or_default();
        readings.set_time(Some(time));
        if !read_json_tail(rest, number, readings) {
            read_pairs(rest, number, &Object::default(), readings);
        }
        readings.set_time(None);
        return 1;
    }
    if let Some(taken) =
        read_piped(lines, number, readings).or_else(|| read_csv(lines, number, readings))
    {
        return taken;
    }
    if let Some(taken) = read_percentiles(lines, number, readings) {
        return taken;
    }
    if let Some(taken) = read_table(lines, number, &sections.object_of(line), readings) {
        return taken;
    }
    if read_sample(line, number, readings) {
        return 1;
    }
    read_listed(line, number, &sections.object(), readings);
    let before = readings.len();
    let is_section = sections.read_line(line, number, readings);
    if !is_section || readings.len() > before && line.contains('=') {
        read_pairs(line, number, &sections.object(), readings);
    }
    1
}

/// A log line that ends in an object of JSON.
fn read_json_tail(rest: &str, number: usize, readings: &mut Readings) -> bool {
    let Some(start) = rest.find('{').filter(|_| rest.trim_end().ends_with('}')) else {
        return false;
    };
    let Some((node, _)) = rest.get(start..).and_then(|text| literal_at(text, number)) else {
        return false;
    };
    match &node.shape {
        Shape::Map(entries) if !entries.is_empty() => {
            read_tree(&node, readings);
            read_nested(readings, MOST_TEXTS);
            true
        }
        _ => false,
    }
}

/// JSON or Python that begins at a line; returns the lines that it takes.
fn read_literal(rest: &str, number: usize, readings: &mut Readings, texts: usize) -> Option<usize> {
    let trimmed = rest.trim_start();
    let skipped = rest.get(..rest.len() - trimmed.len())?.matches('\n').count();
    let mut opening = trimmed.chars();
    let first = opening.next().filter(|c| matches!(c, '{' | '['))?;
    let second = opening.find(|c| !c.is_whitespace())?;
    let begins = if first == '{' {
        matches!(second, '"' | '\'' | '}') || has_bare_key(trimmed)
    } else {
        matches!(second, '{' | '"' | '\'' | '[' | ']' | '(') || trimmed.starts_with("[TextContent(")
    };
    if !begins {
        return None;
    }
    let (node, length) = literal_at(trimmed, number + skipped)?;
    read_tree(&node, readings);
    read_nested(readings, texts);
    Some(skipped + trimmed.get(..length)?.matches('\n').count() + 1)
}

/// `{ name: 'orders', …`, as consoles of databases print.
fn has_bare_key(text: &str) -> bool {
    let inner = text.get(1..).unwrap_or_default().trim_start();
    let end = inner.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(0);
    end > 0 && inner.get(end..).is_some_and(|rest| rest.starts_with(": "))
}

/// A text that is YAML as a whole, as manifests and configuration are.
fn yaml_documents(text: &str) -> Option<Vec<Node>> {
    let lines = || {
        text.lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty() && !line.trim_start().starts_with('#'))
    };
    let first = lines().next()?;
    let is_key = |line: &str| {
        let key = line.strip_suffix(':').or_else(|| line.split_once(": ").map(|pair| pair.0));
        key.is_some_and(|key| {
            !key.is_empty()
                && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        })
    };
    let begins = first == "---" || is_key(first.trim_start_matches("- "));
    // Values in columns, as `kubectl describe` writes them, are no YAML.
    let aligned = lines().take(40).filter(|line| line.contains(":  ")).count();
    if !begins || aligned > 1 || lines().take(200).any(|line| leading_time(line).is_some()) {
        return None;
    }
    yaml::documents(text)
}
