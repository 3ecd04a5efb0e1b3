//! Addresses of people.

use super::scanner::Scanner;
use crate::patterns::Pattern;

/// Last parts of names that are units of systemd, not domains.
const UNIT_KINDS: [&str; 10] =
    ["service", "socket", "target", "timer", "mount", "slice", "scope", "device", "path", "swap"];
/// Users of source hosts, not people.
const HOST_USERS: [&str; 2] = ["git", "hg"];

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-')
}

fn is_domain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
}

/// Looks at both sides of an `@`.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, at: usize) {
    let mut start = scanner.run_start(at, 64, is_local).max(scanner.seen.email);
    // The end of an escape such as `\n` is not the first letter of a name.
    let escaped = scanner.before(start) == Some(b'\\');
    if escaped && scanner.byte(start).is_some_and(|byte| matches!(byte, b'n' | b'r' | b't')) {
        start += 1;
    }
    while start < at && scanner.byte(start).is_some_and(|byte| matches!(byte, b'.' | b'-' | b'%')) {
        start += 1;
    }
    let mut end = scanner.run_end(at + 1, 253, is_domain);
    while scanner.before(end).is_some_and(|byte| matches!(byte, b'.' | b'-')) && end > at + 1 {
        end -= 1;
    }
    let (local, domain) = (scanner.slice(start..at), scanner.slice(at + 1..end));
    if is_person(local, domain) && !is_user_of_address(scanner, start) {
        scanner.seen.email = end;
        scanner.add(start..end, Pattern::Email);
    }
}

fn is_person(local: &str, domain: &str) -> bool {
    let Some((host, top)) = domain.rsplit_once('.') else { return false };
    !local.is_empty()
        && local != domain
        && !HOST_USERS.contains(&local)
        && !host.is_empty()
        && !host.starts_with('.')
        && !host.contains("..")
        && (2..=24).contains(&top.len())
        && top.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !UNIT_KINDS.contains(&top)
}

/// Whether the name is the user of an address such as `ssh://user@host`, or the password before it.
fn is_user_of_address(scanner: &Scanner<'_, '_>, start: usize) -> bool {
    let ends = |byte: u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'=' | b',')
    };
    let from = scanner.run_start(start, 128, |byte| !ends(byte));
    // `:\/\/` in a JSON document of PHP.
    let before = scanner.text.get(..from).unwrap_or_default();
    before.ends_with("://") || before.ends_with(r":\/\/")
}
