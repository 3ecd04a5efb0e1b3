//! What a metric shows, as a signal with its quotations.

use super::meaning::Seen;
use crate::facts::{Facts, Point};
use crate::signal::Signal;
use crate::text::code;
use crate::verdict::{Category, Quote, Target};

/// Characters of a time up to its minutes: `2026-03-01T10:00`.
const MINUTE: usize = 16;

/// A cause with the metric that shows it.
pub(super) fn base(facts: &Facts, one: &Seen<'_>, kind: (Category, f64), cause: &str) -> Signal {
    Signal {
        category: kind.0,
        cause: format!("{cause}: {}", moved(one)),
        target: Target::new("", &one.series.object, ""),
        weight: kind.1,
        is_event: false,
        age: None,
        is_line: false,
        side: None,
        takes: None,
        detail: None,
        accused: None,
        quotes: quotes(facts, one),
    }
}

/// `` `ReplicaLag` rose ``. The quotations have the values: what a single number of a long list belongs to cannot be checked.
pub(super) fn moved(one: &Seen<'_>) -> String {
    let word = match one.change {
        Some(change) if change.rises() => "rose and stays up",
        Some(_) => "fell and stays down",
        None => "is out of its range",
    };
    format!("{} {word}", code(&one.series.name))
}

/// The name, when the change begins, the value before it, and the last one.
pub(super) fn quotes(facts: &Facts, one: &Seen<'_>) -> Vec<Quote> {
    let series = one.series;
    let quote = |line: usize, needle: &str| facts.quote(series.result, line, needle);
    let began = one.change.and_then(|change| series.points.get(change.at));
    let time = began.and_then(|point| {
        let minute: String = point.at.to_string().chars().take(MINUTE).collect();
        let shows = |minute: &str| {
            Some(quote(point.time_line, minute)).filter(|one| one.text.contains(minute))
        };
        shows(&minute).or_else(|| shows(&minute.replace('T', " ")))
    });
    let before = one.change.and_then(|change| series.points.get(change.at.saturating_sub(1)));
    let values = before.into_iter().chain(series.points.last());
    let mut found = vec![quote(series.line, &series.name)];
    found.extend(time);
    found.extend(values.map(|point: &Point| quote(point.line, &point.text)));
    found.retain(|quote| !quote.text.is_empty());
    found
}
