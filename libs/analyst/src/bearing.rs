//! Whether a cause bears on the alert: it must be able to produce the alert's symptom, on the alert's object.

use crate::alert::Focus;
use crate::assertion::Assertion;
use crate::facts::Facts;
use crate::rank::{Ranked, is_about, is_in_another_namespace};
use crate::signal::{Signal, Takes};
use crate::statement::Scene;
use crate::text::bare_name;
use crate::usage;
use crate::verdict::Category;

/// Seconds after which a line of a log says nothing of the alert.
const DAY: f64 = 86_400.0;

/// What causes are compared with.
pub(crate) struct Bearing<'b> {
    pub(crate) assertion: &'b Assertion,
    pub(crate) focus: &'b Focus,
    pub(crate) facts: &'b Facts,
    pub(crate) scene: &'b Scene,
    /// Whether what the alert asserts was measured, and is not so.
    pub(crate) is_refuted: bool,
}

impl Bearing<'_> {
    /// The causes that bear on the alert, and those that were only seen beside it; each in its order.
    pub(crate) fn split(&self, ranked: Vec<Ranked>) -> (Vec<Ranked>, Vec<Ranked>) {
        let (mut likely, mut aside) = (Vec::new(), Vec::new());
        let accused: Vec<String> =
            ranked.iter().filter_map(|one| one.signal.accused.as_deref()).map(bare_name).collect();
        for mut one in ranked {
            match self.objection(&one.signal, &accused) {
                Some(reason) => {
                    one.remark = reason;
                    aside.push(one);
                }
                None => likely.push(one),
            }
        }
        (likely, aside)
    }

    /// Why a cause does not bear on the alert. What others accuse may be anywhere.
    fn objection(&self, signal: &Signal, accused: &[String]) -> Option<&'static str> {
        let (assertion, takes) = (self.assertion, signal.takes);
        if self.scene.excludes(signal) {
            return Some("it is about another machine than the alert");
        }
        if is_in_another_namespace(signal, self.focus, self.facts)
            && !accused.contains(&bare_name(&signal.target.name))
        {
            return Some("it is in another namespace than the alert");
        }
        if !assertion.can_follow_from(signal.category) {
            return Some("it cannot cause what the alert reports");
        }
        if let Some(reason) = takes.and_then(|takes| usage::objection(takes, assertion, self.facts))
        {
            return Some(reason);
        }
        if signal.is_line && signal.age.is_some_and(|age| age > DAY) {
            return Some("its log reports nothing of it for a day");
        }
        let is_of_process_ids = takes == Some(Takes::ProcessIds);
        if is_of_process_ids && !assertion.is_about_processes && !is_about(signal, self.focus) {
            return Some("it seldom has an effect before process ids run out");
        }
        (self.is_refuted && signal.category == Category::Starvation)
            .then_some("what the alert reports is not so")
    }
}
