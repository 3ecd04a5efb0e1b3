//! The class of a tool: does it read, or change something?
//!
//! From the operator's lists first, then from the words of its name and from what its parameters take. What its server
//! says can only make that stricter, and is the reason where both say that it changes something: a hint that nobody has accepted
//! grants nothing. Where a parameter takes a statement,
//! each call is judged by its arguments. Whether a tool reaches addresses that its arguments name is found in `reach`.

mod hints;
mod reach;

use rmcp::model::ToolAnnotations;
use tarsy_catalog::{PolicyMode, ToolPolicy};
use tarsy_contracts::judged::{Decider, Judged, Language, dry_run_parameter};
use tarsy_contracts::mcp::{Requirement, ToolClass, ToolTerms};
use tarsy_effects::{Declared, Family, NameReading, Parameters, read_name, read_parameters};

pub(crate) use self::reach::names_address;
use crate::policy;

/// The class of a tool under a policy, why, and what a call of it needs.
pub(crate) fn terms(
    policy: &ToolPolicy,
    family: &Family,
    tool: Declared<'_>,
    hints: &ToolAnnotations,
) -> ToolTerms {
    let Decision { class, decided_by, reason, judged } = decide(policy, family, tool, hints);
    let (reach, reach_reason) = reach::reach(policy, tool.name, hints, tool.schema);
    ToolTerms {
        class,
        reason,
        decided_by,
        requirement: requirement(policy, class, &judged),
        judged,
        pinned: policy.mode == PolicyMode::Enforce && policy.pin == tarsy_catalog::Pin::Enforce,
        reach,
        reach_reason,
        dry_run: policy::matching(&policy.dry_run, tool.name)
            .and_then(|_| dry_run_parameter(tool.schema.get("properties")))
            .map(str::to_owned),
        definition: String::new(),
    }
}

struct Decision {
    class: ToolClass,
    decided_by: Decider,
    reason: String,
    judged: Vec<Judged>,
}

impl Decision {
    const fn new(class: ToolClass, decided_by: Decider, reason: String) -> Self {
        Self { class, decided_by, reason, judged: Vec::new() }
    }
}

fn decide(
    policy: &ToolPolicy,
    family: &Family,
    tool: Declared<'_>,
    hints: &ToolAnnotations,
) -> Decision {
    if let Some(glob) = policy::matching(&policy.write, tool.name) {
        let reason = format!("policy.write has '{glob}'");
        return Decision::new(ToolClass::Write, Decider::Operator, reason);
    }
    if let Some(glob) = policy::matching(&policy.read_only, tool.name) {
        let reason = format!("policy.read_only has '{glob}'");
        return Decision::new(ToolClass::ReadOnly, Decider::Operator, reason);
    }
    let (name, parameters) = (read_name(tool.name, family), read_parameters(tool));
    let is_annotated = hints.read_only_hint == Some(true);
    let stated = (!is_annotated).then(|| hints::change(hints)).flatten();
    if let NameReading::Changes(word) = &name {
        let decision = |by, reason| Decision::new(ToolClass::Write, by, reason);
        return match stated {
            Some(reason) => decision(Decider::Server, reason.to_owned()),
            None if is_annotated => {
                let reason =
                    format!("its name has the word '{word}', though its server says read-only");
                decision(Decider::Name, reason)
            }
            None => decision(Decider::Name, format!("its name has the word '{word}'")),
        };
    }
    if let Some(judged) = judged(&name, &parameters) {
        let reason =
            judged.iter().map(|one| format!("'{}' ({})", one.parameter, one.language.as_str()));
        let reason = format!("each call is judged by {}", reason.collect::<Vec<_>>().join(", "));
        return Decision { judged, ..Decision::new(ToolClass::Unknown, Decider::Call, reason) };
    }
    if let Some(reason) = stated {
        return Decision::new(ToolClass::Write, Decider::Server, reason.to_owned());
    }
    let properties = tool.schema.get("properties").and_then(serde_json::Value::as_object);
    let has_parameters = properties.is_some_and(|properties| !properties.is_empty());
    let by_name = by_name_and_parameters(name, parameters, has_parameters);
    match by_name {
        Decision { class: ToolClass::Unknown, reason, .. } if is_annotated => {
            let reason =
                format!("{reason}; its server says read-only, which counts once it is accepted");
            Decision::new(ToolClass::Unknown, Decider::Nobody, reason)
        }
        decided => decided,
    }
}

/// The parameters that decide call by call; none if one of them cannot be judged, or the name says more than that the tool
/// reads or runs what it is given.
fn judged(name: &NameReading, parameters: &Parameters) -> Option<Vec<Judged>> {
    // What is run by its operation alone is no request: `run_action` runs it, whatever its name.
    let has_program = parameters.has_address
        || parameters
            .judged
            .iter()
            .any(|one| !matches!(one.language, Language::Operation | Language::Nothing));
    let depends = match name {
        NameReading::Reads(_) => true,
        NameReading::Runs(_) | NameReading::OfLanguage => has_program,
        NameReading::Changes(_) | NameReading::Unclear(_) => false,
    };
    let is_judged = depends && parameters.unjudged.is_none() && !parameters.judged.is_empty();
    is_judged.then(|| parameters.judged.clone())
}

fn by_name_and_parameters(
    name: NameReading,
    parameters: Parameters,
    has_parameters: bool,
) -> Decision {
    let unknown = |decided_by, reason| Decision::new(ToolClass::Unknown, decided_by, reason);
    match (name, parameters) {
        (NameReading::Reads(_), Parameters { unjudged: Some(why), .. }) => {
            unknown(Decider::Parameters, why)
        }
        (NameReading::Reads(word), _)
            if ["explain", "query"].contains(&word.as_str()) && !has_parameters =>
        {
            unknown(Decider::Parameters, "its parameters are not declared".to_owned())
        }
        (NameReading::Reads(word), _) => {
            let reason = format!("its name has the word '{word}'");
            Decision::new(ToolClass::ReadOnly, Decider::Name, reason)
        }
        (NameReading::Runs(_), Parameters { unjudged: None, reading: Some(why), .. }) => {
            Decision::new(ToolClass::ReadOnly, Decider::Parameters, why)
        }
        (NameReading::Runs(word) | NameReading::Changes(word), _) => Decision::new(
            ToolClass::Write,
            Decider::Name,
            format!("its name has the word '{word}'"),
        ),
        (NameReading::OfLanguage, _) => unknown(Decider::Nobody, "its name has no verb".to_owned()),
        (NameReading::Unclear(why), _) => unknown(Decider::Nobody, why),
    }
}

/// What a call needs; of a tool whose calls are judged, one that is not known to read.
fn requirement(policy: &ToolPolicy, class: ToolClass, judged: &[Judged]) -> Requirement {
    match (policy.mode, class) {
        (PolicyMode::AllowAll, _) | (PolicyMode::Enforce, ToolClass::ReadOnly) => Requirement::None,
        (PolicyMode::Enforce, ToolClass::Write) => Requirement::Approval,
        (PolicyMode::Enforce, ToolClass::Unknown) if !judged.is_empty() => Requirement::Approval,
        (PolicyMode::Enforce, ToolClass::Unknown) => match policy.accept {
            tarsy_catalog::Accept::All => Requirement::None,
            tarsy_catalog::Accept::Listed => Requirement::Acceptance,
        },
    }
}

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod tests;
