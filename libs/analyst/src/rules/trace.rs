//! Traces: the spans that fail or are slow without a child that does.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::facts::{Facts, Span};
use crate::signal::Signal;
use crate::text::{listed, regex, same_name};
use crate::verdict::Category::{Application, NetworkFault};
use crate::verdict::Target;

/// Seconds that a span spends itself from which on it is slow.
const SLOW_SECONDS: f64 = 1.0;

/// The weight of the only service whose own spans fail, and of one of several.
const ALONE: f64 = 64.0;
const AMONG_OTHERS: f64 = 60.0;
/// Operations that wait on purpose.
static WAITING: LazyLock<Regex> =
    regex!(r"(?i)stream|watch|subscribe|poll|receive|consume|listen|wait|sleep");
/// Slow spans of one service from which on they are no accident.
const MANY_SLOW: usize = 3;

/// Services whose own spans fail, and those whose own time is long.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let mut failing: BTreeMap<&str, Vec<&Span>> = BTreeMap::new();
    let mut unanswered: BTreeMap<&str, Vec<&Span>> = BTreeMap::new();
    let mut slow: BTreeMap<&str, Vec<&Span>> = BTreeMap::new();
    for span in &facts.spans {
        if span.failed && !span.child_failed {
            // What the called service does not even record fails before it answers.
            let lost = !span.callee.is_empty() && !same_name(&span.callee, &span.service);
            let (group, service) =
                if lost { (&mut unanswered, &span.callee) } else { (&mut failing, &span.service) };
            group.entry(service).or_default().push(span);
        }
        if span.own_seconds >= SLOW_SECONDS && !span.failed && !WAITING.is_match(&span.operation) {
            slow.entry(&span.service).or_default().push(span);
        }
    }
    let weight = if failing.len() + unanswered.len() == 1 { ALONE } else { AMONG_OTHERS };
    for (service, spans) in unanswered {
        let cause = format!("calls of `{service}` fail, and it records none of them");
        found.push(of(facts, &spans, service, (Application, weight), &cause));
    }
    for (service, spans) in failing {
        let cause = format!("spans of `{service}` fail without a failing call below them");
        found.push(of(facts, &spans, service, (Application, weight), &cause));
    }
    for (service, spans) in slow {
        let operations: Vec<String> =
            spans.iter().take(1).map(|span| format!("`{}`", span.operation)).collect();
        let cause =
            format!("spans of `{service}` are slow in themselves, such as {}", listed(&operations));
        let weight = if spans.len() >= MANY_SLOW { 62.0 } else { 52.0 };
        found.push(of(facts, &spans, service, (NetworkFault, weight), &cause));
    }
}

fn of(
    facts: &Facts,
    spans: &[&Span],
    service: &str,
    kind: (crate::verdict::Category, f64),
    cause: &str,
) -> Signal {
    #[expect(clippy::cast_precision_loss, reason = "spans of one trace")]
    let often = (spans.len() as f64).min(5.0);
    let quotes = spans
        .iter()
        .take(2)
        .map(|span| facts.quote(span.result, span.line, &span.operation))
        .collect();
    Signal {
        category: kind.0,
        cause: cause.to_owned(),
        target: Target::new("Service", service, ""),
        weight: kind.1 + often,
        is_event: false,
        age: None,
        is_line: false,
        side: None,
        takes: None,
        detail: None,
        accused: Some(service.to_owned()),
        quotes,
    }
}
