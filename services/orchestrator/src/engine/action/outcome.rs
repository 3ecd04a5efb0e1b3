//! What became of an action, by what was read after it.

use tarsy_contracts::action::Expectation;
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::event::CallStatus;
use tarsy_domain::verdict::AlertStatement;

use crate::engine::action::expectation::{Held, Reading};

/// The outcome of an action and its reason. It worked only if everything says so.
pub(crate) fn judge(
    made: CallStatus,
    expected: Option<&Expectation>,
    reading: &Reading,
    statement: Option<AlertStatement>,
) -> (ActionOutcome, String) {
    let expected = expected.map(Expectation::line).unwrap_or_default();
    match &reading.held {
        Held::Unclear(why) => (ActionOutcome::Unknown, why.clone()),
        Held::No => {
            let observed = reading.observed.as_deref().unwrap_or("nothing");
            (ActionOutcome::DidNotWork, format!("expected: {expected}; found: {observed}"))
        }
        Held::Yes if made == CallStatus::Failed => {
            let why = format!("{expected}, but the call failed: it may have been so before");
            (ActionOutcome::Unknown, why)
        }
        Held::Yes if made != CallStatus::Completed => {
            let why = format!("{expected}, but whether the call was made is not known");
            (ActionOutcome::Unknown, why)
        }
        Held::Yes if statement == Some(AlertStatement::Confirmed) => {
            let why = format!("{expected}, but what the alert states is still so");
            (ActionOutcome::Unknown, why)
        }
        Held::Yes => (ActionOutcome::Worked, expected),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::action::ExpectationKind;

    use super::*;

    #[test]
    fn an_action_worked_only_if_nothing_contradicts_it() {
        use ActionOutcome::{DidNotWork, Unknown, Worked};
        use AlertStatement::{Confirmed, NotConfirmed, NotVisible};
        let expected = Expectation {
            pointer: Some("/ready".to_owned()),
            kind: ExpectationKind::AtLeast,
            value: json!(3),
        };
        let unclear = Held::Unclear("the check failed".to_owned());
        for (made, held, statement, wanted) in [
            (CallStatus::Completed, Held::Yes, None, Worked),
            (CallStatus::Completed, Held::Yes, Some(NotConfirmed), Worked),
            (CallStatus::Completed, Held::Yes, Some(NotVisible), Worked),
            (CallStatus::Completed, Held::Yes, Some(Confirmed), Unknown),
            (CallStatus::Failed, Held::Yes, None, Unknown),
            (CallStatus::Unknown, Held::Yes, Some(NotConfirmed), Unknown),
            (CallStatus::Completed, Held::No, Some(NotConfirmed), DidNotWork),
            (CallStatus::Unknown, Held::No, None, DidNotWork),
            (CallStatus::Completed, unclear, Some(NotConfirmed), Unknown),
        ] {
            let reading = Reading { held, observed: Some("1".to_owned()) };
            let (outcome, why) = judge(made, Some(&expected), &reading, statement);
            assert_eq!(outcome, wanted, "{made} {reading:?} {statement:?}");
            assert!(!why.is_empty());
        }
    }
}
