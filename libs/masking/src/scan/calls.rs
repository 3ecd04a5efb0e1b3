//! Passwords as arguments of functions: `new PDO(dsn, user, "…")`, `auth=("user", "…")`.

use super::lexical::{blanks_end, quoted};
use super::scanner::Scanner;
use super::shape::{is_placeholder, is_strong};
use crate::patterns::Pattern;

/// How long an argument before the password may be.
const MAX_ARGUMENT: usize = 512;

/// Functions, and which argument the password is; the first has the number 0.
pub(super) const CALLS: [(&str, usize); 20] = [
    ("->connect(", 2),
    ("new pdo(", 2),
    ("mysqli(", 2),
    ("mysqli_connect(", 2),
    ("mysql_connect(", 2),
    ("getconnection(", 2),
    (".login(", 1),
    ("basicauth(", 1),
    ("basic_auth(", 1),
    ("db.auth(", 1),
    ("auth=(", 1),
    ("auth = (", 1),
    ("passwordauthentication(", 1),
    ("passwordcredentials(", 1),
    ("networkcredential(", 1),
    ("passwordcredential(", 1),
    ("basiccredentials(", 1),
    // Of clients of Redis.
    (".auth(", 0),
    (":auth(", 0),
    // Of sbt: realm, host, user, password.
    (" credentials(", 3),
];

/// Looks at the arguments behind the parenthesis.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, from: usize, index: usize) {
    let mut at = from;
    for _ in 0..index {
        at = scanner.run_end(at, 64, |byte| byte.is_ascii_whitespace());
        let end = match quoted(scanner, at).filter(|range| range.len() <= MAX_ARGUMENT) {
            Some(range) => range.end + (range.start - at),
            None => at,
        };
        let comma = scanner.next_of([b',', b')', b'\n'], end, MAX_ARGUMENT);
        if scanner.byte(comma) != Some(b',') {
            return;
        }
        at = comma + 1;
    }
    at = scanner.run_end(at, 64, |byte| byte.is_ascii_whitespace());
    let Some(range) = quoted(scanner, at) else { return };
    let close = blanks_end(scanner, range.end + (range.start - at));
    let value = scanner.slice(range.clone());
    let last = match scanner.byte(close) {
        // The first of several arguments is the user.
        Some(b',') => index > 0,
        Some(b')') => index > 0 || is_strong(value),
        _ => false,
    };
    if last && !value.is_empty() && !value.contains("://") && !is_placeholder(value) {
        scanner.add(range, Pattern::Password);
    }
}
