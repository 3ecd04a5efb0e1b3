//! How a value is joined to its key: by a sign, a tag, an argument list, a sentence.

use std::ops::Range;

use memchr::memchr;

use super::class::KeyClass;
use super::lexical::{
    Joint, MAX_BLANKS, binary, blanks_end, is_quote, quote_end, quoted, subscript_end,
};
use super::phrase;
use super::scanner::Scanner;
use super::shape::is_strong;

/// How long the name of an element and its attributes may be.
const MAX_TAG: usize = 1024;
/// How long the type of a variable may be.
const MAX_TYPE: usize = 48;
/// How many other fields may stand between a name and its value.
const MAX_BETWEEN: usize = 3;

/// Where the value of a key begins.
pub(super) fn joint(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    class: KeyClass,
) -> Option<Joint> {
    let key_quote = quote_end(scanner, key.end);
    let after = subscript_end(scanner, key, key_quote).unwrap_or(key_quote.unwrap_or(key.end));
    let blank = blanks_end(scanner, after);
    let is_flag = scanner.byte(key.start) == Some(b'-');
    if let Some(joint) = sign(scanner, key, blank, key_quote.is_some()) {
        return joint;
    }
    match scanner.byte(blank) {
        // `ENV NAME value` of a Dockerfile.
        Some(_) if blank > after && is_after_env(scanner, key.start) => Some(Joint::at(blank)),
        _ if is_flag => flag(scanner, key_quote.is_some(), after),
        _ => explicit(scanner, key, after)
            .or_else(|| numbered(scanner, key_quote))
            .or_else(|| form_field(scanner, key, key_quote))
            .or_else(|| element(scanner, key, after))
            .or_else(|| pair(scanner, key, after))
            .or_else(|| typed(scanner, blank).filter(|_| blank > after))
            .or_else(|| argument(scanner, key, key_quote, class))
            .or_else(|| phrase::joint(scanner, key, after, class)),
    }
}

/// The signs that join: `=`, `:`, and what languages make of them. The inner none: it is a comparison.
#[expect(clippy::option_option, reason = "no sign, a sign that joins nothing, a joint")]
fn sign(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    blank: usize,
    in_quotes: bool,
) -> Option<Option<Joint>> {
    let first = scanner
        .byte(blank)
        .filter(|byte| matches!(byte, b'|' | b'?' | b':' | b'+' | b'<' | b'=' | b'.'))?;
    if first == b'.' {
        let at = scanner.run_end(blank, MAX_BLANKS, |byte| byte == b'.');
        return scanner.stands_at(blank, "....").then_some(Some(Joint::at(at)));
    }
    if let Some(length) = assignment(scanner, blank, first) {
        let at = blanks_end(scanner, blank + length);
        return Some(Some(Joint::at(at)));
    }
    // `process.env.PASSWORD || "default"`
    if scanner.stands_at(blank, "||") || scanner.stands_at(blank, "??") {
        let at = blanks_end(scanner, blank + 2);
        return is_quote(scanner.byte(at)).then(|| Some(Joint::at(at)));
    }
    if blank == key.end && is_set_output(scanner, key) {
        return Some(Some(Joint::at(blank + 2)));
    }
    let byte = scanner.byte(blank).filter(|byte| matches!(byte, b'=' | b':'))?;
    let compares = byte == b'=' && scanner.byte(blank + 1) == Some(b'=');
    if compares && let Some(joint) = compared(scanner, blank + 2) {
        return Some(Some(joint));
    }
    if scanner.byte(blank + 1) == Some(byte) && (!in_quotes || compares) {
        // `userPassword:: …` of LDIF is base64; other doubled signs compare or name.
        let ldif = byte == b':' && scanner.byte(blank + 2) == Some(b' ') && blank == key.end;
        let at = blanks_end(scanner, blank + 2);
        return Some(ldif.then(|| Joint { colon: true, ..Joint::at(at) }));
    }
    if byte == b'=' && scanner.byte(blank + 1) == Some(b'~') {
        return Some(None);
    }
    // `v-model="form.password" :token="…"`: the next attribute.
    let attribute = in_quotes
        && byte == b':'
        && scanner.before(blank) == Some(b' ')
        && scanner.byte(blank + 1).is_some_and(|byte| byte.is_ascii_alphabetic());
    if attribute {
        return Some(None);
    }
    // `${NAME:?message}`
    if byte == b':'
        && scanner.byte(blank + 1) == Some(b'?')
        && scanner.before(key.start) == Some(b'{')
    {
        return Some(None);
    }
    let at = blanks_end(scanner, blank + 1);
    let colon = byte == b':';
    let typed = if colon { typed(scanner, at) } else { None };
    Some(Some(typed.unwrap_or(Joint { colon, ..Joint::at(at) })))
}

/// `::set-output name=password::…` of a workflow.
fn is_set_output(scanner: &Scanner<'_, '_>, key: &Range<usize>) -> bool {
    scanner.stands_at(key.end, "::")
        && scanner.slice(key.start.saturating_sub(6)..key.start) == " name="
}

/// How long a sign of several bytes is that assigns, if one stands here.
fn assignment(scanner: &Scanner<'_, '_>, at: usize, first: u8) -> Option<usize> {
    let signs: &[&str] = match (first, scanner.byte(at + 1)?) {
        (b'|', b'|') => &["||="],
        (b'?', b'?') => &["??="],
        (b':', b':') => &[":::=", "::="],
        (b'?', b'=') => &["?="],
        (b'+', b'=') => &["+="],
        (b'<', b'-') => &["<-"],
        (b':', b'=') => &[":="],
        (b'=', b'>') => &["=>"],
        _ => &[],
    };
    signs.iter().find(|sign| scanner.stands_at(at, sign)).map(|sign| sign.len())
}

/// `password == "hunter2"`: what a program compares with may be the secret itself.
fn compared(scanner: &Scanner<'_, '_>, from: usize) -> Option<Joint> {
    let at = blanks_end(scanner, from + usize::from(scanner.byte(from) == Some(b'=')));
    let value = quoted(scanner, at).filter(|_| is_quote(scanner.byte(at)))?;
    is_strong(scanner.slice(value)).then(|| Joint::at(at))
}

/// `str = "…"`, `&'static str = "…"`, `string = "…"`: a type stands between the name and the value.
fn typed(scanner: &Scanner<'_, '_>, at: usize) -> Option<Joint> {
    let is_type = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'.' | b'&' | b'\'' | b'<' | b'>' | b'[' | b']' | b'?' | b'|' | b' ' | b'*'
            )
    };
    let begins = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'&' | b'*' | b'[' | b'_');
    if !scanner.byte(at).is_some_and(begins) {
        return None;
    }
    // Most words have no such sign behind them.
    let near = scanner.bytes.get(at..scanner.bytes.len().min(at + MAX_TYPE + 1))?;
    memchr(b'=', near)?;
    let end = scanner.run_end(at, MAX_TYPE, is_type);
    if scanner.before(end) != Some(b' ')
        || scanner.byte(end) != Some(b'=')
        || scanner.byte(end + 1) == Some(b'=')
    {
        return None;
    }
    let value = blanks_end(scanner, end + 1);
    quoted(scanner, value).map(|_| Joint::at(value))
}

/// `<password>…`, `<wsse:Password Type="…">…`, `<entry key="password">…`: the value is the text of the element.
fn element(scanner: &Scanner<'_, '_>, key: &Range<usize>, after: usize) -> Option<Joint> {
    if !matches!(scanner.byte(after), Some(b'>' | b' ' | b'\t')) {
        return None;
    }
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_tag = match scanner.before(key.start) {
        Some(b'<') => true,
        Some(b':') => {
            let space = scanner.run_start(key.start - 1, 64, |byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
            });
            scanner.before(space) == Some(b'<')
        }
        Some(byte) if part(byte) => {
            scanner.before(scanner.run_start(key.start, 64, part)) == Some(b'<')
        }
        _ => false,
    };
    let in_attribute = is_quote(scanner.before(key.start)) && after > key.end;
    if !is_tag && !in_attribute {
        return None;
    }
    if in_attribute && !name_before(scanner, key.start) {
        return None;
    }
    let close = match scanner.byte(after) {
        Some(b'>') => after,
        Some(b' ' | b'\t') => attributes_end(scanner, after)?,
        _ => return None,
    };
    Some(Joint { xml: true, ..Joint::at(close + 1) })
}

/// Whether an attribute that names things has the value that begins at a place.
fn name_before(scanner: &Scanner<'_, '_>, key_start: usize) -> bool {
    let before = scanner.slice(key_start.saturating_sub(16)..key_start);
    let name = before.trim_end_matches(['"', '\'', '\\']);
    ["key=", "name=", "id=", "Key=", "Name="].iter().any(|known| name.ends_with(known))
}

/// The `>` behind attributes without a `value`; none if the element has no text.
fn attributes_end(scanner: &Scanner<'_, '_>, from: usize) -> Option<usize> {
    let end = scanner.run_end(from, MAX_TAG, |byte| !matches!(byte, b'>' | b'<' | b'\n'));
    let attributes = scanner.slice(from..end);
    let ends = scanner.byte(end) == Some(b'>') && attributes.contains('=');
    (ends && !attributes.ends_with('/') && !attributes.contains(" value=")).then_some(end)
}

/// `name="password"`, a blank line, and the value, as browsers send forms.
fn form_field(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    key_quote: Option<usize>,
) -> Option<Joint> {
    let end = key_quote?;
    let next = scanner.run_end(end, 4, |byte| matches!(byte, b'\r' | b'\n'));
    if next == end {
        return None;
    }
    let breaks = scanner.slice(end..next).matches('\n').count();
    (breaks == 2 && name_before(scanner, key.start))
        .then(|| Joint { whole: true, ..Joint::at(next) })
}

/// `? password`, and `: …` on the next line, as YAML writes a mapping in full.
fn explicit(scanner: &Scanner<'_, '_>, key: &Range<usize>, after: usize) -> Option<Joint> {
    let next = scanner.run_end(after, 2, |byte| matches!(byte, b'\r' | b'\n'));
    if next == after {
        return None;
    }
    let start = key.start.saturating_sub(usize::from(after > key.end));
    if !scanner.text.get(..start).is_some_and(|before| before.ends_with("? ")) {
        return None;
    }
    let colon = blanks_end(scanner, next);
    scanner
        .stands_at(colon, ": ")
        .then(|| Joint { whole: true, ..Joint::at(blanks_end(scanner, colon + 1)) })
}

/// `1) "requirepass"`, and `2) "…"` on the next line, as Redis answers.
fn numbered(scanner: &Scanner<'_, '_>, key_quote: Option<usize>) -> Option<Joint> {
    let key_quote = key_quote?;
    let next = scanner.run_end(key_quote, 2, |byte| matches!(byte, b'\r' | b'\n'));
    if next == key_quote {
        return None;
    }
    let digits = scanner.run_end(next, 8, |byte| byte.is_ascii_digit() || byte == b' ');
    let sign = digits > next && scanner.slice(digits..digits + 2) == ") ";
    (sign && is_quote(scanner.byte(digits + 2))).then(|| Joint::at(digits + 2))
}

fn is_after_env(scanner: &Scanner<'_, '_>, key_start: usize) -> bool {
    if scanner.before(key_start) != Some(b' ') {
        return false;
    }
    let word = scanner.run_start(key_start, 8, |byte| byte != b'\n');
    matches!(
        scanner.slice(word..key_start).trim_start(),
        "ENV " | "ARG " | "setenv " | "setx " | "#define "
    )
}

/// `--token value`, `"--token", "value"`, and the same over two items of a YAML list.
fn flag(scanner: &Scanner<'_, '_>, in_quotes: bool, after: usize) -> Option<Joint> {
    let comma = blanks_end(scanner, after);
    let at = if in_quotes && scanner.byte(comma) == Some(b',') { comma + 1 } else { after };
    let mut next = scanner.run_end(at, 2 * MAX_BLANKS, |byte| byte.is_ascii_whitespace());
    let new_line = scanner.slice(at..next).contains('\n');
    if new_line && scanner.byte(next) == Some(b'-') && scanner.byte(next + 1) == Some(b' ') {
        next = blanks_end(scanner, next + 1);
    } else if new_line && at == after {
        return None;
    }
    let begins =
        |word: &str| scanner.slice(next..scanner.bytes.len().min(next + 2)).ends_with(word);
    // `"--no-password", "-h"`: the next option.
    if at > after && is_quote(scanner.byte(next)) && begins("-") {
        return None;
    }
    // In an object the next string is a key.
    let is_key = at > after
        && quoted(scanner, next).is_some_and(|range| {
            scanner.byte(blanks_end(scanner, range.end + (range.start - next))) == Some(b':')
        });
    if is_key {
        return None;
    }
    // `"--password", help="…"` declares an option.
    if at > after && !is_quote(scanner.byte(next)) && scanner.byte(next) != Some(b'\\') {
        return None;
    }
    // Another flag is not the value of this one.
    let plausible = next > after
        && !matches!(scanner.byte(next), None | Some(b'-' | b'|' | b'&' | b';' | b'>'));
    plausible.then_some(Joint::at(next))
}

/// A key that is itself a value: `name: DB_PASSWORD`, then `value: …`; other fields may stand between.
fn pair(scanner: &Scanner<'_, '_>, key: &Range<usize>, after: usize) -> Option<Joint> {
    let mut at = after;
    for _ in 0..MAX_BETWEEN {
        let blank = blanks_end(scanner, at);
        let comma = blank + usize::from(scanner.byte(blank) == Some(b','));
        let mut next = scanner.run_end(comma, 2 * MAX_BLANKS, |byte| byte.is_ascii_whitespace());
        // A line end inside a string is an escape.
        while scanner.slice(next..next + 2) == "\\n" {
            next = scanner.run_end(next + 2, 2 * MAX_BLANKS, |byte| byte.is_ascii_whitespace());
        }
        let open = quote_end(scanner, next).unwrap_or(next);
        let word_end = scanner.run_end(open, 32, |byte| byte.is_ascii_alphanumeric());
        let close = quote_end(scanner, word_end).unwrap_or(word_end);
        let sign = blanks_end(scanner, close);
        if next == after || word_end == open {
            return None;
        }
        let colon = scanner.byte(sign) == Some(b':');
        let xml = scanner.byte(sign) == Some(b'=')
            && close == word_end
            && is_quote(scanner.byte(sign + 1));
        // `Name=DB_PASSWORD,Value=…` of AWS, `EnvVar(name=DB_PASSWORD, value=…)` of Java.
        let listed = scanner.byte(sign) == Some(b'=')
            && comma > blank
            && close == word_end
            && scanner.before(key.start) == Some(b'=');
        if !colon && !xml && !listed {
            return None;
        }
        let value = blanks_end(scanner, sign + 1);
        if is_value_field(scanner.slice(open..word_end)) {
            return Some(Joint { colon, ..Joint::at(value) });
        }
        at = skipped(scanner, value, close > word_end)?;
    }
    None
}

/// Whether a field holds the thing that another one names.
fn is_value_field(name: &str) -> bool {
    ["value", "parametervalue", "val", "stringvalue", "defaultvalue"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// Where a short value of no interest ends.
fn skipped(scanner: &Scanner<'_, '_>, at: usize, json: bool) -> Option<usize> {
    if let Some(range) = quoted(scanner, at).filter(|range| range.len() <= 128) {
        return Some(range.end + (range.start - at));
    }
    let end =
        scanner.run_end(at, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    (json && end > at).then_some(end)
}

/// `define('DB_PASSWORD', '…')`, `add("x-api-key", "…")` and `{password, "…"}`.
fn argument(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    key_quote: Option<usize>,
    class: KeyClass,
) -> Option<Joint> {
    let after = key_quote.unwrap_or(key.end);
    let at = binary(scanner, blanks_end(scanner, after + 1));
    if class.plural || scanner.byte(after) != Some(b',') || !is_quote(scanner.byte(at)) {
        return None;
    }
    let value = quoted(scanner, at)?;
    let behind = value.end + 1;
    let close = behind + if scanner.stands_at(behind, ">>") { 2 } else { 0 };
    let close = blanks_end(scanner, close);
    let compound = scanner.slice(key.clone()).contains(['_', '-']);
    let ends = |byte: u8| scanner.byte(close) == Some(byte);
    let opening = scanner.run_start(key.start.saturating_sub(1), 4, |byte| byte == b' ');
    let call = key_quote.is_some()
        && compound
        && ((scanner.before(opening) == Some(b'(') && ends(b')'))
            || (scanner.before(opening) == Some(b'[') && ends(b']')));
    let tuple = key_quote.is_none() && scanner.before(key.start) == Some(b'{') && ends(b'}');
    (call || tuple).then_some(Joint::at(at))
}
