//! Signatures in addresses: whoever has the address has what it opens.

use super::scanner::Scanner;
use super::shape::is_random;
use crate::patterns::Pattern;

/// Names of parameters that hold a signature.
const NAMES: [&str; 6] =
    ["code", "sig", "signature", "x-amz-signature", "x-goog-signature", "x-ms-signature"];
/// How long a signature is at least.
const MIN_LENGTH: usize = 16;

/// Looks at the parameter that ends at a place, with its `=`.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, end: usize) {
    let name_end = end - 1;
    let start =
        scanner.run_start(name_end, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let name = scanner.slice(start..name_end);
    let known = NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
    let in_query = matches!(scanner.before(start), Some(b'?' | b'&' | b';'));
    if !known || !in_query {
        return;
    }
    let stop = scanner.run_end(end, 4096, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'%' | b'-' | b'_' | b'~' | b'+' | b'/' | b'=' | b'.')
    });
    // A code of OAuth, not one of an error or a country.
    let made = |value: &str| {
        is_random(value)
            || (value.len() >= 20
                && value.bytes().any(|byte| byte.is_ascii_uppercase())
                && value.bytes().any(|byte| byte.is_ascii_lowercase())
                && value.bytes().any(|byte| byte.is_ascii_digit()))
    };
    let likely = !name.eq_ignore_ascii_case("code") || made(scanner.slice(end..stop));
    if stop - end >= MIN_LENGTH && likely {
        scanner.add(end..stop, Pattern::Signature);
    }
}
