//! How far the findings of a session can be relied on, in words.

use tarsy_contracts::claim::ClaimCounts;
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::verdict::Verdict;

/// What a report has beside the findings: how many of their claims are verified, and what else speaks against them.
pub(crate) fn context_lines(
    claims: Option<ClaimCounts>,
    reasons: &[DegradedReason],
) -> Vec<String> {
    let counted = claims.filter(|claims| claims.total > 0);
    let counted = counted.map(|claims| {
        let mark = if claims.verified < claims.total { ":warning: " } else { "" };
        format!("{mark}{} of {} claims verified", claims.verified, claims.total)
    });
    let reasons = reasons.iter().filter_map(|reason| describe(*reason));
    counted.into_iter().chain(reasons.map(|text| format!(":warning: {text}"))).collect()
}

/// What was found, in one line without markup.
pub(crate) fn verdict_line(verdict: &Verdict) -> String {
    let (category, object) = (verdict.category.words(), verdict.object.describe());
    format!("{} ({category}) · {object} · confidence {}", verdict.cause, verdict.confidence)
}

/// None for what the number of claims shows.
const fn describe(reason: DegradedReason) -> Option<&'static str> {
    match reason {
        DegradedReason::NoSuccessfulCall => {
            Some("No tool call succeeded: the analysis rests on nothing that was looked up")
        }
        DegradedReason::ToolServerUnavailable => Some("A tool server could not be used"),
        DegradedReason::NotChecked => Some("The claims could not be checked"),
        DegradedReason::InjectedInstructions => Some(
            "The alert or a tool result has text that is addressed to a model, which may have followed it",
        ),
        DegradedReason::UnverifiedClaims => None,
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::verdict::{AffectedObject, Category, Confidence, Source};

    use super::*;

    #[test]
    fn a_verdict_is_cause_object_and_confidence() {
        let object = AffectedObject {
            kind: "Pod".to_owned(),
            name: "web-1".to_owned(),
            namespace: Some("shop".to_owned()),
        };
        let verdict = Verdict {
            cause: "the memory limit is too low".to_owned(),
            category: Category::OutOfMemory,
            object,
            since: None,
            confidence: Confidence::High,
            evidence: Vec::new(),
            alternatives: Vec::new(),
            not_examined: Vec::new(),
            next_steps: Vec::new(),
            source: Source::Rules,
        };
        assert_eq!(
            verdict_line(&verdict),
            "the memory limit is too low (out of memory) · Pod web-1 in namespace shop · confidence high"
        );
    }

    #[test]
    fn what_is_not_verified_is_a_warning() {
        let lines = |total, verified, reasons: &[DegradedReason]| {
            context_lines(Some(ClaimCounts { total, verified }), reasons)
        };
        assert_eq!(lines(19, 19, &[]), ["19 of 19 claims verified"]);
        let unverified = lines(19, 17, &[DegradedReason::UnverifiedClaims]);
        assert_eq!(unverified, [":warning: 17 of 19 claims verified"]);
        let nothing = lines(0, 0, &[DegradedReason::NoSuccessfulCall]);
        let expected =
            ":warning: No tool call succeeded: the analysis rests on nothing that was looked up";
        assert_eq!(nothing, [expected]);
        assert_eq!(context_lines(None, &[]), [""; 0]);
    }
}
