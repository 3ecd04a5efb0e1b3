//! What is reported of a text: all of it, or only what results show.

use std::fmt::Write as _;
use std::ops::Range;

use tarsy_catalog::OnUnverified;
use tarsy_domain::claim::{CheckFailure, Verdict};
use tarsy_evidence::{Apart, part};
use tarsy_store::NewClaim;

use crate::engine::claims::Checked;

/// Where the record has what is left out.
const IN_THE_RECORD: &str = "The whole text is in the timeline of the session.";

/// A text as later stages, reports and notifications get it; the timeline keeps it as its author wrote it.
pub(crate) fn reported(policy: OnUnverified, text: &str, checked: &Checked) -> String {
    if policy == OnUnverified::Mark {
        return text.to_owned();
    }
    if let Some(reason) = unfounded(checked) {
        return match policy {
            OnUnverified::Withhold => {
                format!("The analysis is withheld: {reason}. {IN_THE_RECORD}")
            }
            OnUnverified::Mark | OnUnverified::Demote => {
                format!("> Not verified: {reason}.\n\n{text}")
            }
        };
    }
    let wrong: Vec<&NewClaim> =
        checked.check.claims().iter().filter(|one| is_unverified(one)).collect();
    let places: Vec<Range<usize>> =
        wrong.iter().map(|one| byte(text, one.start)..byte(text, one.end)).collect();
    let parted = part(text, &places);
    if parted.statements.is_empty() {
        return text.to_owned();
    }
    let mut reported = parted.rest;
    if !reported.is_empty() {
        reported.push_str("\n\n");
    }
    if policy == OnUnverified::Withhold {
        let (count, verb) = match parted.statements.len() {
            1 => ("1 statement".to_owned(), "is"),
            many => (format!("{many} statements"), "are"),
        };
        let _ = write!(
            reported,
            "_{count} {verb} withheld: no result of a tool call shows what {} claims. {IN_THE_RECORD}_",
            if verb == "is" { "it" } else { "each" }
        );
        return reported;
    }
    reported.push_str("## Not verified\n");
    for statement in &parted.statements {
        let _ = write!(reported, "\n- {} ({})", statement.text, reasons(statement, &wrong));
    }
    reported
}

/// Why nothing of a text is verified.
fn unfounded(checked: &Checked) -> Option<&'static str> {
    match checked.check.outcome {
        Err(CheckFailure::TooLarge) => Some("its claims could not be checked, it is too long"),
        Err(CheckFailure::TimedOut | CheckFailure::Failed) => {
            Some("its claims could not be checked")
        }
        Ok(_) if checked.rests_on_nothing => Some("no tool call succeeded"),
        Ok(_) => None,
    }
}

/// Whether no result shows the claim. One that only cites the wrong call is true.
fn is_unverified(claim: &NewClaim) -> bool {
    claim.verdict.is_flagged() && claim.verdict != Verdict::SupportedElsewhere
}

fn reasons(statement: &Apart, wrong: &[&NewClaim]) -> String {
    let claims = statement.places.iter().filter_map(|at| wrong.get(*at));
    let mut reasons: Vec<String> = claims.map(|claim| reason(claim)).collect();
    reasons.dedup();
    reasons.join(", ")
}

fn reason(claim: &NewClaim) -> String {
    let text = &claim.text;
    match (claim.verdict, &claim.shown) {
        (Verdict::NoSuchCall, _) => format!("{text}: no such call was made"),
        (Verdict::Contradicted, Some(shown)) => match claim.call {
            Some(call) => format!("{text}: [call {call}] shows {shown}"),
            None => format!("{text}: a result shows {shown}"),
        },
        _ => format!("{text}: no result shows it"),
    }
}

/// The byte at a count of UTF-16 code units.
fn byte(text: &str, units: usize) -> usize {
    let mut counted = 0;
    for (at, char) in text.char_indices() {
        if counted >= units {
            return at;
        }
        counted += char.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use tarsy_domain::claim::{CheckedText, ClaimKind};
    use tarsy_domain::id::ClaimCheckId;
    use tarsy_store::NewClaimCheck;

    use super::*;

    const TEXT: &str = "🔥 `/var` uses 39G [call 1]. The queue holds 48213 messages. Pod `web-1` restarted 9 times [call 2].";

    fn claim(text: &str, verdict: Verdict, shown: Option<&str>) -> NewClaim {
        let at = TEXT.find(text).unwrap();
        let units = |text: &str| text.encode_utf16().count();
        NewClaim {
            kind: ClaimKind::Quantity,
            text: text.to_owned(),
            start: units(&TEXT[..at]),
            end: units(&TEXT[..at]) + units(text),
            verdict,
            call: shown.map(|_| 2),
            line: None,
            shown: shown.map(str::to_owned),
        }
    }

    fn check(outcome: Result<Vec<NewClaim>, CheckFailure>) -> Checked {
        let check = NewClaimCheck {
            id: ClaimCheckId::new(),
            execution_id: None,
            timeline_event_id: None,
            text: CheckedText::FinalAnalysis,
            successful_calls: 2,
            outcome,
        };
        Checked { check, rests_on_nothing: false, answered: std::collections::BTreeSet::new() }
    }

    fn wrong() -> Checked {
        check(Ok(vec![
            claim("39G", Verdict::Supported, None),
            claim("48213", Verdict::Unsupported, None),
            claim("9 times", Verdict::Contradicted, Some("5")),
        ]))
    }

    #[test]
    fn a_marked_text_is_reported_as_it_is() {
        assert_eq!(reported(OnUnverified::Mark, TEXT, &wrong()), TEXT);
        let true_text = check(Ok(vec![claim("39G", Verdict::SupportedElsewhere, None)]));
        assert_eq!(reported(OnUnverified::Withhold, TEXT, &true_text), TEXT);
    }

    #[test]
    fn demoted_statements_stand_apart_with_their_reasons() {
        assert_eq!(
            reported(OnUnverified::Demote, TEXT, &wrong()),
            "🔥 `/var` uses 39G [call 1].\n\n## Not verified\n\n\
             - The queue holds 48213 messages. (48213: no result shows it)\n\
             - Pod `web-1` restarted 9 times [call 2]. (9 times: [call 2] shows 5)"
        );
    }

    #[test]
    fn withheld_statements_are_counted() {
        let text = reported(OnUnverified::Withhold, TEXT, &wrong());
        assert!(text.starts_with("🔥 `/var` uses 39G [call 1].\n\n_2 statements are withheld: "));
        assert!(!text.contains("48213") && !text.contains("web-1"), "{text}");
    }

    #[test]
    fn a_text_that_rests_on_nothing_is_not_reported_as_a_finding() {
        let nothing = Checked { rests_on_nothing: true, ..check(Ok(Vec::new())) };
        let text = reported(OnUnverified::Withhold, TEXT, &nothing);
        assert!(text.starts_with("The analysis is withheld: no tool call succeeded. "), "{text}");
        let text = reported(OnUnverified::Demote, TEXT, &check(Err(CheckFailure::TooLarge)));
        assert!(
            text.starts_with("> Not verified: its claims could not be checked")
                && text.ends_with(TEXT)
        );
    }
}
