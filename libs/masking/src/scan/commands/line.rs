//! The words of a command: of a shell's line, of a list in JSON, of a list in YAML.

use std::ops::Range;

use crate::scan::lexical::{follows_string, quoted};
use crate::scan::scanner::Scanner;

/// How long a command is followed.
const MAX_LINE: usize = 16 * 1024;
/// How many words it may have.
const MAX_WORDS: usize = 8192;

/// The words behind a program, and where they end.
pub(super) struct Words {
    pub(super) words: Vec<Range<usize>>,
    pub(super) end: usize,
}

/// The words behind the name of a program.
pub(super) fn words(scanner: &mut Scanner<'_, '_>, start: usize, from: usize) -> Words {
    match scanner.byte(from) {
        Some(b'"' | b'\'') if is_item(scanner, from + 1) => items(scanner, from + 1),
        Some(b'\n' | b'\r') if is_listed(scanner, start) => listed(scanner, from),
        Some(b'\n' | b'\r') => Words { words: Vec::new(), end: from },
        _ => shell(scanner, from),
    }
}

fn is_item(scanner: &Scanner<'_, '_>, at: usize) -> bool {
    let next = scanner.run_end(at, 64, |byte| byte.is_ascii_whitespace());
    scanner.byte(next) == Some(b',')
}

/// `"mysql", "-uroot", "-psecret"]`
fn items(scanner: &Scanner<'_, '_>, from: usize) -> Words {
    let (mut words, mut at) = (Vec::new(), from);
    while words.len() < MAX_WORDS && at < from + MAX_LINE {
        let next = scanner.run_end(at, 256, |byte| byte.is_ascii_whitespace() || byte == b',');
        let Some(range) = quoted(scanner, next) else { break };
        at = range.end + (range.start - next);
        words.push(range);
    }
    Words { words, end: at }
}

/// Whether a word is an item of a list in YAML.
fn is_listed(scanner: &Scanner<'_, '_>, start: usize) -> bool {
    let line = scanner.run_start(start, 128, |byte| byte != b'\n');
    scanner.slice(line..start).trim_start().starts_with("- ")
}

/// `- mysql`, and `- -psecret` on the next line.
fn listed(scanner: &Scanner<'_, '_>, from: usize) -> Words {
    let (mut words, mut at) = (Vec::new(), from);
    while words.len() < MAX_WORDS && at < from + MAX_LINE {
        let line = scanner.run_end(at, 2, |byte| matches!(byte, b'\r' | b'\n'));
        let dash = scanner.run_end(line, 128, |byte| byte == b' ');
        if line == at || scanner.slice(dash..dash + 2) != "- " {
            break;
        }
        let start = scanner.run_end(dash + 2, 16, |byte| byte == b' ');
        let end = scanner.run_end(start, MAX_LINE, |byte| !matches!(byte, b'\r' | b'\n'));
        words.push(quoted(scanner, start).filter(|range| range.end < end).unwrap_or(start..end));
        at = end;
    }
    Words { words, end: at }
}

/// The words of a line, and of the lines that continue it.
fn shell(scanner: &mut Scanner<'_, '_>, from: usize) -> Words {
    // Commands of one line, as of a pipe, have one end: it is looked for once.
    if !scanner.seen.line.contains(&from) {
        let end = end_of_command(scanner, from);
        let known = if end - from < MAX_LINE { end } else { from + MAX_LINE / 4 * 3 };
        (scanner.seen.line, scanner.seen.line_end) = (from..known, end);
    }
    let until = scanner.seen.line_end;
    let (mut words, mut at) = (Vec::new(), from);
    while at < until && words.len() < MAX_WORDS {
        let byte = scanner.byte(at).unwrap_or(b'\n');
        match byte {
            b'\\' if continues(scanner, at) => at = skip_break(scanner, at + 1),
            b' ' | b'\t' | b',' => at += 1,
            // The next command begins, or a redirection: no word of this one follows.
            b'|' | b';' | b'\n' | b'\r' => break,
            b'&' if scanner.byte(at + 1) == Some(b'&') => break,
            _ => {
                let (range, end) = word(scanner, at, until);
                words.push(range);
                at = end.max(at + 1);
            }
        }
    }
    // Where the line was cut, its last words are read anew with what follows.
    let end = if until > scanner.seen.line.end { at.min(scanner.seen.line.end) } else { at };
    Words { words, end }
}

/// Whether a backslash continues the line.
fn continues(scanner: &Scanner<'_, '_>, at: usize) -> bool {
    let next = scanner.run_end(at + 1, 4, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    scanner.byte(next) == Some(b'\n')
}

fn skip_break(scanner: &Scanner<'_, '_>, at: usize) -> usize {
    let next = scanner.run_end(at, 4, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    scanner.run_end(next + 1, 256, |byte| matches!(byte, b' ' | b'\t'))
}

/// Where a command ends: with its line, or the string it is in.
fn end_of_command(scanner: &Scanner<'_, '_>, from: usize) -> usize {
    let bytes = scanner.bytes.get(..scanner.bytes.len().min(from + MAX_LINE)).unwrap_or_default();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if continues(scanner, at) => at = skip_break(scanner, at + 1),
            b'\\' => at += 2,
            b'\n' | b'\r' => return at,
            b'"' if follows_string(scanner.bytes, at + 1)
                && at > from + 1
                && !opens(scanner, at) =>
            {
                return at;
            }
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// Whether a quote begins a word.
fn opens(scanner: &Scanner<'_, '_>, at: usize) -> bool {
    matches!(scanner.before(at), Some(b' ' | b'=' | b'\t'))
}

/// A word without its quotes, and where it ends with them.
fn word(scanner: &Scanner<'_, '_>, at: usize, until: usize) -> (Range<usize>, usize) {
    let slashes = scanner.run_end(at, 4, |byte| byte == b'\\');
    if let Some(quote @ (b'"' | b'\'')) = scanner.byte(slashes) {
        let start = slashes + 1;
        let close = |byte: u8| byte != quote;
        let end = scanner.run_end(start, until.saturating_sub(start), close);
        let stop = scanner.run_start(end, (slashes - at).min(end - start), |byte| byte == b'\\');
        return (start..stop, end + 1);
    }
    let ends = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'|' | b'`' | b')');
    let mut end = scanner.run_end(at, until - at, |byte| !ends(byte));
    // `--creds="a:b"`: the quotes inside belong to the shell.
    let inner = scanner.slice(at..end);
    if let Some(open) = inner.find(['"', '\'']) {
        let quote = inner.as_bytes().get(open).copied().unwrap_or(b'"');
        if inner.get(..open).is_some_and(|head| head.ends_with('=') || head.len() == 2) {
            let start = at + open + 1;
            let close = scanner.run_end(start, until.saturating_sub(start), |byte| byte != quote);
            return (at..close, close + 1);
        }
        let trimmed = inner.trim_end_matches(['"', '\'', '\\', ',']);
        let odd = inner.matches(['"', '\'']).count() % 2 == 1;
        if odd && trimmed.len() < inner.len() {
            end = at + trimmed.len();
            return (at..end, at + inner.len());
        }
    }
    let text = scanner.slice(at..end);
    let trimmed = text.trim_end_matches(['\\', ',', ')']).len();
    (at..at + trimmed, end)
}
