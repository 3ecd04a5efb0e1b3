//! Telling keys: which word before a value says that the value is secret.

use super::Scanner;
use super::authorization::look_at_value;
use super::harmless::is_harmless;
use super::value::{self, Found};
use crate::base64;
use crate::catalog::Pattern;

/// The longest key.
const MAX_KEY: usize = 96;

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Looks at the key around a hit, once.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, start: usize, end: usize) {
    if end <= scanner.seen.key || start < scanner.seen.value {
        return;
    }
    let mut from = scanner.run_start(start, MAX_KEY, is_key).max(scanner.seen.value);
    let stop = scanner.run_end(end, MAX_KEY, is_key);
    scanner.seen.key = stop;
    // The end of an escape such as `\n` is not the first letter of a key.
    if scanner.before(from) == Some(b'\\')
        && scanner.byte(from).is_some_and(|byte| matches!(byte, b'n' | b'r' | b't'))
    {
        from += 1;
    }
    let Some(telling) = classify(scanner.slice(from..stop), scanner) else { return };
    let Some(found) = value::after_key(scanner, from..stop, telling) else { return };
    take(scanner, from..stop, telling, &found);
}

fn take(
    scanner: &mut Scanner<'_, '_>,
    key: std::ops::Range<usize>,
    telling: Telling,
    found: &Found,
) {
    if telling.pattern == Pattern::AuthorizationHeader {
        return look_at_value(scanner, found);
    }
    let text = scanner.slice(found.range.clone());
    let secret = match telling.word {
        // Registry credentials: user and password in base64. Elsewhere `auth` is a mode, not a secret.
        Word::Auth => base64::decode(text).is_some_and(|bytes| bytes.contains(&b':')),
        word => !is_harmless(scanner, word, found, &key),
    };
    if secret {
        scanner.seen.value = found.range.end;
        scanner.add(found.range.clone(), telling.pattern);
    }
}

/// A key that tells of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Telling {
    pub(super) pattern: Pattern,
    pub(super) word: Word,
}

/// What kind of word the key ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Password,
    Token,
    Key,
    Secret,
    Auth,
    Other,
}

/// Ends of keys (small letters, without separators), their words, and the patterns they belong to.
const ENDINGS: &[(&str, Word, &[Pattern])] = &[
    ("authorization", Word::Other, &[Pattern::AuthorizationHeader]),
    (
        "secretaccesskey",
        Word::Key,
        &[Pattern::AwsSecretKey, Pattern::SecretKey, Pattern::EnvSecret],
    ),
    ("awssecretkey", Word::Key, &[Pattern::AwsSecretKey, Pattern::SecretKey, Pattern::EnvSecret]),
    ("certificateauthoritydata", Word::Other, &[Pattern::CertificateAuthorityData]),
    ("clientcertificatedata", Word::Other, &[Pattern::CertificateAuthorityData]),
    ("clientkeydata", Word::Other, &[Pattern::CertificateAuthorityData, Pattern::PrivateKey]),
    ("privatekey", Word::Key, &[Pattern::PrivateKey, Pattern::SecretKey, Pattern::EnvSecret]),
    ("privkey", Word::Key, &[Pattern::PrivateKey, Pattern::SecretKey, Pattern::EnvSecret]),
    ("apikey", Word::Key, &[Pattern::ApiKey, Pattern::EnvSecret]),
    ("accesskey", Word::Key, &[Pattern::ApiKey, Pattern::SecretKey, Pattern::EnvSecret]),
    ("accountkey", Word::Key, &[Pattern::ApiKey, Pattern::SecretKey, Pattern::EnvSecret]),
    ("subscriptionkey", Word::Key, &[Pattern::ApiKey, Pattern::EnvSecret]),
    ("applicationkey", Word::Key, &[Pattern::ApiKey, Pattern::EnvSecret]),
    ("appkey", Word::Key, &[Pattern::ApiKey, Pattern::EnvSecret]),
    ("authkey", Word::Key, &[Pattern::ApiKey, Pattern::EnvSecret]),
    ("secretkey", Word::Key, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("secretkeybase", Word::Key, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("encryptionkey", Word::Key, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("signingkey", Word::Key, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("masterkey", Word::Key, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("sharedkey", Word::Key, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("hmackey", Word::Key, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("secret", Word::Secret, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("password", Word::Password, &[Pattern::Password, Pattern::EnvSecret]),
    ("passwd", Word::Password, &[Pattern::Password, Pattern::EnvSecret]),
    ("passphrase", Word::Password, &[Pattern::Password, Pattern::EnvSecret]),
    ("passcode", Word::Password, &[Pattern::Password, Pattern::EnvSecret]),
    ("requirepass", Word::Password, &[Pattern::Password]),
    ("pwd", Word::Password, &[Pattern::Password, Pattern::EnvSecret]),
    ("token", Word::Token, &[Pattern::Token, Pattern::EnvSecret]),
];

/// Tails that do not change what a key means.
const TAILS: [&str; 8] = ["value", "base64", "b64", "plaintext", "plain", "raw", "hash", "text"];

/// Keys that end like a secret and are none.
const HARMLESS_ENDINGS: [&str; 17] = [
    "pagetoken",
    "continuetoken",
    "nexttoken",
    "paginationtoken",
    "cursortoken",
    "synctoken",
    "maxtoken",
    "mintoken",
    "eostoken",
    "bostoken",
    "padtoken",
    "unktoken",
    "stoptoken",
    "specialtoken",
    "oldpwd",
    "nopassword",
    "pullsecret",
];

/// Ends of environment names (in capitals) that tell of a secret.
const ENV_ENDINGS: [&str; 7] =
    ["_KEY", "_CREDENTIAL", "_CREDENTIALS", "_AUTH", "_PASS", "_PSK", "_SECRETS"];
/// Ends of such names that do not.
const ENV_HARMLESS: [&str; 11] = [
    "PUBLIC_KEY",
    "PUB_KEY",
    "PRIMARY_KEY",
    "FOREIGN_KEY",
    "SORT_KEY",
    "PARTITION_KEY",
    "CACHE_KEY",
    "ROUTING_KEY",
    "ACCESS_KEY_ID",
    "OBJECT_KEY",
    "GPG_KEY",
];

fn classify(key: &str, scanner: &Scanner<'_, '_>) -> Option<Telling> {
    let key = key.trim_matches(|c| c == '-' || c == '.' || c == '_');
    let mut plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if plain.ends_with("auth") && scanner.enabled.has(Pattern::Token) && plain == "auth" {
        return Some(Telling { pattern: Pattern::Token, word: Word::Auth });
    }
    strip_tails(&mut plain);
    let harmless = HARMLESS_ENDINGS.iter().any(|ending| plain.ends_with(ending))
        || plain == "pwd" && key == "PWD";
    if harmless {
        return None;
    }
    let pick = |word: Word, patterns: &[Pattern]| {
        // Environment names are theirs only in capitals.
        let pattern = patterns.iter().copied().find(|pattern| {
            scanner.enabled.has(*pattern) && (*pattern != Pattern::EnvSecret || is_env_name(key))
        });
        pattern.map(|pattern| Telling { pattern, word })
    };
    let longest = ENDINGS
        .iter()
        .filter(|(ending, _, _)| plain.ends_with(ending))
        .max_by_key(|(ending, _, _)| ending.len());
    if let Some((_, word, patterns)) = longest {
        return pick(*word, patterns);
    }
    if ends_with_pass(key) {
        // A lone `pass` may also count tests.
        let word = if key.len() == 4 { Word::Key } else { Word::Password };
        return pick(word, &[Pattern::Password, Pattern::EnvSecret]);
    }
    let env = is_env_name(key)
        && ENV_ENDINGS.iter().any(|ending| key.ends_with(ending))
        && !ENV_HARMLESS.iter().any(|ending| key.ends_with(ending));
    if env { pick(Word::Key, &[Pattern::EnvSecret]) } else { None }
}

/// Takes numbers and meaningless tails off a key.
fn strip_tails(plain: &mut String) {
    for _ in 0..3 {
        plain.truncate(plain.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        let tail = TAILS.iter().find(|tail| plain.ends_with(**tail) && plain.len() > tail.len());
        match tail {
            Some(tail) => plain.truncate(plain.len() - tail.len()),
            None => return,
        }
    }
}

fn is_env_name(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// `db_pass`, `dbPass`, `DB_PASS` and `pass`, but not `bypass`, `compass` or the `PASS` of a test report.
fn ends_with_pass(key: &str) -> bool {
    let Some(head) = key.get(..key.len().saturating_sub(4)) else { return false };
    match key.get(head.len()..) {
        Some("pass") => head.is_empty() || head.ends_with(['_', '-', '.']),
        Some("Pass") => {
            head.ends_with(|c: char| c.is_ascii_lowercase() || matches!(c, '_' | '-' | '.'))
        }
        Some("PASS") => head.ends_with(['_', '-']),
        _ => false,
    }
}
