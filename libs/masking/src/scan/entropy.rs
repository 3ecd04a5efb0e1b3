//! Patterns without a key: base64 and random-looking runs. They are in the group `all` only.

use super::nothing::is_checksum;
use super::scanner::Scanner;
use crate::base64::{is_encoded_text, is_symbol};
use crate::patterns::Pattern;

/// How long a run is at least that counts as a secret in base64.
const BASE64_LENGTH: usize = 20;
/// How short the value of a key may be that counts as a short secret in base64.
const SHORT_LENGTH: usize = 4;
/// How long a random-looking run is at least.
const RANDOM_LENGTH: usize = 24;
/// How long the longest step of a path is at least that may be one.
const MIN_STEP: usize = 20;
/// How long the name before a run may be.
const MAX_NAME: usize = 48;
/// How many bits a character of it carries at least.
const RANDOM_BITS: f64 = 3.8;

/// Whether a byte belongs to a run; a table, because every byte of a text is asked for.
fn belongs(byte: u8) -> bool {
    BELONGS.get(usize::from(byte)) == Some(&true)
}

static BELONGS: [bool; 256] = {
    let mut table = [false; 256];
    let mut rest: &mut [bool] = &mut table;
    let mut byte = 0_u8;
    while let [first, others @ ..] = rest {
        *first = is_symbol(byte) || matches!(byte, b'-' | b'_');
        byte = byte.wrapping_add(1);
        rest = others;
    }
    table
};

/// Goes over the runs of a text.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>) {
    let mut at = 0;
    while at < scanner.bytes.len() {
        let start = scanner.run_end(at, usize::MAX, |byte| !belongs(byte));
        let end = scanner.run_end(start, usize::MAX, belongs);
        // Padding belongs to a run, the sign of an assignment does not.
        let padded = scanner.run_end(end, 2, |byte| byte == b'=');
        let assigns = scanner.byte(padded).is_some_and(|byte| belongs(byte) || byte == b'=');
        look(scanner, start, if assigns { end } else { padded });
        at = padded.max(at + 1);
    }
}

fn look(scanner: &mut Scanner<'_, '_>, mut start: usize, end: usize) {
    if end - start < SHORT_LENGTH {
        return;
    }
    // The end of an escape such as `\n` is not the first letter of a secret.
    if scanner.before(start) == Some(b'\\')
        && scanner.byte(start).is_some_and(|byte| matches!(byte, b'n' | b'r' | b't'))
    {
        start += 1;
    }
    let value = scanner.slice(start..end);
    // Most runs are words, which their own characters show.
    let Some(found) = pattern_of(scanner, start, value) else { return };
    let steps = value.starts_with('/') || value.matches('/').count() > 3;
    if steps
        || is_public(scanner, start, value)
        || is_named_otherwise(scanner, start)
        || is_mask_word(scanner, start, end)
    {
        return;
    }
    let pattern = match found {
        Pattern::Base64Secret => {
            scanner.enabled.first(&[Pattern::Base64Secret, Pattern::HighEntropy])
        }
        other => Some(other).filter(|pattern| scanner.enabled.has(*pattern)),
    };
    if let Some(pattern) = pattern {
        scanner.add(start..end, pattern);
    }
}

/// Whether a run is a digest, or a public part of a JSON web key.
fn is_public(scanner: &Scanner<'_, '_>, start: usize, value: &str) -> bool {
    let before = scanner.slice(0..start);
    // The fingerprint of a key, not the key; checksums of packages: `h1:…` of Go, `sha512-…` of npm.
    let digest = scanner.slice(start.saturating_sub(7)..start);
    digest.eq_ignore_ascii_case("sha256:")
        || digest.eq_ignore_ascii_case("sha256-")
        || digest.ends_with(" h1:")
        || digest.ends_with("\"h1:")
        || is_checksum(value)
        || ["\"n\":\"", "\"x\":\"", "\"y\":\"", "\"n\": \"", "\"x\": \"", "\"y\": \""]
            .iter()
            .any(|name| before.ends_with(name))
}

/// What a run is by its characters.
fn pattern_of(scanner: &Scanner<'_, '_>, start: usize, value: &str) -> Option<Pattern> {
    let padding = value.len() - value.trim_end_matches('=').len();
    let plain = value.bytes().all(|byte| is_symbol(byte) || byte == b'=');
    let mix = Mix::of(value);
    if value.len() >= BASE64_LENGTH
        && plain
        && mix.is_base64()
        && ((padding > 0 && (mix.digit || value.contains(['+', '/']) || is_encoded_text(value)))
            || (mix.digit && value.len().is_multiple_of(4)))
    {
        return Some(Pattern::Base64Secret);
    }
    if value.split('/').any(|step| step.len() >= MIN_STEP)
        && value.len() >= RANDOM_LENGTH
        && mix.is_varied()
        && bits_per_character(value) >= RANDOM_BITS
    {
        return Some(Pattern::HighEntropy);
    }
    let short = value.len() < BASE64_LENGTH && plain && (padding > 0 || mix.is_varied());
    (short && follows_key(scanner, start) && is_encoded_text(value)).then_some(Pattern::Base64Short)
}

/// Whether the key before a run says that it is an identifier, or the ciphertext of something.
fn is_named_otherwise(scanner: &Scanner<'_, '_>, start: usize) -> bool {
    if scanner.before(start) == Some(b'(') {
        return scanner.slice(0..start).ends_with("ENC(");
    }
    let frame = |byte: u8| matches!(byte, b' ' | b'"' | b'\'' | b'\\');
    let sign = scanner.run_start(start, 8, frame);
    if !matches!(scanner.before(sign), Some(b':' | b'=')) {
        return false;
    }
    let end = scanner.run_start(sign - 1, 8, frame);
    let from = scanner.run_start(end, MAX_NAME, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
    });
    let name = scanner.slice(from..end);
    if scanner.slice(0..end).ends_with("public key") {
        return true;
    }
    // Whoever has the id of a session has the session.
    !name.is_empty() && scanner.names.is_identifier(name)
}

/// The kinds of characters in a run.
#[expect(clippy::struct_excessive_bools, reason = "each is about one class of characters")]
struct Mix {
    upper: bool,
    lower: bool,
    digit: bool,
    hex: bool,
}

impl Mix {
    fn of(value: &str) -> Self {
        let any = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
        Self {
            upper: any(u8::is_ascii_uppercase),
            lower: any(u8::is_ascii_lowercase),
            digit: any(u8::is_ascii_digit),
            hex: value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-'),
        }
    }

    /// Upper case, lower case and digits together, and no hash, identifier or digest.
    fn is_varied(&self) -> bool {
        self.upper && self.lower && self.digit && !self.hex
    }

    fn is_base64(&self) -> bool {
        self.upper && self.lower && !self.hex
    }
}

/// Whether the run is what we put in the place of a secret.
fn is_mask_word(scanner: &Scanner<'_, '_>, start: usize, end: usize) -> bool {
    scanner.before(start) == Some(b'[')
        && scanner.byte(end) == Some(b']')
        && scanner.slice(start..end).starts_with("MASKED_")
}

fn follows_key(scanner: &Scanner<'_, '_>, start: usize) -> bool {
    let at = scanner.run_start(start, 8, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'\\'));
    matches!(scanner.before(at), Some(b':' | b'='))
}

#[expect(clippy::cast_precision_loss, reason = "runs are far shorter than 2^52")]
fn bits_per_character(value: &str) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in value.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = value.len().max(1) as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| *count as f64 / total)
        .map(|share| -share * share.log2())
        .sum()
}
