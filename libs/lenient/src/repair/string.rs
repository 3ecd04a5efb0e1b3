//! Texts in quotation marks.

use std::fmt::Write as _;

use crate::{
    note::{Notes, Repair},
    scan::Scan,
};

/// Copies the text at the scan, which begins with `quote`. A text that does not end stays open.
pub(super) fn copy(scan: &mut Scan<'_>, quote: char, out: &mut String, notes: &mut Notes) {
    scan.next();
    out.push('"');
    if quote == '\'' {
        notes.add(Repair::SingleQuotes);
    }
    loop {
        out.push_str(scan.take_until(|c| c == quote || c == '"' || c == '\\' || c < ' '));
        let Some(next) = scan.next() else { return };
        match next {
            '\\' => escape(scan, out, notes),
            end if end == quote && scan.after_value() => break,
            '"' if quote == '"' => {
                notes.add(Repair::QuotationMark);
                out.push_str("\\\"");
            }
            '"' => out.push_str("\\\""),
            '\'' => out.push('\''),
            control => {
                notes.add(Repair::ControlCharacter);
                escaped(control, out);
            }
        }
    }
    out.push('"');
}

pub(super) fn write(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            control if control < ' ' => escaped(control, out),
            other => out.push(other),
        }
    }
    out.push('"');
}

fn escaped(control: char, out: &mut String) {
    // writing to a String does not fail
    let _ = write!(out, "\\u{:04x}", u32::from(control));
}

/// Copies what follows a backslash.
fn escape(scan: &mut Scan<'_>, out: &mut String, notes: &mut Notes) {
    match scan.peek() {
        Some(known @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
            scan.next();
            out.extend(['\\', known]);
        }
        Some('\'') => {
            scan.next();
            notes.add(Repair::UnknownEscape);
            out.push('\'');
        }
        Some('u') if unit(scan.rest()).is_some() => unicode(scan, out, notes),
        _ => {
            notes.add(Repair::UnknownEscape);
            out.push_str("\\\\");
        }
    }
}

/// The number of `uXXXX` at the beginning of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hexadecimal { u16::from_str_radix(digits, 16).ok() } else { None }
}

/// Copies `uXXXX`, with the second half where it has one.
fn unicode(scan: &mut Scan<'_>, out: &mut String, notes: &mut Notes) {
    let rest = scan.rest();
    let first = unit(rest).unwrap_or_default();
    let second = rest.get(5..).and_then(|rest| unit(rest.strip_prefix('\\')?));
    let units = [first, second.unwrap_or_default()];
    let length = match char::decode_utf16(units).next() {
        Some(Ok(character)) if character.len_utf16() == 2 => 11,
        Some(Ok(_)) => 5,
        _ => 0,
    };
    if length == 0 {
        notes.add(Repair::LoneSurrogate);
        out.push(char::REPLACEMENT_CHARACTER);
        scan.skip(5);
        return;
    }
    out.push('\\');
    out.push_str(rest.get(..length).unwrap_or_default());
    scan.skip(length);
}
