//! Credentials of HTTP: after `Authorization`, and after `Bearer` and `Basic` alone.

use super::lexical::{Found, follows_string};
use super::scanner::Scanner;
use super::shape::is_placeholder;
use crate::base64;
use crate::patterns::Pattern;
use crate::spans::mask_end;

/// How far credentials are followed.
const MAX_LENGTH: usize = 64 * 1024;

fn is_credential(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=' | b':' | b'|' | b'$' | b'!'
        )
}

/// Looks at the value of an `Authorization` header: the scheme stays, what follows goes.
pub(super) fn look_at_value(scanner: &mut Scanner<'_, '_>, found: &Found) {
    let mut start = found.range.start;
    if !found.quoted && scanner.byte(start) == Some(b'[') && mask_end(scanner.text, start).is_none()
    {
        start += 1;
    }
    // An unquoted value ends with the line, or where the quotes around the whole header end.
    let ends =
        |byte: u8| matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b']' | b'}' | b'<');
    let scheme_end =
        scanner.run_end(start, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let blanks_end = scanner.run_end(scheme_end, 16, |byte| matches!(byte, b' ' | b'\t'));
    let follows = scanner
        .byte(blanks_end)
        .is_some_and(|byte| !ends(byte) && (!found.quoted || blanks_end < found.range.end));
    let has_scheme = scheme_end > start && blanks_end > scheme_end && follows;
    let from = if has_scheme { blanks_end } else { start };
    let known = has_scheme && is_known_scheme(scanner.slice(start..scheme_end));
    let several = has_scheme && has_parameters(scanner.slice(start..scheme_end));
    // A mask is one piece, whatever its brackets mean elsewhere.
    let piece = mask_end(scanner.text, from).unwrap_or(from);
    let mut stop = if found.quoted {
        found.range.end
    } else if several {
        parameters_end(scanner, piece)
    } else {
        scanner.run_end(piece, MAX_LENGTH, |byte| {
            !ends(byte) && !byte.is_ascii_whitespace() && byte != b','
        })
    };
    while stop > from
        && scanner.before(stop).is_some_and(|byte| byte.is_ascii_whitespace() || byte == b';')
    {
        stop -= 1;
    }
    scanner.seen.value = scanner.seen.value.max(stop);
    let value = scanner.slice(from..stop);
    // "Authorization: header is missing" is a sentence.
    let sentence = has_scheme
        && !known
        && !value.bytes().any(|byte| byte.is_ascii_digit())
        && value.len() < 16;
    let word =
        !has_scheme && value.len() < 12 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    // `{access_token}` and `<token>` end before their bracket.
    let template = value.starts_with(['{', '<'])
        && matches!(scanner.byte(stop), Some(b'}' | b'>'))
        && !value.bytes().any(|byte| byte.is_ascii_digit());
    if !sentence && !word && !template && !is_placeholder(value) {
        scanner.add(from..stop, Pattern::AuthorizationHeader);
    }
}

/// Where a list of `name="value"` ends: with the line, or at a quote that none of them opened.
fn parameters_end(scanner: &Scanner<'_, '_>, from: usize) -> usize {
    let end = scanner.run_end(from, MAX_LENGTH, |byte| !matches!(byte, b'\n' | b'\r'));
    let (mut at, mut open) = (from, None);
    while at < end {
        match scanner.byte(at) {
            Some(b'\\') if matches!(scanner.byte(at + 1), Some(b'n' | b'r')) => return at,
            Some(b'"') => {
                let slashes = scanner.run_start(at, 8, |byte| byte == b'\\').max(from);
                // A quote in a string has one backslash, in a string of that string three, then seven:
                // others belong to the text before the quote.
                let depth = (1_usize << (at - slashes).trailing_ones()) - 1;
                match open {
                    Some(opened) if opened == depth => open = None,
                    Some(opened) if opened < depth => {}
                    None if scanner.before(slashes) == Some(b'=')
                        && !follows_string(scanner.bytes, at + 1) =>
                    {
                        open = Some(depth);
                    }
                    _ => return slashes,
                }
            }
            Some(b'\'') if open.is_none() => return at,
            _ => {}
        }
        at += 1;
    }
    end
}

/// Schemes whose credentials are a list, with blanks and quotes of its own.
fn has_parameters(scheme: &str) -> bool {
    ["digest", "aws4-hmac-sha256", "signature", "oauth"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
}

fn is_known_scheme(word: &str) -> bool {
    [
        "bearer",
        "basic",
        "digest",
        "token",
        "apikey",
        "negotiate",
        "ntlm",
        "aws4-hmac-sha256",
        "splunk",
        "key",
        "sso-key",
    ]
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
    // `7|abc…` is a token with its number, `abc…|x` is two things.
    if let Some(bar) = scanner.slice(from..stop).find('|')
        && scanner.slice(from..from + bar).bytes().any(|byte| !byte.is_ascii_digit())
    {
        stop = from + bar;
    }
    while stop > from && scanner.before(stop).is_some_and(|byte| matches!(byte, b'.' | b':' | b'!'))
    {
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
