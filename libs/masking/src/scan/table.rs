//! Tables: a heading that names secrets, and the cells of its column; a first cell that does, and the cell beside it.

mod cells;

use std::ops::Range;

use super::classify::{KeyClass, Word, classify};
use super::harmless::{is_harmless, is_strong};
use super::lexical::Found;
use super::scanner::Scanner;
use cells::{Layout, MAX_LINE, line_at, next_line};

/// How many rows of a table are followed.
const MAX_ROWS: usize = 20_000;
/// How long the names of columns may be in SQL, on either side of the one that names secrets.
const MAX_NAMES: usize = 512;

/// Looks at the table whose heading or row has a key in it.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, key: &Range<usize>, class: KeyClass) {
    if key.start < scanner.seen.table || !is_cell(scanner, key) {
        return;
    }
    if insert(scanner, key, class) || key.start < scanner.seen.no_table {
        return;
    }
    scanner.seen.no_table = scanner.run_end(key.start, MAX_LINE, |byte| byte != b'\n');
    let Some(line) = line_at(scanner, key.start) else { return };
    let Some((layout, first)) = Layout::of(scanner, &line) else {
        return beside(scanner, &line, key, class);
    };
    let headings = layout.cells(scanner, &line);
    let columns: Vec<(usize, KeyClass)> = headings
        .iter()
        .enumerate()
        .filter_map(|(index, cell)| Some((index, classify(scanner, scanner.slice(cell.clone()))?)))
        .collect();
    rows(scanner, &layout, first, headings.len(), &columns);
}

/// Whether a word is all that stands in its cell, as far as its neighbours show.
fn is_cell(scanner: &Scanner<'_, '_>, key: &Range<usize>) -> bool {
    let filling = |byte: u8| matches!(byte, b' ' | b'"' | b'`' | b'\'');
    let before = scanner.run_start(key.start, 64, filling);
    let after = scanner.run_end(key.end, 64, filling);
    let sign = |byte: Option<u8>| {
        matches!(byte, None | Some(b'|' | b',' | b';' | b'\t' | b'\n' | b'\r' | b'(' | b')'))
    };
    (sign(scanner.before(before)) || key.start - before > 1)
        && (sign(scanner.byte(after)) || after - key.end > 1)
}

/// Takes the cells of columns that hold secrets.
fn rows(
    scanner: &mut Scanner<'_, '_>,
    layout: &Layout,
    first: usize,
    width: usize,
    columns: &[(usize, KeyClass)],
) {
    let mut at = first;
    for _ in 0..MAX_ROWS {
        let Some(line) = line_at(scanner, at).filter(|line| !line.is_empty()) else { break };
        if !layout.is_rule(scanner.slice(line.clone())) {
            let cells = layout.cells(scanner, &line);
            if cells.len() != width {
                break;
            }
            for (index, class) in columns {
                if let Some(cell) = cells.get(*index) {
                    cell_of(scanner, cell, *class, layout.holds_names());
                }
            }
        }
        match next_line(scanner, &line) {
            Some(next) => at = next,
            None => break,
        }
    }
    scanner.seen.table = scanner.seen.table.max(at);
}

fn cell_of(scanner: &mut Scanner<'_, '_>, cell: &Range<usize>, class: KeyClass, holds_names: bool) {
    let text = scanner.slice(cell.clone());
    let found = Found { range: cell.clone(), quoted: true, at_line_start: false, colon: false };
    // A column of Secrets in a listing has their names.
    let name = holds_names && class.word == Word::Secret && !is_strong(text);
    let words = text.matches(' ').count();
    // A row does not go on behind the string that it is in.
    if text.contains(['"', '\\']) {
        return;
    }
    if !name && words < 2 && !is_harmless(scanner, class.word, &found, cell) {
        scanner.add(cell.clone(), class.pattern);
    }
}

/// `| password | hunter2 |`: two cells, the first of them class.
fn beside(scanner: &mut Scanner<'_, '_>, line: &Range<usize>, key: &Range<usize>, class: KeyClass) {
    let cells = Layout::Piped.cells(scanner, line);
    if let [name, value] = &*cells
        && name == key
        && !scanner.slice(value.clone()).contains(' ')
        && !class.plural
    {
        cell_of(scanner, value, class, false);
    }
}

/// Looks at the rows below `Key  Value`, as Vault prints them.
pub(super) fn look_at_pairs(scanner: &mut Scanner<'_, '_>, key: &Range<usize>) {
    let Some(line) = line_at(scanner, key.start).filter(|_| key.start >= scanner.seen.table) else {
        return;
    };
    let words: Vec<&str> = scanner.slice(line.clone()).split_ascii_whitespace().collect();
    if words != ["Key", "Value"] {
        return;
    }
    let Some(mut at) = next_line(scanner, &line) else { return };
    for _ in 0..MAX_ROWS {
        let Some(line) = line_at(scanner, at).filter(|line| !line.is_empty()) else { break };
        let text = scanner.slice(line.clone());
        if let Some((name, value)) = text.split_once("  ") {
            let start = line.end - value.trim_start().len();
            if let Some(class) = classify(scanner, name) {
                cell_of(scanner, &(start..start + value.trim().len()), class, false);
            }
        }
        match next_line(scanner, &line) {
            Some(next) => at = next,
            None => break,
        }
    }
    scanner.seen.table = scanner.seen.table.max(at);
}

/// `INSERT INTO t (id, password) VALUES (7, 'hunter2')`; whether it is one.
fn insert(scanner: &mut Scanner<'_, '_>, key: &Range<usize>, class: KeyClass) -> bool {
    let open = scanner.run_start(key.start, MAX_NAMES, |byte| !matches!(byte, b'(' | b')' | b';'));
    let close = scanner.run_end(key.end, MAX_NAMES, |byte| !matches!(byte, b'(' | b')' | b';'));
    if scanner.before(open) != Some(b'(') || scanner.byte(close) != Some(b')') {
        return false;
    }
    let blanks = |at: usize| scanner.run_end(at, 64, |byte| byte.is_ascii_whitespace());
    let word = blanks(close + 1);
    if !scanner.slice(word..word + 6).eq_ignore_ascii_case("values") {
        return false;
    }
    let index = scanner.slice(open..key.start).matches(',').count();
    let mut at = blanks(word + 6);
    let mut found = Vec::new();
    for _ in 0..MAX_ROWS {
        if scanner.byte(at) != Some(b'(') {
            break;
        }
        let (cell, end) = cells::value_of(scanner, at + 1, index);
        found.extend(cell);
        let comma = blanks(end);
        at = if scanner.byte(comma) == Some(b',') { blanks(comma + 1) } else { comma };
    }
    for cell in found {
        cell_of(scanner, &cell, class, false);
    }
    true
}
