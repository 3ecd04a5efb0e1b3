//! The class of a tool: does it read, or change something?
//!
//! From the operator's lists first, then from what the server says of its tool, then from a conservative
//! reading of the tool's name. Whether it reaches addresses that its arguments name is found in the same order.

mod hints;
mod reach;
mod words;

use rmcp::model::{JsonObject, ToolAnnotations};
use tarsy_catalog::{PolicyMode, ToolPolicy};
use tarsy_contracts::mcp::{Requirement, ToolClass, ToolTerms};

pub(crate) use self::reach::names_address;
use self::words::Reading;
use crate::policy;

/// The class of a tool under a policy, why, and what a call of it needs.
pub(crate) fn terms(
    policy: &ToolPolicy,
    name: &str,
    hints: &ToolAnnotations,
    schema: &JsonObject,
) -> ToolTerms {
    let (class, reason) = class(policy, name, hints);
    let (reach, reach_reason) = reach::reach(policy, name, hints, schema);
    ToolTerms {
        class,
        reason,
        requirement: requirement(policy, class),
        pinned: policy.mode == PolicyMode::Enforce && policy.pin == tarsy_catalog::Pin::Enforce,
        reach,
        reach_reason,
        definition: String::new(),
    }
}

fn class(policy: &ToolPolicy, name: &str, hints: &ToolAnnotations) -> (ToolClass, String) {
    if let Some(glob) = policy::matching(&policy.write, name) {
        return (ToolClass::Write, format!("policy.write has '{glob}'"));
    }
    if let Some(glob) = policy::matching(&policy.read_only, name) {
        return (ToolClass::ReadOnly, format!("policy.read_only has '{glob}'"));
    }
    if hints.read_only_hint == Some(true) {
        return (ToolClass::ReadOnly, "its server says read-only".to_owned());
    }
    if !hints::are_defaults(hints) {
        return (ToolClass::Write, "its server says that it changes something".to_owned());
    }
    match words::read(name) {
        Reading::Writes(word) => (ToolClass::Write, format!("its name has the word '{word}'")),
        Reading::Reads(word) => (ToolClass::ReadOnly, format!("its name has the word '{word}'")),
        Reading::Unclear => (ToolClass::Unknown, "neither its server nor its name says".to_owned()),
    }
}

fn requirement(policy: &ToolPolicy, class: ToolClass) -> Requirement {
    match (policy.mode, class) {
        (PolicyMode::AllowAll, _) | (PolicyMode::Enforce, ToolClass::ReadOnly) => Requirement::None,
        (PolicyMode::Enforce, ToolClass::Write) => Requirement::Approval,
        (PolicyMode::Enforce, ToolClass::Unknown) => match policy.accept {
            tarsy_catalog::Accept::All => Requirement::None,
            tarsy_catalog::Accept::Listed => Requirement::Acceptance,
        },
    }
}

#[cfg(test)]
mod tests {
    use tarsy_catalog::{Accept, Pin};

    use super::*;

    fn enforce() -> ToolPolicy {
        ToolPolicy { mode: PolicyMode::Enforce, ..ToolPolicy::default() }
    }

    fn hints(read_only: Option<bool>, destructive: Option<bool>) -> ToolAnnotations {
        let mut hints = ToolAnnotations::new();
        (hints.read_only_hint, hints.destructive_hint) = (read_only, destructive);
        hints
    }

    #[test]
    fn the_operators_lists_come_before_hints_and_hints_before_names() {
        let policy = ToolPolicy {
            read_only: vec!["pods_*".to_owned()],
            write: vec!["*_exec".to_owned()],
            ..enforce()
        };
        let none = ToolAnnotations::new();
        for (name, hints, class, reason) in [
            ("pods_delete", hints(Some(false), None), ToolClass::ReadOnly, "'pods_*'"),
            ("pods_exec", hints(Some(true), None), ToolClass::Write, "'*_exec'"),
            ("nodes_delete", hints(Some(true), Some(true)), ToolClass::ReadOnly, "server says"),
            ("nodes_list", hints(Some(false), None), ToolClass::Write, "server says"),
            ("nodes_list", hints(None, Some(false)), ToolClass::Write, "server says"),
            ("nodes_list", none.clone(), ToolClass::ReadOnly, "'list'"),
            ("nodes_list_delete", none.clone(), ToolClass::Write, "'delete'"),
            ("nodes", none, ToolClass::Unknown, "nor its name"),
        ] {
            let terms = terms(&policy, name, &hints, &JsonObject::new());
            assert_eq!(terms.class, class, "{name} {hints:?}");
            assert!(terms.reason.contains(reason), "{name}: {}", terms.reason);
        }
    }

    #[test]
    fn hints_that_are_the_defaults_of_the_protocol_count_as_none() {
        let mut defaults = hints(Some(false), Some(true));
        (defaults.idempotent_hint, defaults.open_world_hint) = (Some(false), Some(true));
        let class = |hints: &ToolAnnotations| {
            terms(&enforce(), "query_range", hints, &JsonObject::new()).class
        };
        assert_eq!(class(&defaults), ToolClass::ReadOnly);
        defaults.idempotent_hint = Some(true);
        assert_eq!(class(&defaults), ToolClass::Write);
    }

    #[test]
    fn a_call_needs_what_its_class_and_the_policy_require() {
        let none = ToolAnnotations::new();
        let needed =
            |policy: &ToolPolicy, name| terms(policy, name, &none, &JsonObject::new()).requirement;
        let listed = enforce();
        assert_eq!(needed(&listed, "pods_list"), Requirement::None);
        assert_eq!(needed(&listed, "pods_delete"), Requirement::Approval);
        assert_eq!(needed(&listed, "pods"), Requirement::Acceptance);
        let all = ToolPolicy { accept: Accept::All, pin: Pin::Warn, ..enforce() };
        assert_eq!(needed(&all, "pods"), Requirement::None);
        assert_eq!(needed(&all, "pods_delete"), Requirement::Approval);
        let allow_all = ToolPolicy { mode: PolicyMode::AllowAll, ..enforce() };
        assert_eq!(needed(&allow_all, "pods_delete"), Requirement::None);
    }
}
