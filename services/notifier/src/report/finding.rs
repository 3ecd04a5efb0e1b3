//! What a notification says of a verdict: the cause first, then what to do next.

use tarsy_catalog::NotificationStatus;
use tarsy_domain::verdict::{Source, Verdict};

use super::parts::{Fact, MAX_LINE, Note, Weight, cut};

/// The most characters of a finding, which stands in the first line and in what telephones show.
const MAX_FINDING: usize = 400;
/// The most characters of a next step.
const MAX_STEP: usize = 500;
/// Stands below what a model wrote.
pub(super) const WRITTEN_BY_A_MODEL: &str = "Written by an AI; verify it before you act.";
const WRITTEN_BY_RULES: &str = "Written by rules; verify it before you act.";

/// What happened: an investigation that ended says whether it found the cause.
pub(super) fn headline(status: NotificationStatus, verdict: Option<&Verdict>) -> &'static str {
    match status {
        NotificationStatus::Started => "Investigation started",
        NotificationStatus::Completed => match verdict {
            Some(verdict) if verdict.states_cause() => "Cause found",
            Some(_) => "No cause found",
            None => "Investigation complete",
        },
        NotificationStatus::Failed => "Investigation failed",
        NotificationStatus::TimedOut => "Investigation timed out",
        NotificationStatus::Cancelled => "Investigation cancelled",
        NotificationStatus::Approval => "Approval needed",
    }
}

/// The cause and its confidence, or that there is none and what became of the alert's statement. It follows the title of the alert.
pub(super) fn finding(verdict: &Verdict) -> String {
    let text = if verdict.states_cause() {
        format!("{} ({} confidence)", line(&verdict.cause), verdict.confidence)
    } else {
        format!("{} · {}", verdict.headline(), line(verdict.answered()))
    };
    cut(&text, MAX_FINDING)
}

/// The first thing to do; Markdown on one line.
pub(super) fn next_step(verdict: &Verdict) -> Option<String> {
    let step = line(verdict.next_steps.first()?);
    (!step.is_empty()).then(|| cut(&step, MAX_STEP))
}

/// What the cause is in, and its kind.
pub(super) fn facts(verdict: &Verdict) -> impl Iterator<Item = Fact> + use<> {
    let stated = verdict.states_cause().then(|| {
        [("Affected", verdict.object.describe()), ("Kind of cause", verdict.category.words())]
    });
    let named = stated.into_iter().flatten().filter(|(_, value)| !value.is_empty());
    named.map(|(name, value)| Fact { name, value: line(&value) })
}

/// The change that explains the cause; where there is none, what speaks for one.
pub(super) fn notes(verdict: &Verdict) -> impl Iterator<Item = Note> + use<> {
    let explained = verdict.change.as_ref().map(|change| {
        let at = change.occurred_at.strftime("%Y-%m-%d %H:%M UTC");
        format!("Explained by: {} at {at}", change.describe())
    });
    let hint = verdict
        .hint()
        .map(|hint| format!("Weakest hint: {} ({})", line(hint), verdict.category.words()));
    let texts = explained.into_iter().chain(hint);
    texts.map(|text| Note { text: cut(&text, MAX_LINE), weight: Weight::Normal })
}

/// Without a verdict, a model may have written it.
pub(super) fn author(verdict: Option<&Verdict>) -> &'static str {
    match verdict.map(|verdict| verdict.source) {
        Some(Source::Rules) => WRITTEN_BY_RULES,
        _ => WRITTEN_BY_A_MODEL,
    }
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use tarsy_domain::change::ChangeKind;
    use tarsy_domain::verdict::{
        AffectedObject, AlertStatement, Category, Confidence, ExplainingChange, Outcome,
    };

    use super::*;

    fn verdict() -> Verdict {
        let object = AffectedObject {
            kind: "Pod".to_owned(),
            name: "web-1".to_owned(),
            namespace: Some("shop".to_owned()),
        };
        Verdict {
            outcome: Outcome::CauseFound,
            alert_statement: AlertStatement::Confirmed,
            answer: String::new(),
            cause: "the memory limit\nis too low".to_owned(),
            category: Category::OutOfMemory,
            object,
            since: None,
            confidence: Confidence::High,
            evidence: Vec::new(),
            alternatives: Vec::new(),
            not_examined: Vec::new(),
            charts: Vec::new(),
            change: None,
            next_steps: vec!["Raise it:\n`kubectl set resources …`".to_owned(), "Wait".to_owned()],
            source: Source::Rules,
        }
    }

    #[test]
    fn a_cause_comes_with_its_confidence_its_object_and_what_to_do() {
        let verdict = verdict();
        assert_eq!(finding(&verdict), "the memory limit is too low (high confidence)");
        assert_eq!(next_step(&verdict).as_deref(), Some("Raise it: `kubectl set resources …`"));
        let facts: Vec<_> = facts(&verdict).map(|fact| (fact.name, fact.value)).collect();
        let expected =
            [("Affected", "Pod web-1 in namespace shop"), ("Kind of cause", "out of memory")];
        assert_eq!(facts, expected.map(|(name, value)| (name, value.to_owned())));
        assert_eq!((author(Some(&verdict)), author(None)), (WRITTEN_BY_RULES, WRITTEN_BY_A_MODEL));
        assert_eq!(notes(&verdict).count(), 0);
        let long = Verdict { cause: "x".repeat(900), ..verdict };
        assert_eq!(finding(&long).chars().count(), MAX_FINDING);
    }

    #[test]
    fn without_a_cause_the_alert_is_answered_and_hints_are_notes() {
        let hint = Verdict {
            outcome: Outcome::NoFaultFound,
            alert_statement: AlertStatement::NotConfirmed,
            confidence: Confidence::Low,
            next_steps: Vec::new(),
            ..verdict()
        };
        assert_eq!(finding(&hint), "Cause not found · not confirmed");
        assert_eq!((next_step(&hint), facts(&hint).count()), (None, 0));
        let noted: Vec<_> = notes(&hint).map(|note| note.text).collect();
        assert_eq!(noted, ["Weakest hint: the memory limit is too low (out of memory)"]);
        let elsewhere = Verdict {
            outcome: Outcome::NotExaminable,
            answer: "the alert is about db-2; only vm was examined".to_owned(),
            cause: String::new(),
            ..hint
        };
        let expected = "Cannot be examined · the alert is about db-2; only vm was examined";
        assert_eq!(finding(&elsewhere), expected);
    }

    #[test]
    fn the_change_that_explains_the_cause_is_noted() {
        let change = ExplainingChange {
            id: None,
            kind: ChangeKind::Deployment,
            object: Some("Deployment/web".to_owned()),
            service: None,
            occurred_at: "2026-02-11T09:30:00Z".parse().unwrap(),
            text: "v2".to_owned(),
        };
        let noted: Vec<_> =
            notes(&Verdict { change: Some(change), ..verdict() }).map(|note| note.text).collect();
        let expected = "Explained by: deployment of Deployment/web at 2026-02-11 09:30 UTC";
        assert_eq!(noted, [expected]);
    }
}
