//! Sentences about secrets, which hold none: labels, messages, descriptions.

use super::class::Word;
use super::lexical::Found;
use super::scanner::Scanner;
use super::shape::is_prose;

/// `Forgot password?`, `The API token of the mailer.`: a text about a secret.
pub(super) fn is_description(value: &str) -> bool {
    let about = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
        [
            "password",
            "passwords",
            "token",
            "tokens",
            "secret",
            "secrets",
            "passphrase",
            "credentials",
            "passwort",
            "kennwort",
            "wachtwoord",
        ]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
    };
    let blanks = value.matches(' ').count();
    is_text(value, blanks)
        || blanks > 0
            && !value.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=' || byte == b':')
            && value.split(' ').any(about)
}

/// `accept up to 128 characters`: several words, and one of them only joins others.
fn is_text(value: &str, blanks: usize) -> bool {
    let word = |word: &str| {
        !word.is_empty()
            && word
                .trim_matches(['(', ')', ',', '.', ';', ':'])
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    blanks >= 3
        && value.split(' ').skip(1).all(word)
        && value.split(' ').any(|word| word.len() > 1 && is_prose(word))
}

/// `is required` and `has expired`: what a form reports of a field.
pub(super) fn is_message(value: &str) -> bool {
    if !value.starts_with(|c: char| c.is_ascii_lowercase()) {
        return false;
    }
    let Some((first, rest)) = value.split_once(' ') else { return false };
    let verbs = [
        "is", "has", "was", "are", "must", "may", "can", "cannot", "not", "should", "could", "will",
    ];
    !rest.is_empty()
        && verbs.contains(&first)
        && rest.bytes().all(|byte| {
            byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || matches!(byte, b' ' | b'\'' | b',' | b'.' | b'-')
        })
}

/// `Token: } found` and `token: permission denied` are sentences, not settings.
pub(super) fn is_sentence(
    scanner: &Scanner<'_, '_>,
    value: &str,
    word: Word,
    found: &Found,
) -> bool {
    let plain = value.bytes().all(|byte| byte.is_ascii_lowercase())
        || value.bytes().all(|byte| byte.is_ascii_uppercase());
    let goes_on =
        scanner.byte(found.range.end) == Some(b' ') || scanner.byte(found.range.end) == Some(b':');
    let capital = value.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
        && value.starts_with(|c: char| c.is_ascii_uppercase());
    // `token: Einmalcode`: no generator makes a word.
    let noun = capital && value.len() >= 4 && word == Word::Token;
    let mid_line = !found.at_line_start && value.bytes().all(|byte| byte.is_ascii_lowercase());
    is_prose(value)
        || noun
        || (mid_line && is_done(scanner, value, found.range.end))
        || (mid_line && is_verb(scanner, found.range.end))
        || (word == Word::Token
            && !found.at_line_start
            && value.bytes().all(|byte| byte.is_ascii_uppercase()))
        || (word != Word::Password && (value.len() < 3 || ((plain || capital) && goes_on)))
}

/// `password: removed from the vault`: what was done, and where.
fn is_done(scanner: &Scanner<'_, '_>, value: &str, at: usize) -> bool {
    let words = ["from", "by", "in", "at", "to", "on", "via", "after", "before", "with", "and"];
    let end = scanner.run_end(at + 1, 8, |byte| byte.is_ascii_lowercase());
    value.split(' ').next().is_some_and(|first| first.ends_with("ed"))
        && (words.contains(&scanner.slice(at + 1..end))
            || value.split(' ').nth(1).is_some_and(|second| words.contains(&second)))
}

/// Whether a verb follows, as in `password: prompts are hidden`.
fn is_verb(scanner: &Scanner<'_, '_>, at: usize) -> bool {
    let end = scanner.run_end(at + 1, 8, |byte| byte.is_ascii_lowercase());
    let verbs = ["is", "are", "was", "were", "must", "can", "may", "will", "has", "have", "should"];
    scanner.byte(at) == Some(b' ')
        && scanner.byte(end) == Some(b' ')
        && verbs.contains(&scanner.slice(at + 1..end))
}
