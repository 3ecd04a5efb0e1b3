//! How sure a cause is: by how much its words decide, how close its rival is, and how much of what was found it explains.

use std::collections::BTreeSet;

use crate::alert::{Focus, is_word};
use crate::assertion::wording;
use crate::facts::canonical_kind;
use crate::rank::{FOLLOWS_FROM, Ranked, is_about, same_object};
use crate::text::{owner_name, same_name};
use crate::verdict::Confidence;

/// The chance from which on a cause has confidence *high*.
const HIGH: f64 = 0.9;
/// The score from which on a cause is stated at all.
const STATED: f64 = 64.0;
/// The weight from which on another signal is something that a cause should explain.
const WEIGHTY: f64 = 50.0;
/// Seconds after which what was seen is older than what an alert is about.
const OLD: f64 = 3_600.0;
/// Words below this length count only as whole words.
const SHORT: usize = 4;

/// How sure the first is.
pub(crate) fn of(ranked: &[Ranked], focus: &Focus) -> Confidence {
    match ranked.first() {
        Some(first)
            if first.score >= STATED
                && chance(first, ranked, focus) >= HIGH
                && (decides(first, ranked, focus) || has_effect(first, ranked)) =>
        {
            Confidence::High
        }
        Some(first) if first.score >= STATED => Confidence::Medium,
        _ => Confidence::Low,
    }
}

/// Whether what shows a cause is enough: not if it is one line that may be harmless or follow from something else, unless the
/// alert is about what it brings about; nor if one line is about an object that the alert does not name.
fn decides(first: &Ranked, ranked: &[Ranked], focus: &Focus) -> bool {
    let signal = &first.signal;
    let wording = wording(focus);
    let has = |word: &&str| {
        if word.len() < SHORT { is_word(&wording, word) } else { wording.contains(*word) }
    };
    let brings_about = signal.side.is_none_or(|words| words.iter().any(has));
    let name = owner_name(&signal.target.name);
    let is_accused = || {
        let hosts = ranked.iter().filter_map(|one| one.signal.accused.as_deref());
        hosts.into_iter().any(|host| same_name(host, name))
    };
    let in_cluster = !name.is_empty() && canonical_kind(&signal.target.kind).is_some();
    let calls: BTreeSet<u32> = signal.quotes.iter().map(|quote| quote.call).collect();
    let is_alone = signal.is_line && in_cluster && calls.len() < 2;
    brings_about && (!is_alone || is_about(signal, focus) || is_accused())
}

/// Whether objects, events or values show something weighty that follows from the first cause.
fn has_effect(first: &Ranked, ranked: &[Ranked]) -> bool {
    ranked.iter().skip(1).any(|one| {
        let is_seen = !one.signal.is_line && one.signal.weight >= WEIGHTY;
        is_seen && one.remark == FOLLOWS_FROM && is_explained(one, first)
    })
}

/// The chance that the first cause is the right one, from 0 to 1: the logistic function of what speaks for it.
fn chance(first: &Ranked, ranked: &[Ranked], focus: &Focus) -> f64 {
    let rivals = ranked.iter().skip(1).filter(|one| !is_explained(one, first));
    let gap = rivals.map(|one| first.score - one.score).fold(15.0, f64::min);
    let calls: BTreeSet<u32> = first.signal.quotes.iter().map(|quote| quote.call).collect();
    #[expect(clippy::cast_precision_loss, reason = "a few calls")]
    let agreeing = (calls.len().saturating_sub(1) as f64).min(2.0);
    let about = if is_about(&first.signal, focus) { 0.8 } else { -0.8 };
    let old = if first.signal.age.is_some_and(|age| age > OLD) { -2.0 } else { 0.0 };
    let words = (0.25 * (first.signal.weight - 84.0)).clamp(-2.0, 2.5);
    let explained = 2.0 * (explained(first, ranked) - 0.5);
    let evidence = -1.0 + words + 0.12 * gap + explained + about + old + 0.3 * agreeing;
    1.0 / (1.0 + (-evidence).exp())
}

/// The share of the weighty signals that the first cause explains, itself among them; from 0 to 1.
fn explained(first: &Ranked, ranked: &[Ranked]) -> f64 {
    let weighty: Vec<&Ranked> = ranked.iter().filter(|one| one.signal.weight >= WEIGHTY).collect();
    let count = weighty.iter().filter(|one| is_explained(one, first)).count();
    #[expect(clippy::cast_precision_loss, reason = "a few signals")]
    let share = count as f64 / weighty.len().max(1) as f64;
    share
}

/// Whether a signal is no rival: it is about the same object, accuses it, or follows from a cause.
fn is_explained(one: &Ranked, first: &Ranked) -> bool {
    let name = owner_name(&first.signal.target.name);
    same_object(&one.signal.target, &first.signal.target)
        || one.signal.accused.as_deref().is_some_and(|host| same_name(host, name))
        || one.remark == FOLLOWS_FROM
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::Signal;
    use crate::verdict::{Category, Target};

    fn ranked(name: &str, weight: f64, age: Option<f64>) -> Ranked {
        let signal = Signal {
            category: Category::Configuration,
            cause: "a cause".to_owned(),
            target: Target::new("Pod", name, "shop"),
            weight,
            is_event: false,
            age,
            is_line: false,
            side: None,
            takes: None,
            detail: None,
            accused: None,
            quotes: Vec::new(),
        };
        Ranked { signal, score: weight, remark: "", change: None, dependency: None }
    }

    #[test]
    fn only_deciding_words_about_the_alerts_object_without_a_rival_are_sure() {
        let focus = Focus::read("namespace: shop\nservice: cart");
        let sure = |list: &[Ranked]| of(list, &focus);
        assert_eq!(sure(&[ranked("cart", 93.0, None)]), Confidence::High);
        assert_eq!(sure(&[ranked("cart", 66.0, None)]), Confidence::Medium);
        assert_eq!(sure(&[ranked("cart", 50.0, None)]), Confidence::Low);
        assert_eq!(sure(&[]), Confidence::Low);
        let rivals =
            [ranked("mail", 92.0, None), ranked("cart", 91.0, None), ranked("bill", 90.0, None)];
        assert_eq!(sure(&rivals), Confidence::Medium, "rivals are as likely");
        assert_eq!(sure(&[ranked("cart", 88.0, Some(90_000.0))]), Confidence::Medium, "it is old");
    }
}
