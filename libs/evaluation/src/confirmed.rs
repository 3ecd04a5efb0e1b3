//! What a review confirms, as the expected answers of a case.

use serde::{Deserialize, Serialize};
use tarsy_domain::review::Review;
use tarsy_domain::verdict::Verdict;

use crate::case::Expected;

/// Lines of a confirmed verdict that a report has to quote; a bound on what a person reads through.
const MOST_EVIDENCE: usize = 3;

/// What a person thinks of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reviewed {
    pub review: Review,
    pub actual_cause: Option<String>,
    pub object: Option<String>,
    pub category: Option<String>,
}

/// The answers that a review confirms: of an accurate finding its verdict, of another one what the reviewer wrote. The cause
/// of a wrong finding is forbidden. Nothing without a review.
pub fn confirmed(reviewed: Option<&Reviewed>, verdict: Option<&Verdict>) -> Expected {
    let Some(reviewed) = reviewed else { return Expected::default() };
    let one = |text: &Option<String>| text.iter().cloned().collect::<Vec<_>>();
    let mut expected = Expected {
        cause: one(&reviewed.actual_cause),
        object: one(&reviewed.object),
        category: one(&reviewed.category),
        ..Expected::default()
    };
    let Some(verdict) = verdict.filter(|verdict| verdict.states_cause()) else { return expected };
    match reviewed.review {
        Review::Accurate => {
            expected.cause.push(verdict.cause.clone());
            expected.object.push(verdict.object.name.clone());
            expected.category.push(verdict.category.as_str().to_owned());
            let lines = verdict.evidence.iter().take(MOST_EVIDENCE);
            expected.required_evidence = lines.map(|line| vec![line.text.clone()]).collect();
        }
        Review::Partly => {}
        Review::Wrong => expected.forbidden_evidence.push(verdict.cause.clone()),
    }
    for names in [&mut expected.cause, &mut expected.object, &mut expected.category] {
        names.retain(|name| !name.trim().is_empty());
        names.dedup();
    }
    expected
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict() -> Verdict {
        serde_json::from_value(json!({
            "outcome": "cause_found", "alert_statement": "confirmed", "answer": "",
            "cause": "the disk is full", "category": "disk",
            "object": {"kind": "filesystem", "name": "/srv", "namespace": null},
            "since": null, "confidence": "high", "source": "rules",
            "evidence": [{"call": 1, "line": 2, "text": "No space left on device"}],
            "alternatives": [], "not_examined": [], "next_steps": [],
        }))
        .unwrap()
    }

    fn reviewed(review: Review, cause: Option<&str>) -> Reviewed {
        let (object, category) = (cause.map(|_| "db".to_owned()), None);
        Reviewed { review, actual_cause: cause.map(str::to_owned), object, category }
    }

    #[test]
    fn an_accurate_finding_is_expected_with_its_evidence() {
        let expected = confirmed(Some(&reviewed(Review::Accurate, None)), Some(&verdict()));
        assert_eq!(expected.cause, ["the disk is full"]);
        assert_eq!(
            (&*expected.object, &*expected.category),
            (&["/srv".to_owned()][..], &["disk".to_owned()][..])
        );
        assert_eq!(expected.required_evidence, [["No space left on device"]]);
        assert_eq!(expected.check(), Ok(()));
    }

    #[test]
    fn of_a_wrong_finding_the_reviewers_words_are_expected_and_its_cause_is_forbidden() {
        let wrong = reviewed(Review::Wrong, Some("a lock"));
        let expected = confirmed(Some(&wrong), Some(&verdict()));
        assert_eq!(
            (&*expected.cause, &*expected.object),
            (&["a lock".to_owned()][..], &["db".to_owned()][..])
        );
        assert_eq!(expected.forbidden_evidence, ["the disk is full"]);
        assert_eq!(expected.check().unwrap_err().field, "category", "nobody wrote one");
    }

    #[test]
    fn what_nobody_reviewed_is_not_expected() {
        assert_eq!(confirmed(None, Some(&verdict())), Expected::default());
        let partly = confirmed(Some(&reviewed(Review::Partly, None)), Some(&verdict()));
        assert_eq!(partly, Expected::default());
    }
}
