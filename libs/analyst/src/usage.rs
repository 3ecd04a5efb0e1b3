//! Whether what a process takes from its machine explains the alert: any machine that works has a busy process.

use crate::assertion::{Assertion, Symptom};
use crate::facts::Facts;
use crate::signal::Takes;
use crate::statement::is_used_up;

/// The part of what is in use from which on a program explains that it is used up.
const LARGE_PART: f64 = 0.25;

/// What a machine has, and what shows that it is used up.
struct Resource {
    /// Symptoms of an alert that follow from the want of it.
    symptoms: &'static [Symptom],
    /// Symptoms by which it is measured if the alert asserts none of them.
    measures: &'static [Symptom],
    /// The part of what is in use that the process takes.
    part: Option<f64>,
}

/// Why a process that takes this much does not explain the alert; none if it does.
pub(crate) fn objection(
    takes: Takes,
    assertion: &Assertion,
    facts: &Facts,
) -> Option<&'static str> {
    let resource = match takes {
        Takes::Processors(percent) => Resource {
            symptoms: &[Symptom::Load, Symptom::Processors],
            measures: &[Symptom::Load, Symptom::Processors],
            part: processors_in_use(facts).map(|in_use| percent / in_use),
        },
        Takes::Memory(percent) => Resource {
            symptoms: &[Symptom::Memory, Symptom::OutOfMemory, Symptom::Load],
            measures: &[Symptom::Memory],
            part: facts.host.memory.last().map(|share| percent / share.percent),
        },
        // Whether they are used up is not measured: whether the alert is about them is asked elsewhere.
        Takes::ProcessIds => return None,
    };
    let asserted = resource.symptoms.iter().any(|symptom| assertion.asserts(*symptom));
    if !asserted && !assertion.is_slow {
        return Some("it cannot cause what the alert reports");
    }
    let of_alert = |symptom: &&Symptom| assertion.asserts(**symptom);
    let measures: Vec<&Symptom> = resource.measures.iter().filter(of_alert).collect();
    let measures = if measures.is_empty() { resource.measures.iter().collect() } else { measures };
    let is_so = |symptom: &&Symptom| is_used_up(**symptom, assertion, facts);
    if !assertion.blames_a_process && !measures.iter().any(is_so) {
        return Some("no result shows that what it uses is used up");
    }
    match resource.part {
        Some(part) if part >= LARGE_PART => None,
        Some(_) => Some("it uses a small part of what is in use"),
        None => Some("no result shows how much of the machine it uses"),
    }
}

/// Percent of one core that all processes use.
fn processors_in_use(facts: &Facts) -> Option<f64> {
    let host = &facts.host;
    let cores = host.load().map(|load| load.cores).or(host.cores)?;
    let busy = host.processors.last().map_or(100.0, |share| share.percent);
    Some(cores * busy)
}
