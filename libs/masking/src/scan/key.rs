//! Telling keys: which word before a value says that the value is secret.

use super::Scanner;
use super::authorization::look_at_value;
use super::cookie;
use super::harmless::{is_harmless, is_strong};
use super::value::{self, Found};
use super::{inside, table};
use crate::base64;
use crate::patterns::Pattern;

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
    // What stands after `://` is looked at as an address.
    if scanner.slice(from.saturating_sub(2)..from) == "//" {
        return;
    }
    let (from, stop) = with_neighbours(scanner, from, stop);
    let key = from..stop;
    // The name in one of our masks tells nothing.
    if scanner.slice(key.clone()).starts_with("MASKED_") {
        return;
    }
    let Some(telling) = telling(scanner, scanner.slice(key.clone())) else {
        return table::look_at_pairs(scanner, &key);
    };
    match value::after_key(scanner, key.clone(), telling) {
        Some(found) if !telling.plural => take(scanner, key, telling, &found),
        _ => {
            inside::look(scanner, &key, telling);
            table::look(scanner, &key, telling);
        }
    }
}

/// Words that make a key of several words with `key` behind them.
const KEY_NEIGHBOURS: [&str; 11] = [
    "api",
    "access",
    "account",
    "application",
    "encryption",
    "license",
    "master",
    "private",
    "secret",
    "shared",
    "unseal",
];

/// Takes the words around `key` into it: `API key`, `Unseal Key 1`.
fn with_neighbours(scanner: &Scanner<'_, '_>, from: usize, stop: usize) -> (usize, usize) {
    let blank_before = scanner.before(from) == Some(b' ');
    if !blank_before || !scanner.slice(from..stop).eq_ignore_ascii_case("key") {
        return (from, stop);
    }
    let before = scanner.run_start(from - 1, 16, |byte| byte.is_ascii_alphabetic());
    let word = scanner.slice(before..from - 1);
    if !KEY_NEIGHBOURS.iter().any(|known| word.eq_ignore_ascii_case(known)) {
        return (from, stop);
    }
    let number = scanner.run_end(stop + 1, 3, |byte| byte.is_ascii_digit());
    let numbered = scanner.byte(stop) == Some(b' ') && number > stop + 1;
    (before, if numbered { number } else { stop })
}

fn take(
    scanner: &mut Scanner<'_, '_>,
    key: std::ops::Range<usize>,
    telling: Telling,
    found: &Found,
) {
    match telling.pattern {
        Pattern::AuthorizationHeader => return look_at_value(scanner, found),
        Pattern::Cookie => {
            let sets = scanner.slice(key).to_ascii_lowercase().starts_with("set");
            return cookie::look_at_value(scanner, found, sets);
        }
        _ => {}
    }
    let text = scanner.slice(found.range.clone());
    let secret = match telling.word {
        // Registry credentials: user and password in base64. Elsewhere `auth` is a mode, not a secret.
        Word::Auth => base64::decode(text).is_some_and(|bytes| bytes.contains(&b':')),
        Word::Vague if !is_strong(text) => false,
        word => !is_harmless(scanner, word, found, &key),
    };
    if secret {
        scanner.seen.value = found.range.end;
        scanner.add(found.range.clone(), telling.pattern);
        take_successor(scanner, telling, found.range.end);
    }
}

/// `password = "old" -> "new"`, as Terraform plans it.
fn take_successor(scanner: &mut Scanner<'_, '_>, telling: Telling, end: usize) {
    if scanner.slice(end..end + 5) == "\" -> " {
        let next = value::quoted(scanner, end + 5).filter(|range| !range.is_empty());
        if let Some(range) = next {
            scanner.seen.value = range.end;
            scanner.add(range, telling.pattern);
        }
    }
}

/// A key that tells of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Telling {
    pub(super) pattern: Pattern,
    pub(super) word: Word,
    /// Whether it speaks of several.
    pub(super) plural: bool,
}

/// What kind of word the key ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Password,
    Token,
    Key,
    Secret,
    Auth,
    /// Tells of secrets only sometimes.
    Vague,
    Other,
}

/// Ends of keys (small letters, without separators), their words, and the patterns they belong to.
const ENDINGS: &[(&str, Word, &[Pattern])] = &[
    ("authorization", Word::Other, &[Pattern::AuthorizationHeader]),
    ("securestring", Word::Password, &[Pattern::Password, Pattern::SecretKey]),
    ("secretstring", Word::Secret, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("instrumentationkey", Word::Key, &[Pattern::ApiKey]),
    ("integrationkey", Word::Key, &[Pattern::ApiKey, Pattern::EnvSecret]),
    ("licensekey", Word::Key, &[Pattern::ApiKey, Pattern::EnvSecret]),
    ("routingkey", Word::Vague, &[Pattern::ApiKey]),
    ("servicekey", Word::Vague, &[Pattern::ApiKey]),
    ("credentials", Word::Vague, &[Pattern::Token]),
    ("unsealkey", Word::Key, &[Pattern::SecretKey]),
    ("presharedkey", Word::Key, &[Pattern::SecretKey, Pattern::EnvSecret]),
    ("masterauth", Word::Password, &[Pattern::Password]),
    ("bindpw", Word::Password, &[Pattern::Password]),
    ("rootpw", Word::Password, &[Pattern::Password]),
    ("mnemonic", Word::Password, &[Pattern::SecretKey]),
    ("seedphrase", Word::Password, &[Pattern::SecretKey]),
    ("recoveryphrase", Word::Password, &[Pattern::SecretKey]),
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
const HARMLESS_ENDINGS: [&str; 18] = [
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
    "existingsecret",
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

/// What a key tells, if anything.
pub(super) fn telling(scanner: &Scanner<'_, '_>, key: &str) -> Option<Telling> {
    let key = key.trim_matches(|c| c == '-' || c == '.' || c == '_');
    if key.len() > MAX_KEY {
        return None;
    }
    let mut plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if plain.ends_with("auth") && scanner.enabled.has(Pattern::Token) && plain == "auth" {
        return Some(Telling { pattern: Pattern::Token, word: Word::Auth, plural: false });
    }
    if matches!(&*plain, "cookie" | "setcookie") {
        let on = scanner.enabled.has(Pattern::Cookie);
        return on.then_some(Telling {
            pattern: Pattern::Cookie,
            word: Word::Other,
            plural: false,
        });
    }
    strip_tails(&mut plain);
    let plural =
        plain.ends_with('s') && !plain.ends_with("credentials") && !plain.ends_with("pass");
    if plural {
        plain.pop();
    }
    // An admin token is no minimum of tokens.
    let harmless = HARMLESS_ENDINGS.iter().any(|ending| plain.ends_with(ending));
    if harmless && !plain.ends_with("admintoken") {
        return None;
    }
    let pick = |word: Word, patterns: &[Pattern]| {
        // Environment names are theirs only in capitals.
        let pattern = patterns.iter().copied().find(|pattern| {
            scanner.enabled.has(*pattern) && (*pattern != Pattern::EnvSecret || is_env_name(key))
        });
        pattern.map(|pattern| Telling { pattern, word, plural })
    };
    if plain == "psk" || plain == "wpapsk" {
        return pick(Word::Password, &[Pattern::Password, Pattern::EnvSecret]);
    }
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
