//! The value that follows a key: where it begins and ends.

use std::ops::Range;

use super::class::{KeyClass, Word};
use super::classify::is_env_name;
use super::environment::{continued, entry_end};
use super::joint::joint;
use super::lexical::{
    Found, Joint, MAX_BLANKS, MAX_QUOTED, binary, blanks_end, ends_string, is_at_line_start,
    is_line_break, is_quote, line_prefix, quote_end, quoted,
};
use super::scanner::Scanner;
use super::shape::{is_prose, is_word_for_nothing};
use super::template::{MAX_TEMPLATE, default_of, template_end};
use crate::patterns::Pattern;
use crate::spans::mask_end;
use crate::yaml::without_comment;

/// How far an unquoted value is followed.
const MAX_BARE: usize = 64 * 1024;
/// How long the name of an element may be.
const MAX_TAG: usize = 128;
/// Tags of YAML whose value is the name of something else.
const REFERENCE_TAGS: [&str; 16] = [
    "!Ref",
    "!GetAtt",
    "!ImportValue",
    "!FindInMap",
    "!Select",
    "!Join",
    "!If",
    "!secret",
    "!env_var",
    "!env",
    "!reference",
    "!Split",
    "!Transform",
    "!ENV",
    "!include",
    "!file",
];
/// What makes a secret of a literal in a program: `Some("…")`, `[]byte("…")`, `SecretString::from("…")`.
const WRAPPERS: [&str; 30] = [
    "some",
    "string",
    "str",
    "byte",
    "bytes",
    "buffer",
    "from",
    "of",
    "secretstring",
    "secret",
    "secretstr",
    "new",
    "encode",
    "decode",
    "b64decode",
    "quote",
    "sensitive",
    "nonsensitive",
    "password",
    "just",
    "ok",
    "text",
    "ptr",
    "frombase64string",
    "fromstring",
    "utf8",
    "token",
    "apitoken",
    "apikey",
    "secretkey",
];

/// Finds the value that belongs to a key.
pub(super) fn after_key(
    scanner: &Scanner<'_, '_>,
    key: Range<usize>,
    class: KeyClass,
) -> Option<Found> {
    let mut joint = joint(scanner, &key, class)?;
    let at_line_start = is_at_line_start(scanner, key.start);
    let found = |range: Range<usize>, quoted: bool, colon: bool| Found {
        range,
        quoted,
        at_line_start,
        colon,
    };
    // What is masked is a whole value, but a header may go on behind it.
    let header = matches!(class.pattern, Pattern::AuthorizationHeader | Pattern::Cookie);
    if let Some(end) = mask_end(scanner.text, joint.at).filter(|_| !header && !joint.xml) {
        return Some(found(joint.at..end, false, joint.colon));
    }
    if joint.xml {
        return text_of_element(scanner, joint.at).map(|range| found(range, true, false));
    }
    joint.at = properties_end(scanner, &joint)?;
    let at = unwrapped(scanner, dumped(scanner, binary(scanner, joint.at)));
    if let Some(range) = default_of(scanner, joint.at) {
        return Some(found(range, true, joint.colon));
    }
    if let Some(range) = quoted(scanner, at) {
        let closes = scanner.before(key.start).filter(|byte| is_quote(Some(*byte)));
        // `"Password: "` is a question: the quote behind it ends the string that began before it.
        let question =
            closes.is_some() && closes == scanner.byte(at) && quote_end(scanner, key.end).is_none();
        return (!question && !ends_string(scanner, &range))
            .then(|| found(range, true, joint.colon));
    }
    if at > joint.at {
        return None;
    }
    if joint.colon && at_line_start && matches!(scanner.byte(joint.at), Some(b'\n' | b'\r')) {
        return next_line(scanner, key.start, joint.at).map(|range| found(range, false, true));
    }
    if let Some(head_end) = block_head(scanner, joint.at) {
        return block(scanner, key.start, head_end).map(|range| found(range, true, true));
    }
    let range = bare(scanner, &key, &joint, at_line_start, class)?;
    let word = scanner.slice(range.clone());
    // `token: Optional[str] = None`
    let first = word.split(' ').next().unwrap_or_default();
    let generic = first.ends_with(']')
        && first.starts_with(|c: char| c.is_ascii_alphabetic())
        && first.contains('[')
        && !word.bytes().any(|byte| byte.is_ascii_digit());
    let types = ["str", "string", "String", "&str", "bytes", "SecretStr", "any", "Any"];
    let is_type =
        joint.colon && (generic || (!at_line_start && types.contains(&word.trim_end_matches('?'))));
    (!is_type).then(|| found(range, false, joint.colon))
}

/// The text of an element, without `<![CDATA[`; none if something else is in it.
fn text_of_element(scanner: &Scanner<'_, '_>, at: usize) -> Option<Range<usize>> {
    let blank = scanner.run_end(at, MAX_BLANKS, |byte| byte.is_ascii_whitespace());
    // `<AdministratorPassword><Value>` of Windows.
    let blank = blank + if scanner.stands_at(blank, "<Value>") { "<Value>".len() } else { 0 };
    let at = at.max(blank);
    let opening = "<![CDATA[";
    if scanner.stands_at(blank, opening) {
        let start = blank + opening.len();
        let end = scanner.seen.cdata_end.find(scanner.bytes, start, b"]]>")?;
        return Some(start..end);
    }
    let end = scanner.run_end(at, MAX_BARE, |byte| byte != b'<');
    let tag_end = scanner.run_end(end, MAX_TAG, |byte| byte != b'>');
    let closes = scanner.slice(end..tag_end).starts_with("</");
    let text = scanner.slice(at..end);
    let start = at + (text.len() - text.trim_start().len());
    let whole = closes && !leaves_string(scanner, &(at..end)) && !text.trim().is_empty();
    whole.then(|| start..at + text.trim_end().len())
}

/// Passes over tags and anchors of YAML; none if the value is a reference.
fn properties_end(scanner: &Scanner<'_, '_>, joint: &Joint) -> Option<usize> {
    let mut at = joint.at;
    while joint.colon && matches!(scanner.byte(at), Some(b'!' | b'&')) {
        let end = scanner.run_end(at, 64, |byte| byte.is_ascii_graphic());
        let next = blanks_end(scanner, end);
        if REFERENCE_TAGS.contains(&scanner.slice(at..end)) {
            return None;
        }
        let tag = scanner.slice(at + 1..end);
        let plain = tag.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'_' | b'-' | b':' | b'.' | b'/')
        });
        if next == end || !plain || matches!(scanner.byte(next), None | Some(b'\n' | b'\r')) {
            break;
        }
        at = next;
    }
    Some(at)
}

/// Whether the string of a JSON document, in which an element begins, ends before the element does.
fn leaves_string(scanner: &Scanner<'_, '_>, value: &Range<usize>) -> bool {
    let quotes = scanner.slice(value.clone()).match_indices('"');
    quotes.map(|(at, _)| value.start + at + 1).any(|at| ends_string(scanner, &(at..value.end)))
}

/// `=>`, and `string(8) "…"` on the next line, as PHP's `var_dump` prints; `(string) (len=8) "…"`, as Go's spew does.
fn dumped(scanner: &Scanner<'_, '_>, at: usize) -> usize {
    let next = scanner.run_end(at, MAX_BLANKS, |byte| byte.is_ascii_whitespace());
    // Most values have no type before them, as their first byte shows.
    if !matches!(scanner.byte(next), Some(b's' | b'(')) {
        return at;
    }
    let known = ["string(", "(string) (len="];
    let Some(opening) = known.into_iter().find(|text| scanner.stands_at(next, text)) else {
        return at;
    };
    let digits = scanner.run_end(next + opening.len(), 8, |byte| byte.is_ascii_digit());
    let typed = scanner.stands_at(digits, ") \"");
    if typed { digits + 2 } else { at }
}

/// `Some("…")` of a program: the value stands inside.
fn unwrapped(scanner: &Scanner<'_, '_>, from: usize) -> usize {
    let mut at = from;
    for _ in 0..3 {
        let start = if scanner.stands_at(at, "new ") { at + 4 } else { at };
        let end = scanner.run_end(start, 48, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'[' | b']')
        });
        if end == start || scanner.byte(end) != Some(b'(') {
            break;
        }
        let name = scanner.slice(start..end);
        let last = name.rsplit(['.', ':', ']']).next().unwrap_or_default().to_ascii_lowercase();
        if !WRAPPERS.contains(&last.as_str()) {
            break;
        }
        at = blanks_end(scanner, end + 1);
    }
    if is_quote(scanner.byte(at)) || quote_end(scanner, at).is_some() { at } else { from }
}

/// The end of the line that opens a block of YAML with `|` or `>`.
fn block_head(scanner: &Scanner<'_, '_>, at: usize) -> Option<usize> {
    if !matches!(scanner.byte(at), Some(b'|' | b'>')) {
        return None;
    }
    let head = scanner.run_end(at + 1, 3, |byte| matches!(byte, b'-' | b'+' | b'1'..=b'9'));
    let line_end = scanner.run_end(head, MAX_BLANKS, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    matches!(scanner.byte(line_end), None | Some(b'\n')).then_some(line_end)
}

/// The block itself: lines that are indented deeper than the key.
fn block(scanner: &Scanner<'_, '_>, key_start: usize, line_end: usize) -> Option<Range<usize>> {
    let line_start = scanner.run_start(key_start, 512, |byte| byte != b'\n');
    let indent = scanner.run_end(line_start, 512, |byte| byte == b' ') - line_start;
    let (mut at, mut range) = (line_end + 1, None::<Range<usize>>);
    while at < scanner.bytes.len() && at - line_end < MAX_QUOTED {
        let content = scanner.run_end(at, usize::MAX, |byte| byte == b' ');
        let end = scanner.run_end(content, usize::MAX, |byte| byte != b'\n');
        let trimmed = content + scanner.slice(content..end).trim_end().len();
        if trimmed > content {
            if content - at <= indent {
                break;
            }
            range = Some(range.map_or(content, |range| range.start)..trimmed);
        }
        at = end + 1;
    }
    range
}

/// A lone word on the next line, deeper than the key.
fn next_line(scanner: &Scanner<'_, '_>, key_start: usize, line_end: usize) -> Option<Range<usize>> {
    let line_start = scanner.run_start(key_start, 512, |byte| byte != b'\n');
    let indent = scanner.run_end(line_start, 512, |byte| byte == b' ') - line_start;
    let next = scanner.run_end(line_end, 2, |byte| matches!(byte, b'\r' | b'\n'));
    let start = scanner.run_end(next, 512, |byte| byte == b' ');
    let end = scanner.run_end(start, 4096, |byte| !byte.is_ascii_whitespace());
    let alone = matches!(scanner.byte(end), None | Some(b'\n' | b'\r'));
    let word = scanner.slice(start..end);
    let plain = !word.ends_with(':') && !word.starts_with(['-', '{', '[', '#', '|', '"', '\'']);
    (start - next > indent && alone && plain && !word.is_empty()).then_some(start..end)
}

/// A value without quotes.
fn bare(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    joint: &Joint,
    at_line_start: bool,
    class: KeyClass,
) -> Option<Range<usize>> {
    let start = joint.at;
    let mask = mask_end(scanner.text, start);
    let masked = mask.is_some();
    let header = class.pattern == Pattern::AuthorizationHeader;
    // A mask is a whole value.
    if let Some(end) = mask.filter(|_| !header) {
        return Some(start..end);
    }
    if opens_structure(scanner, start, masked || header) {
        return braced(scanner, key, joint, class);
    }
    if let Some(end) = template_end(scanner, start) {
        return Some(start..end);
    }
    let name = scanner.slice(key.clone());
    let prefix = line_prefix(scanner, key.start);
    if prefix.after_nul {
        let end = scanner.run_end(start, MAX_BARE, |byte| byte != 0);
        return (end > start).then_some(start..end);
    }
    let in_json = quote_end(scanner, key.end).is_some();
    let in_query = matches!(scanner.before(key.start), Some(b'?' | b'&'));
    // Alone on its line a value may hold any punctuation.
    let alone = at_line_start
        && !in_query
        && !in_json
        && (joint.colon
            || is_env_name(name)
            || name.contains('.')
            || (prefix.plain && is_lone_setting(scanner, key, start)));
    let wide = alone && prefix.plain;
    let ends = |byte: u8| match byte {
        0 | 0x1b => true,
        _ if joint.whole => byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\\'),
        b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' => !wide,
        b',' | b';' | b'&' | b')' | b'|' | b'}' => !alone,
        b']' => !alone && !masked,
        b'#' => in_query,
        _ => byte.is_ascii_whitespace(),
    };
    let mut end = scanner.run_end(start, MAX_BARE, |byte| !ends(byte));
    if wide {
        end = start + trimmed_word(scanner.slice(start..end)).len();
    }
    if at_line_start && !in_json {
        end = continued(scanner, password_end(scanner, name, joint, class, end));
    }
    if !joint.colon {
        end = entry_end(scanner, key, end, wide);
    }
    without_punctuation(scanner, start..end)
}

/// A value without the signs of the sentence around it; none if nothing is left.
fn without_punctuation(scanner: &Scanner<'_, '_>, value: Range<usize>) -> Option<Range<usize>> {
    let start = value.start;
    let length = scanner.slice(value).trim_end_matches([',', ';', '.']).len();
    (length > 0).then_some(start..start + length)
}

/// Whether a list, an object or an expression begins where a value would.
fn opens_structure(scanner: &Scanner<'_, '_>, start: usize, is_masked: bool) -> bool {
    match scanner.byte(start) {
        Some(b'[') => !is_masked,
        // `{SSHA}…` is a value.
        Some(b'{') => scanner.byte(start + 1) != Some(b'S'),
        Some(b'(') => true,
        _ => false,
    }
}

/// `PWD={…};` of ODBC: where the password is inside its braces.
fn braced(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    joint: &Joint,
    class: KeyClass,
) -> Option<Range<usize>> {
    let start = joint.at;
    if scanner.byte(start) != Some(b'{') || joint.colon || class.word != Word::Password {
        return None;
    }
    let end = scanner.run_end(start, MAX_TEMPLATE, |byte| !matches!(byte, b'}' | b'\n' | b'"'));
    let settings = matches!(scanner.before(key.start), Some(b';' | b' '))
        && matches!(scanner.byte(end + 1), None | Some(b';' | b'"' | b'\n'));
    let plain = end > start + 1 && scanner.byte(start + 1) != Some(b'{');
    (scanner.byte(end) == Some(b'}') && settings && plain).then_some(start + 1..end)
}

/// On a line of its own a password may have blanks in it: where it ends then.
fn password_end(
    scanner: &Scanner<'_, '_>,
    name: &str,
    joint: &Joint,
    class: KeyClass,
    end: usize,
) -> usize {
    if class.word != Word::Password {
        return end;
    }
    let start = joint.at;
    let ends = |byte: u8| matches!(byte, b'\n' | b'\r' | b'\\' | b'"' | 0);
    let line_end = scanner.run_end(end, 256, |byte| !ends(byte));
    let line = scanner.slice(start..line_end);
    let setting = joint.colon
        || (!is_env_name(name) && !name.starts_with('-') && !line.contains(['=', ',', ';', ')']));
    let first = scanner.slice(start..end);
    if !setting || is_prose(first) || is_word_for_nothing(first) {
        return end;
    }
    start + without_comment(line).trim_end().len()
}

/// `password=my"cnf#1` of a file of settings: no blanks, and nothing else is set on the line.
fn is_lone_setting(scanner: &Scanner<'_, '_>, key: &Range<usize>, start: usize) -> bool {
    let end = scanner.run_end(start, 256, |byte| !is_line_break(byte));
    start == key.end + 1 && !scanner.slice(start..end).contains(['=', ';', ' ', '(', '{', '['])
}

/// A word without what belongs to the text around it: the end of an element, of a string, of a continued line.
fn trimmed_word(word: &str) -> &str {
    let tag = if word.contains('<') { word.find("</") } else { None };
    let word = tag.and_then(|tag| word.get(..tag)).unwrap_or(word).trim_end_matches('\\');
    let odd = |quote: char| word.ends_with(quote) && word.matches(quote).count() % 2 == 1;
    if word.len() > 1 && (odd('"') || odd('\'') || odd('`')) {
        return word.get(..word.len() - 1).unwrap_or(word);
    }
    word
}
