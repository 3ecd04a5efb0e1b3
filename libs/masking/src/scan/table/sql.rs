//! Rows of SQL: `INSERT INTO t (id, password) VALUES …`, and `COPY t (id, password) FROM stdin`.

use std::ops::Range;

use memchr::{memchr, memchr3};

use super::cell_of;
use super::cells::trimmed;
use crate::scan::class::KeyClass;
use crate::scan::classify::classify;
use crate::scan::lexical::ends_string;
use crate::scan::scanner::Scanner;

/// How long the name of a table may be, with what stands around it.
const MAX_TABLE: usize = 256;

/// A column that holds secrets.
struct Column {
    index: usize,
    class: KeyClass,
}

/// Looks at the statement whose first words end at a place.
pub(in crate::scan) fn look(scanner: &mut Scanner<'_, '_>, from: usize) {
    if from < scanner.seen.sql {
        return;
    }
    let open = scanner.run_end(from, MAX_TABLE, |byte| !matches!(byte, b'(' | b';' | b')'));
    if scanner.byte(open) != Some(b'(') {
        return;
    }
    let rest = scanner.bytes.get(open + 1..).unwrap_or_default();
    let Some(length) = memchr3(b')', b'(', b';', rest) else { return };
    let close = open + 1 + length;
    if scanner.byte(close) != Some(b')') {
        return;
    }
    let columns = columns(scanner, open + 1..close);
    scanner.seen.sql = close;
    let blanks = |at: usize| scanner.run_end(at, 64, |byte| byte.is_ascii_whitespace());
    let word = blanks(close + 1);
    let next = scanner.slice(word..word + 6).to_ascii_lowercase();
    if columns.is_empty() {
    } else if next == "values" {
        values(scanner, blanks(word + 6), &columns);
    } else if next.starts_with("from ") {
        copied(scanner, word, &columns);
    }
}

/// The columns of a list that hold secrets.
fn columns(scanner: &mut Scanner<'_, '_>, list: Range<usize>) -> Vec<Column> {
    let (mut columns, mut at) = (Vec::new(), list.start);
    for (index, name) in scanner.slice(list).split(',').enumerate() {
        let range = trimmed(scanner, at..at + name.len());
        if let Some(class) = classify(scanner, scanner.slice(range)) {
            columns.push(Column { index, class });
        }
        at += name.len() + 1;
    }
    columns
}

/// The column of a number, if it holds secrets.
fn column_of(columns: &[Column], index: usize) -> Option<&Column> {
    let place = columns.binary_search_by_key(&index, |column| column.index).ok()?;
    columns.get(place)
}

/// `(7, 'hunter2'), (8, 'x')`
fn values(scanner: &mut Scanner<'_, '_>, from: usize, columns: &[Column]) {
    let mut at = from;
    while scanner.byte(at) == Some(b'(') {
        at = row(scanner, at + 1, columns);
        let comma = scanner.run_end(at, 64, |byte| byte.is_ascii_whitespace());
        if scanner.byte(comma) != Some(b',') {
            break;
        }
        at = scanner.run_end(comma + 1, 64, |byte| byte.is_ascii_whitespace());
    }
    scanner.seen.sql = at;
}

/// Takes the cells of one row, and returns where it ends.
fn row(scanner: &mut Scanner<'_, '_>, from: usize, columns: &[Column]) -> usize {
    let (mut at, mut start, mut index, mut depth, mut quoted) = (from, from, 0, 0_usize, false);
    while let Some(byte) = scanner.byte(at) {
        match byte {
            b'\\' => at += 1,
            b'\'' => quoted = !quoted,
            // The statement was cut off, and with it the string of a JSON document that it stands in.
            b'"' if !quoted && ends_string(scanner, &(at + 1..scanner.bytes.len())) => return at,
            b'(' if !quoted => depth += 1,
            b')' if !quoted && depth > 0 => depth -= 1,
            b',' | b')' if !quoted && depth == 0 => {
                if let Some(column) = column_of(columns, index) {
                    let cell = trimmed(scanner, start..at);
                    // `N'…'` of SQL Server.
                    let national = scanner.slice(cell.clone()).starts_with("N'");
                    let cell = cell.start + 2 * usize::from(national)..cell.end;
                    cell_of(scanner, &cell, column.class, false);
                }
                if byte == b')' {
                    return at + 1;
                }
                (index, start) = (index + 1, at + 1);
            }
            _ => {}
        }
        at += 1;
    }
    scanner.bytes.len()
}

/// Lines of cells with tabs between, up to `\.`.
fn copied(scanner: &mut Scanner<'_, '_>, from: usize, columns: &[Column]) {
    let end_of = |at: usize| {
        let rest = scanner.bytes.get(at..).unwrap_or_default();
        at + memchr(b'\n', rest).unwrap_or(rest.len())
    };
    let (mut at, mut cells) = (end_of(from) + 1, Vec::new());
    while at < scanner.bytes.len() {
        let end = end_of(at);
        let line = scanner.slice(at..end);
        if line.starts_with("\\.") || !line.contains('\t') {
            break;
        }
        let mut start = at;
        for (index, cell) in line.split('\t').enumerate() {
            if let Some(column) = column_of(columns, index) {
                cells.push((start..start + cell.trim_end_matches('\r').len(), column.class));
            }
            start += cell.len() + 1;
        }
        at = end + 1;
    }
    for (cell, class) in cells {
        if scanner.slice(cell.clone()) != "\\N" {
            cell_of(scanner, &cell, class, false);
        }
    }
    scanner.seen.sql = at;
}
