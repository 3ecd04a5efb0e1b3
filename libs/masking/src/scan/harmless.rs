//! What stands after a telling key and is no secret: stand-ins, sentences, names, places.

use std::ops::Range;

use super::Scanner;
use super::key::Word;
use super::value::Found;
use crate::spans::is_mask;

/// Words that follow a telling word in sentences and settings.
const PROSE: [&str; 40] = [
    "is",
    "was",
    "are",
    "not",
    "must",
    "has",
    "have",
    "had",
    "for",
    "from",
    "in",
    "of",
    "the",
    "a",
    "an",
    "to",
    "and",
    "or",
    "authentication",
    "incorrect",
    "invalid",
    "expired",
    "wrong",
    "required",
    "missing",
    "failed",
    "failure",
    "changed",
    "reset",
    "rejected",
    "denied",
    "unknown",
    "empty",
    "unset",
    "ok",
    "ignored",
    "error",
    "cannot",
    "could",
    "please",
];

/// Values that say that there is no secret here, or where it is.
const NOTHING: [&str; 26] = [
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "null",
    "nil",
    "none",
    "undefined",
    "~",
    "-",
    "n/a",
    "redacted",
    "hidden",
    "masked",
    "secret",
    "password",
    "token",
    "string",
    "optional",
    "enabled",
    "disabled",
    "default",
    "change_me",
    "never",
];

pub(super) fn is_prose(word: &str) -> bool {
    PROSE
        .iter()
        .any(|known| word.trim_end_matches([',', '.', ';', ':', '!']).eq_ignore_ascii_case(known))
}

/// Whether a value is a stand-in: a variable, a template, stars, or already masked.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let inside = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close);
    let variable = value.strip_prefix('$').is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    });
    value.is_empty()
        || is_mask(value)
        || variable
        || (inside("${", "}") && !value.get(2..).unwrap_or_default().contains("${"))
        || inside("$(", ")")
        || inside("{{", "}}")
        || inside("%{", "}")
        || matches!(value, "%s" | "%v" | "%q" | "%d" | "%w" | "?" | "{}" | "[]")
        || (value.starts_with('<') && value.len() <= 80)
        || value.bytes().all(|byte| matches!(byte, b'*' | b'.' | b'-' | b'_' | b'#'))
        || (value.len() >= 3 && value.bytes().all(|byte| matches!(byte, b'x' | b'X')))
        || value.chars().all(|c| matches!(c, '•' | '●' | '…'))
        || value.eq_ignore_ascii_case("[redacted]")
        || value.eq_ignore_ascii_case("redacted")
}

/// Whether a value after a telling key is no secret.
pub(super) fn is_harmless(
    scanner: &Scanner<'_, '_>,
    telling: Word,
    found: &Found,
    key: &Range<usize>,
) -> bool {
    let value = scanner.slice(found.range.clone());
    if is_placeholder(value) || NOTHING.iter().any(|known| value.eq_ignore_ascii_case(known)) {
        return true;
    }
    let number =
        value.len() <= 9 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let address = value.starts_with("http://") || value.starts_with("https://");
    if address || (number && telling != Word::Password) {
        return true;
    }
    let name = scanner.slice(key.clone()).trim_start_matches('-');
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let of_kind =
        (name == "Secret" && !digit) || (telling == Word::Secret && is_object_name(value));
    let in_prose = !found.quoted && found.colon && is_sentence(scanner, value, telling, found);
    let checksum = scanner.slice(0..key.start).ends_with("checksum/");
    let call = !found.quoted && !digit && is_call(value);
    in_prose || of_kind || checksum || call || is_path(value) || is_length(value)
}

/// `Token: } found` and `token: permission denied` are sentences, not settings.
fn is_sentence(scanner: &Scanner<'_, '_>, value: &str, telling: Word, found: &Found) -> bool {
    let plain = value.bytes().all(|byte| byte.is_ascii_lowercase());
    let goes_on =
        scanner.byte(found.range.end) == Some(b' ') || scanner.byte(found.range.end) == Some(b':');
    is_prose(value) || (telling != Word::Password && (value.len() < 3 || (plain && goes_on)))
}

/// `default/db-credentials`: the name of a Secret, as controllers log it.
fn is_object_name(value: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
            })
    };
    value.len() <= 128
        && value.split_once('/').is_some_and(|(space, name)| part(space) && part(name))
}

/// `getPassword(` and `os.environ(`: code that gets a secret.
fn is_call(value: &str) -> bool {
    value.split_once('(').is_some_and(|(name, rest)| {
        !name.is_empty()
            && matches!(rest, "" | ")")
            && name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.'))
    })
}

/// `7 bytes`: how long a secret is, as `kubectl describe` says.
fn is_length(value: &str) -> bool {
    value
        .strip_suffix(" bytes")
        .is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `/run/secrets/token`: where a secret is, not what it is.
fn is_path(value: &str) -> bool {
    let plain = |byte: u8| {
        byte.is_ascii_lowercase()
            || byte.is_ascii_digit()
            || matches!(byte, b'/' | b'.' | b'_' | b'-')
    };
    let steps = value.split('/').filter(|step| !step.is_empty()).count();
    value.starts_with('/') && steps >= 2 && value.len() <= 256 && value.bytes().all(plain)
}
