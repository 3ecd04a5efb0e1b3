//! How far the findings of a session can be relied on, in words.

use tarsy_contracts::claim::ClaimCounts;
use tarsy_domain::claim::DegradedReason;

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
    use super::*;

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
