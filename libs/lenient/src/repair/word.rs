//! Numbers, names and values without quotation marks.

use crate::{
    note::{Notes, Repair},
    scan::{Scan, is_space},
};

/// Copies the word at the scan; nothing if there is none.
pub(super) fn copy(scan: &mut Scan<'_>, out: &mut String, notes: &mut Notes) -> Option<()> {
    let word =
        scan.take_until(|c| is_space(c) || matches!(c, ',' | ':' | '{' | '}' | '[' | ']' | '"'));
    if word.is_empty() {
        return None;
    }
    if !matches!(word, "true" | "false" | "null") && !is_number(word) {
        replace(word, out, notes);
        return Some(());
    }
    out.push_str(word);
    Some(())
}

/// Whether a word is a number of JSON, within the range of a double.
fn is_number(word: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(word).is_ok()
}

fn replace(word: &str, out: &mut String, notes: &mut Notes) {
    let (repair, value) = match word.to_ascii_lowercase().as_str() {
        "true" => (Repair::TruthValue, "true"),
        "false" => (Repair::TruthValue, "false"),
        "none" | "null" | "nil" | "undefined" => (Repair::NoValue, "null"),
        other if is_no_number(other) => (Repair::NoNumber, "null"),
        _ => {
            notes.add(Repair::BareWord);
            super::string::write(word, out);
            return;
        }
    };
    notes.add(repair);
    out.push_str(value);
}

/// Whether a word in lower case is a double that JSON has no form for.
fn is_no_number(word: &str) -> bool {
    word.trim_start_matches(['-', '+'])
        .starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'n' | 'i'))
        && word.parse::<f64>().is_ok_and(|number| !number.is_finite())
}
