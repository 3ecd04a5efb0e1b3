//! Lines and their cells.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use crate::scan::scanner::Scanner;

/// How long a heading may be.
const MAX_HEADING: usize = 40;

/// How the cells of a table are separated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// By `|`, as psql, mysql and Markdown do.
    Piped,
    /// By `│`, in a frame.
    Boxed,
    /// By one sign, as in files.
    Delimited(char),
    /// By where the headings begin, as kubectl does.
    Columns(Vec<usize>),
}

/// The line around a place, without its end.
pub(super) fn line_at(scanner: &Scanner<'_, '_>, at: usize) -> Range<usize> {
    let (before, behind) = scanner.bytes.split_at(at.min(scanner.bytes.len()));
    let start = memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let end = at + memchr(b'\n', behind).unwrap_or(behind.len());
    let cut = usize::from(end > start && scanner.before(end) == Some(b'\r'));
    start..end - cut
}

/// Where the next line begins.
pub(super) fn next_line(scanner: &Scanner<'_, '_>, line: &Range<usize>) -> Option<usize> {
    let end = scanner.run_end(line.end, 1, |byte| byte == b'\r');
    (scanner.byte(end) == Some(b'\n') && end + 1 < scanner.bytes.len()).then_some(end + 1)
}

impl Layout {
    /// The layout of the table whose headings are on a line, and where its rows begin.
    pub(super) fn of(scanner: &Scanner<'_, '_>, line: &Range<usize>) -> Option<(Self, usize)> {
        let next = next_line(scanner, line)?;
        let below = line_at(scanner, next);
        let (text, under) = (scanner.slice(line.clone()), scanner.slice(below.clone()));
        if memchr(b'|', text.as_bytes()).is_some() {
            let ruled = Self::Piped.is_rule(under);
            return ruled.then_some((Self::Piped, next));
        }
        if text.contains('│') {
            return Self::Boxed.is_rule(under).then_some((Self::Boxed, next));
        }
        for sign in [b'\t', b',', b';'] {
            let times = |line: &str| memchr_iter(sign, line.as_bytes()).count();
            if times(text) == 0 || times(under) < times(text) {
                continue;
            }
            let sign = char::from(sign);
            let layout = Self::Delimited(sign);
            let headings = layout.cells(scanner, line);
            let named = headings.iter().all(|cell| is_heading(scanner.slice(cell.clone())));
            let spaced = text.contains(&format!("{sign} "));
            if headings.len() > 1 && named && !spaced {
                let same = layout.cells(scanner, &below).len() == headings.len();
                return same.then_some((layout, next));
            }
        }
        let ruled = Self::Piped.is_rule(under) && under.contains("--");
        let capitals = || {
            text.bytes().all(|byte| {
                byte.is_ascii_uppercase()
                    || byte.is_ascii_digit()
                    || matches!(byte, b' ' | b'_' | b'-' | b'(' | b')' | b'%')
            })
        };
        let starts = if ruled || capitals() { starts(text) } else { Vec::new() };
        (starts.len() > 1).then_some((Self::Columns(starts), next))
    }

    /// Whether a line only draws the table.
    pub(super) fn is_rule(&self, line: &str) -> bool {
        if *self == Self::Boxed {
            return line.contains('─')
                && line.chars().all(|c| matches!(c, '\u{2500}'..='\u{257f}' | ' '));
        }
        let drawn =
            line.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'|' | b':' | b' ' | b'='));
        !matches!(self, Self::Delimited(_)) && drawn && (line.contains("--") || line.contains("=="))
    }

    /// Whether values may be names of things rather than the things.
    pub(super) fn holds_names(&self) -> bool {
        matches!(self, Self::Columns(_))
    }

    /// The cells of a line, without blanks and quotes.
    pub(super) fn cells(
        &self,
        scanner: &Scanner<'_, '_>,
        line: &Range<usize>,
    ) -> Vec<Range<usize>> {
        let text = scanner.slice(line.clone());
        let raw = match self {
            Self::Piped => {
                let inner = text.trim();
                let start = line.start + (text.len() - text.trim_start().len());
                let framed = inner.len() > 1 && inner.starts_with('|') && inner.ends_with('|');
                let (from, to) = if framed { (1, inner.len() - 1) } else { (0, inner.len()) };
                split(scanner, start + from..start + to, '|')
            }
            Self::Boxed => {
                let inner = text.trim().trim_start_matches('│');
                let start = line.start + (text.trim_end().len() - inner.len());
                let end = start + inner.trim_end_matches('│').len();
                split(scanner, start..end, '│')
            }
            Self::Delimited(sign) => split(scanner, line.clone(), *sign),
            Self::Columns(columns) => return columned(text, line.start, columns),
        };
        raw.into_iter().map(|cell| trimmed(scanner, cell)).collect()
    }
}

/// The cells of a row below headings: by their number, or else by where they begin.
fn columned(line: &str, offset: usize, columns: &[usize]) -> Vec<Range<usize>> {
    let places = starts(line);
    let cell = |from: usize| {
        let rest = line.get(from..).unwrap_or_default();
        let end = rest.find("  ").unwrap_or(rest.len());
        offset + from..offset + from + rest.get(..end).unwrap_or_default().trim_ascii_end().len()
    };
    if places.len() == columns.len() {
        return places.into_iter().map(cell).collect();
    }
    let begins = |from: &usize| places.contains(from);
    columns.iter().map(|from| if begins(from) { cell(*from) } else { offset..offset }).collect()
}

/// Where the words begin that have two blanks before them.
fn starts(line: &str) -> Vec<usize> {
    let (mut starts, mut blanks) = (Vec::new(), 2);
    for (at, byte) in line.bytes().enumerate() {
        if byte == b' ' || byte == b'\t' {
            blanks += 1;
        } else {
            if blanks >= 2 {
                starts.push(at);
            }
            blanks = 0;
        }
    }
    starts
}

/// Whether a cell can be the heading of a column.
fn is_heading(cell: &str) -> bool {
    cell.len() <= MAX_HEADING
        && cell.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && cell.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b' '))
        && cell.matches(' ').count() <= 2
}

/// Splits at a sign that is not in double quotes.
fn split(scanner: &Scanner<'_, '_>, range: Range<usize>, sign: char) -> Vec<Range<usize>> {
    let (mut cells, mut start, mut quoted) = (Vec::new(), range.start, false);
    for (at, c) in scanner.slice(range.clone()).char_indices() {
        let at = range.start + at;
        match c {
            '"' if !matches!(sign, '|' | '│') => quoted = !quoted,
            c if c == sign && !quoted => {
                cells.push(start..at);
                start = at + sign.len_utf8();
            }
            _ => {}
        }
    }
    cells.push(start..range.end);
    cells
}

pub(super) fn trimmed(scanner: &Scanner<'_, '_>, cell: Range<usize>) -> Range<usize> {
    let frame = |c: char| c.is_whitespace() || matches!(c, '"' | '`' | '\'');
    let text = scanner.slice(cell.clone());
    let start = cell.start + (text.len() - text.trim_start_matches(frame).len());
    start..start + text.trim_matches(frame).len()
}
