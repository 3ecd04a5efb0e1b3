//! What all readers of one pass over a file share: what was repaired before, and what is found.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::de::{self, Unexpected};

use crate::fault::{Fault, Variant, fault};
use crate::path::Path;
use crate::yaml::{Entry, Kind, Node};

/// Begins the name of a field that shares the mapping of its structure.
pub(super) const FLATTENED: char = '*';
/// The key whose value chooses a variant.
pub(super) const TAG: &str = "type";
/// Begin the names of keys that the operator may add at the top of a file, for anchors.
pub(super) const EXTENSIONS: [&str; 3] = ["x-", ".", "_"];

/// How a value that cannot be read is replaced, so that reading can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// It counts as not written; an entry of a list or a map counts as blank.
    Absent,
    /// A placeholder of whatever type is needed.
    Blank,
    /// It is left out of its list or map.
    Dropped,
}

/// A scalar whose type has a name that concerns the caller, such as a reference to a provider.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) name: &'static str,
    pub(crate) path: Path,
    pub(crate) text: String,
}

/// A key that no field has.
#[derive(Debug)]
pub(super) struct UnknownKey {
    pub(super) path: Path,
    pub(super) key: String,
    pub(super) known: Vec<&'static str>,
    /// The enumeration and the variant that the mapping was read as.
    pub(super) variant: Option<Variant>,
}

/// What one pass over the tree found beside the value.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) marks: Vec<Mark>,
    pub(super) unknown: Vec<UnknownKey>,
    /// Mappings whose tag is wrong: what they lack is not known.
    pub(super) untagged: BTreeSet<Path>,
}

/// What all readers of a pass share.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    pub(super) repairs: &'a BTreeMap<Path, Repair>,
    pub(super) findings: RefCell<Findings>,
}

/// The keys of a mapping that its flattened fields have read.
#[derive(Debug, Default)]
pub(super) struct Claims {
    pub(super) keys: Vec<&'static str>,
    pub(super) variant: Option<Variant>,
    /// Set when the tag is wrong, so that any key may belong here.
    pub(super) any: bool,
}

/// A field of a structure and where its value is.
pub(super) struct Field<'a> {
    pub(super) name: &'static str,
    pub(super) value: Value<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Written(&'a Node),
    /// Written in place of the whole structure.
    Whole(&'a Node),
    Blank,
    /// In the mapping of the structure itself.
    Shared,
}

impl Pass<'_> {
    pub(super) fn list_items<'n>(
        &self,
        path: &Path,
        items: &'n [Node],
    ) -> Result<Vec<(usize, Option<&'n Node>)>, Fault> {
        let mut readable = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let repair = self.repairs.get(&path.index(index));
            if item.is_null() && repair.is_none() {
                let fault: Fault = fault("is empty", "write a value or remove the dash");
                return Err(fault.at(&path.index(index)));
            }
            if repair != Some(&Repair::Dropped) {
                readable.push((index, Some(item)));
            }
        }
        Ok(readable)
    }

    /// The fields of a structure that have something to read.
    pub(super) fn fields<'n>(
        &self,
        path: &Path,
        entries: &'n [Entry],
        names: &'static [&'static str],
    ) -> Vec<Field<'n>> {
        let mut fields = Vec::new();
        for &name in names {
            if name.starts_with(FLATTENED) {
                fields.push(Field { name, value: Value::Shared });
                continue;
            }
            let written = entries.iter().find(|entry| entry.key == name).map(|entry| &entry.value);
            match self.repairs.get(&path.key(name)) {
                Some(Repair::Absent | Repair::Dropped) => {}
                Some(Repair::Blank) => fields.push(Field { name, value: Value::Blank }),
                None => {
                    let value = written.filter(|value| !value.is_null()).map(Value::Written);
                    fields.extend(value.map(|value| Field { name, value }));
                }
            }
        }
        fields
    }

    pub(super) fn report_unknown(
        &self,
        path: &Path,
        entries: &[Entry],
        names: &'static [&'static str],
        claims: &Claims,
    ) {
        if claims.any {
            return;
        }
        let own = names.iter().copied().filter(|name| !name.starts_with(FLATTENED));
        let known: Vec<&'static str> = own.chain(claims.keys.iter().copied()).collect();
        for entry in entries {
            let is_extra = EXTENSIONS.iter().any(|begin| entry.key.starts_with(begin));
            let extension = path.steps().is_empty() && is_extra;
            if !extension && !known.contains(&entry.key.as_str()) {
                self.findings.borrow_mut().unknown.push(UnknownKey {
                    path: path.key(&entry.key),
                    key: entry.key.clone(),
                    known: known.clone(),
                    variant: claims.variant.clone(),
                });
            }
        }
    }
}

/// The error for a value of the wrong kind.
pub(super) fn mismatch(node: &Node, expected: &str) -> Fault {
    let found = match &node.kind {
        Kind::Scalar { text, .. } => Unexpected::Str(text),
        Kind::List(_) => Unexpected::Seq,
        Kind::Map(_) => Unexpected::Map,
    };
    de::Error::invalid_type(found, &expected)
}

/// `yes` and `no` are booleans, as in YAML 1.1.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}
