//! Templates in the place of values, and the defaults in them.

use std::ops::Range;

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
    let (_, close) = [("${{", "}}"), ("${", "}"), ("$(", ")"), ("{{", "}}"), ("<%", "%>")]
        .into_iter()
        .find(|(open, _)| scanner.stands_at(start, open))?;
    let line = scanner.run_end(start, MAX_TEMPLATE, |byte| !is_line_break(byte));
    let end = start + scanner.slice(start..line).find(close)? + close.len();
    let goes_on = scanner
        .byte(end)
        .is_some_and(|byte| byte.is_ascii_graphic() && !b"\"'`,;)}]&|<".contains(&byte));
    (!goes_on).then_some(end)
}
