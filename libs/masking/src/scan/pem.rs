//! PEM blocks, plain and in base64, and SSH keys.

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
/// The end of a block's last line begins so.
const END: &str = "-----END";

/// Looks at a block whose label begins here.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, label_start: usize) {
    if label_start < scanner.seen.pem {
        return;
    }
    let label_end = scanner.run_end(label_start, 64, |byte| {
        byte.is_ascii_uppercase() || byte == b' ' || byte.is_ascii_digit()
    });
    if scanner.slice(label_end..label_end + 5) != "-----" {
        return;
    }
    let label = scanner.slice(label_start..label_end);
    let candidates: &[Pattern] = if label.contains("PRIVATE KEY") {
        &[Pattern::PrivateKey, Pattern::SshKey, Pattern::Certificate]
    } else {
        &[Pattern::Certificate]
    };
    let Some(pattern) = scanner.enabled.first(candidates) else { return };
    let body_start = skip_breaks(scanner, label_end + 5);
    let found = if scanner.seen.no_pem_end {
        None
    } else {
        scanner.slice(body_start..scanner.bytes.len()).find(END)
    };
    scanner.seen.no_pem_end |= found.is_none();
    let whole =
        found.map(|at| body_start + at).filter(|end| !holds_quote(scanner.slice(body_start..*end)));
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

/// Whether a string ends in a text: then what follows is no part of the block.
fn holds_quote(body: &str) -> bool {
    let mut escaped = false;
    body.bytes().any(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
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
