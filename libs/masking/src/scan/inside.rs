//! Values one step deeper than their key: lists of passwords, and objects that hold a password beside other things.

use std::ops::Range;

use super::classify::{KeyClass, Word};
use super::harmless::{is_harmless, is_strong};
use super::lexical::{Found, ends_string, quoted};
use super::scanner::Scanner;
use super::value;
use crate::spans::mask_end;

/// How far a list or object is followed.
const MAX_INSIDE: usize = 4096;
/// Fields of an object that hold what the object is about.
const VALUE_KEYS: [&str; 7] =
    ["value", "default", "plain", "plaintext", "current", "content", "stringvalue"];

/// A scalar of a list or object, and its key there.
struct Child<'a> {
    key: Option<&'a str>,
    range: Range<usize>,
    quoted: bool,
}

/// Looks into the list or object after a key.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, key: &Range<usize>, class: KeyClass) {
    if key.start < scanner.seen.inside {
        return;
    }
    let Some(at) = value::place(scanner, key, class) else { return };
    if mask_end(scanner.text, at).is_some() {
        return;
    }
    let (children, end) = match scanner.byte(at) {
        Some(open @ (b'[' | b'{')) => braces(scanner, at + 1, open == b'{'),
        Some(b'\n' | b'\r') => block(scanner, key.start, at),
        _ => return,
    };
    scanner.seen.inside = end;
    for child in children {
        if is_secret(scanner, key, class, &child) {
            scanner.add(child.range, class.pattern);
        }
    }
}

fn is_secret(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    class: KeyClass,
    child: &Child<'_>,
) -> bool {
    let text = scanner.slice(child.range.clone());
    let named =
        child.key.is_some_and(|key| VALUE_KEYS.iter().any(|known| key.eq_ignore_ascii_case(known)));
    let sure = match child.key {
        Some(_) => named || (class.plural && is_strong(text)),
        // A list below `secrets` or `tokens` may as well hold names.
        None if class.word == Word::Password => !text.contains(' '),
        None => is_strong(text),
    };
    let found = Found {
        range: child.range.clone(),
        quoted: child.quoted,
        at_line_start: false,
        colon: true,
    };
    sure && !is_harmless(scanner, class.word, &found, key)
}

/// The scalars in braces or brackets, and where these end.
fn braces<'a>(scanner: &Scanner<'a, '_>, from: usize, is_object: bool) -> (Vec<Child<'a>>, usize) {
    let until = scanner.bytes.len().min(from + MAX_INSIDE);
    let (mut children, mut key, mut depth, mut at) = (Vec::new(), None, 0_usize, from);
    while at < until {
        match scanner.byte(at) {
            Some(b'[' | b'{') => {
                // One of our masks is a word.
                if let Some(end) = mask_end(scanner.text, at) {
                    at = end;
                    continue;
                }
                depth += 1;
            }
            Some(b']' | b'}') if depth == 0 => return (children, at),
            Some(b']' | b'}') => depth -= 1,
            Some(b',') => key = None,
            Some(byte) if byte.is_ascii_whitespace() || byte == b':' => {}
            _ => {
                let (range, end, quoted) = scalar(scanner, at, until);
                if quoted && ends_string(scanner, &range) {
                    return (children, at);
                }
                let names = scanner.run_end(end, 8, |byte| byte == b' ');
                let names_next = is_object && key.is_none() && scanner.byte(names) == Some(b':');
                if depth == 0 && names_next {
                    key = Some(scanner.slice(range));
                } else if depth == 0 && is_object == key.is_some() {
                    children.push(Child { key, range, quoted });
                }
                at = end.max(at + 1);
                let next = scanner.run_end(at, 64, |byte| byte.is_ascii_whitespace());
                let goes_on = matches!(scanner.byte(next), Some(b',' | b']' | b'}'))
                    || (names_next && scanner.byte(next) == Some(b':'));
                // Not a list after all, unless the text was cut here.
                if depth == 0 && !goes_on {
                    let cut = next >= until;
                    return (if cut { children } else { Vec::new() }, at);
                }
                continue;
            }
        }
        at += 1;
    }
    (children, until)
}

/// A word with or without quotes: itself, where it ends with its quotes, whether it has them.
fn scalar(scanner: &Scanner<'_, '_>, at: usize, until: usize) -> (Range<usize>, usize, bool) {
    if let Some(range) = quoted(scanner, at) {
        let end = range.end + (range.start - at);
        return (range, end, true);
    }
    let end = scanner.run_end(at, until - at, |byte| {
        !matches!(byte, b',' | b'[' | b']' | b'{' | b'}' | b'"' | b'\n' | b':')
    });
    let trimmed = at + scanner.slice(at..end).trim_end().len();
    (at..trimmed, end, false)
}

/// The scalars of the lines below a key, and where these end.
fn block<'a>(
    scanner: &Scanner<'a, '_>,
    key_start: usize,
    line_end: usize,
) -> (Vec<Child<'a>>, usize) {
    let line_start = scanner.run_start(key_start, 512, |byte| byte != b'\n');
    let dash = |byte: u8| matches!(byte, b' ' | b'-');
    let indent = scanner.run_end(line_start, 512, dash) - line_start;
    let until = scanner.bytes.len().min(line_end + MAX_INSIDE);
    let (mut children, mut at, mut column) = (Vec::new(), line_end, None);
    while at < until {
        let start = scanner.run_end(at, 2, |byte| matches!(byte, b'\r' | b'\n'));
        let content = scanner.run_end(start, 512, |byte| byte == b' ');
        let end = scanner.run_end(content, MAX_INSIDE, |byte| byte != b'\n');
        let line = scanner.slice(content..end).trim_end();
        let item = line.strip_prefix("- ");
        let deep = content - start > indent || (content - start == indent && item.is_some());
        if line.is_empty() || start == at || !deep {
            break;
        }
        if content - start == *column.get_or_insert(content - start) {
            let text = item.unwrap_or(line);
            let text_start = content + (line.len() - text.len());
            children.extend(line_child(scanner, text, text_start, item.is_some()));
        }
        at = end;
    }
    (children, at)
}

fn line_child<'a>(
    scanner: &Scanner<'a, '_>,
    text: &str,
    start: usize,
    is_item: bool,
) -> Option<Child<'a>> {
    let (key, value, at) = match text.split_once(": ") {
        Some(_) if is_item => return None,
        Some((key, value)) => {
            let blanks = value.len() - value.trim_start().len();
            let at = start + key.len() + 2 + blanks;
            (Some(scanner.slice(start..start + key.len())), value.trim_start(), at)
        }
        None if is_item => (None, text, start),
        None => return None,
    };
    if let Some(range) = quoted(scanner, at) {
        return Some(Child { key, range, quoted: true });
    }
    let plain = value.split(" #").next().unwrap_or(value).trim_end();
    let scalar = !plain.is_empty()
        && !plain.ends_with(':')
        && !plain.starts_with(['|', '>', '{', '[', '&', '*', '!']);
    scalar.then(|| Child { key, range: at..at + plain.len(), quoted: false })
}
