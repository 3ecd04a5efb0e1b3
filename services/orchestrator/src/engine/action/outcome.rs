//! What became of an action, by what was read before and after it.

use tarsy_contracts::action::{Expectation, ReadingBefore};
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::event::CallStatus;
use tarsy_domain::verdict::AlertStatement;

use crate::engine::action::expectation::{Held, Reading};

/// What an action is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It brings about what was not so.
    Change,
    /// It takes another one back, whose effect may never have been there: the state counts, whatever it was before.
    Restore,
}

/// What was read of an action's effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    /// None if nothing could be read before the call.
    pub(crate) before: Option<&'a ReadingBefore>,
    pub(crate) after: &'a Reading,
    pub(crate) statement: Option<AlertStatement>,
}

/// The outcome of an action and its reason. It worked only if everything says so.
pub(crate) fn judge(
    (made, purpose): (CallStatus, Purpose),
    expected: Option<&Expectation>,
    seen: &Seen<'_>,
) -> (ActionOutcome, String) {
    use ActionOutcome::{DidNotWork, Unknown, Worked};
    let expected = expected.map(Expectation::line).unwrap_or_default();
    let found = found(seen);
    let was_so = seen.before.and_then(|before| before.shows_effect);
    match &seen.after.held {
        Held::Unclear(why) => (Unknown, why.clone()),
        Held::No => (DidNotWork, format!("expected: {expected}; {found}")),
        Held::Yes if made == CallStatus::Failed => {
            let why = if was_so == Some(false) {
                "and it was not so before, but the call failed"
            } else {
                "but the call failed: it may have been so before"
            };
            (Unknown, format!("{expected}, {why}"))
        }
        Held::Yes if made != CallStatus::Completed => {
            (Unknown, format!("{expected}, but whether the call was made is not known"))
        }
        Held::Yes if was_so == Some(true) && purpose == Purpose::Change => {
            (Unknown, format!("{expected}, but it was so before the call; {found}"))
        }
        Held::Yes if seen.statement == Some(AlertStatement::Confirmed) => {
            (Unknown, format!("{expected}, but what the alert states is still so"))
        }
        Held::Yes => (Worked, format!("{expected}; {found}")),
    }
}

/// The values of the readings.
fn found(seen: &Seen<'_>) -> String {
    let after = seen.after.observed.as_deref().unwrap_or("nothing");
    let before = seen.before.and_then(|before| before.observed.as_deref());
    let before = before.map(|before| format!(", before the call: {before}")).unwrap_or_default();
    format!("found: {after}{before}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::action::ExpectationKind;

    use super::*;

    fn expected() -> Expectation {
        Expectation {
            pointer: Some("/ready".to_owned()),
            kind: ExpectationKind::AtLeast,
            value: json!(3),
        }
    }

    fn before(observed: &str, shows_effect: Option<bool>) -> ReadingBefore {
        ReadingBefore { call_number: 2, observed: Some(observed.to_owned()), shows_effect }
    }

    #[test]
    fn an_action_worked_only_if_nothing_contradicts_it() {
        use ActionOutcome::{DidNotWork, Unknown, Worked};
        use AlertStatement::{Confirmed, NotConfirmed, NotVisible};
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
            for before in [None, Some(before("1", Some(false))), Some(before("many", None))] {
                let after = Reading { held: held.clone(), observed: Some("1".to_owned()) };
                let seen = Seen { before: before.as_ref(), after: &after, statement };
                let (outcome, why) = judge((made, Purpose::Change), Some(&expected()), &seen);
                assert_eq!(outcome, wanted, "{made} {seen:?}");
                assert!(!why.is_empty());
            }
        }
    }

    #[test]
    fn what_was_so_before_is_no_effect_of_the_call() {
        let before = before("3", Some(true));
        let after = Reading { held: Held::Yes, observed: Some("3".to_owned()) };
        let seen = Seen { before: Some(&before), after: &after, statement: None };
        let judged = |purpose| judge((CallStatus::Completed, purpose), Some(&expected()), &seen);
        let why =
            "/ready is at least 3, but it was so before the call; found: 3, before the call: 3";
        assert_eq!(judged(Purpose::Change), (ActionOutcome::Unknown, why.to_owned()));
        assert_eq!(judged(Purpose::Restore).0, ActionOutcome::Worked);
    }

    #[test]
    fn both_values_stand_in_the_reason() {
        let before = before("1", Some(false));
        let after = Reading { held: Held::No, observed: Some("2".to_owned()) };
        let seen = Seen { before: Some(&before), after: &after, statement: None };
        let judged = judge((CallStatus::Completed, Purpose::Change), Some(&expected()), &seen);
        assert_eq!(judged.1, "expected: /ready is at least 3; found: 2, before the call: 1");
        let alone = Seen { before: None, ..seen };
        let judged = judge((CallStatus::Completed, Purpose::Change), Some(&expected()), &alone);
        assert_eq!(judged.1, "expected: /ready is at least 3; found: 2");
    }
}
