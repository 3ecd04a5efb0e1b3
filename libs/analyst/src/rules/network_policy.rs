//! Network policies that block traffic.

use std::collections::BTreeMap;

use super::service_routing::labels;
use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::verdict::Category::NetworkPolicy;

/// Seconds after which a policy was there before the fault, and the weight that it then has at most.
const STANDING: (f64, f64) = (86_400.0, 40.0);

/// The weight of a policy that restricts traffic whose calls time out.
const TIMED_OUT: f64 = 80.0;
/// Seconds before which a policy is new.
const NEW: f64 = 86_400.0;

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
    // An empty rule has no fields, and allows everything.
    let has_empty_rule = own.iter().any(|line| line.trim() == "- {}" || line.contains("[{}]"));
    let has_rules = has_empty_rule
        || policy.fields.iter().any(|field| {
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
        () if admits_nobody(facts, policy) => {
            (88.0, "it admits only pods with labels that no pod of the namespace has")
        }
        () if hides_names(facts, policy) => {
            (88.0, "it lets nothing out to the DNS server: names cannot be resolved")
        }
        () if policy.age(facts).is_some_and(|age| age < NEW) && is_blocked(facts, policy) => (
            TIMED_OUT,
            "it restricts the traffic of the pods that it selects, whose calls time out",
        ),
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
        is_line: false,
        side: None,
        takes: None,
        detail: None,
        accused: None,
        quotes: vec![facts.quote(policy.result, policy.line, &policy.name)],
    }
    .with_quote(quote)
}

/// The labels of a selector below a path of a policy, by the selector.
fn selectors(policy: &Record, end: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for field in &policy.fields {
        let Some((head, label)) = field.path.split_once(end) else { continue };
        let pair = (label.to_owned(), field.value.clone());
        found.entry(head.to_owned()).or_default().push(pair);
    }
    found
}

/// The labels of each pod of the policy's namespace, if they were listed.
fn pods<'f>(facts: &'f Facts, policy: &Record) -> Vec<(&'f Record, Vec<(String, String)>)> {
    let own = facts.latest("pod").into_iter().filter(|pod| pod.namespace == policy.namespace);
    own.map(|pod| (pod, labels(pod))).collect()
}

fn has_all(labels: &[(String, String)], wanted: &[(String, String)]) -> bool {
    wanted.iter().all(|pair| labels.contains(pair))
}

/// Whether every source that it admits is a selector that fits no pod, of pods whose labels are known.
fn admits_nobody(facts: &Facts, policy: &Record) -> bool {
    let pods = pods(facts, policy);
    let is_source = |field: &&Field| field.path.contains(".from[");
    let sources: Vec<_> = policy.fields.iter().filter(is_source).collect();
    let by_pod = |field: &&Field| field.path.contains(".podSelector.matchLabels.");
    if pods.len() < 2 || pods.iter().any(|(_, labels)| labels.is_empty()) || sources.is_empty() {
        return false;
    }
    let admitted = selectors(policy, "].podSelector.matchLabels.");
    let admitted = admitted.iter().filter(|(head, _)| head.contains(".from["));
    sources.iter().all(by_pod)
        && admitted.into_iter().all(|(_, wanted)| !pods.iter().any(|(_, own)| has_all(own, wanted)))
}

/// Whether what it lets out has ports, the one of DNS is not among them, and names cannot be resolved.
fn hides_names(facts: &Facts, policy: &Record) -> bool {
    let ports: Vec<&Field> = policy
        .fields
        .iter()
        .filter(|field| field.path.starts_with("spec.egress[") && field.path.ends_with("].port"))
        .collect();
    let fails = |text: &str| {
        text.contains(":53: i/o timeout") || text.contains("emporary failure in name resolution")
    };
    !ports.is_empty()
        && ports.iter().all(|field| field.value != "53")
        && facts.messages.iter().any(|message| message.is_log && fails(&message.text))
}

/// Whether calls of what it selects fail.
fn is_blocked(facts: &Facts, policy: &Record) -> bool {
    let selected = selectors(policy, "spec.podSelector.matchLabels.");
    let shown = policy.get("POD-SELECTOR").or_else(|| policy.get("PodSelector"));
    let shown =
        shown.into_iter().flat_map(|text| text.split(',')).filter_map(|one| one.split_once('='));
    let names: Vec<&str> = selected
        .values()
        .flatten()
        .map(|(_, value)| value.as_str())
        .chain(shown.map(|(_, value)| value))
        .collect();
    facts
        .messages
        .iter()
        .any(|message| names.iter().any(|name| super::dependency::is_failing_call(message, name)))
}
