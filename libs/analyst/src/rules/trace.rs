//! Traces: the spans that fail or are slow without a child that does.

use std::collections::BTreeMap;

use crate::facts::{Facts, Span};
use crate::signal::Signal;
use crate::text::listed;
use crate::verdict::Category::{Application, NetworkFault};
use crate::verdict::Target;

/// Seconds that a span spends itself from which on it is slow.
const SLOW_SECONDS: f64 = 1.0;

/// Services whose own spans fail, and those whose own time is long.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let mut failing: BTreeMap<&str, Vec<&Span>> = BTreeMap::new();
    let mut slow: BTreeMap<&str, Vec<&Span>> = BTreeMap::new();
    for span in &facts.spans {
        if span.failed && !span.child_failed {
            failing.entry(&span.service).or_default().push(span);
        }
        if span.own_seconds >= SLOW_SECONDS && !span.failed {
            slow.entry(&span.service).or_default().push(span);
        }
    }
    for (service, spans) in failing {
        let cause = format!("spans of `{service}` fail without a failing call below them");
        found.push(of(facts, &spans, service, (Application, 60.0), &cause));
    }
    for (service, spans) in slow {
        let operations: Vec<String> =
            spans.iter().take(1).map(|span| format!("`{}`", span.operation)).collect();
        let cause =
            format!("spans of `{service}` are slow in themselves, such as {}", listed(&operations));
        found.push(of(facts, &spans, service, (NetworkFault, 52.0), &cause));
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
        detail: None,
        accused: Some(service.to_owned()),
        quotes,
    }
}
