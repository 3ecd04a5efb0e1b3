//! Entries of environments whose values have blanks in them.

use super::classify::is_env_name;
use super::lexical::is_line_break;
use super::scanner::Scanner;

/// Where the value of an assignment ends; only one that has its line for itself may be one of a list.
pub(super) fn entry_end(
    scanner: &Scanner<'_, '_>,
    key_start: usize,
    end: usize,
    has_line: bool,
) -> usize {
    let quoted = quoted_entry_end(scanner, key_start, end);
    let listed = || if has_line { listed_entry_end(scanner, key_start, end) } else { None };
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
fn quoted_entry_end(scanner: &Scanner<'_, '_>, key_start: usize, end: usize) -> Option<usize> {
    let quote = scanner.before(key_start).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let stop = scanner.run_end(end, 256, |byte| byte != quote && !is_line_break(byte));
    let rest = scanner.slice(end..stop);
    let plain = !rest.contains(['=', '\\', '"', '\'', '<', '>', '|', ';', '&', '$']);
    (scanner.byte(stop) == Some(quote) && rest.starts_with(' ') && plain).then_some(stop)
}
