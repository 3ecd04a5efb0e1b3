//! From the tree of a file to a structure, with every problem instead of the first one.
//!
//! serde stops at the first fault. So the faulty value is noted, replaced by a placeholder, and the file is read
//! again, until nothing is wrong any more: a file with ten mistakes is read eleven times.

mod deserializer;
mod pass;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use self::deserializer::Reader;
use self::pass::{Findings, Pass, Repair, UnknownKey};
use crate::fault::{Fault, FaultKind};
use crate::path::Path;
use crate::report::advice;
use crate::yaml::Node;

pub(crate) use self::pass::Mark;

/// How often a file is read at most; a bound against files that are nothing but mistakes.
const MAX_PASSES: usize = 2_000;

/// What is wrong at a path.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) path: Path,
    /// Whether the key is wrong rather than its value.
    pub(crate) at_key: bool,
    /// Whether the key is one of another variant than the tag beside it chooses.
    pub(crate) of_another: bool,
    pub(crate) message: String,
    pub(crate) suggestion: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Read<T> {
    /// The value; what is wrong in it has a placeholder.
    pub(crate) value: T,
    pub(crate) wrong: Vec<Wrong>,
    /// The scalars that refer to something, in the order of the structure's fields.
    pub(crate) marks: Vec<Mark>,
}

/// What is known of the enumerations that a tag chooses from.
#[derive(Clone, Copy)]
pub(crate) struct Variants {
    /// The tag of a variant that has this key.
    pub(crate) with_key: fn(of: &str, key: &str) -> Option<String>,
    pub(crate) description: fn(of: &str, key: &str) -> Option<String>,
}

/// Reads a structure from the tree of a file.
pub(crate) fn read<T: DeserializeOwned + Default>(root: &Node, variants: Variants) -> Read<T> {
    let mut repairs = BTreeMap::new();
    let mut wrong = Vec::new();
    for _ in 0..MAX_PASSES {
        let pass = Pass { repairs: &repairs, findings: Findings::default().into() };
        let result = T::deserialize(Reader::root(&pass, root));
        let findings = pass.findings.into_inner();
        match result {
            Ok(value) => {
                wrong.extend(findings.unknown.iter().map(|unknown| unknown_key(unknown, variants)));
                return Read { value, wrong, marks: findings.marks };
            }
            Err(fault) => {
                let Some(path) = repair(&mut repairs, &fault) else { break };
                if let Some(path) = path {
                    wrong.extend(describe(fault, path, &findings, variants));
                }
            }
        }
    }
    Read { value: T::default(), wrong, marks: Vec::new() }
}

/// Replaces what a fault is about. None ends the reading; the inner value is the path to report, which is none if
/// the fault follows from an earlier one.
#[expect(clippy::option_option, reason = "the two mean different things")]
fn repair(repairs: &mut BTreeMap<Path, Repair>, fault: &Fault) -> Option<Option<Path>> {
    let at = fault.path.clone().unwrap_or_default();
    let (target, is_missing) = match fault.kind {
        FaultKind::Missing { key, .. } => (at.key(key), true),
        FaultKind::Wrong { .. } => (at, false),
    };
    let follows = target.ancestors().any(|path| repairs.contains_key(&path));
    let mut place = target.clone();
    loop {
        let next = match repairs.get(&place) {
            None if is_missing && place == target => Repair::Blank,
            None if place.steps().is_empty() => return None,
            None => Repair::Absent,
            Some(Repair::Absent) => Repair::Blank,
            Some(Repair::Blank) => Repair::Dropped,
            Some(Repair::Dropped) => {
                place = place.parent()?;
                continue;
            }
        };
        repairs.insert(place, next);
        return Some((!follows).then_some(target));
    }
}

fn describe(fault: Fault, path: Path, findings: &Findings, variants: Variants) -> Option<Wrong> {
    match fault.kind {
        FaultKind::Wrong { message, suggestion } => {
            Some(Wrong { path, at_key: false, of_another: false, message, suggestion })
        }
        FaultKind::Missing { key, variant } => {
            let parent = fault.path.unwrap_or_default();
            if variant.is_some() && findings.untagged.contains(&parent) {
                return None;
            }
            let message = match &variant {
                Some(variant) => format!("is missing for a {variant}"),
                None => "is missing".to_owned(),
            };
            let description = variant.and_then(|variant| (variants.description)(variant.of, key));
            let suggestion = Some(match description {
                Some(description) => format!("add `{key}:` here ({description})"),
                None => format!("add `{key}:` here"),
            });
            Some(Wrong { path, at_key: false, of_another: false, message, suggestion })
        }
    }
}

fn unknown_key(unknown: &UnknownKey, variants: Variants) -> Wrong {
    let path = unknown.path.clone();
    let other = unknown
        .variant
        .as_ref()
        .and_then(|variant| Some((variant, (variants.with_key)(variant.of, &unknown.key)?)));
    if let Some((variant, tag)) = other {
        let message = format!("has no meaning for a {variant}");
        let suggestion = Some(format!("remove it, or write `type: {tag}`"));
        return Wrong { path, at_key: false, of_another: true, message, suggestion };
    }
    Wrong {
        path,
        at_key: true,
        of_another: false,
        message: format!("unknown key \"{}\"", unknown.key),
        suggestion: advice(&unknown.key, unknown.known.iter().copied()),
    }
}
