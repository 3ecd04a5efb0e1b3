//! Templates in the place of values, and the defaults in them.

use std::ops::Range;

use memchr::memchr_iter;

use super::lexical::{is_line_break, quoted};
use super::scanner::Scanner;

/// How long a template may be.
pub(super) const MAX_TEMPLATE: usize = 256;

/// The default in `<%= ENV["NAME"] || "…" %>` and `<%= ENV.fetch("NAME") { "…" } %>`.
pub(super) fn default_of(scanner: &Scanner<'_, '_>, start: usize) -> Option<Range<usize>> {
    if !scanner.stands_at(start, "<%") {
        return None;
    }
    let line = scanner.line_end(start, MAX_TEMPLATE);
    let end = start + scanner.slice(start..scanner.text.floor_char_boundary(line)).find("%>")?;
    let text = scanner.slice(start..end);
    let signs = ["|| ", "{ ", ", "];
    let place = signs.iter().filter_map(|sign| Some(text.rfind(sign)? + sign.len())).max()?;
    quoted(scanner, start + place).filter(|range| range.end < end && !range.is_empty())
}

/// Where `${…}`, `$(…)` or `{{ … }}` ends, with its blanks; none if a value goes on behind it.
pub(super) fn template_end(scanner: &Scanner<'_, '_>, start: usize) -> Option<usize> {
    if !matches!(scanner.byte(start), Some(b'$' | b'{' | b'<')) {
        return None;
    }
    let (_, close) = [("${{", "}}"), ("${", "}"), ("$(", ")"), ("{{", "}}"), ("<%", "%>")]
        .into_iter()
        .find(|(open, _)| scanner.stands_at(start, open))?;
    let end = close_of(scanner, start, close.as_bytes())?;
    let goes_on = scanner
        .byte(end)
        .is_some_and(|byte| byte.is_ascii_graphic() && !b"\"'`,;)}]&|<".contains(&byte));
    (!goes_on).then_some(end)
}

/// Behind the first sign that closes a template, on the same line.
fn close_of(scanner: &Scanner<'_, '_>, start: usize, close: &[u8]) -> Option<usize> {
    let first = *close.first()?;
    let near = scanner.bytes.get(start..scanner.bytes.len().min(start + MAX_TEMPLATE))?;
    let begins = |at: &usize| near.get(*at..).is_some_and(|rest| rest.starts_with(close));
    let end = memchr_iter(first, near).find(begins)? + close.len();
    let goes_over = near.get(..end)?.iter().any(|byte| is_line_break(*byte));
    (!goes_over).then_some(start + end)
}
