//! The value that follows a key: where it begins and ends, and whether it is a secret at all.

use std::ops::Range;

use super::classify::{KeyClass, Word};
use super::harmless::is_prose;
use super::lexical::{
    Found, Joint, MAX_BLANKS, MAX_QUOTED, blanks_end, ends_string, is_at_line_start, is_quote,
    quote_end, quoted,
};
use super::phrase;
use super::scanner::Scanner;
use crate::patterns::Pattern;
use crate::spans::mask_end;

/// How far an unquoted value is followed.
const MAX_BARE: usize = 64 * 1024;
/// How long the name of an element may be.
const MAX_TAG: usize = 128;

/// Where the value of a key begins, whatever it is.
pub(super) fn place(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    class: KeyClass,
) -> Option<usize> {
    joint(scanner, key, class).filter(|joint| !joint.xml).map(|joint| joint.at)
}

/// Finds the value that belongs to a key.
pub(super) fn after_key(
    scanner: &Scanner<'_, '_>,
    key: Range<usize>,
    class: KeyClass,
) -> Option<Found> {
    let joint = joint(scanner, &key, class)?;
    let at_line_start = is_at_line_start(scanner, key.start);
    let found = |range: Range<usize>, quoted: bool| Found {
        range,
        quoted,
        at_line_start,
        colon: joint.colon,
    };
    if joint.xml {
        let end = scanner.run_end(joint.at, MAX_BARE, |byte| byte != b'<');
        let tag_end = scanner.run_end(end, MAX_TAG, |byte| byte != b'>');
        let closing = scanner.slice(end..tag_end);
        let same = closing.starts_with("</") && closing.ends_with(scanner.slice(key));
        let whole = same && !leaves_string(scanner, &(joint.at..end));
        return whole.then(|| found(joint.at..end, true));
    }
    let at = unwrapped(scanner, joint.at);
    if let Some(range) = quoted(scanner, at) {
        let closes = scanner.before(key.start).filter(|byte| is_quote(Some(*byte)));
        // `"Password: "` is a question: the quote behind it ends the string that began before it.
        let question =
            closes.is_some() && closes == scanner.byte(at) && quote_end(scanner, key.end).is_none();
        return (!question && !ends_string(scanner, &range)).then(|| found(range, true));
    }
    if joint.colon && at_line_start && matches!(scanner.byte(joint.at), Some(b'\n' | b'\r')) {
        return next_line(scanner, key.start, joint.at).map(|range| found(range, false));
    }
    if let Some(head_end) = block_head(scanner, joint.at) {
        return block(scanner, key.start, head_end).map(|range| found(range, true));
    }
    let range = bare(scanner, &key, &joint, at_line_start, class)?;
    match typed(scanner, &range, joint.colon) {
        Some(at) => quoted(scanner, at).map(|range| found(range, true)),
        None => Some(found(range, false)),
    }
}

/// `token: str = "…"` in a program: the value stands behind the type.
fn typed(scanner: &Scanner<'_, '_>, word: &Range<usize>, colon: bool) -> Option<usize> {
    let types =
        ["str", "string", "String", "&str", "bytes", "SecretStr", "any", "Any", "Optional[str]"];
    let is_type = colon && types.contains(&scanner.slice(word.clone()));
    let sign = blanks_end(scanner, word.end);
    is_type.then(|| {
        if scanner.byte(sign) == Some(b'=') {
            blanks_end(scanner, sign + 1)
        } else {
            scanner.bytes.len()
        }
    })
}

/// Whether the string of a JSON document, in which an element begins, ends before the element does.
fn leaves_string(scanner: &Scanner<'_, '_>, value: &Range<usize>) -> bool {
    let quotes = scanner.slice(value.clone()).match_indices('"');
    quotes.map(|(at, _)| value.start + at + 1).any(|at| ends_string(scanner, &(at..value.end)))
}

/// `Some("…")` of a program: the value stands inside.
fn unwrapped(scanner: &Scanner<'_, '_>, at: usize) -> usize {
    let inside = at + "Some(".len();
    if scanner.slice(at..inside) == "Some(" { inside } else { at }
}

fn joint(scanner: &Scanner<'_, '_>, key: &Range<usize>, class: KeyClass) -> Option<Joint> {
    let key_quote = quote_end(scanner, key.end);
    let after = key_quote.unwrap_or(key.end);
    let blank = blanks_end(scanner, after);
    let is_flag = scanner.byte(key.start) == Some(b'-');
    match scanner.byte(blank) {
        Some(sign @ (b'=' | b':'))
            if scanner.byte(blank + 1) == Some(sign) && key_quote.is_none() =>
        {
            None
        }
        Some(b'=' | b':') => {
            let colon = scanner.byte(blank) == Some(b':');
            // `:=` and `=>` are one separator; `::` and `==` are none.
            let double = matches!(scanner.byte(blank + 1), Some(b'=' | b'>'));
            let at = blanks_end(scanner, blank + 1 + usize::from(double));
            Some(Joint { at, colon: colon && !double, xml: false, whole: false })
        }
        Some(b'>') if scanner.before(key.start) == Some(b'<') => {
            Some(Joint { at: blank + 1, colon: false, xml: true, whole: false })
        }
        // `ENV NAME value` of a Dockerfile.
        Some(_) if blank > after && is_after_env(scanner, key.start) => {
            Some(Joint { at: blank, colon: false, xml: false, whole: false })
        }
        _ if is_flag => flag(scanner, key_quote.is_some(), after),
        _ => pair(scanner, after)
            .or_else(|| argument(scanner, key, key_quote, class))
            .or_else(|| phrase::joint(scanner, key, after, class)),
    }
}

fn is_after_env(scanner: &Scanner<'_, '_>, key_start: usize) -> bool {
    let word = scanner.run_start(key_start, 8, |byte| byte != b'\n');
    matches!(scanner.slice(word..key_start).trim_start(), "ENV " | "ARG ")
}

/// `--token value`, `"--token", "value"`, and the same over two items of a YAML list.
fn flag(scanner: &Scanner<'_, '_>, in_quotes: bool, after: usize) -> Option<Joint> {
    let comma = blanks_end(scanner, after);
    let at = if in_quotes && scanner.byte(comma) == Some(b',') { comma + 1 } else { after };
    let mut next = scanner.run_end(at, 2 * MAX_BLANKS, |byte| byte.is_ascii_whitespace());
    let new_line = scanner.slice(at..next).contains('\n');
    if new_line && scanner.byte(next) == Some(b'-') && scanner.byte(next + 1) == Some(b' ') {
        next = blanks_end(scanner, next + 1);
    } else if new_line && at == after {
        return None;
    }
    // In an object the next string is a key.
    let is_key = at > after
        && quoted(scanner, next).is_some_and(|range| {
            scanner.byte(blanks_end(scanner, range.end + (range.start - next))) == Some(b':')
        });
    if is_key {
        return None;
    }
    // Another flag is not the value of this one.
    let plausible = next > after
        && !matches!(scanner.byte(next), None | Some(b'-' | b'|' | b'&' | b';' | b'>'));
    plausible.then_some(Joint { at: next, colon: false, xml: false, whole: false })
}

/// How many other fields may stand between a name and its value.
const MAX_BETWEEN: usize = 3;

/// A key that is itself a value: `name: DB_PASSWORD`, then `value: …`; other fields may stand between.
fn pair(scanner: &Scanner<'_, '_>, after: usize) -> Option<Joint> {
    let mut at = after;
    for _ in 0..MAX_BETWEEN {
        let blank = blanks_end(scanner, at);
        let comma = blank + usize::from(scanner.byte(blank) == Some(b','));
        let mut next = scanner.run_end(comma, 2 * MAX_BLANKS, |byte| byte.is_ascii_whitespace());
        // A line end inside a string is an escape.
        while scanner.slice(next..next + 2) == "\\n" {
            next = scanner.run_end(next + 2, 2 * MAX_BLANKS, |byte| byte.is_ascii_whitespace());
        }
        let open = quote_end(scanner, next).unwrap_or(next);
        let word_end = scanner.run_end(open, 32, |byte| byte.is_ascii_alphanumeric());
        let close = quote_end(scanner, word_end).unwrap_or(word_end);
        let sign = blanks_end(scanner, close);
        if next == after || word_end == open {
            return None;
        }
        let colon = scanner.byte(sign) == Some(b':');
        let xml = scanner.byte(sign) == Some(b'=')
            && close == word_end
            && is_quote(scanner.byte(sign + 1));
        if !colon && !xml {
            return None;
        }
        let value = blanks_end(scanner, sign + 1);
        if scanner.slice(open..word_end).eq_ignore_ascii_case("value") {
            return Some(Joint { at: value, colon, xml: false, whole: false });
        }
        at = skipped(scanner, value, close > word_end)?;
    }
    None
}

/// Where a short value of no interest ends.
fn skipped(scanner: &Scanner<'_, '_>, at: usize, json: bool) -> Option<usize> {
    if let Some(range) = quoted(scanner, at).filter(|range| range.len() <= 128) {
        return Some(range.end + (range.start - at));
    }
    let end =
        scanner.run_end(at, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    (json && end > at).then_some(end)
}

/// `define('DB_PASSWORD', '…')`, `add("x-api-key", "…")` and `{password, "…"}`.
fn argument(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    key_quote: Option<usize>,
    class: KeyClass,
) -> Option<Joint> {
    let after = key_quote.unwrap_or(key.end);
    let at = blanks_end(scanner, after + 1);
    if class.plural || scanner.byte(after) != Some(b',') || !is_quote(scanner.byte(at)) {
        return None;
    }
    let value = quoted(scanner, at)?;
    let close = blanks_end(scanner, value.end + 1);
    let compound = scanner.slice(key.clone()).contains(['_', '-']);
    let ends = |byte: u8| scanner.byte(close) == Some(byte);
    let opening = scanner.run_start(key.start.saturating_sub(1), 4, |byte| byte == b' ');
    let call =
        key_quote.is_some() && compound && scanner.before(opening) == Some(b'(') && ends(b')');
    let tuple = key_quote.is_none() && scanner.before(key.start) == Some(b'{') && ends(b'}');
    (call || tuple).then_some(Joint { at, colon: false, xml: false, whole: false })
}

/// The end of the line that opens a block of YAML with `|` or `>`.
fn block_head(scanner: &Scanner<'_, '_>, at: usize) -> Option<usize> {
    if !matches!(scanner.byte(at), Some(b'|' | b'>')) {
        return None;
    }
    let head = scanner.run_end(at + 1, 3, |byte| matches!(byte, b'-' | b'+' | b'1'..=b'9'));
    let line_end = scanner.run_end(head, MAX_BLANKS, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    matches!(scanner.byte(line_end), None | Some(b'\n')).then_some(line_end)
}

/// The block itself: lines that are indented deeper than the key.
fn block(scanner: &Scanner<'_, '_>, key_start: usize, line_end: usize) -> Option<Range<usize>> {
    let line_start = scanner.run_start(key_start, 512, |byte| byte != b'\n');
    let indent = scanner.run_end(line_start, 512, |byte| byte == b' ') - line_start;
    let (mut at, mut range) = (line_end + 1, None::<Range<usize>>);
    while at < scanner.bytes.len() && at - line_end < MAX_QUOTED {
        let content = scanner.run_end(at, usize::MAX, |byte| byte == b' ');
        let end = scanner.run_end(content, usize::MAX, |byte| byte != b'\n');
        let trimmed = content + scanner.slice(content..end).trim_end().len();
        if trimmed > content {
            if content - at <= indent {
                break;
            }
            range = Some(range.map_or(content, |range| range.start)..trimmed);
        }
        at = end + 1;
    }
    range
}

/// A lone word on the next line, deeper than the key.
fn next_line(scanner: &Scanner<'_, '_>, key_start: usize, line_end: usize) -> Option<Range<usize>> {
    let line_start = scanner.run_start(key_start, 512, |byte| byte != b'\n');
    let indent = scanner.run_end(line_start, 512, |byte| byte == b' ') - line_start;
    let next = scanner.run_end(line_end, 2, |byte| matches!(byte, b'\r' | b'\n'));
    let start = scanner.run_end(next, 512, |byte| byte == b' ');
    let end = scanner.run_end(start, 4096, |byte| !byte.is_ascii_whitespace());
    let alone = matches!(scanner.byte(end), None | Some(b'\n' | b'\r'));
    let word = scanner.slice(start..end);
    let plain = !word.ends_with(':') && !word.starts_with(['-', '{', '[', '#', '|', '"', '\'']);
    (start - next > indent && alone && plain && !word.is_empty()).then_some(start..end)
}

/// A value without quotes.
fn bare(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    joint: &Joint,
    at_line_start: bool,
    class: KeyClass,
) -> Option<Range<usize>> {
    let start = joint.at;
    let masked = mask_end(scanner.text, start).is_some();
    let header = class.pattern == Pattern::AuthorizationHeader;
    if !masked && !header && matches!(scanner.byte(start), Some(b'[' | b'{' | b'(')) {
        return None;
    }
    let in_query = matches!(scanner.before(key.start), Some(b'?' | b'&'));
    // Alone on its line a value may hold any punctuation.
    let name = scanner.slice(key.clone());
    let in_json = quote_end(scanner, key.end).is_some();
    let alone = at_line_start
        && !in_query
        && !in_json
        && (joint.colon || is_env(name) || name.contains('.'));
    let ends = |byte: u8| match byte {
        _ if joint.whole => byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\\'),
        b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' => true,
        b',' | b';' | b'&' | b')' | b'|' | b'}' => !alone,
        b']' => !alone && !masked,
        b'#' => in_query,
        _ => byte.is_ascii_whitespace(),
    };
    let mut end = scanner.run_end(start, MAX_BARE, |byte| !ends(byte));
    // On a line of its own a password may have blanks in it.
    let line_end = scanner.run_end(end, 256, |byte| !matches!(byte, b'\n' | b'\r' | b'\\' | b'"'));
    let setting = joint.colon
        || (!is_env(name)
            && !name.starts_with('-')
            && !scanner.slice(start..line_end).contains(['=', ',', ';', ')']));
    if at_line_start
        && !in_json
        && setting
        && class.word == Word::Password
        && !is_prose(scanner.slice(start..end))
    {
        let line = scanner.slice(start..line_end);
        end = start + line.split(" #").next().unwrap_or(line).trim_end().len();
    }
    while end > start && matches!(scanner.before(end), Some(b',' | b';' | b'.')) {
        end -= 1;
    }
    (end > start).then_some(start..end)
}

fn is_env(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
