//! PEM blocks, plain and in base64, and SSH keys.

use std::ops::Range;

use memchr::memchr2;

use super::scanner::Scanner;
use crate::base64::is_symbol;
use crate::patterns::Pattern;

/// The names of kinds of SSH keys, with the blank before the key itself.
pub(super) const SSH_KINDS: [&str; 7] = [
    "ssh-rsa ",
    "ssh-dss ",
    "ssh-ed25519 ",
    "ecdsa-sha2-nistp256 ",
    "ecdsa-sha2-nistp384 ",
    "ecdsa-sha2-nistp521 ",
    "sk-ssh-ed25519@openssh.com ",
];

/// How short the body of a block may be.
const MIN_BODY: usize = 8;
/// How long the first line of a block is at least whose end is not there.
const MIN_LINE: usize = 16;
/// How many lines a `PuTTY` key has at most.
const MAX_LINES: usize = 256;
/// How private keys begin in base64: RSA of several lengths, PKCS#8, elliptic curves, OpenSSH.
pub(super) const DER_BEGINS: [&str; 12] = [
    "MIIEowIBAAKC",
    "MIIEpAIBAAKC",
    "MIIEpQIBAAKC",
    "MIIEogIBAAKC",
    "MIIJKQIBAAKC",
    "MIIJKAIBAAKC",
    "MIICXAIBAAKB",
    "MIICXQIBAAKB",
    "MIIEvQIBADAN",
    "MIIEvwIBADAN",
    "MHcCAQEEI",
    "b3BlbnNzaC1rZXktdjE",
];
/// How long a block in several strings may be.
const MAX_FRAGMENTED: usize = 64 * 1024;
/// The end of a block's last line begins so.
const END: &str = "-----END";

/// Looks at a block whose label begins here.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, label_start: usize) {
    if label_start < scanner.seen.pem {
        return;
    }
    let label_end = scanner.run_end(label_start, 64, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.')
    });
    if scanner.slice(label_end..label_end + 5) != "-----" {
        return;
    }
    let label = scanner.slice(label_start..label_end);
    let candidates: &[Pattern] = if is_private(label) {
        &[Pattern::PrivateKey, Pattern::SshKey, Pattern::Certificate]
    } else {
        &[Pattern::Certificate]
    };
    let Some(pattern) = scanner.enabled.first(candidates) else { return };
    let body_start = skip_breaks(scanner, label_end + 5);
    let end = scanner.seen.pem_end.find(scanner.bytes, body_start, END.as_bytes());
    let quote = |from: usize| first_quote(scanner.bytes.get(from..)?).map(|at| from + at);
    let quoted = end.is_some_and(|end| {
        scanner.seen.pem_quote.find_with(body_start, quote).is_some_and(|quote| quote < end)
    });
    if let Some(end) = end.filter(|end| quoted && is_fragmented(scanner, &(body_start..*end))) {
        scanner.seen.pem = end;
        return fragments(scanner, body_start..end, pattern);
    }
    let whole = end.filter(|_| !quoted);
    let stop = if let Some(end) = whole {
        end
    } else if scanner.run_end(body_start, MIN_LINE, is_symbol) < body_start + MIN_LINE {
        // A sentence may name the head of a block.
        return;
    } else {
        // The text was cut inside the block.
        scanner.run_end(body_start, usize::MAX, |byte| {
            is_symbol(byte)
                || byte.is_ascii_whitespace()
                || matches!(byte, b'=' | b'\\' | b'-' | b':' | b',')
        })
    };
    let body_end = trim_breaks(scanner, body_start, stop);
    scanner.seen.pem = body_end;
    if body_end.saturating_sub(body_start) >= MIN_BODY {
        scanner.add(body_start..body_end, pattern);
    }
}

fn is_private(label: &str) -> bool {
    label.contains("PRIVATE KEY") || label.contains("Static key")
}

/// Whether a body with quotes stands in several strings: lines in a list, or joined by signs.
fn is_fragmented(scanner: &Scanner<'_, '_>, body: &Range<usize>) -> bool {
    let plain = |byte: u8| {
        is_symbol(byte) || byte.is_ascii_whitespace() || b"=\"'`,+.\\;()<>-:".contains(&byte)
    };
    body.len() <= MAX_FRAGMENTED
        && scanner.seen.pem_fragments.end(scanner.bytes, body.start, MAX_FRAGMENTED, plain)
            >= body.end
}

/// Masks each fragment of a body.
fn fragments(scanner: &mut Scanner<'_, '_>, body: Range<usize>, pattern: Pattern) {
    let mut at = body.start;
    while at < body.end {
        let end = scanner.run_end(at, body.end - at, |byte| is_symbol(byte) || byte == b'=');
        let start = behind_escape(scanner, at).min(end);
        if end - start >= MIN_BODY {
            scanner.add(start..end, pattern);
        }
        at = end.max(at) + 1;
    }
}

/// Behind the letter of an escape such as `\n`, or the code of one such as `\u0000`, if its backslash stands before a place.
fn behind_escape(scanner: &Scanner<'_, '_>, at: usize) -> usize {
    match scanner.byte(at).filter(|_| scanner.before(at) == Some(b'\\')) {
        Some(b'u') => at + 5,
        Some(_) => at + 1,
        None => at,
    }
}

/// Looks back from the last line of a block whose first line is not there.
pub(super) fn look_back(scanner: &mut Scanner<'_, '_>, end: usize, label: usize) {
    if end <= scanner.seen.pem || !scanner.enabled.has(Pattern::PrivateKey) {
        return;
    }
    let label_end = scanner.run_end(label, 64, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
    let floor = scanner.seen.pem;
    scanner.seen.pem = label_end;
    if !is_private(scanner.slice(label..label_end)) {
        return;
    }
    let frame = |byte: u8| byte.is_ascii_whitespace() || b"\"',\\".contains(&byte);
    let (mut at, mut first, mut last) = (end, None, end);
    for _ in 0..MAX_LINES {
        let mut stop = scanner.run_start(at, (at - floor).min(64), frame);
        // An escaped line end.
        if scanner.before(stop) == Some(b'n') && scanner.before(stop - 1) == Some(b'\\') {
            stop -= 2;
        }
        let begin = scanner.run_start(stop, stop - floor, |byte| is_symbol(byte) || byte == b'=');
        let begin = behind_escape(scanner, begin).min(stop);
        if stop - begin.min(stop) < if first.is_none() { 4 } else { MIN_LINE } || stop == at {
            break;
        }
        if first.is_none() {
            last = stop;
        }
        (first, at) = (Some(begin), begin);
    }
    if let Some(first) = first.filter(|first| last - *first >= MIN_LINE) {
        if holds_quote(scanner.slice(first..last)) {
            fragments(scanner, first..last, Pattern::PrivateKey);
        } else {
            scanner.add(first..last, Pattern::PrivateKey);
        }
    }
}

/// Looks at the lines behind the head of a key file of SSH2.
pub(super) fn look_at_ssh2(scanner: &mut Scanner<'_, '_>, from: usize) {
    let head = scanner.run_end(from, 64, |byte| byte != b'\n');
    let private = scanner.slice(from..head).contains("PRIVATE KEY");
    if !private || head < scanner.seen.pem {
        return;
    }
    let Some(last) = scanner.seen.ssh2_end.find(scanner.bytes, head, b"---- END SSH2") else {
        return;
    };
    let start = skip_breaks(scanner, head);
    let end = trim_breaks(scanner, start, last);
    scanner.seen.pem = end;
    scanner.add(start..end, Pattern::PrivateKey);
}

/// Looks at a private key in base64 without a first line, and the lines that go on.
pub(super) fn look_at_der(scanner: &mut Scanner<'_, '_>, start: usize) {
    if start < scanner.seen.pem
        || !scanner.is_word_start(start)
        || !scanner.enabled.has(Pattern::PrivateKey)
    {
        return;
    }
    let known = DER_BEGINS.iter().any(|begin| scanner.slice(start..start + begin.len()) == *begin);
    let symbol = |byte: u8| is_symbol(byte) || byte == b'=';
    let mut end = scanner.run_end(start, usize::MAX, symbol);
    if !known || end - start < 32 {
        return;
    }
    for _ in 0..MAX_LINES {
        let next = skip_breaks(scanner, end);
        let stop = scanner.run_end(next, 128, symbol);
        let long = stop - next >= 60 || (stop - next >= 4 && scanner.before(stop) == Some(b'='));
        if !long || next == end {
            break;
        }
        end = stop;
    }
    scanner.seen.pem = end;
    scanner.add(start..end, Pattern::PrivateKey);
}

/// Whether a string ends in a text: then what follows is no part of the block.
fn holds_quote(body: &str) -> bool {
    first_quote(body.as_bytes()).is_some()
}

/// Where the first quote is that no backslash stands before.
fn first_quote(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Passes over line ends, also escaped ones, and blanks.
fn skip_breaks(scanner: &Scanner<'_, '_>, from: usize) -> usize {
    let mut at = from;
    loop {
        let after = scanner.run_end(at, usize::MAX, |byte| byte.is_ascii_whitespace());
        let slashes = scanner.run_end(after, 8, |byte| byte == b'\\');
        let escape = slashes > after
            && scanner.byte(slashes).is_some_and(|byte| matches!(byte, b'n' | b'r'));
        let next = if escape { slashes + 1 } else { after };
        if next == at {
            return at;
        }
        at = next;
    }
}

fn trim_breaks(scanner: &Scanner<'_, '_>, start: usize, end: usize) -> usize {
    let mut at = end;
    while at > start {
        match scanner.before(at) {
            Some(byte) if byte.is_ascii_whitespace() => at -= 1,
            Some(b'n' | b'r') if at >= 2 && scanner.byte(at - 2) == Some(b'\\') => {
                at = scanner.run_start(at - 1, 8, |byte| byte == b'\\');
            }
            _ => break,
        }
    }
    at.max(start)
}

/// Looks at a block that is in base64 as a whole, as in kubeconfig files.
pub(super) fn look_in_base64(scanner: &mut Scanner<'_, '_>, start: usize) {
    let candidates = [Pattern::Certificate, Pattern::PrivateKey];
    let Some(pattern) = scanner.enabled.first(&candidates) else { return };
    let begins =
        scanner.slice(start..start + 14) == "LS0tLS1CRUdJTi" && scanner.is_word_start(start);
    if !begins || start < scanner.seen.pem {
        return;
    }
    let end = scanner.run_end(start, usize::MAX, |byte| is_symbol(byte) || byte == b'=');
    scanner.seen.pem = end;
    scanner.add(start..end, pattern);
}

/// Looks at the key after the name of its kind.
pub(super) fn look_at_ssh(scanner: &mut Scanner<'_, '_>, from: usize) {
    let end = scanner.run_end(from, 16 * 1024, |byte| is_symbol(byte) || byte == b'=');
    if scanner.slice(from..end).starts_with("AAAA") && end - from >= 32 {
        scanner.add(from..end, Pattern::SshKey);
    }
}

/// Looks at the lines after `Private-Lines: 3` of a `PuTTY` key.
pub(super) fn look_at_putty(scanner: &mut Scanner<'_, '_>, from: usize) {
    if !scanner.enabled.has(Pattern::PrivateKey) {
        return;
    }
    let number = scanner.run_end(from, 4, |byte| byte == b' ');
    let end = scanner.run_end(number, 4, |byte| byte.is_ascii_digit());
    let count: usize = scanner.slice(number..end).parse().unwrap_or(0);
    let start = scanner.run_end(end, 2, |byte| matches!(byte, b'\r' | b'\n'));
    let (mut at, mut stop) = (start, start);
    for _ in 0..count.min(MAX_LINES) {
        stop = scanner.run_end(at, 128, |byte| is_symbol(byte) || byte == b'=');
        at = scanner.run_end(stop, 2, |byte| matches!(byte, b'\r' | b'\n'));
    }
    if stop > start && start > end {
        scanner.add(start..stop, Pattern::PrivateKey);
    }
}
