//! Tables: a heading that names secrets, and the cells of its column; a first cell that does, and the cell beside it.

mod cells;
pub(super) mod sql;

use std::ops::Range;

use memchr::memchr;

use super::class::{KeyClass, Word};
use super::classify::classify;
use super::harmless::is_harmless;
use super::lexical::Found;
use super::scanner::Scanner;
use super::shape::{is_object_name, is_strong};
use cells::{Layout, line_at, next_line};

/// Looks at the table whose heading or row has a key in it.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, key: &Range<usize>, class: KeyClass) {
    if key.start < scanner.seen.table || !is_cell(scanner, key) {
        return;
    }
    if key.start < scanner.seen.no_table {
        return;
    }
    let line = line_at(scanner, key.start);
    scanner.seen.no_table = line.end;
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
    // The first and the last byte of `│`.
    let sign = |byte: Option<u8>| {
        matches!(
            byte,
            None | Some(0xe2 | 0x82 | b'|' | b',' | b';' | b'\t' | b'\n' | b'\r' | b'(' | b')')
        )
    };
    // `API TOKEN` is one heading.
    let continues = scanner.before(before).is_some_and(|byte| byte.is_ascii_uppercase())
        && scanner.byte(key.start).is_some_and(|byte| byte.is_ascii_uppercase());
    (sign(scanner.before(before)) || key.start - before > 1 || continues)
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
    loop {
        let line = line_at(scanner, at);
        if line.is_empty() {
            break;
        }
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
    let name =
        class.word == Word::Secret && ((holds_names && !is_strong(text)) || is_object_name(text));
    let words = text.matches(' ').count();
    // A row does not go on behind the string that it is in.
    if text.contains(['"', '\\']) {
        return;
    }
    if !name && words < 2 && !is_harmless(scanner, class.word, &found, cell) {
        scanner.add(cell.clone(), class.pattern);
    }
}

/// `| password | hunter2 |`, `│ password │ hunter2 │`: two cells, the first of them class.
fn beside(scanner: &mut Scanner<'_, '_>, line: &Range<usize>, key: &Range<usize>, class: KeyClass) {
    let text = scanner.slice(line.clone());
    let boxed = text.contains('│');
    if !boxed && memchr(b'|', text.as_bytes()).is_none() {
        return;
    }
    let layout = if boxed { Layout::Boxed } else { Layout::Piped };
    let cells = layout.cells(scanner, line);
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
    if key.start < scanner.seen.table || scanner.slice(key.clone()) != "Key" {
        return;
    }
    let line = line_at(scanner, key.start);
    let mut words = scanner.slice(line.clone()).split_ascii_whitespace();
    if (words.next(), words.next(), words.next()) != (Some("Key"), Some("Value"), None) {
        return;
    }
    let Some(mut at) = next_line(scanner, &line) else { return };
    loop {
        let line = line_at(scanner, at);
        if line.is_empty() {
            break;
        }
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
