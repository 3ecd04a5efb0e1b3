//! Values that their neighbours name: the fields of a record (`name: DB_PASSWORD` beside `value: …`, in any order), and
//! what is inside a list or object whose key names secrets.

mod flow;
mod lines;
mod record;
mod xml;

use std::ops::Range;

use super::scanner::Scanner;

/// Finds them all; returns the strings with escapes, which may hold documents themselves.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>) -> Vec<Range<usize>> {
    let nested = flow::scan(scanner);
    lines::scan(scanner);
    xml::scan(scanner);
    nested
}
