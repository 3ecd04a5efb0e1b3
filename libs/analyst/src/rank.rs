//! Ranks possible causes: by severity, closeness to the alert in object and time, and agreement of results.

use std::collections::{BTreeMap, BTreeSet};

use tarsy_domain::change::ChangeLine;

use crate::alert::{Focus, is_word};
use crate::facts::Facts;
use crate::follows::{follows, is_of_calls};
use crate::signal::{Signal, Takes};
use crate::text::{bare_name, owner_name, same_name};
use crate::verdict::{Category, Quote, Target};

/// A cause with everything that speaks for it.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) signal: Signal,
    pub(crate) score: f64,
    /// Why it is not higher.
    pub(crate) remark: &'static str,
    pub(crate) change: Option<Explanation>,
    /// What of the alert depends on its object, if the alert does not name that.
    pub(crate) dependency: Option<String>,
}

/// The change that explains a cause.
#[derive(Clone, Debug)]
pub(crate) struct Explanation {
    pub(crate) change: ChangeLine,
    /// The same in the sentence of its effect.
    pub(crate) stated: String,
}

impl Ranked {
    /// The cause with the message that it is known by, what depends on its object, and the change that explains it.
    pub(crate) fn stated(&self) -> String {
        let mut text = self.signal.stated();
        let change = self.change.as_ref().map(|one| &one.stated);
        for part in self.dependency.as_ref().into_iter().chain(change) {
            text.push_str(", ");
            text.push_str(part);
        }
        text
    }
}

/// Seconds after which an event is old, and how much less it then weighs. After a day it is no cause.
const OLD: &[(f64, f64)] = &[(86_400.0, 60.0), (10_800.0, 24.0), (3_600.0, 18.0), (1_200.0, 10.0)];
/// The weight from which on a signal about what the alert names makes signals about other things less likely.
const ANCHOR: f64 = 36.0;
/// Letters from which on a part of the name of a log or a process stands for it: `transfer` of `transfer-out`.
const LONG_PART: usize = 5;
/// How much less they then weigh.
const ELSEWHERE: f64 = 50.0;
/// How much less a cause at a pod weighs that is being removed.
const REMOVED: f64 = 24.0;
/// How much more a cause weighs at what the alert's objects depend on.
const CALLED: f64 = 5.0;
/// Why a symptom ranks below its cause.
pub(crate) const FOLLOWS_FROM: &str = "it follows from the cause above";
/// Namespaces whose objects concern every other one.
const SHARED: &[&str] = &["kube-system", ""];

/// The causes, the most likely first.
pub(crate) fn rank(found: Vec<Signal>, focus: &Focus, facts: &Facts) -> Vec<Ranked> {
    let accused = accusations(&found);
    let is_anchored = found.iter().any(|one| is_about(one, focus) && one.weight >= ANCHOR);
    let mut merged: BTreeMap<(Category, String, bool), Ranked> = BTreeMap::new();
    for signal in found {
        let (mut score, mut remark) = score(&signal, focus, facts, &accused);
        if is_anchored && is_elsewhere(&signal, focus) {
            score -= if names_resource(&signal, focus) { ELSEWHERE / 2.0 } else { ELSEWHERE };
            remark = "it is about something else than the alert";
        }
        // A program that takes much of the processors and of the memory may explain the want of one of them.
        let is_of_memory = matches!(signal.takes, Some(Takes::Memory(_)));
        let key = (signal.category, key_of(&signal.target), is_of_memory);
        match merged.get_mut(&key) {
            None => {
                merged
                    .insert(key, Ranked { signal, score, remark, change: None, dependency: None });
            }
            Some(known) => {
                merge(known, Ranked { signal, score, remark, change: None, dependency: None });
            }
        }
    }
    let mut ranked: Vec<Ranked> = merged.into_values().collect();
    for one in &mut ranked {
        let calls: BTreeSet<u32> = one.signal.quotes.iter().map(|quote| quote.call).collect();
        #[expect(clippy::cast_precision_loss, reason = "a few calls")]
        let more = (calls.len().saturating_sub(1) as f64).min(3.0);
        one.score += more;
    }
    explain(&mut ranked);
    ranked.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| one.signal.target.cmp(&other.signal.target))
    });
    ranked
}

/// Whether the alert names what a signal is about.
pub(crate) fn is_about(signal: &Signal, focus: &Focus) -> bool {
    let name = owner_name(&signal.target.name);
    let part = |part: &str| part.len() >= LONG_PART && focus.words().contains(part);
    focus.names(name)
        || focus.mentions(name)
        || focus.mentions(&signal.target.name)
        || matches!(signal.target.kind.as_str(), "log" | "process")
            && name.to_lowercase().split(['-', '_', '.']).any(part)
}

/// Whether a signal is about an object of a namespace that the alert does not name. An object that the alert names may be in
/// another one than the alert's, as a metric about it is, unless there is one of its name in the alert's.
pub(crate) fn is_in_another_namespace(signal: &Signal, focus: &Focus, facts: &Facts) -> bool {
    let namespace = signal.target.namespace.as_str();
    let spaces: Vec<&str> = focus.of("namespace").collect();
    let is_foreign = is_foreign(namespace, focus) && !serves_all(namespace);
    // A controller of the cluster speaks of the objects of others.
    let names_space = |quote: &Quote| {
        let text = quote.text.to_lowercase();
        spaces.iter().any(|space| is_word(&text, space))
    };
    let name = owner_name(&signal.target.name);
    let has_namesake = || {
        let mut own = facts.records.iter().filter(|one| spaces.contains(&one.namespace.as_str()));
        own.any(|one| same_name(owner_name(&one.name), name))
    };
    is_foreign
        && focus.called_as(name).is_none()
        && !signal.quotes.iter().any(names_space)
        && (!is_about(signal, focus) || has_namesake())
}

/// Whether a namespace is another one than those that the alert names; no namespace is none.
fn is_foreign(namespace: &str, focus: &Focus) -> bool {
    focus.of("namespace").next().is_some()
        && !SHARED.contains(&namespace)
        && !is_named(namespace, focus)
}

fn is_named(namespace: &str, focus: &Focus) -> bool {
    focus.of("namespace").any(|space| space == namespace)
        || !namespace.is_empty() && is_word(focus.words(), namespace)
}

/// Whether the name of a namespace says that its programs serve those of all others: `kube-…`, `openshift-…`, `…-system`, and
/// those of ingress controllers.
fn serves_all(namespace: &str) -> bool {
    namespace.starts_with("kube-")
        || namespace.starts_with("openshift-")
        || namespace.ends_with("-system")
        || namespace.split('-').any(|part| part == "ingress")
}

/// Whether a signal is about the resources of the whole host or of a process that the alert does not name.
fn is_elsewhere(signal: &Signal, focus: &Focus) -> bool {
    let of_host = signal.target.name.is_empty() || signal.target.kind == "process";
    let of_resource = matches!(signal.category, Category::Starvation | Category::OutOfMemory);
    of_host && of_resource && !is_about(signal, focus)
}

/// Whether the alert is about the resource.
fn names_resource(signal: &Signal, focus: &Focus) -> bool {
    let words: &[&str] = match signal.category {
        Category::Starvation => &["cpu", "load", "memory", "slow", "latency", "throttl"],
        _ => &["memory", "oom", "killed"],
    };
    words.iter().any(|word| focus.words().contains(word))
}

fn key_of(target: &Target) -> String {
    format!("{}/{}", target.namespace, bare_name(owner_name(&target.name)))
}

fn merge(known: &mut Ranked, other: Ranked) {
    let (mut first, mut second) = (known.clone(), other);
    if second.score > first.score {
        std::mem::swap(&mut first, &mut second);
    }
    let is_same = first.signal.cause == second.signal.cause;
    if !second.signal.is_line {
        first.signal.is_line = false;
        first.signal.side = first.signal.side.filter(|_| !is_same || second.signal.side.is_some());
    }
    for quote in second.signal.quotes {
        if !first.signal.quotes.contains(&quote) {
            first.signal.quotes.push(quote);
        }
    }
    first.signal.age = match (first.signal.age, second.signal.age) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    };
    *known = first;
}

/// How many different objects accuse each host.
fn accusations(found: &[Signal]) -> BTreeMap<String, usize> {
    let mut by_host: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for signal in found {
        if let Some(host) = &signal.accused {
            let by = signal.quotes.first().map_or(0, |quote| quote.call).to_string();
            by_host.entry(bare_name(host)).or_default().insert(by);
        }
    }
    by_host.into_iter().map(|(host, by)| (host, by.len())).collect()
}

fn score(
    signal: &Signal,
    focus: &Focus,
    facts: &Facts,
    accused: &BTreeMap<String, usize>,
) -> (f64, &'static str) {
    let (mut score, mut remark) = (signal.weight, "weaker evidence");
    let (name, namespace) = (owner_name(&signal.target.name), signal.target.namespace.as_str());
    if focus.names(name) || focus.names(&signal.target.name) {
        score += 9.0;
    } else if focus.mentions(name) {
        score += 6.0;
    } else if focus.called_as(name).is_some() {
        score += CALLED;
    }
    if is_named(namespace, focus) {
        score += 3.0;
    } else if is_foreign(namespace, focus) {
        score -= 18.0;
        remark = "in another namespace than the alert";
    }
    if let Some((_, less)) =
        OLD.iter().find(|(least, _)| signal.age.is_some_and(|age| age > *least))
    {
        score -= less;
        remark = "older than the alert's time";
    }
    if is_removed(signal, facts) && !focus.words().contains("terminating") {
        score -= REMOVED;
        remark = "the pod is being removed";
    }
    if is_resolved(signal, facts) {
        score -= 30.0;
        remark = "the object is ready again";
    }
    if let Some(times) = accused.get(&bare_name(name)).filter(|_| signal.accused.is_none()) {
        #[expect(clippy::cast_precision_loss, reason = "a few callers")]
        let more = (*times as f64 * 2.0).min(6.0);
        score += more;
    }
    (score, remark)
}

/// Whether a cause is about a pod that is being removed: its containers end because of that.
fn is_removed(signal: &Signal, facts: &Facts) -> bool {
    if !signal.target.kind.eq_ignore_ascii_case("pod") {
        return false;
    }
    let pod = facts.of_kind("pod").filter(|pod| pod.name == signal.target.name).last();
    pod.is_some_and(|pod| {
        pod.get("STATUS") == Some("Terminating") || pod.get("metadata.deletionTimestamp").is_some()
    })
}

/// Events of a pod that runs with all containers ready, and of restarts that are over; not of what a ready pod may suffer from.
fn is_resolved(signal: &Signal, facts: &Facts) -> bool {
    let concerns = matches!(
        signal.category,
        Category::ImagePull
            | Category::Scheduling
            | Category::Volume
            | Category::Probe
            | Category::Quota
            | Category::Command
    );
    let is_pod = signal.target.kind.eq_ignore_ascii_case("pod");
    let (namespace, name) = (signal.target.namespace.as_str(), signal.target.name.as_str());
    let is_restart = signal.is_event && signal.category == Category::Crash;
    if is_pod && is_restart && crate::rules::has_recovered(facts, namespace, name) {
        return true;
    }
    let restarts = facts.of_kind("pod").any(|pod| {
        pod.name == signal.target.name
            && pod
                .get("last restarts age")
                .and_then(crate::text::age_seconds)
                .is_some_and(|age| age < 3_600.0)
    });
    let is_old = signal.age.is_some_and(|age| age > 3_600.0);
    (concerns || is_old)
        && is_pod
        && !restarts
        && signal.age.is_some()
        && crate::rules::is_ready(facts, namespace, name)
}

/// A symptom ranks below the cause that explains it: a crash below what its object lacks, a caller below what it calls.
fn explain(ranked: &mut [Ranked]) {
    let causes: Vec<(Category, Target, f64)> = ranked
        .iter()
        .map(|one| (one.signal.category, one.signal.target.clone(), one.score))
        .collect();
    let sentences: Vec<String> = ranked.iter().map(|one| one.signal.cause.clone()).collect();
    for one in ranked {
        let symptom = matches!(
            one.signal.category,
            Category::Crash | Category::Probe | Category::Application
        );
        let own = causes.iter().any(|(category, target, score)| {
            !matches!(category, Category::Crash | Category::Probe | Category::Application)
                && *category != one.signal.category
                && same_object(target, &one.signal.target)
                && *score >= 70.0
        });
        // A service without endpoints follows from whatever keeps its pods from running.
        let routing = one.signal.category == Category::ServiceRouting && one.score < 86.0;
        if (symptom || routing) && own {
            one.score -= 12.0;
            one.remark = FOLLOWS_FROM;
        }
        // A proxy only reports that what stands behind it does not work.
        let upstream = one.signal.is_line && one.signal.cause.contains("upstream");
        let behind = upstream
            && causes.iter().any(|(category, target, score)| {
                !is_of_calls(*category)
                    && !target.name.is_empty()
                    && target.namespace == one.signal.target.namespace
                    && !same_object(target, &one.signal.target)
                    && *score >= 80.0
            });
        if behind {
            one.score -= 14.0;
            one.remark = FOLLOWS_FROM;
        }
        let accused = one.signal.accused.as_deref();
        let explained = accused.is_some_and(|host| {
            causes.iter().any(|(category, target, score)| {
                *category != one.signal.category
                    && same_name(owner_name(&target.name), host)
                    && *score >= 66.0
            })
        });
        if follows(&one.signal, &sentences) {
            one.score -= 12.0;
            one.remark = FOLLOWS_FROM;
        }
        if explained && !matches!(one.signal.category, Category::Configuration) {
            one.score -= 8.0;
            one.remark = FOLLOWS_FROM;
        }
    }
}

pub(crate) fn same_object(one: &Target, other: &Target) -> bool {
    one.namespace == other.namespace && same_name(owner_name(&one.name), owner_name(&other.name))
}

/// Quotations of a cause, each call's first ones before its others.
pub(crate) fn best_quotes(quotes: &[Quote], most: usize) -> Vec<Quote> {
    let mut seen = BTreeSet::new();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for quote in quotes.iter().filter(|quote| !quote.text.is_empty()) {
        if seen.insert(quote.call) { first.push(quote.clone()) } else { rest.push(quote.clone()) }
    }
    first.extend(rest);
    let mut texts = BTreeSet::new();
    first.retain(|quote| texts.insert((quote.call, quote.text.clone())));
    first.truncate(most);
    first
}
