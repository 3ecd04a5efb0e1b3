//! Statements of Redis: `AUTH`, and the users of an ACL.

use memchr::memmem;

use crate::scan::lexical::{blanks_end, ends_string, is_line_break, is_quote, quoted};
use crate::scan::scanner::Scanner;
use crate::scan::shape::is_strong;
use crate::scan::statement::{MAX_STATEMENT, add, word};

/// `AUTH password` and `AUTH user password`.
pub(super) fn auth(scanner: &mut Scanner<'_, '_>, start: usize, from: usize) {
    let written = scanner.stands_at(start, "AUTH")
        && !scanner.byte(start + 4).is_some_and(|byte| byte.is_ascii_lowercase());
    if !written {
        return;
    }
    let before = scanner.run_start(start, 2, |byte| byte == b' ');
    let place = match scanner.before(before) {
        None | Some(b'\n' | b'>' | b'"' | b'\'' | b'n') => true,
        Some(_) => follows_client(scanner, start),
    };
    if !place {
        return;
    }
    let first = word(scanner, from);
    let next = blanks_end(scanner, first.end + usize::from(is_quote(scanner.byte(first.end))));
    let second = word(scanner, next);
    let prompt = scanner.before(before) == Some(b'>') || follows_client(scanner, start);
    let alone = scanner.byte(second.start).is_none_or(is_line_break)
        || second.is_empty()
        || second.start == first.end;
    let name = scanner.slice(first.clone());
    let words = name.bytes().all(|byte| byte.is_ascii_uppercase());
    if alone && !words && (prompt || is_strong(name)) {
        add(scanner, first);
    } else if !alone
        && (prompt || is_strong(scanner.slice(second.clone())))
        && ends_line(scanner, second.end)
    {
        add(scanner, second);
    }
}

/// The last of one or two strings.
pub(super) fn quoted_auth(scanner: &mut Scanner<'_, '_>, from: usize) {
    let Some(first) = quoted(scanner, from) else { return };
    let next = blanks_end(scanner, first.end + 1);
    let second = quoted(scanner, next).filter(|_| scanner.byte(next) == Some(b'"'));
    let password = second.unwrap_or(first);
    if !ends_string(scanner, &password) {
        add(scanner, password);
    }
}

/// Whether a statement stands on the command line of a client, or in a longer statement of Redis.
fn follows_client(scanner: &mut Scanner<'_, '_>, start: usize) -> bool {
    let line = scanner.line_start(start, 200);
    // What was searched for an earlier statement is not searched again.
    let from = line.max(scanner.seen.client.min(start));
    let unsearched =
        scanner.bytes.get(from.saturating_sub(10).max(line)..start).unwrap_or_default();
    let words = ["redis-cli", "valkey-cli", "HELLO ", "MIGRATE ", "> "];
    let last = words.iter().filter_map(|word| memmem::rfind(unsearched, word.as_bytes())).max();
    if let Some(last) = last {
        scanner.seen.client_at = Some(start - unsearched.len() + last);
    }
    scanner.seen.client = start;
    scanner.seen.client_at.is_some_and(|at| (line..start).contains(&at))
}

fn ends_line(scanner: &Scanner<'_, '_>, at: usize) -> bool {
    let end = scanner.run_end(at, 8, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'\\'));
    scanner.byte(end).is_none_or(|byte| is_line_break(byte) || matches!(byte, b';' | b'n' | b'S'))
}

/// `user alice on >password #hash ~* +@all`.
pub(super) fn acl(scanner: &mut Scanner<'_, '_>, start: usize, from: usize) {
    if start < scanner.seen.acl {
        return;
    }
    let line = scanner.run_start(start, 16, |byte| !is_line_break(byte) && byte != b'"');
    let explicit = scanner.slice(start..from).len() > "user ".len();
    if !explicit && !scanner.slice(line..start).trim_ascii().is_empty() {
        return;
    }
    let end = scanner.run_end(from, MAX_STATEMENT, |byte| !is_line_break(byte) && byte != b'"');
    let text = scanner.slice(from..end);
    let rights = text.contains(" ~")
        || text.contains(" +")
        || text.contains(" allkeys")
        || text.contains(" on ");
    if !explicit && !rights {
        return;
    }
    scanner.seen.acl = end;
    let mut at = from;
    let mut found = Vec::new();
    for part in text.split(' ') {
        let hash = part.len() == 65 && part.starts_with(['#', '!']);
        if part.len() > 1 && (part.starts_with(['>', '<']) || hash) {
            found.push(at + 1..at + part.len());
        }
        at += part.len() + 1;
    }
    for range in found {
        add(scanner, range);
    }
}
