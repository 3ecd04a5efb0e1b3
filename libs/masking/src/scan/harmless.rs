//! What stands after a word key and is no secret: stand-ins, sentences, names, places.

use std::ops::Range;

use super::classify::Word;
use super::lexical::Found;
use super::scanner::Scanner;
use crate::spans::is_mask;

/// Words that follow a word word in sentences and settings.
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

/// Values that mean that there is no secret here, or where it is.
const NOTHING: [&str; 41] = [
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
    "read",
    "write",
    "inherit",
    "basic",
    "required",
    "omitted",
    "data+omitted",
    "filtered",
    "text",
    "varchar",
    "bigint",
    "integer",
    "scram-sha-256",
    "md5",
    "plaintext",
];

/// Types that stand after the name of a field in programs.
const TYPES: [&str; 5] = ["SecretString", "SecretStr", "String", "string", "Password"];

/// What expressions begin with that fetch a value from elsewhere.
const REFERENCES: [&str; 26] = [
    "var", "local", "data", "module", "each", "self", "this", "os", "process", "req", "request",
    "config", "settings", "env", "ctx", "args", "opts", "options", "params", "input", "secrets",
    "vars", "props", "values", "event", "context",
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
        !name.is_empty()
            && (name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
                || name.bytes().all(|byte| byte.is_ascii_digit()))
    });
    value.is_empty()
        || is_mask(value)
        || variable
        || (inside("${", "}") && !value.get(2..).unwrap_or_default().contains("${"))
        || value.starts_with("$(")
        || value.starts_with("${{")
        || inside("(", ")")
        || inside("{{", "}}")
        || inside("%{", "}")
        || matches!(value, "%s" | "%v" | "%q" | "%d" | "%w" | "?" | "{}" | "[]")
        || (value.starts_with('<') && value.len() <= 80)
        || value.bytes().all(|byte| matches!(byte, b'*' | b'.' | b'-' | b'_' | b'#'))
        || (value.len() >= 3 && value.bytes().all(|byte| matches!(byte, b'x' | b'X')))
        || value.chars().all(|c| matches!(c, '•' | '●' | '…'))
        || REDACTIONS.iter().any(|known| value.trim_matches(['[', ']']).eq_ignore_ascii_case(known))
}

/// What others write in the place of a secret.
const REDACTIONS: [&str; 5] = ["redacted", "masked", "filtered", "hidden", "secret"];

/// Whether a value is hardly a word: letters and digits together, and nothing of an address, a path or a time.
pub(super) fn is_strong(value: &str) -> bool {
    let letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let plain = !value.contains(char::is_whitespace) && !value.contains("://");
    let time = value.get(..5).is_some_and(|year| year.ends_with('-') && year.starts_with("20"));
    let path = value.starts_with(['/', '.']) && is_path(value);
    value.len() >= 7 && letter && digit && plain && !time && !path
}

/// Whether a value after a word key is no secret.
pub(super) fn is_harmless(
    scanner: &Scanner<'_, '_>,
    word: Word,
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
    if address || (number && word != Word::Password) {
        return true;
    }
    let name = scanner.slice(key.clone()).trim_start_matches('-');
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let of_kind = (name == "Secret" && !digit) || (word == Word::Secret && is_object_name(value));
    let in_prose = !found.quoted && found.colon && is_sentence(scanner, value, word, found);
    let before = scanner.slice(0..key.start);
    let checksum = before.ends_with("checksum/");
    // `arn:aws:secretsmanager:…:secret:name` and `example.com/auth-secret: name` name a Secret.
    let named = word == Word::Secret && before.ends_with([':', '/']) && !found.quoted;
    let code = !found.quoted && is_code(scanner, value, found);
    let sign = word != Word::Password
        && value.len() <= 2
        && !value.bytes().any(|byte| byte.is_ascii_alphanumeric());
    let folder = name == "PWD" && value.starts_with(['/', '~']);
    in_prose
        || of_kind
        || checksum
        || named
        || code
        || sign
        || folder
        || is_message(value)
        || is_path(value)
        || is_length(value)
}

/// An expression of a program or a template language, not a value.
fn is_code(scanner: &Scanner<'_, '_>, value: &str, found: &Found) -> bool {
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let next = scanner.byte(found.range.end);
    let reference = value.split_once(['.', '[']).is_some_and(|(first, rest)| {
        REFERENCES.contains(&first)
            && rest.bytes().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'[' | b']' | b'-')
            })
    });
    let generic = value == "Option" && next == Some(b'<');
    let passed = value.split_once('(').is_some_and(|(name, argument)| {
        let word = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':'))
        };
        name.len() > 2 && word(name) && word(argument) && next == Some(b')')
    });
    reference || generic || passed || TYPES.contains(&value) || (!digit && is_call(value))
}

/// `is required` and `has expired`: what a form reports of a field.
fn is_message(value: &str) -> bool {
    let verbs = ["is", "has", "was", "are", "must", "may", "can", "cannot", "not", "should"];
    value.split_once(' ').is_some_and(|(first, rest)| {
        verbs.contains(&first)
            && !rest.is_empty()
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b' ' | b'\'' | b','))
    })
}

/// `Token: } found` and `token: permission denied` are sentences, not settings.
fn is_sentence(scanner: &Scanner<'_, '_>, value: &str, word: Word, found: &Found) -> bool {
    let plain = value.bytes().all(|byte| byte.is_ascii_lowercase())
        || value.bytes().all(|byte| byte.is_ascii_uppercase());
    let goes_on =
        scanner.byte(found.range.end) == Some(b' ') || scanner.byte(found.range.end) == Some(b':');
    is_prose(value) || (word != Word::Password && (value.len() < 3 || (plain && goes_on)))
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

/// `7 bytes`: how long a secret is, as `kubectl describe` prints it.
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
