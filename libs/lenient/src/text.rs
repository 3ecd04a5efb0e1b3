//! Bytes as text, whatever their encoding.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::note::{Note, Notes, Repair};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Text of foreign bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct Text<'a> {
    pub text: Cow<'a, str>,
    pub notes: Vec<Note>,
}

/// Reads bytes as text: UTF-8, UTF-16, else the encoding `charset` (a label such as a Content-Type has), else
/// Windows-1252, which Latin-1 is part of. Never fails: what has no place in the encoding becomes U+FFFD.
pub fn text<'a>(bytes: &'a [u8], charset: Option<&str>) -> Text<'a> {
    let mut notes = Notes::default();
    let text = read(bytes, charset, &mut notes);
    Text { text, notes: notes.done() }
}

pub(crate) fn read<'a>(bytes: &'a [u8], charset: Option<&str>, notes: &mut Notes) -> Cow<'a, str> {
    let text = match utf16(bytes) {
        Some(encoding) => decoded(encoding, bytes, notes),
        None => match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => other(bytes, charset, notes),
        },
    };
    without_mark(text, notes)
}

/// UTF-16 begins with a byte order mark, or with a character of ASCII.
fn utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [0xff, 0xfe, ..] | [1..=0x7f, 0, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] | [0, 1..=0x7f, ..] => Some(UTF_16BE),
        _ => None,
    }
}

fn decoded<'a>(encoding: &'static Encoding, bytes: &'a [u8], notes: &mut Notes) -> Cow<'a, str> {
    notes.add(Repair::Encoding(encoding.name()));
    encoding.decode_without_bom_handling(bytes).0
}

/// Text in which some bytes are no UTF-8: of another encoding, unless some of it can only be UTF-8.
fn other<'a>(bytes: &'a [u8], charset: Option<&str>, notes: &mut Notes) -> Cow<'a, str> {
    let named = charset
        .and_then(|label| Encoding::for_label(label.trim_matches(['"', '\'', ' ']).as_bytes()))
        .filter(|encoding| *encoding != UTF_8 && !encoding.name().starts_with("UTF-16"));
    match named {
        Some(encoding) => decoded(encoding, bytes, notes),
        None if has_utf8(bytes) => Cow::Owned(repaired(bytes, notes)),
        None => decoded(WINDOWS_1252, bytes, notes),
    }
}

/// Whether a character of several bytes is there, which other encodings hardly ever write by chance; halves of
/// UTF-16 in the form of UTF-8 count.
fn has_utf8(bytes: &[u8]) -> bool {
    bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii())
        || bytes.windows(3).any(|three| surrogate(three).is_some())
}

/// Half of a UTF-16 pair in the form of UTF-8, as Java and `surrogateescape` write it.
fn surrogate(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, ..] => {
            Some(0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f))
        }
        _ => None,
    }
}

/// Replaces what is no UTF-8; two halves that belong together become their character.
fn repaired(bytes: &[u8], notes: &mut Notes) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let valid = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        text.push_str(valid);
        rest = rest.get(valid.len()..).unwrap_or_default();
        rest = rest.get(invalid(rest, &mut text, notes)..).unwrap_or_default();
    }
    text
}

/// Adds what stands for the bytes at the beginning that are no UTF-8, and answers how many these are.
fn invalid(rest: &[u8], text: &mut String, notes: &mut Notes) -> usize {
    let Some(first) = surrogate(rest) else {
        let length = rest.utf8_chunks().next().map_or(0, |chunk| chunk.invalid().len());
        if length > 0 {
            notes.add(Repair::InvalidUtf8);
            text.push(char::REPLACEMENT_CHARACTER);
        }
        return length;
    };
    let second = surrogate(rest.get(3..).unwrap_or_default());
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    if let Some(character) = pair {
        notes.add(Repair::InvalidUtf8);
        text.push(character);
        return 6;
    }
    notes.add(Repair::LoneSurrogate);
    text.push(char::REPLACEMENT_CHARACTER);
    3
}

fn without_mark<'a>(text: Cow<'a, str>, notes: &mut Notes) -> Cow<'a, str> {
    if !text.starts_with(BYTE_ORDER_MARK) {
        return text;
    }
    notes.add(Repair::ByteOrderMark);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches(BYTE_ORDER_MARK)),
        Cow::Owned(text) => Cow::Owned(text.trim_start_matches(BYTE_ORDER_MARK).to_owned()),
    }
}
