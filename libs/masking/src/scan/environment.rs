//! Entries of environments and settings whose values have blanks or line ends in them.

use std::ops::Range;

use super::classify::is_env_name;
use super::lexical::{blanks_end, is_line_break};
use super::scanner::Scanner;
use super::shape::{is_prose, is_word_for_nothing};

/// How long a line is that goes on a value.
const MAX_LINE: usize = 4096;
/// How many lines a value goes on over.
const MAX_LINES: usize = 16;

/// Where the value of an assignment ends; only one that has its line for itself may be one of a list.
pub(super) fn entry_end(
    scanner: &Scanner<'_, '_>,
    key: &Range<usize>,
    end: usize,
    has_line: bool,
) -> usize {
    let (key_start, name) = (key.start, scanner.slice(key.clone()));
    let quoted = quoted_entry_end(scanner, key, end);
    let listed = || {
        if has_line && is_env_name(name) { listed_entry_end(scanner, key_start, end) } else { None }
    };
    quoted.or_else(listed).unwrap_or(end)
}

/// Where an entry of a printed environment ends that has blanks in it: its neighbours are entries, too.
fn listed_entry_end(scanner: &Scanner<'_, '_>, key_start: usize, end: usize) -> Option<usize> {
    let line_end = scanner.run_end(end, 256, |byte| !is_line_break(byte));
    let rest = scanner.slice(end..line_end);
    let plain = !rest.contains(['=', ';', '|', '&', '"', '\'', '<', '>', '`', '$', '#', '\\']);
    let entry = |line: &str| {
        line.split_once('=').is_some_and(|(name, _)| !name.is_empty() && is_env_name(name))
    };
    let next = scanner.run_end(line_end, 2, is_line_break);
    let next_end = scanner.run_end(next, 128, |byte| !is_line_break(byte));
    let last = scanner.run_start(key_start, 2, is_line_break);
    let last_start = scanner.run_start(last, 128, |byte| !is_line_break(byte));
    let listed = entry(scanner.slice(next..next_end)) && next > line_end
        || entry(scanner.slice(last_start..last)) && last < key_start;
    (plain && listed && rest.starts_with(' ') && !rest.trim().starts_with('-'))
        .then(|| end + rest.trim_end().len())
}

/// `'NAME=several words'`: where an assignment ends that stands in quotes as a whole.
fn quoted_entry_end(scanner: &Scanner<'_, '_>, key: &Range<usize>, end: usize) -> Option<usize> {
    let name = scanner.slice(key.clone());
    let quote = scanner.before(key.start).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let stop = scanner.run_end(end, 256, |byte| byte != quote && !is_line_break(byte));
    let rest = scanner.slice(end..stop);
    let plain = !rest.contains(['=', '\\', '"', '\'', '<', '>', '|', ';', '&', '$']);
    // `'the password=x is wrong'` is a sentence.
    let sentence = || rest.split_ascii_whitespace().any(is_prose);
    let first = scanner.slice(key.end + 1..end);
    let plain = plain && (is_env_name(name) || !(is_word_for_nothing(first) || sentence()));
    (scanner.byte(stop) == Some(quote) && rest.starts_with(' ') && plain).then_some(stop)
}

/// Where a value of a file of properties ends that goes on behind a backslash at the end of its line.
pub(super) fn continued(scanner: &Scanner<'_, '_>, from: usize) -> usize {
    let mut end = from;
    for _ in 0..MAX_LINES {
        let line = end + 1;
        let next = scanner.run_end(line, 2, |byte| matches!(byte, b'\r' | b'\n'));
        if scanner.byte(end) != Some(b'\\') || next == line {
            break;
        }
        let start = blanks_end(scanner, next);
        let stop = scanner.run_end(start, MAX_LINE, |byte| !byte.is_ascii_whitespace());
        let alone = matches!(scanner.byte(stop), None | Some(b'\r' | b'\n'));
        let word = scanner.slice(start..stop).trim_end_matches('\\');
        // The next option or setting.
        let other = word.starts_with('-') || word.trim_end_matches('=').contains(['=', ':']);
        if !alone || other || word.is_empty() {
            break;
        }
        end = start + word.len();
    }
    end
}
