//! A verdict as the command line prints it.

use tarsy_domain::verdict::{Evidence, Verdict};

use crate::members;

/// Quotes in the short form.
const SHORT_EVIDENCE: usize = 3;

/// The lines of a verdict: cause and object, what it rests on, other causes, what is open, what to do.
pub(crate) fn lines(verdict: &Verdict) -> Vec<String> {
    let mut lines = head(verdict, Head::Whole);
    lines.extend(behind_head(verdict));
    lines
}

/// What follows the cause: what it rests on, other causes, what is open, what to do.
fn behind_head(verdict: &Verdict) -> Vec<String> {
    let quotes = verdict.evidence.iter().map(|line| format!("  {}", quoted(line)));
    let mut lines: Vec<String> = quotes.collect();
    lines.extend(verdict.change.iter().map(|change| {
        format!("explained by: {} at {}: {}", change.describe(), change.occurred_at, change.text)
    }));
    lines.extend(verdict.charts.iter().map(|chart| format!("over time: {}", chart.describe())));
    for other in &verdict.alternatives {
        let object = other.object.iter().map(|object| format!("{}: ", object.describe()));
        let object: String = object.collect();
        lines.push(format!("not: {object}{}, because {}", other.cause, other.because));
    }
    let open = verdict.not_examined.iter();
    lines.extend(open.map(|one| format!("not examined: {}: {}", one.what, one.why)));
    let steps = (1..).zip(&verdict.next_steps);
    lines.extend(steps.map(|(number, step)| format!("{number}. {step}")));
    lines
}

/// The same in few lines: no other causes, and of what is open the names.
pub(crate) fn short(verdict: &Verdict) -> Vec<String> {
    let few = Verdict {
        alternatives: Vec::new(),
        not_examined: Vec::new(),
        evidence: verdict.evidence.iter().take(SHORT_EVIDENCE).cloned().collect(),
        ..verdict.clone()
    };
    let mut lines = head(verdict, Head::Short);
    lines.extend(behind_head(&few));
    let open: Vec<&str> = verdict.not_examined.iter().map(|one| one.what.as_str()).collect();
    if !open.is_empty() {
        let before_steps = lines.len() - verdict.next_steps.len();
        lines.insert(before_steps, format!("not examined: {}", open.join(", ")));
    }
    lines
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    Whole,
    /// The confidence stands with the cause, and so does an object that the cause names.
    Short,
}

/// The cause with its object, or that there is none; and what became of the alert's statement.
fn head(verdict: &Verdict, form: Head) -> Vec<String> {
    let category = verdict.category.words();
    let alert = format!("alert: {}", verdict.answered());
    if !verdict.states_cause() {
        let hint = verdict.hint().map(|hint| format!("weakest hint: {hint} ({category})"));
        return [verdict.headline().to_owned(), alert].into_iter().chain(hint).collect();
    }
    let (object, confidence) = (&verdict.object, verdict.confidence);
    let cause = match form {
        Head::Whole => format!("{} ({category})", verdict.cause),
        Head::Short => format!("{} ({category}, {confidence} confidence)", verdict.cause),
    };
    let mut lines = vec![cause, alert];
    let is_named =
        object.namespace.is_none() && verdict.cause.contains(&format!("`{}`", object.name));
    if form == Head::Whole || !is_named {
        lines.push(format!("object: {}", object.describe()));
    }
    lines.extend(verdict.since.iter().map(|since| format!("since: {since}")));
    if form == Head::Whole {
        lines.push(format!("confidence: {confidence}"));
    }
    lines
}

fn quoted(line: &Evidence) -> String {
    let text = members::of_line(&line.text);
    format!("[call {}, line {}] {}", line.call, line.line, text.as_deref().unwrap_or(&line.text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::verdict::Outcome;

    use super::*;

    fn of_api() -> Verdict {
        let verdict = serde_json::from_value(json!({
            "outcome": "cause_found",
            "alert_statement": "confirmed",
            "answer": "",
            "cause": "the disk is full",
            "category": "disk",
            "object": {"kind": "host", "name": "web-1", "namespace": null},
            "since": "3m",
            "confidence": "high",
            "evidence": [{"call": 3, "line": 17, "text": "/var 100%"}],
            "alternatives": [
                {"cause": "a leak", "category": "crash", "object": null, "because": "memory is free", "evidence": []}
            ],
            "not_examined": [{"what": "inodes", "why": "the call failed"}],
            "next_steps": ["look for large files"],
            "source": "rules",
        }));
        verdict.unwrap()
    }

    #[test]
    fn what_changed_over_time_stands_behind_the_evidence() {
        let chart = serde_json::from_value(json!({
            "call": 3, "metric": "disk_used_percent", "object": "/var", "unit": "", "points": [],
            "change": {"at": "2026-03-01T10:00:00Z", "before": 61.2, "after": 100.0},
        }));
        let verdict = Verdict { charts: vec![chart.unwrap()], ..of_api() };
        let expected =
            "over time: `disk_used_percent` of /var: 61.2 → 100 since 2026-03-01T10:00:00Z";
        assert_eq!(lines(&verdict)[6], expected);
    }

    #[test]
    fn the_change_that_explains_the_cause_stands_behind_the_evidence() {
        let change = serde_json::from_value(json!({
            "id": "01984f7f-3b1c-7000-8000-000000000001", "kind": "deployment", "object": "Deployment/checkout",
            "service": null, "occurred_at": "2026-02-11T09:30:00Z", "text": "1.8.1 → 1.8.2",
        }));
        let verdict = Verdict { change: change.unwrap(), ..of_api() };
        let expected = "explained by: deployment of Deployment/checkout at 2026-02-11T09:30:00Z: 1.8.1 → 1.8.2";
        assert_eq!(lines(&verdict)[6], expected);
    }

    #[test]
    fn a_verdict_is_read_from_the_api_and_printed_line_by_line() {
        let expected = [
            "the disk is full (disk)",
            "alert: confirmed",
            "object: host web-1",
            "since: 3m",
            "confidence: high",
            "  [call 3, line 17] /var 100%",
            "not: a leak, because memory is free",
            "not examined: inodes: the call failed",
            "1. look for large files",
        ];
        assert_eq!(lines(&of_api()), expected);
    }

    #[test]
    fn the_short_form_ends_with_what_is_open_and_what_to_do() {
        let expected = [
            "the disk is full (disk, high confidence)",
            "alert: confirmed",
            "object: host web-1",
            "since: 3m",
            "  [call 3, line 17] /var 100%",
            "not examined: inodes",
            "1. look for large files",
        ];
        assert_eq!(short(&of_api()), expected);
        let named = Verdict { cause: "`web-1` is full".to_owned(), ..of_api() };
        assert_eq!(
            short(&named)[..2],
            ["`web-1` is full (disk, high confidence)", "alert: confirmed"]
        );
    }

    #[test]
    fn what_is_no_cause_is_a_hint() {
        let hint = Verdict {
            outcome: Outcome::NoFaultFound,
            answer: "/var is 12 % full: not confirmed".to_owned(),
            ..of_api()
        };
        let expected = [
            "Cause not found",
            "alert: /var is 12 % full: not confirmed",
            "weakest hint: the disk is full (disk)",
        ];
        assert_eq!(lines(&hint)[..3], expected);
    }
}
