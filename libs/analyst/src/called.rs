//! What an object of the alert depends on.

use tarsy_domain::dependency::Relation;

/// Kinds that are looked at as services are; without a kind it is a service.
const SERVICES: &[&str] = &["service", "deployment", "statefulset", "daemonset"];

/// An object that one of the alert depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Called {
    /// Its name without its kind.
    pub(crate) name: String,
    /// The kind before the name, in small letters; empty without one.
    pub(crate) kind: String,
    pub(crate) namespace: Option<String>,
    /// What depends on it.
    pub(crate) by: String,
    pub(crate) relation: Relation,
    /// The place in what was given, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Called {
    /// Whether its state is looked for as that of a service.
    pub(crate) fn is_service(&self) -> bool {
        self.relation != Relation::Uses
            && (self.kind.is_empty() || SERVICES.contains(&self.kind.as_str()))
    }
}
