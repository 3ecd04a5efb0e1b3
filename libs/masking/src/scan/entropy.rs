//! Patterns without a key: base64 and random-looking runs. They are in the group `all` only.

use std::ops::Range;

use super::hits::gaps;
use super::nothing::is_checksum;
use super::scanner::Scanner;
use crate::base64::is_encoded_text;
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

/// What the bytes of a run are, a bit for each kind; none of them for a byte that belongs to no run.
const UPPER: u8 = 1;
const LOWER: u8 = 1 << 1;
const DIGIT: u8 = 1 << 2;
/// `+` and `/`.
const SIGN: u8 = 1 << 3;
/// `-`.
const DASH: u8 = 1 << 4;
/// `_`.
const LOW_LINE: u8 = 1 << 5;
/// A letter that is no hexadecimal digit.
const BEYOND_HEX: u8 = 1 << 6;

/// A table, because every byte of a text is asked for.
static KINDS: [u8; 256] = {
    let mut table = [0; 256];
    let mut rest: &mut [u8] = &mut table;
    let mut byte = 0_u8;
    while let [first, others @ ..] = rest {
        *first = kinds_of(byte);
        byte = byte.wrapping_add(1);
        rest = others;
    }
    table
};

const fn kinds_of(byte: u8) -> u8 {
    match byte {
        b'A'..=b'F' => UPPER,
        b'G'..=b'Z' => UPPER | BEYOND_HEX,
        b'a'..=b'f' => LOWER,
        b'g'..=b'z' => LOWER | BEYOND_HEX,
        b'0'..=b'9' => DIGIT,
        b'+' | b'/' => SIGN,
        b'-' => DASH,
        b'_' => LOW_LINE,
        _ => 0,
    }
}

fn kinds(byte: u8) -> u8 {
    KINDS.get(usize::from(byte)).copied().unwrap_or(0)
}

fn belongs(byte: u8) -> bool {
    kinds(byte) != 0
}

/// Goes over the runs of a text, but for those in our masks.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>) {
    let masks = std::mem::take(&mut scanner.masks);
    for gap in gaps(scanner.bytes.len(), &masks) {
        runs(scanner, gap);
    }
    scanner.masks = masks;
}

/// Goes over the runs of a part; none goes over its end.
fn runs(scanner: &mut Scanner<'_, '_>, part: Range<usize>) {
    let bytes = scanner.bytes.get(part.clone()).unwrap_or_default();
    let (mut start, mut mix) = (part.start, Mix(0));
    for (index, byte) in bytes.iter().enumerate() {
        let kinds = kinds(*byte);
        if kinds != 0 {
            mix.0 |= kinds;
            continue;
        }
        let at = part.start + index;
        if mix.may_begin(*byte) {
            end_of_run(scanner, start..at, mix);
        }
        (start, mix) = (at + 1, Mix(0));
    }
    if mix.has(UPPER | LOWER) {
        end_of_run(scanner, start..part.end, mix);
    }
}

/// Looks at a run with its padding, if its kinds allow that it is a secret.
fn end_of_run(scanner: &mut Scanner<'_, '_>, run: Range<usize>, mix: Mix) {
    // Padding belongs to a run, the sign of an assignment does not.
    let padded = scanner.run_end(run.end, 2, |byte| byte == b'=');
    let assigns = scanner.byte(padded).is_some_and(|byte| belongs(byte) || byte == b'=');
    let stop = if assigns { run.end } else { padded };
    if mix.may_be_found(stop - run.start, stop > run.end) {
        look(scanner, run.start, stop);
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
    let mix = Mix::of(value);
    let plain = !mix.any(DASH | LOW_LINE);
    if value.len() >= BASE64_LENGTH
        && plain
        && mix.is_base64()
        && ((padding > 0 && (mix.any(DIGIT | SIGN) || is_encoded_text(value)))
            || (mix.has(DIGIT) && value.len().is_multiple_of(4)))
    {
        return Some(Pattern::Base64Secret);
    }
    if value.len() >= RANDOM_LENGTH
        && mix.is_varied()
        && value.split('/').any(|step| step.len() >= MIN_STEP)
        && bits_per_character(value) >= RANDOM_BITS
    {
        return Some(Pattern::HighEntropy);
    }
    let short = value.len() < BASE64_LENGTH && plain && (padding > 0 || mix.is_varied());
    (short && follows_key(scanner, start) && is_encoded_text(value)).then_some(Pattern::Base64Short)
}

/// Whether the key before a run says that it is an identifier, or the ciphertext of something.
fn is_named_otherwise(scanner: &mut Scanner<'_, '_>, start: usize) -> bool {
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
    if name.is_empty() {
        return false;
    }
    let known = scanner.seen.known.identifiers.get(name);
    known.unwrap_or_else(|| {
        let verdict = scanner.names.is_identifier(name);
        scanner.seen.known.identifiers.keep(name, verdict);
        verdict
    })
}

/// The kinds of characters in a run.
#[derive(Clone, Copy)]
struct Mix(u8);

impl Mix {
    fn of(value: &str) -> Self {
        // Padding is no digit.
        let kinds = |byte: u8| if byte == b'=' { BEYOND_HEX } else { kinds(byte) };
        Self(value.bytes().fold(0, |mix, byte| mix | kinds(byte)))
    }

    fn has(self, kinds: u8) -> bool {
        self.0 & kinds == kinds
    }

    fn any(self, kinds: u8) -> bool {
        self.0 & kinds != 0
    }

    /// Digits of hexadecimal numbers and dashes only.
    fn is_hex(self) -> bool {
        !self.any(BEYOND_HEX | SIGN | LOW_LINE)
    }

    /// Upper case, lower case and digits together, and no hash, identifier or digest.
    fn is_varied(self) -> bool {
        self.has(UPPER | LOWER | DIGIT) && !self.is_hex()
    }

    fn is_base64(self) -> bool {
        self.has(UPPER | LOWER) && !self.is_hex()
    }

    /// Whether a run of these kinds with a byte behind it may be a secret, however long it is.
    fn may_begin(self, next: u8) -> bool {
        self.has(UPPER | LOWER) || (next == b'=' && self.0 != 0)
    }

    /// Whether a run of these kinds may be a secret: most are words, which this shows. Without the letter of an escape that
    /// it begins with, a run has no other kinds.
    fn may_be_found(self, length: usize, is_padded: bool) -> bool {
        length >= SHORT_LENGTH
            && (self.has(UPPER | LOWER) || (is_padded && length <= BASE64_LENGTH))
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
