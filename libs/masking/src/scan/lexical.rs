//! Quotes, blanks and line starts: what values of all formats have in common.

use std::ops::Range;

use memchr::memrchr3;

use super::memory::Quoted;
use super::scanner::Scanner;

/// How far a quoted value is followed.
pub(super) const MAX_QUOTED: usize = 256 * 1024;
/// How many blanks may stand around a separator.
pub(super) const MAX_BLANKS: usize = 64;

/// A value, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
    /// Whether the key stands at the start of its line.
    pub(super) at_line_start: bool,
    /// Whether a colon separates key and value.
    pub(super) colon: bool,
}

/// How the value is joined to its key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) at: usize,
    pub(super) colon: bool,
    pub(super) xml: bool,
    /// Whether only a blank ends the value.
    pub(super) whole: bool,
}

impl Joint {
    /// A value at a place, joined by anything but a colon.
    pub(super) fn at(at: usize) -> Self {
        Self { at, colon: false, xml: false, whole: false }
    }
}

/// Whether the quote before a value is the end of a string that the key is in: `"the password:","next":…`.
pub(super) fn ends_string(scanner: &Scanner<'_, '_>, value: &Range<usize>) -> bool {
    let blanks = |at: usize| scanner.run_end(at, MAX_BLANKS, |byte| byte.is_ascii_whitespace());
    let first = blanks(value.start);
    let next = blanks(first + 1);
    match (scanner.byte(first), scanner.byte(next)) {
        (Some(b','), after) => {
            matches!(after, Some(b'"' | b'{' | b'[' | b'-' | b't' | b'f' | b'n'))
                || next > first + 1
                || after.is_some_and(|byte| byte.is_ascii_digit())
        }
        (Some(b'}' | b']'), after) => matches!(after, None | Some(b',' | b'}' | b']')),
        (Some(b':'), _) => next > first + 1,
        _ => false,
    }
}

pub(super) fn blanks_end(scanner: &Scanner<'_, '_>, from: usize) -> usize {
    scanner.run_end(from, MAX_BLANKS, |byte| matches!(byte, b' ' | b'\t'))
}

pub(super) fn is_quote(byte: Option<u8>) -> bool {
    matches!(byte, Some(b'"' | b'\'' | b'`'))
}

/// Whether a string can begin with a byte: a quote, a backslash before one, or a letter that languages write before one.
pub(super) fn may_begin_string(byte: u8) -> bool {
    matches!(
        byte,
        b'"' | b'\'' | b'`' | b'\\' | b'b' | b'u' | b'r' | b'f' | b'@' | b'N' | b'E' | b'L'
    )
}

/// Passes over a quote with the backslashes before it.
pub(super) fn quote_end(scanner: &Scanner<'_, '_>, from: usize) -> Option<usize> {
    let slashes = scanner.run_end(from, 16, |byte| byte == b'\\');
    is_quote(scanner.byte(slashes)).then_some(slashes + 1)
}

/// `['password']` and `[:password]` of programs: where the subscript ends.
pub(super) fn subscript_end(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    key_quote: Option<usize>,
) -> Option<usize> {
    let after = key_quote.unwrap_or(key.end);
    if scanner.byte(after) != Some(b']') {
        return None;
    }
    // `[password] => x` of PHP's `print_r`.
    if scanner.before(key.start) == Some(b'[') && scanner.slice(after..after + 5) == "] => " {
        return Some(after + 1);
    }
    let open = match scanner.before(key.start)? {
        b'"' | b'\'' | b':' => key.start.checked_sub(2)?,
        _ => return None,
    };
    (scanner.byte(open) == Some(b'[')).then_some(after + 1)
}

/// `<<"…">>` of Erlang: the value stands inside.
pub(super) fn binary(scanner: &Scanner<'_, '_>, at: usize) -> usize {
    if scanner.stands_at(at, "<<\"") { at + 2 } else { at }
}

/// A value in quotes; the quotes may be escaped, because the whole text is inside a string.
pub(super) fn quoted(scanner: &Scanner<'_, '_>, at: usize) -> Option<Range<usize>> {
    quoted_within(scanner, at, MAX_QUOTED)
}

/// The same; a value of more bytes than the limit is cut there.
pub(super) fn quoted_within(
    scanner: &Scanner<'_, '_>,
    at: usize,
    limit: usize,
) -> Option<Range<usize>> {
    // Most values have no quotes, as their first byte shows.
    if !scanner.byte(at).is_some_and(may_begin_string) {
        return None;
    }
    // Several readers look at the value of one key.
    if let Some(known) =
        scanner.seen.quoted.get().filter(|last| (last.at, last.limit) == (at, limit))
    {
        return known.inside.map(|(start, end)| start..end);
    }
    let range = string_at(scanner, at, limit);
    let inside = range.as_ref().map(|range| (range.start, range.end));
    scanner.seen.quoted.set(Some(Quoted { at, limit, inside }));
    range
}

fn string_at(scanner: &Scanner<'_, '_>, at: usize, limit: usize) -> Option<Range<usize>> {
    if let Some(range) = tripled(scanner, at) {
        return Some(range);
    }
    // Letters that languages write before a string.
    let at = match scanner.byte(at) {
        Some(b'b' | b'u' | b'r' | b'f' | b'@' | b'N' | b'E' | b'L')
            if is_quote(scanner.byte(at + 1)) =>
        {
            at + 1
        }
        _ => at,
    };
    let start = quote_end(scanner, at)?;
    let quote = scanner.before(start)?;
    let escapes = start - 1 - at;
    let rest = scanner.bytes.get(start..)?;
    let (mut slashes, mut skip) = (0, false);
    for (index, byte) in rest.iter().take(limit).enumerate() {
        // Most bytes mean nothing here.
        if *byte != quote && !matches!(*byte, b'\\' | b'"') {
            slashes = 0;
            continue;
        }
        if std::mem::take(&mut skip) {
            continue;
        }
        // `'it''s'` of SQL and YAML.
        let doubled = quote == b'\'' && *byte == quote && rest.get(index + 1) == Some(&quote);
        if doubled && escapes == 0 && index > 0 {
            skip = true;
            continue;
        }
        if *byte == b'\\' {
            slashes += 1;
            continue;
        }
        let even = slashes % 2 == 0;
        let closes = if escapes == 0 { even || quote == b'\'' } else { slashes <= escapes || even };
        // A string around the value may end first.
        let outer = *byte == b'"' && quote != b'"' && even && follows_string(rest, index + 1);
        if (*byte == quote && closes) || outer {
            let close = if escapes == 0 && !outer { index } else { index - slashes };
            return Some(start..start + close);
        }
        slashes = 0;
    }
    // The text was cut inside the value: the rest of its line is the value.
    let end =
        scanner.run_end(start, limit, |byte| byte != b'\n' && (byte != b'"' || quote == b'"'));
    Some(start..end)
}

/// Whether what stands here can follow a string of JSON.
pub(super) fn follows_string(bytes: &[u8], from: usize) -> bool {
    let rest = bytes.get(from..).unwrap_or_default();
    let next = rest.iter().take(MAX_BLANKS).find(|byte| !byte.is_ascii_whitespace());
    matches!(next, None | Some(b',' | b'}' | b']' | b':'))
}

/// A value in three quotes, over several lines.
fn tripled(scanner: &Scanner<'_, '_>, at: usize) -> Option<Range<usize>> {
    let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| scanner.stands_at(at, quotes))?;
    let rest = scanner.slice(at + 3..scanner.text.floor_char_boundary(at + MAX_QUOTED));
    let inside = rest.get(..rest.find(quotes)?)?;
    let start = at + 3 + (inside.len() - inside.trim_start().len());
    Some(start..start + inside.trim().len())
}

/// Whether a byte ends a line; the entries of `/proc/PID/environ` end with NUL.
pub(super) fn is_line_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | 0)
}

/// How far back a line is looked at for what stands before a key.
const MAX_PREFIX: usize = 128;

/// Where the line of a key begins, or the part of it that is looked at.
pub(super) fn line_start(scanner: &Scanner<'_, '_>, key_start: usize) -> usize {
    let from = key_start.saturating_sub(MAX_PREFIX);
    // From the last key on the line, only what is between the two is new.
    let (last, known) = scanner.seen.line_start.get();
    let near = (from..=key_start).contains(&last);
    let (unsearched, or_else) = if near { (last, known.max(from)) } else { (from, from) };
    let before = scanner.bytes.get(unsearched..key_start).unwrap_or_default();
    let start = memrchr3(b'\n', b'\r', 0, before).map_or(or_else, |at| unsearched + at + 1);
    scanner.seen.line_start.set((key_start, start));
    start
}

pub(super) fn is_at_line_start(scanner: &Scanner<'_, '_>, key_start: usize) -> bool {
    if scanner.before(key_start).is_none_or(|byte| byte == b'\n') {
        return true;
    }
    let from = line_start(scanner, key_start);
    if key_start - from >= MAX_PREFIX {
        return false;
    }
    let before = scanner
        .slice(from..key_start)
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+' | '"' | '\'' | '#'));
    matches!(before, "" | "export" | "set" | "ENV" | "env" | "ARG" | "Environment=")
        || before.ends_with("\\n")
}

/// What stands before a key on its line.
pub(super) struct Prefix {
    /// Whether the line begins behind a NUL.
    pub(super) after_nul: bool,
    /// Whether there are only blanks, a dash, or `export` before the key: no string can be open.
    pub(super) plain: bool,
}

pub(super) fn line_prefix(scanner: &Scanner<'_, '_>, key_start: usize) -> Prefix {
    if scanner.before(key_start).is_none_or(|byte| byte == b'\n') {
        return Prefix { after_nul: false, plain: true };
    }
    let from = line_start(scanner, key_start);
    if key_start - from >= MAX_PREFIX {
        return Prefix { after_nul: false, plain: false };
    }
    let before = scanner
        .slice(from..key_start)
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+' | '#'));
    Prefix {
        after_nul: from == key_start && scanner.before(from) == Some(0),
        plain: matches!(before, "" | "export" | "set" | "ENV" | "env" | "ARG"),
    }
}
