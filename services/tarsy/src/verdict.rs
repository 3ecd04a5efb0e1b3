//! A verdict as the command line prints it.

use tarsy_domain::verdict::{Evidence, Verdict};

/// The lines of a verdict: cause and object, what it rests on, other causes, what is open, what to do.
pub(crate) fn lines(verdict: &Verdict) -> Vec<String> {
    let mut lines = head(verdict);
    lines.extend(verdict.evidence.iter().map(|line| format!("  {}", quoted(line))));
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

/// The cause with its object, or that there is none; and what became of the alert's statement.
fn head(verdict: &Verdict) -> Vec<String> {
    let category = verdict.category.words();
    let alert = format!("alert: {}", verdict.answered());
    if !verdict.states_cause() {
        let hint = verdict.hint().map(|hint| format!("weakest hint: {hint} ({category})"));
        return [verdict.headline().to_owned(), alert].into_iter().chain(hint).collect();
    }
    let mut lines = vec![
        format!("{} ({category})", verdict.cause),
        alert,
        format!("object: {}", verdict.object.describe()),
    ];
    lines.extend(verdict.since.iter().map(|since| format!("since: {since}")));
    lines.push(format!("confidence: {}", verdict.confidence));
    lines
}

fn quoted(line: &Evidence) -> String {
    format!("[call {}, line {}] {}", line.call, line.line, line.text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::verdict::Outcome;

    use super::*;

    #[test]
    fn a_verdict_is_read_from_the_api_and_printed_line_by_line() {
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
        let verdict: Verdict = verdict.unwrap();
        assert_eq!(lines(&verdict), expected);
        let hint = Verdict {
            outcome: Outcome::NoFaultFound,
            answer: "/var is 12 % full: not confirmed".to_owned(),
            ..verdict
        };
        let expected = [
            "Cause not found",
            "alert: /var is 12 % full: not confirmed",
            "weakest hint: the disk is full (disk)",
        ];
        assert_eq!(lines(&hint)[..3], expected);
    }
}
