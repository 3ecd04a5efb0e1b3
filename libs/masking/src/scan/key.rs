//! Keys that name secrets, and the values that follow them.

use std::ops::Range;

use super::authorization::look_at_value;
use super::class::{KeyClass, Word};
use super::classify::{MAX_KEY, classify};
use super::cookie;
use super::harmless::is_harmless;
use super::lexical::{Found, quote_end, quoted};
use super::scanner::Scanner;
use super::shape::{is_enough, is_placeholder};
use super::table;
use super::value;
use crate::base64;
use crate::patterns::Pattern;
use crate::spans::{is_mask, mask_end};

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Looks at the key around a hit, once.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, start: usize, end: usize) {
    if end <= scanner.seen.key
        || start < scanner.seen.value
        || scanner.seen.rejected.is_exhausted(start)
    {
        return;
    }
    let mut from = scanner.run_start(start, MAX_KEY, is_key).max(scanner.seen.value);
    let stop = scanner.run_end(end, MAX_KEY, is_key);
    scanner.seen.key = stop;
    // `password........hunter2`, as HikariCP prints its settings.
    let dots = if stop - end > 4 { scanner.slice(from..stop).find("....") } else { None };
    let stop = dots.map_or(stop, |dots| from + dots);
    // The end of an escape such as `\n` is not the first letter of a key.
    if scanner.before(from) == Some(b'\\')
        && scanner.byte(from).is_some_and(|byte| matches!(byte, b'n' | b'r' | b't'))
    {
        from += 1;
    }
    // What stands after `://` is looked at as an address.
    if scanner.before(from) == Some(b'/') && scanner.stands_at(from.saturating_sub(2), "//") {
        return;
    }
    // The name in one of our masks is no key.
    if scanner.stands_at(from, "MASKED_") {
        return;
    }
    let (from, stop) = with_neighbours(scanner, from, stop);
    let key = from..stop;
    let Some(class) = classify(scanner, scanner.slice(key.clone())) else {
        return table::look_at_pairs(scanner, &key);
    };
    if !class.plural && !is_header(class) && is_masked(scanner, stop) {
        return;
    }
    match value::after_key(scanner, key.clone(), class) {
        Some(found) if !class.plural => {
            take(scanner, key, class, &found);
            if scanner.seen.value < found.range.end {
                scanner.seen.rejected.add(&found.range);
            }
        }
        _ => {
            table::look(scanner, &key, class);
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
    // `Secret ID` of Nomad and Consul.
    if scanner.stands_at(stop, " ID") && scanner.slice(from..stop).eq_ignore_ascii_case("secret") {
        return (from, stop + 3);
    }
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

/// Whether the value goes on behind its first word.
fn is_header(class: KeyClass) -> bool {
    matches!(class.pattern, Pattern::AuthorizationHeader | Pattern::Cookie)
}

/// Whether all that follows a key is a mask, as in what was masked before: the short way to what the long one finds.
fn is_masked(scanner: &Scanner<'_, '_>, key_end: usize) -> bool {
    // In a string, quotes have backslashes before them.
    let quote = |at: usize| {
        let end = quote_end(scanner, at).filter(|end| scanner.before(*end) != Some(b'`'));
        end.unwrap_or(at)
    };
    let sign = quote(key_end);
    if !matches!(scanner.byte(sign), Some(b'=' | b':')) {
        return false;
    }
    let value = sign + 1 + usize::from(scanner.byte(sign + 1) == Some(b' '));
    let start = quote(value);
    let end = mask_end(scanner.text, start);
    end.is_some_and(|end| scanner.slice(end..end + (start - value)) == scanner.slice(value..start))
}

pub(super) fn take(
    scanner: &mut Scanner<'_, '_>,
    key: Range<usize>,
    class: KeyClass,
    found: &Found,
) {
    match class.pattern {
        Pattern::AuthorizationHeader => return look_at_value(scanner, found),
        Pattern::Cookie => {
            let sets = class.word == Word::SetCookie;
            return cookie::look_at_value(scanner, found, sets);
        }
        _ => {}
    }
    let text = scanner.slice(found.range.clone());
    if is_mask(text) {
        return;
    }
    if text.starts_with(['$', '{', '<']) && is_placeholder(text) {
        scanner.seen.value = found.range.end;
    }
    let secret = match class.word {
        // Registry credentials: user and password in base64. Elsewhere `auth` is a mode, not a secret.
        Word::Auth => base64::decode(text).is_some_and(|bytes| bytes.contains(&b':')),
        word => is_enough(class.need, text) && !is_harmless(scanner, word, found, &key),
    };
    if secret {
        scanner.seen.value = found.range.end;
        scanner.add(found.range.clone(), class.pattern);
        take_successor(scanner, class, found.range.end);
    }
}

/// `password = "old" -> "new"`, as Terraform plans it.
fn take_successor(scanner: &mut Scanner<'_, '_>, class: KeyClass, end: usize) {
    if scanner.stands_at(end, "\" -> ") {
        let next = quoted(scanner, end + 5).filter(|range| !range.is_empty());
        if let Some(range) = next {
            scanner.seen.value = range.end;
            scanner.add(range, class.pattern);
        }
    }
}
