//! Tables and records of database clients: psql, mysql, `\G` and `\x`, Markdown.

use super::table::{is_settings, push_cell, row_object};
use super::{Object, Readings};

/// Reads the table or record that begins at the first line, and returns how many lines it takes.
pub(super) fn read_piped(lines: &[&str], first: usize, readings: &mut Readings) -> Option<usize> {
    let head = lines.first()?.trim();
    if is_record_head(head) {
        return Some(read_record(lines, first, readings));
    }
    let framed = usize::from(is_rule(head));
    let names = split(lines.get(framed)?)?;
    let rule = lines.get(framed + 1)?.trim();
    // A rule with corners below a line without one above it ends a frame.
    if !is_rule(rule) || rule.starts_with('+') && framed == 0 {
        return None;
    }
    let mut taken = framed + 2;
    for line in lines.iter().skip(taken) {
        let text = line.trim();
        if is_rule(text) {
            taken += 1;
            break;
        }
        let Some(cells) = split(line).filter(|cells| cells.len() == names.len()) else { break };
        if let ([key, value], true) = (cells.as_slice(), is_settings(&names)) {
            readings.push(&Object::default(), key, value, first + taken);
            taken += 1;
            continue;
        }
        let object = row_object(&names, &cells, &Object::default());
        for (name, cell) in names.iter().zip(&cells) {
            push_cell(&object, name, cell, first + taken, readings);
        }
        taken += 1;
    }
    Some(taken)
}

fn is_rule(text: &str) -> bool {
    text.len() > 2
        && text.contains("--")
        && text.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'|' | b':' | b' '))
}

fn split(line: &str) -> Option<Vec<&str>> {
    let text = line.trim();
    let is_framed = text.starts_with('|') && text.ends_with('|') && text.len() > 1;
    let inner = if is_framed { text.get(1..text.len() - 1)? } else { line };
    // The header of a psql table of one column has no bar; a table of one column has no other object either.
    inner.contains('|').then(|| inner.split('|').map(str::trim).collect()).or_else(|| {
        (is_framed || !text.is_empty() && !text.starts_with('(') && !text.contains("  "))
            .then(|| vec![text.trim_matches(['|', ' '])])
    })
}

/// `*** 1. row ***` of mysql, `-[ RECORD 1 ]---` of psql.
fn is_record_head(text: &str) -> bool {
    text.starts_with("***") && text.contains(". row") || text.starts_with("-[ RECORD")
}

fn read_record(lines: &[&str], first: usize, readings: &mut Readings) -> usize {
    let mut fields: Vec<(&str, &str, usize)> = Vec::new();
    let mut taken = 1;
    for line in lines.iter().skip(1) {
        let separator = if line.contains(" | ") { " | " } else { ":" };
        let Some((key, value)) =
            line.split_once(separator).filter(|_| !is_record_head(line.trim()))
        else {
            break;
        };
        fields.push((key.trim(), value.trim(), first + taken));
        taken += 1;
    }
    let names: Vec<&str> = fields.iter().map(|field| field.0).collect();
    let cells: Vec<&str> = fields.iter().map(|field| field.1).collect();
    let object = row_object(&names, &cells, &Object::default());
    for (key, value, line) in fields {
        readings.push(&object, key, value, line);
    }
    taken
}
