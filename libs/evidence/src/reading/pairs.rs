//! Values inside a line of a log: `key=value`, `key:value`, answers of DNS, and the time that the line begins with.

use super::tree::NAMES;
use super::{Object, Readings};
use crate::moment::{Moment, moment_at};

/// Pairs of one line.
const MOST_PAIRS: usize = 64;
/// The start of a line that is searched for its time, in bytes.
const HEAD: usize = 120;

/// The time that a line of a log begins with, and where the text behind it begins.
pub(super) fn leading_time(line: &str) -> Option<(Moment, usize)> {
    let start = line.len() - line.trim_start_matches([' ', '[', '(', '<', '>', '"']).len();
    let rest = line.get(start..)?;
    let (moment, length) = moment_at(rest)?;
    moment.time?;
    Some((moment, start + length))
}

/// The time of any line: at its start, or in its first part, as nginx writes it.
pub(crate) fn time_of(line: &str) -> Option<Moment> {
    if let Some((moment, _)) = leading_time(line) {
        return Some(moment);
    }
    let mut at = 0;
    while at < HEAD.min(line.len()) {
        let rest = line.get(at..).unwrap_or_default();
        if let Some((moment, _)) = moment_at(rest).filter(|found| found.0.time.is_some()) {
            return Some(moment);
        }
        let skipped =
            rest.find([' ', '[', '"', '=', ',', '\t']).map_or(rest.len(), |found| found + 1);
        at += skipped.max(1);
        while at < line.len() && !line.is_char_boundary(at) {
            at += 1;
        }
    }
    None
}

/// Adds the pairs of a line. What names a thing in them is their object.
pub(super) fn read_pairs(text: &str, line: usize, outer: &Object, readings: &mut Readings) {
    if read_dns_record(text, line, readings) {
        return;
    }
    if let Some((key, value)) =
        text.trim().split_once(':').filter(|_| !text.trim().contains([' ', '/', '=']))
    {
        // `maxmemory_policy:noeviction`
        readings.push(outer, key, value, line);
        return;
    }
    let pairs = pairs(text);
    if pairs.is_empty() {
        return;
    }
    let mut names: Vec<(usize, &str)> = pairs
        .iter()
        .filter_map(|(key, value)| {
            Some((
                NAMES
                    .iter()
                    .position(|name| name.eq_ignore_ascii_case(key))
                    .filter(|_| value.len() < 254)?,
                *value,
            ))
        })
        .collect();
    names.sort_by_key(|name| name.0);
    let object = names.iter().fold(outer.clone(), |object, name| object.with(name.1));
    for (key, value) in pairs {
        readings.push(&object, key, value, line);
    }
}

/// Adds the pairs of a list in brackets: `TCP: 31877 (estab 1204, closed 28110)`.
pub(super) fn read_listed(text: &str, line: usize, object: &Object, readings: &mut Readings) {
    let inner = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|pair| pair.0);
    let pair = |part: &'_ str| -> Option<(String, String)> {
        let (key, value) = part.trim().rsplit_once(' ')?;
        let is_pair = key.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '-' | ' '))
            && super::whole_quantity(value).is_some();
        is_pair.then(|| (key.to_owned(), value.to_owned()))
    };
    let pairs: Option<Vec<_>> = inner.unwrap_or_default().split(',').map(pair).collect();
    for (key, value) in pairs.filter(|pairs| pairs.len() > 1).unwrap_or_default() {
        readings.push(object, &key, &value, line);
    }
}

/// Keys and values of a line, in order.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(['=', ':'])) {
        let at = from + found;
        from = at + 1;
        let (before, after) =
            (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
        let is_colon = text.as_bytes().get(at) == Some(&b':');
        let Some(key) = key_before(before) else { continue };
        let Some((value, length)) = value_after(after, is_colon) else { continue };
        pairs.push((key, value));
        from = at + 1 + length;
        if pairs.len() >= MOST_PAIRS {
            break;
        }
    }
    pairs
}

fn key_before(before: &str) -> Option<&str> {
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '%')))
        .map_or(0, |at| {
            at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
    let key = before.get(start..)?;
    let first = key.chars().next()?;
    ((first.is_alphabetic() || first == '_') && key.len() <= 60).then_some(key)
}

/// The value and the bytes that it takes. Behind a colon only a number or one word without a space is a value.
fn value_after(after: &str, is_colon: bool) -> Option<(&str, usize)> {
    if let Some(quoted) = after.strip_prefix('"') {
        let end = quoted.find('"')?;
        return Some((quoted.get(..end)?, end + 2));
    }
    let trimmed = if is_colon { after.trim_start_matches(' ') } else { after };
    let skipped = after.len() - trimmed.len();
    let end = trimmed
        .find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')' | ']' | '}' | '"'))
        .unwrap_or(trimmed.len());
    let value = trimmed.get(..end)?.trim_end_matches(['.', ':']);
    let is_number = value.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let fits = !is_colon
        || is_number
        || skipped == 1
            && trimmed.get(end..).is_some_and(|rest| rest.is_empty() || rest.starts_with(','));
    (!value.is_empty() && fits && !value.starts_with('/') || !is_colon)
        .then_some((value, skipped + end))
}

/// `api.example.com. 300 IN A 10.0.0.1`
fn read_dns_record(text: &str, line: usize, readings: &mut Readings) -> bool {
    let mut words = text.split_whitespace();
    let (Some(name), Some(ttl), Some("IN"), Some(kind)) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return false;
    };
    let object = Object::new([name.trim_end_matches('.')]);
    let value: Vec<&str> = words.collect();
    if ttl.bytes().all(|byte| byte.is_ascii_digit()) {
        readings.push(&object, "ttl_seconds", ttl, line);
    }
    readings.push(&object, kind, &value.join(" "), line);
    true
}
