//! Records as elements and attributes of XML.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use super::record::{Record, Role, Scalar, role};
use crate::scan::scanner::Scanner;

/// How long a tag with its attributes may be.
const MAX_TAG: usize = 64 * 1024;

/// Finds what is in elements.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>) {
    let bytes = scanner.bytes;
    // Most texts have no tag at all, which one search shows.
    let Some(first) = memchr(b'<', bytes) else { return };
    let closes = memmem::find(bytes, b"</").is_some() || memmem::find(bytes, b"/>").is_some();
    let values = ["value", "Value", "VALUE", "<key>"];
    if !closes || !values.iter().any(|word| memmem::find(bytes, word.as_bytes()).is_some()) {
        return;
    }
    let mut record = Record::default();
    let mut leaf: Option<(Role, usize)> = None;
    let mut is_leaf = false;
    let mut at = first;
    while let Some(open) = bytes.get(at..).and_then(|rest| memchr(b'<', rest)) {
        let start = at + open + 1;
        let Some(end) = tag_end(scanner, start) else {
            at = start;
            continue;
        };
        let tag = scanner.slice(start..end);
        at = end + 1;
        if tag.starts_with('/') {
            if let Some((kind, from)) = leaf.take().filter(|_| is_leaf) {
                note(&mut record, scanner, kind, from..start - 1);
                if record.name.is_some() && record.value.is_some() {
                    std::mem::take(&mut record).close(scanner);
                }
            } else if !is_leaf {
                std::mem::take(&mut record).close(scanner);
            }
            is_leaf = false;
            continue;
        }
        let own = attributes(scanner, start..end);
        if own.value.is_some() {
            own.close(scanner);
        } else if own.name.is_some() {
            record = own;
        }
        let empty = tag.ends_with('/');
        // A property list has `<key>…</key><string>…</string>`.
        let kind = role(local(tag)).or_else(|| (tag == "string").then_some(Role::Value));
        leaf = kind.filter(|_| !empty).map(|kind| (kind, end + 1));
        is_leaf = !empty;
    }
    record.close(scanner);
}

/// Where a tag ends; none if what follows the `<` is none.
fn tag_end(scanner: &Scanner<'_, '_>, start: usize) -> Option<usize> {
    let first = scanner.byte(start)?;
    if !first.is_ascii_alphabetic() && first != b'/' {
        return None;
    }
    let rest = scanner.bytes.get(start..scanner.bytes.len().min(start + MAX_TAG))?;
    let end = start + memchr2(b'>', b'<', rest)?;
    (scanner.byte(end) == Some(b'>')).then_some(end)
}

/// The name of an element without its namespace.
fn local(tag: &str) -> &str {
    let name = tag.split([' ', '\t', '\n', '/']).next().unwrap_or_default();
    name.rsplit(':').next().unwrap_or_default()
}

/// The attributes of a tag that make a record.
fn attributes(scanner: &Scanner<'_, '_>, tag: Range<usize>) -> Record {
    let (mut record, mut at) = (Record::default(), tag.start);
    while let Some(sign) = scanner.bytes.get(at..tag.end).and_then(|rest| memchr(b'=', rest)) {
        let name_end = at + sign;
        let name_start = scanner.run_start(name_end, 64, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
        });
        let Some(quote) = scanner.byte(name_end + 1).filter(|byte| matches!(byte, b'"' | b'\''))
        else {
            at = name_end + 1;
            continue;
        };
        let start = name_end + 2;
        let rest = scanner.bytes.get(start..tag.end).unwrap_or_default();
        let end = start + memchr(quote, rest).unwrap_or(rest.len());
        if let Some(kind) = role(scanner.slice(name_start..name_end)) {
            note(&mut record, scanner, kind, start..end);
        }
        at = end + 1;
    }
    record
}

fn note(record: &mut Record, scanner: &Scanner<'_, '_>, kind: Role, range: Range<usize>) {
    let text = scanner.slice(range.clone());
    let start = range.start + (text.len() - text.trim_start().len());
    let range = start..start + text.trim().len();
    match kind {
        Role::Name => record.name = Some(range),
        Role::Value => record.value = Some(Scalar { range, quoted: true }),
    }
}
