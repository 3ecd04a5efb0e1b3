//! What statements of consoles and files of logins have in common.

use std::ops::Range;

use super::scanner::Scanner;
use super::shape::is_placeholder;
use crate::patterns::Pattern;
use crate::spans::mask_end;

/// How long a statement may be, in bytes.
pub(in crate::scan) const MAX_STATEMENT: usize = 4096;

/// The word from a place on, without quotes.
pub(in crate::scan) fn word(scanner: &Scanner<'_, '_>, from: usize) -> Range<usize> {
    let quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'\\');
    let start = scanner.run_end(from, 2, quote);
    let end = scanner.run_end(start, MAX_STATEMENT, |byte| {
        !byte.is_ascii_whitespace() && !quote(byte) && byte != 0
    });
    start..end
}

/// Takes a password, unless it is a stand-in.
pub(in crate::scan) fn add(scanner: &mut Scanner<'_, '_>, range: Range<usize>) {
    let value = scanner.slice(range.clone());
    // A mask is a whole value, whatever stands behind it.
    let masked = mask_end(scanner.text, range.start).is_some();
    if !value.is_empty() && !masked && !is_placeholder(value) {
        scanner.add(range, Pattern::Password);
    }
}
