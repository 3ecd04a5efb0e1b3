//! Parts of a text that are encoded: Base64, hexadecimal digits, tag characters.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// The shortest run that is decoded, in characters: a shorter one has no room for a sentence.
const MIN_RUN: usize = 32;
/// The longest, in characters; what is longer is cut.
const MAX_RUN: usize = 16_384;
/// The most runs of one text that are decoded.
const MAX_RUNS: usize = 200;

/// A part of a text, decoded.
pub(crate) struct Part {
    /// Where it begins in the text, in bytes.
    pub(crate) start: usize,
    pub(crate) decoded: String,
}

/// The parts of a text that decode to readable text.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let is_code =
        |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '+' | '/' | '-' | '_');
    let mut parts: Vec<Part> = Vec::new();
    let mut tried = 0;
    let mut rest = text;
    while let Some(begin) = rest.find(is_code) {
        rest = rest.get(begin..).unwrap_or_default();
        let length = rest.find(|sign| !is_code(sign)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(length);
        let start = text.len() - rest.len();
        rest = after;
        if run.len() < MIN_RUN {
            continue;
        }
        tried += 1;
        if tried > MAX_RUNS {
            break;
        }
        let decoded = decode(run.get(..MAX_RUN).unwrap_or(run));
        parts.extend(decoded.map(|decoded| Part { start, decoded }));
    }
    parts.extend(tags(text));
    parts
}

fn decode(run: &str) -> Option<String> {
    let is_hex = run.len().is_multiple_of(2) && run.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hex = is_hex.then(|| hex(run)).flatten();
    // The end of a run that was cut may lack bits.
    let whole = run.get(..run.len() / 4 * 4).unwrap_or(run);
    let base64 = [run, whole]
        .into_iter()
        .find_map(|run| STANDARD_NO_PAD.decode(run).or_else(|_| URL_SAFE_NO_PAD.decode(run)).ok());
    [hex, base64].into_iter().flatten().find_map(|bytes| readable(&bytes))
}

fn hex(run: &str) -> Option<Vec<u8>> {
    let pairs = run.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}

/// The bytes as text, if they are words of people.
fn readable(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_text = |sign: char| !sign.is_control() || sign.is_whitespace();
    (text.contains(' ') && text.chars().all(is_text)).then(|| text.to_owned())
}

/// What tag characters spell: each stands for an ASCII character.
fn tags(text: &str) -> Option<Part> {
    let tag = |sign: char| ('\u{e0020}'..='\u{e007e}').contains(&sign);
    let start = text.find(tag)?;
    let letters = text.chars().filter(|sign| tag(*sign)).take(MAX_RUN);
    let decoded = letters.filter_map(|sign| char::from_u32(u32::from(sign) - 0xe0000)).collect();
    Some(Part { start, decoded })
}
