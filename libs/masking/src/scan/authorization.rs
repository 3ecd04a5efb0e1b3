//! Credentials of HTTP: after `Authorization`, and after `Bearer` and `Basic` alone.

use super::Scanner;
use super::value::{Found, is_placeholder};
use crate::base64;
use crate::catalog::Pattern;

/// How far credentials are followed.
const MAX_LENGTH: usize = 64 * 1024;

fn is_credential(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=' | b':' | b'|' | b'$' | b'!')
}

/// Looks at the value of an `Authorization` header: the scheme stays, what follows goes.
pub(super) fn look_at_value(scanner: &mut Scanner<'_, '_>, found: &Found) {
    let mut start = found.range.start;
    let end = if found.quoted {
        found.range.end
    } else {
        // An unquoted value ends with the line, or where the quotes around the whole header end.
        let ends = |byte: u8| matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b']' | b'}' | b'<');
        if scanner.byte(start) == Some(b'[') && !scanner.slice(start..start + 8).starts_with("[MASKED_") {
            start += 1;
        }
        let masked = scanner.slice(start..scanner.bytes.len()).starts_with("[MASKED_");
        scanner.run_end(start, MAX_LENGTH, |byte| !ends(byte) || (masked && byte == b']'))
    };
    let scheme_end = scanner.run_end(start, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let blanks_end = scanner.run_end(scheme_end, 16, |byte| matches!(byte, b' ' | b'\t'));
    let has_scheme = blanks_end > scheme_end && blanks_end < end;
    let from = if has_scheme { blanks_end } else { start };
    let known = has_scheme && is_known_scheme(scanner.slice(start..scheme_end));
    let several = has_scheme && scanner.slice(start..scheme_end).eq_ignore_ascii_case("digest");
    let mut stop = if found.quoted || several {
        end
    } else {
        scanner.run_end(from, end.saturating_sub(from), |byte| !byte.is_ascii_whitespace() && byte != b',')
    };
    while stop > from && scanner.before(stop).is_some_and(|byte| byte.is_ascii_whitespace() || byte == b';') {
        stop -= 1;
    }
    scanner.seen.value = scanner.seen.value.max(stop);
    let value = scanner.slice(from..stop);
    // "Authorization: header is missing" is a sentence.
    let sentence = has_scheme && !known && !value.bytes().any(|byte| byte.is_ascii_digit()) && value.len() < 16;
    let word = !has_scheme && value.len() < 12 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !sentence && !word && !is_placeholder(value) {
        scanner.add(from..stop, Pattern::AuthorizationHeader);
    }
}

fn is_known_scheme(word: &str) -> bool {
    ["bearer", "basic", "digest", "token", "apikey", "negotiate", "ntlm", "aws4-hmac-sha256", "splunk", "key", "sso-key"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

/// Looks behind `Bearer ` or `Basic ` that stands without a header.
pub(super) fn look_at_scheme(scanner: &mut Scanner<'_, '_>, start: usize, from: usize) {
    if from < scanner.seen.value || !scanner.is_word_start(start) {
        return;
    }
    let from = scanner.run_end(from, 8, |byte| byte == b' ');
    let mut stop = scanner.run_end(from, MAX_LENGTH, is_credential);
    while stop > from && scanner.before(stop).is_some_and(|byte| matches!(byte, b'.' | b':' | b'!')) {
        stop -= 1;
    }
    let value = scanner.slice(from..stop);
    let basic = scanner.slice(start..start + 5).eq_ignore_ascii_case("basic");
    let secret = if basic {
        base64::decode(value).is_some_and(|bytes| bytes.contains(&b':'))
    } else {
        let digit = value.bytes().any(|byte| byte.is_ascii_digit());
        value.len() >= 20 || (value.len() >= 6 && digit)
    };
    if secret && !is_placeholder(value) {
        scanner.seen.value = stop;
        scanner.add(from..stop, Pattern::AuthorizationHeader);
    }
}
