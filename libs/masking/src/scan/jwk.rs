//! Private parts of JSON web keys, which have names of one or two letters.

use memchr::{memchr, memrchr};

use super::lexical::{blanks_end, quoted};
use super::scanner::Scanner;
use crate::patterns::Pattern;

/// How far a key's object is followed.
const MAX_OBJECT: usize = 8 * 1024;
/// How long a part is at least.
const MIN_PART: usize = 16;
/// The names of private parts.
const PRIVATE: [&str; 7] = ["d", "p", "q", "dp", "dq", "qi", "k"];

/// Looks at the object around `"kty"`.
pub(super) fn look(scanner: &mut Scanner<'_, '_>, hit: usize) {
    if hit < scanner.seen.jwk {
        return;
    }
    let floor = scanner.seen.jwk;
    let before = scanner.bytes.get(floor.max(hit.saturating_sub(MAX_OBJECT))..hit);
    let before = before.unwrap_or_default();
    let from = hit - before.len() + memrchr(b'{', before).map_or(0, |open| open + 1);
    let behind = scanner.bytes.get(hit..scanner.bytes.len().min(hit + MAX_OBJECT));
    let behind = behind.unwrap_or_default();
    let end = hit + memchr(b'}', behind).unwrap_or(behind.len());
    scanner.seen.jwk = end;
    let mut at = from;
    while at < end {
        at = scanner.run_end(at, end - at, |byte| !matches!(byte, b'"' | b'\'' | b'`' | b'\\'));
        let Some(name) = quoted(scanner, at).filter(|_| at < end) else {
            at += 1;
            continue;
        };
        let close = name.end + (name.start - at);
        let colon = blanks_end(scanner, close);
        let next = blanks_end(scanner, colon + 1);
        let private = PRIVATE.contains(&scanner.slice(name));
        at = close.max(at + 1);
        if scanner.byte(colon) != Some(b':') {
            continue;
        }
        if let Some(part) = quoted(scanner, next) {
            at = part.end + (part.start - next);
            if private && part.len() >= MIN_PART {
                scanner.add(part, Pattern::PrivateKey);
            }
        }
    }
}
