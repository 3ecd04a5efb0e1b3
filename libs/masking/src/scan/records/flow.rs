//! Records, lists and objects in braces.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::record::{Record, Scalar, child, field_role, lone_key};
use crate::braces::{self, Visitor};
use crate::scan::class::KeyClass;
use crate::scan::classify::{MAX_KEY, classify};
use crate::scan::scanner::Scanner;

/// How many braces may be open; what is deeper begins anew.
const MAX_OPEN: usize = 512;
/// How far a closing brace looks for its partner.
const MAX_REPAIR: usize = 8;
/// How short a string with a document in it may be.
const MIN_NESTED: usize = 8;

/// Finds what is in braces, and returns the strings that may hold documents.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>) -> Vec<Range<usize>> {
    let text = scanner.text;
    if memchr2(b'{', b'[', text.as_bytes()).is_none() && memchr(b'\\', text.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut reader = Reader { scanner, open: Vec::new(), nested: Vec::new() };
    braces::walk(text, 0..text.len(), false, &mut reader);
    reader.cut();
    reader.nested
}

/// The key before a list that stands in no object: `passwords: [`, `api_keys = [`.
fn key_before(scanner: &Scanner<'_, '_>, at: usize) -> Option<Range<usize>> {
    let blank = |at: usize| scanner.run_start(at, 32, |byte| matches!(byte, b' ' | b'\t'));
    let sign = blank(at);
    if !matches!(scanner.before(sign), Some(b':' | b'=' | b'>')) {
        return None;
    }
    let signs = scanner.run_start(sign, 3, |byte| matches!(byte, b':' | b'=' | b'>'));
    let end = scanner.run_start(blank(signs), 2, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
    let start = scanner.run_start(end, MAX_KEY, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
    });
    (start < end).then_some(start..end)
}

/// Whether an identifier says that the object is a secret of Azure's Key Vault, whose value is beside it.
fn is_vault_secret(name: &str, text: &str) -> bool {
    name == "id" && text.contains(".vault.azure.") && text.contains("/secrets/")
}

/// An open brace or bracket.
#[derive(Debug)]
struct Frame {
    is_object: bool,
    key: Option<Range<usize>>,
    wants_key: bool,
    /// The key around it, and its class.
    around: Option<Range<usize>>,
    class: Option<KeyClass>,
    record: Record,
}

struct Reader<'r, 'a, 's> {
    scanner: &'r mut Scanner<'a, 's>,
    open: Vec<Frame>,
    nested: Vec<Range<usize>>,
}

impl Visitor for Reader<'_, '_, '_> {
    fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    fn wants_key(&self) -> bool {
        self.open.last().is_some_and(|frame| frame.wants_key)
    }

    fn open(&mut self, at: usize, is_object: bool) {
        if self.open.len() >= MAX_OPEN {
            self.cut();
        }
        let parent = self.open.last();
        let key = parent.filter(|frame| frame.is_object).and_then(|frame| frame.key.clone());
        let around = parent.and_then(|frame| frame.class);
        let key = key.or_else(|| key_before(self.scanner, at));
        let own = key.clone().and_then(|key| classify(self.scanner, self.scanner.slice(key)));
        self.open.push(Frame {
            is_object,
            key: None,
            wants_key: is_object,
            around: key,
            class: own.or(around),
            record: Record::default(),
        });
    }

    fn close(&mut self, is_object: bool) {
        let partner =
            self.open.iter().rev().take(MAX_REPAIR).position(|frame| frame.is_object == is_object);
        for _ in 0..partner.map_or(0, |distance| distance + 1) {
            if let Some(frame) = self.open.pop() {
                frame.record.close(self.scanner);
            }
        }
    }

    fn next(&mut self) {
        if let Some(frame) = self.open.last_mut() {
            (frame.key, frame.wants_key) = (None, frame.is_object);
        }
    }

    fn scalar(&mut self, range: Range<usize>, quoted: bool) {
        let Some(frame) = self.open.last_mut() else { return };
        if frame.wants_key {
            (frame.key, frame.wants_key) = (Some(range), false);
            return;
        }
        let scalar = Scalar { range, quoted };
        if let Some(key) = frame.key.clone().filter(|_| frame.is_object) {
            let name = self.scanner.slice(key.clone());
            if let Some(around) = frame.around.clone() {
                lone_key(self.scanner, &around, &key, &scalar);
            }
            frame.record.field(name, field_role(name), &scalar);
            // The state of Terraform: the resource's type says what its result is.
            let text = self.scanner.slice(scalar.range.clone());
            if name == "type" && text == "random_password" || is_vault_secret(name, text) {
                frame.class = classify(self.scanner, "random_password");
            }
        }
        let in_place = frame.is_object == frame.key.is_some();
        if let Some(class) = frame.class.filter(|_| in_place) {
            let key = frame.key.clone();
            child(self.scanner, class, key.as_ref(), &scalar);
        }
    }

    fn nested(&mut self, range: Range<usize>) {
        let raw = self.scanner.slice(range.clone());
        if raw.len() >= MIN_NESTED && memchr(b'\\', raw.as_bytes()).is_some() {
            self.nested.push(range);
        }
    }

    fn cut(&mut self) {
        while let Some(frame) = self.open.pop() {
            frame.record.close(self.scanner);
        }
    }
}
