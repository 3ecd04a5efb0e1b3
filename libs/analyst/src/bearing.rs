//! Whether a cause bears on the alert: it must be able to produce the alert's symptom, on the alert's object.

use crate::alert::Focus;
use crate::assertion::Assertion;
use crate::rank::{Ranked, is_about};
use crate::rules::ZOMBIES;
use crate::signal::Signal;
use crate::statement::Scene;
use crate::verdict::Category;

/// The causes that bear on the alert, and those that were only seen beside it; each in its order.
pub(crate) fn split(
    ranked: Vec<Ranked>,
    (assertion, focus): (&Assertion, &Focus),
    scene: &Scene,
    is_refuted: bool,
) -> (Vec<Ranked>, Vec<Ranked>) {
    let (mut likely, mut aside) = (Vec::new(), Vec::new());
    for mut one in ranked {
        let category = one.signal.category;
        let reason = match () {
            () if scene.excludes(&one.signal) => Some("it is about another machine than the alert"),
            () if !assertion.can_follow_from(category) => {
                Some("it cannot cause what the alert reports")
            }
            () if is_process(&one.signal) && !assertion.can_follow_from_use() => {
                Some("it cannot cause what the alert reports")
            }
            () if is_of_process_ids(&one.signal)
                && !assertion.is_about_processes
                && !is_about(&one.signal, focus) =>
            {
                Some("it seldom has an effect before process ids run out")
            }
            () if is_refuted && category == Category::Starvation => {
                Some("what the alert reports is not so")
            }
            () => None,
        };
        match reason {
            Some(reason) => {
                one.remark = reason;
                aside.push(one);
            }
            None => likely.push(one),
        }
    }
    (likely, aside)
}

/// A process that uses much of a machine. Any machine that works has one: it explains load, memory and slowness, and nothing else.
fn is_process(signal: &Signal) -> bool {
    signal.category == Category::Starvation && signal.target.kind == "process"
}

/// Children that nobody waits for: they hold process ids, and nothing else.
fn is_of_process_ids(signal: &Signal) -> bool {
    signal.category == Category::HostService && signal.cause == ZOMBIES
}
