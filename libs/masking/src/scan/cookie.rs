//! Cookies: the names stay, the values go.

use std::ops::Range;

use super::lexical::Found;
use super::scanner::Scanner;
use super::shape::is_placeholder;
use crate::patterns::Pattern;

/// Looks at the value of a `Cookie` or `Set-Cookie` header.
pub(super) fn look_at_value(scanner: &mut Scanner<'_, '_>, found: &Found, sets: bool) {
    if scanner.seen.cookie.contains(&found.range.start) {
        return;
    }
    let end = if found.quoted {
        found.range.end
    } else {
        scanner.run_end(found.range.start, usize::MAX, |byte| {
            !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'\\')
        })
    };
    scanner.seen.value = scanner.seen.value.max(end);
    scanner.seen.cookie = found.range.start..end;
    pairs(scanner, found.range.start..end, sets);
}

/// Takes the values of `name=value; name=value`; of an answer only the first is one, the rest are attributes of it.
pub(super) fn pairs(scanner: &mut Scanner<'_, '_>, range: Range<usize>, only_first: bool) {
    let mut at = range.start;
    while at < range.end {
        let end = scanner.run_end(at, range.end - at, |byte| byte != b';');
        let pair = scanner.slice(at..end);
        if let Some((name, value)) = pair.split_once('=') {
            let trimmed = value.trim();
            let named = name.trim().bytes().all(|byte| byte.is_ascii_graphic());
            let start = at + name.len() + 1 + (value.len() - value.trim_start().len());
            if named && !is_placeholder(trimmed) && !is_preference(trimmed) {
                scanner.add(start..start + trimmed.len(), Pattern::Cookie);
            }
        }
        if only_first {
            return;
        }
        at = end + 1;
    }
}

/// `en`, `1`: what a page remembers of its reader; a session has more.
fn is_preference(value: &str) -> bool {
    value.len() <= 2 && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
