//! Network policies that block traffic.

use crate::facts::{Facts, Record};
use crate::signal::Signal;
use crate::verdict::Category::NetworkPolicy;

/// Seconds after which a policy was there before the fault, and the weight that it then has at most.
const STANDING: (f64, f64) = (86_400.0, 40.0);

/// Policies that isolate pods; one that allows nothing is the likeliest.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for kind in ["networkpolicy", "authorizationpolicy", "peerauthentication"] {
        for policy in facts.of_kind(kind) {
            found.push(of_policy(facts, policy));
        }
    }
}

fn of_policy(facts: &Facts, policy: &Record) -> Signal {
    let lines = facts.results.get(policy.result).map(|one| &one.lines);
    let last = policy.fields.iter().map(|field| field.line).max().unwrap_or(policy.line);
    let own =
        lines.and_then(|lines| lines.get(policy.line.saturating_sub(1)..last)).unwrap_or_default();
    let isolated = own.iter().position(|line| line.contains("Selected pods are isolated"));
    let types = policy.fields.iter().find(|field| field.path.contains("policyTypes"));
    let has_rules = policy.fields.iter().any(|field| {
        field.path.starts_with("spec.ingress[") || field.path.starts_with("spec.egress[")
    });
    let denies = policy.name.contains("deny")
        || policy.name.contains("block")
        || policy.fields.iter().any(|field| field.path == "spec.action" && field.value == "DENY");
    let (weight, cause): (f64, _) = match () {
        () if isolated.is_some() || types.is_some() && !has_rules => {
            (88.0, "it isolates the pods that it selects: traffic to or from them is dropped")
        }
        () if denies => (86.0, "it denies traffic of the pods that it selects"),
        () => (50.0, "it restricts the traffic of the pods that it selects"),
    };
    let age = policy.age(facts);
    let weight =
        if age.is_some_and(|age| age > STANDING.0) { STANDING.1.min(weight) } else { weight };
    let line = isolated.map_or(policy.line, |at| policy.line + at);
    let quote = facts.quote(policy.result, line, &policy.name);
    Signal {
        category: NetworkPolicy,
        cause: cause.to_owned(),
        target: policy.target(),
        weight,
        is_event: false,
        age,
        detail: None,
        accused: None,
        quotes: vec![facts.quote(policy.result, policy.line, &policy.name)],
    }
    .with_quote(quote)
}
