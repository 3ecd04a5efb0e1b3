//! Names that say that a tool returns secrets.

use super::lists::READS;
use crate::words::words;

/// Words for what only its owner should see.
const SECRETS: [&str; 29] = [
    "apikey",
    "apikeys",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "creds",
    "dotenv",
    "htpasswd",
    "jwt",
    "keychain",
    "keypair",
    "keypairs",
    "keystore",
    "kubeconfig",
    "mnemonic",
    "otp",
    "passphrase",
    "passphrases",
    "passwd",
    "password",
    "passwords",
    "privatekey",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
    "totp",
];
/// Words that are secrets with one of these words before them.
const KEYS: [&str; 2] = ["key", "keys"];
const BEFORE_KEYS: [&str; 13] = [
    "access",
    "account",
    "admin",
    "api",
    "encryption",
    "function",
    "host",
    "master",
    "private",
    "shared",
    "signing",
    "ssh",
    "storage",
];
const PAIRS: [(&str, &str); 9] = [
    ("backup", "codes"),
    ("connection", "string"),
    ("connection", "strings"),
    ("impersonation", "link"),
    ("login", "link"),
    ("login", "url"),
    ("magic", "link"),
    ("recovery", "codes"),
    ("reset", "link"),
];
/// Verbs of tools that take secrets, or count or check them without showing them.
const TAKES: [&str; 10] = [
    "count", "delete", "disable", "put", "remove", "revoke", "set", "update", "validate", "verify",
];
/// What may be counted of models.
const COUNTED: [&str; 5] = ["count", "counts", "limit", "limits", "usage"];

/// The word of the name that says that its tool returns secrets; none for tools that only take or remove them.
pub fn secret_word(name: &str) -> Option<String> {
    let words = words(name);
    let is = |word: &String, known: &[&str]| known.contains(&word.as_str());
    let shows = |word: &String| READS.contains(word.as_str()) && !is(word, &TAKES);
    let is_taken = words.iter().any(|word| is(word, &TAKES)) && !words.iter().any(shows);
    if is_taken {
        return None;
    }
    let pair = words.array_windows().find(|[first, second]| {
        (is(first, &BEFORE_KEYS) && is(second, &KEYS))
            || PAIRS.contains(&(first.as_str(), second.as_str()))
    });
    let word = words.iter().enumerate().find(|(at, word)| {
        let next = words.get(at + 1);
        let is_counted = word.starts_with("token") && next.is_some_and(|next| is(next, &COUNTED));
        is(word, &SECRETS) && !is_counted
    });
    pair.map(|[first, second]| format!("{first} {second}"))
        .or_else(|| word.map(|(_, word)| word.clone()))
}
