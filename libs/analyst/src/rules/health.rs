//! Programs that report that they are not healthy, and what they name as the reason.

use crate::facts::{Facts, Health, HealthState};
use crate::signal::Signal;
use crate::verdict::Category::{Application, Probe};

/// Of a program that the alert names; the same of any other is a hint.
const NAMED: f64 = 70.0;
const OTHER: f64 = 46.0;
/// Of a container that its engine checks again and again.
const CHECKED: f64 = 86.0;

/// What each program reported last. One that starts or may do without a part of it is not broken.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for report in facts.health_now().filter(|report| report.state == HealthState::Unhealthy) {
        found.push(signal(facts, report));
    }
}

fn signal(facts: &Facts, report: &Health) -> Signal {
    let quote = |line, needle: &str| facts.quote(report.place.result, line, needle);
    let mut quotes = vec![quote(report.place.line, "")];
    for part in &report.parts {
        let quote = quote(part.line, &part.words);
        if !quotes.contains(&quote) {
            quotes.push(quote);
        }
    }
    let first = report.parts.first();
    let (kind, cause) = if report.object.kind == "container" {
        ((Probe, CHECKED), "the health check of a container fails".to_owned())
    } else {
        let is_named =
            facts.focus.names(&report.object.name) || facts.focus.mentions(&report.object.name);
        let cause = match (first, report.code) {
            (Some(part), _) => {
                format!("it reports that it is not healthy, because of its `{}`", part.name)
            }
            (None, Some(code)) => format!("it answers its health check with {code}"),
            (None, None) => "it reports that it is not healthy".to_owned(),
        };
        ((Application, if is_named { NAMED } else { OTHER }), cause)
    };
    let detail = first.map(|part| part.words.clone()).filter(|words| !words.is_empty());
    Signal { detail, ..Signal::of_values(kind, cause, report.object.clone(), quotes) }
}
