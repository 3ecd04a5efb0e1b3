//! Which keys name secrets: `password`, `API_KEY`, `client-secret`, and which only look like it.

use super::scanner::Scanner;
use crate::patterns::Pattern;

/// The longest key.
pub(super) const MAX_KEY: usize = 96;

/// What a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyClass {
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
    /// Names secrets only sometimes.
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

/// Ends of environment names (in capitals) that name secrets.
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

/// What a key names, if that is a secret.
pub(super) fn classify(scanner: &Scanner<'_, '_>, key: &str) -> Option<KeyClass> {
    let key = key.trim_matches(|c| c == '-' || c == '.' || c == '_');
    if key.len() > MAX_KEY {
        return None;
    }
    let mut plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if plain.ends_with("auth") && scanner.enabled.has(Pattern::Token) && plain == "auth" {
        return Some(KeyClass { pattern: Pattern::Token, word: Word::Auth, plural: false });
    }
    if matches!(&*plain, "cookie" | "setcookie") {
        let on = scanner.enabled.has(Pattern::Cookie);
        return on.then_some(KeyClass {
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
        pattern.map(|pattern| KeyClass { pattern, word, plural })
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
