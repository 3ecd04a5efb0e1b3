//! Workloads that are deployed again and again, and pods that are ended from outside.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{Event, Facts, Record};
use crate::signal::Signal;
use crate::text::owner_name;
use crate::verdict::Category::Redeployment;
use crate::verdict::Target;

/// Events of scaling from which on a deployment is not at rest.
const MANY_SCALINGS: usize = 6;
/// Pods that were ended, each without a reason of its own, from which on someone ends them.
const MANY_KILLS: usize = 3;

/// Seconds for which a pod is new, and after which it has run for long.
const YOUNG: f64 = 1_200.0;
const LONG: f64 = 3_600.0;

/// Deployments whose replica sets change all the time.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let mut scalings: BTreeMap<(&str, &str), Vec<&Event>> = BTreeMap::new();
    let mut kills: BTreeMap<(&str, &str), Vec<&Event>> = BTreeMap::new();
    for event in facts.events.iter().filter(|event| !event.is_warning) {
        let namespace = event.target.namespace.as_str();
        if event.reason == "ScalingReplicaSet" {
            scalings.entry((namespace, &event.target.name)).or_default().push(event);
        } else if event.reason == "Killing" && event.message.starts_with("Stopping container") {
            kills.entry((namespace, owner_name(&event.target.name))).or_default().push(event);
        }
    }
    for ((namespace, name), events) in scalings {
        let distinct = distinct(&events);
        if distinct >= MANY_SCALINGS {
            let cause = "it is deployed again and again";
            let signal = of(facts, &events, (cause, 74.0));
            found.push(signal.at(Target::new("Deployment", name, namespace)));
        }
    }
    for ((namespace, name), events) in kills {
        let explained = facts.events.iter().any(|event| {
            owner_name(&event.target.name) == name
                && (event.is_warning || event.reason == "ScalingReplicaSet")
        });
        let pods: BTreeSet<&str> = events.iter().map(|event| &*event.target.name).collect();
        if !explained && (pods.len() >= MANY_KILLS || is_replaced_alone(facts, namespace, name)) {
            let cause = "its pods are ended from outside and replaced";
            let signal = of(facts, &events, (cause, 66.0));
            found.push(signal.at(Target::new("", name, namespace)));
        }
    }
}

/// Whether all pods of a workload are new, while most others of the namespace have run for long.
fn is_replaced_alone(facts: &Facts, namespace: &str, name: &str) -> bool {
    let pods = facts.latest("pod");
    let in_namespace = pods.iter().filter(|pod| pod.namespace == namespace);
    let (own, others): (Vec<&Record>, Vec<&Record>) =
        in_namespace.partition(|pod| owner_name(&pod.name) == name);
    let is_young = |pod: &Record| pod.age(facts).is_some_and(|age| age < YOUNG);
    let old = others.iter().filter(|pod| pod.age(facts).is_some_and(|age| age > LONG)).count();
    !own.is_empty() && own.into_iter().all(is_young) && old >= MANY_KILLS && old * 2 > others.len()
}

fn distinct(events: &[&Event]) -> usize {
    let mut messages: Vec<&str> = events.iter().map(|event| event.message.as_str()).collect();
    messages.sort_unstable();
    messages.dedup();
    messages.len().max(if messages.len() == 1 { 1 } else { events.len() })
}

fn of(facts: &Facts, events: &[&Event], (cause, weight): (&str, f64)) -> Signal {
    let mut signal = Signal {
        category: Redeployment,
        cause: cause.to_owned(),
        target: Target::default(),
        weight,
        is_event: false,
        age: events.iter().filter_map(|event| event.age).min_by(f64::total_cmp),
        is_line: false,
        side: None,
        takes: None,
        detail: None,
        accused: None,
        quotes: Vec::new(),
    };
    for event in events.iter().take(3) {
        signal = signal.with_quote(facts.quote(event.result, event.line, &event.message));
    }
    signal
}
