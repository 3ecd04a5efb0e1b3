//! One record, and one scalar inside a list or object.

use std::ops::Range;

use crate::patterns::Pattern;
use crate::scan::class::{KeyClass, Need, Word};
use crate::scan::classify::classify;
use crate::scan::harmless::is_harmless;
use crate::scan::key::take;
use crate::scan::lexical::Found;
use crate::scan::scanner::Scanner;
use crate::scan::shape::{is_object_name, is_strong};

/// The field in which Azure has the name of a key.
const KEY_NAME: &str = "keyName";

/// A scalar and whether it has quotes.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
}

/// What is known of a record so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub(super) name: Option<Range<usize>>,
    pub(super) value: Option<Scalar>,
    /// Whether the field with the name says that it is that of a key, as Azure's `keyName` does.
    is_key: bool,
}

impl Record {
    /// Notes a field, if its role is one of the two.
    pub(super) fn field(&mut self, key: &str, role: Option<Role>, scalar: &Scalar) {
        self.is_key |= key == KEY_NAME;
        match role {
            Some(Role::Name) => {
                self.name.get_or_insert(scalar.range.clone());
            }
            Some(Role::Value) => {
                self.value.get_or_insert(scalar.clone());
            }
            None => {}
        }
    }

    /// Masks the value if the name names a secret.
    pub(super) fn close(self, scanner: &mut Scanner<'_, '_>) {
        let (Some(name), Some(value)) = (self.name, self.value) else { return };
        let text = scanner.slice(name.clone());
        if text.contains(char::is_whitespace) {
            return;
        }
        let class = classify(scanner, text);
        let Some(class) = class.or_else(|| classify(scanner, "accessKey").filter(|_| self.is_key))
        else {
            return;
        };
        let found =
            Found { range: value.range, quoted: value.quoted, at_line_start: false, colon: true };
        if !class.plural {
            take(scanner, name, class, &found);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Name,
    Value,
}

/// How long the name of such a field is at most.
const MAX_FIELD: usize = 24;

/// What a field is for: to hold the name of what another field holds, or the thing itself; letter case and separators make
/// no difference.
pub(super) fn role(key: &str) -> Option<Role> {
    if key.len() > MAX_FIELD {
        return None;
    }
    if key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return role_of(key.as_bytes());
    }
    let mut plain = [0; MAX_FIELD];
    let mut length = 0;
    let letters = key.bytes().filter(u8::is_ascii_alphanumeric);
    for (place, byte) in plain.iter_mut().zip(letters) {
        (*place, length) = (byte, length + 1);
    }
    role_of(plain.get(..length)?)
}

/// The same for a name without separators.
fn role_of(plain: &[u8]) -> Option<Role> {
    let tail = plain.len().checked_sub(b"value".len()).and_then(|at| plain.get(at..));
    if tail.is_some_and(|tail| tail.eq_ignore_ascii_case(b"value")) {
        return Some(Role::Value);
    }
    let (names, values) = fields_of_length(plain.len());
    let known =
        |fields: &[&str]| fields.iter().any(|field| plain.eq_ignore_ascii_case(field.as_bytes()));
    if known(names) {
        return Some(Role::Name);
    }
    known(values).then_some(Role::Value)
}

/// The fields that hold a name, and those that hold a thing.
fn fields_of_length(length: usize) -> (&'static [&'static str], &'static [&'static str]) {
    match length {
        1 => (&["k", "n"], &["v"]),
        3 => (&["key", "var"], &["val"]),
        4 => (&["name"], &[]),
        5 => (&["field", "param"], &["plain"]),
        6 => (&["header"], &["result"]),
        7 => (&["setting", "envname"], &["content", "default", "current"]),
        8 => (&["variable", "property"], &[]),
        9 => (&["outputkey", "configkey", "parameter", "attribute"], &["plaintext"]),
        10 => (&["optionname", "settingkey"], &[]),
        11 => (&["settingname"], &[]),
        12 => (&["parameterkey", "variablename"], &[]),
        13 => (&["parametername"], &[]),
        _ => (&[], &[]),
    }
}

/// Whether a field says or holds something, under whatever name.
pub(super) fn field_role(key: &str) -> Option<Role> {
    if key == KEY_NAME { Some(Role::Name) } else { role(key) }
}

/// Whether a key says of itself only that it is one.
pub(super) fn is_lone_key(key: &str) -> bool {
    key.eq_ignore_ascii_case("key")
}

/// Masks a scalar inside a list or object whose key names secrets.
pub(super) fn child(
    scanner: &mut Scanner<'_, '_>,
    class: KeyClass,
    key: Option<&Range<usize>>,
    scalar: &Scalar,
) {
    let found = Found {
        range: scalar.range.clone(),
        quoted: scalar.quoted,
        at_line_start: false,
        colon: true,
    };
    if class.word == Word::Auth {
        return;
    }
    if matches!(class.word, Word::Other | Word::SetCookie)
        && matches!(class.pattern, Pattern::AuthorizationHeader | Pattern::Cookie)
    {
        let name = key.cloned().unwrap_or(scalar.range.start..scalar.range.start);
        let header = key.is_none_or(|key| role(scanner.slice(key.clone())) == Some(Role::Value));
        if header {
            take(scanner, name, class, &found);
        }
        return;
    }
    let text = scanner.slice(scalar.range.clone());
    let likely = match class.word {
        Word::Password => !text.contains(' '),
        _ => is_strong(text) && !is_object_name(text),
    };
    let sure = match key {
        None => likely,
        Some(key) => match role(scanner.slice(key.clone())) {
            Some(Role::Value) => true,
            Some(Role::Name) => false,
            None => class.plural && likely && !scanner.names.is_about(scanner.slice(key.clone())),
        },
    };
    let place = key.cloned().unwrap_or(scalar.range.start..scalar.range.start);
    let enough = class.need != Need::Random || likely;
    if sure && enough && !is_harmless(scanner, class.word, &found, &place) {
        scanner.add(scalar.range.clone(), class.pattern);
    }
}

/// Masks the `key` of an object that says what it is for: `Jwt: { Key: … }`.
pub(super) fn lone_key(
    scanner: &mut Scanner<'_, '_>,
    around: &Range<usize>,
    key: &Range<usize>,
    scalar: &Scalar,
) {
    if !is_lone_key(scanner.slice(key.clone())) {
        return;
    }
    let name = format!("{}_key", scanner.slice(around.clone()).to_ascii_lowercase());
    if let Some(class) = classify(scanner, &name).filter(|class| class.need == Need::Any) {
        let found = Found {
            range: scalar.range.clone(),
            quoted: scalar.quoted,
            at_line_start: false,
            colon: true,
        };
        take(scanner, key.clone(), class, &found);
    }
}
