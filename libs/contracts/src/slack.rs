//! The buttons and inputs of messages in Slack, about a tool call that waits for approval and about the end of a session:
//! notifier posts them, and Slack sends them to api-gateway when somebody uses one.

use std::fmt;

use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::{ActionId, ApprovalId, SessionId};
use tarsy_domain::review::Review;
use tarsy_domain::triage::Triage;

/// The `action_id` of the button that approves.
pub const APPROVE_ACTION: &str = "tarsy_approve";
/// The `action_id` of the button that denies.
pub const DENY_ACTION: &str = "tarsy_deny";

/// The `action_id` of the button that says that a finding is accurate. The `value` of both buttons is the session.
pub const ACCURATE_ACTION: &str = "tarsy_review_accurate";
/// The `action_id` of the button that says that a finding is wrong.
pub const WRONG_ACTION: &str = "tarsy_review_wrong";

/// The `action_id` of the button that takes a session; its `value`, and that of the next three, is the session.
pub const TAKE_ACTION: &str = "tarsy_take";
/// The `action_id` of the button that takes a session over that another person has.
pub const TAKE_OVER_ACTION: &str = "tarsy_take_over";
/// The `action_id` of the button that marks a session as done.
pub const DONE_ACTION: &str = "tarsy_done";
/// The `action_id` of the button that opens a session again.
pub const REOPEN_ACTION: &str = "tarsy_reopen";

/// The `action_id` of the input for a question about a session; its `value` is what was written.
pub const ASK_ACTION: &str = "tarsy_ask";
/// The `action_id` of the button that opens a session in the dashboard; Slack opens it by itself.
pub const OPEN_ACTION: &str = "tarsy_open";
/// The `action_id` of the button that takes an action back; it stands below the whole call that does.
pub const ROLL_BACK_ACTION: &str = "tarsy_roll_back";
/// Ends the `value` of a button below a call that is shown whole.
const WHOLE: &str = "/whole";
/// Begins the `block_id` of the input for questions.
const ASK_BLOCK: &str = "tarsy:ask:";

/// The `block_id` of the input for questions about a session.
pub fn ask_block_id(session: SessionId) -> String {
    format!("{ASK_BLOCK}{session}")
}

/// The session that an input is about; none if the block is another one.
pub fn asked_session(block_id: &str) -> Option<SessionId> {
    block_id.strip_prefix(ASK_BLOCK)?.parse().ok()
}

/// The review of a button; none if it is another one.
pub fn review_of(action_id: &str) -> Option<Review> {
    match action_id {
        ACCURATE_ACTION => Some(Review::Accurate),
        WRONG_ACTION => Some(Review::Wrong),
        _ => None,
    }
}

/// The state of work that a button sets, and whether it takes the session over; none if it is another button.
pub fn triage_of(action_id: &str) -> Option<(Triage, bool)> {
    match action_id {
        TAKE_ACTION => Some((Triage::Taken, false)),
        TAKE_OVER_ACTION => Some((Triage::Taken, true)),
        DONE_ACTION => Some((Triage::Done, false)),
        REOPEN_ACTION => Some((Triage::New, true)),
        _ => None,
    }
}

/// The decision of a button; none if it is another one.
pub fn decision_of(action_id: &str) -> Option<ApprovalDecision> {
    match action_id {
        APPROVE_ACTION => Some(ApprovalDecision::Approved),
        DENY_ACTION => Some(ApprovalDecision::Denied),
        _ => None,
    }
}

/// The `value` of both buttons: `SESSION/APPROVAL/whole`.
///
/// Until messages that show less than the call had no buttons, it ended with the approval. Such a button may belong to a
/// message that shows a part only, and does not approve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ButtonValue {
    pub session_id: SessionId,
    pub approval_id: ApprovalId,
    /// Whether the message of the button shows the whole call.
    pub shows_whole_call: bool,
}

impl fmt::Display for ButtonValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = if self.shows_whole_call { WHOLE } else { "" };
        write!(f, "{}/{}{whole}", self.session_id, self.approval_id)
    }
}

impl ButtonValue {
    /// Reads a value; none if it is that of another button.
    pub fn parse(text: &str) -> Option<Self> {
        let (ids, shows_whole_call) =
            text.strip_suffix(WHOLE).map_or((text, false), |ids| (ids, true));
        let (session, approval) = ids.split_once('/')?;
        let (session_id, approval_id) = (session.parse().ok()?, approval.parse().ok()?);
        Some(Self { session_id, approval_id, shows_whole_call })
    }
}

/// The `value` of the button that takes an action back: `SESSION/ACTION/DIGEST`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollbackValue {
    pub session_id: SessionId,
    pub action_id: ActionId,
    /// That of the call which the message shows: whoever clicks approves this one and no other.
    pub shown: String,
}

impl fmt::Display for RollbackValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.session_id, self.action_id, self.shown)
    }
}

impl RollbackValue {
    /// Reads a value; none if it is that of another button.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '/');
        let (session, action, shown) = (parts.next()?, parts.next()?, parts.next()?);
        let is_digest = shown.len() == 64 && shown.bytes().all(|sign| sign.is_ascii_hexdigit());
        let (session_id, action_id) = (session.parse().ok()?, action.parse().ok()?);
        is_digest.then(|| Self { session_id, action_id, shown: shown.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_button_names_session_and_approval() {
        let session = "0198f2a0-0000-7000-8000-00000000a11a";
        let approval = "0198f2a0-0000-7000-8000-00000000a11b";
        let text = format!("{session}/{approval}");
        for (text, shows_whole_call) in [(text.clone(), false), (format!("{text}/whole"), true)] {
            let value = ButtonValue::parse(&text).unwrap();
            assert_eq!((value.to_string(), value.shows_whole_call), (text, shows_whole_call));
        }
        for wrong in ["", "/", "/whole", session, "a/b", &format!("{text}/c")] {
            assert_eq!(ButtonValue::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_value_of_a_rollback_names_the_call_that_was_shown() {
        let value = RollbackValue {
            session_id: SessionId::new(),
            action_id: ActionId::new(),
            shown: "0a".repeat(32),
        };
        assert_eq!(RollbackValue::parse(&value.to_string()), Some(value.clone()));
        let ids = format!("{}/{}", value.session_id, value.action_id);
        for wrong in ["", "a/b/c", &ids, &format!("{ids}/"), &format!("{ids}/whole")] {
            assert_eq!(RollbackValue::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_block_of_a_question_names_its_session() {
        let session = SessionId::new();
        assert_eq!(asked_session(&ask_block_id(session)), Some(session));
        for other in ["", "tarsy:ask:", "tarsy:ask:1", &format!("tarsy:{session}")] {
            assert_eq!(asked_session(other), None, "{other}");
        }
    }

    #[test]
    fn only_our_buttons_decide() {
        assert_eq!(decision_of(APPROVE_ACTION), Some(ApprovalDecision::Approved));
        assert_eq!(decision_of(DENY_ACTION), Some(ApprovalDecision::Denied));
        assert_eq!(decision_of("open"), None);
        assert_eq!(review_of(ACCURATE_ACTION), Some(Review::Accurate));
        assert_eq!(review_of(WRONG_ACTION), Some(Review::Wrong));
        assert_eq!(review_of(APPROVE_ACTION), None);
        assert_eq!(triage_of(TAKE_ACTION), Some((Triage::Taken, false)));
        assert_eq!(triage_of(REOPEN_ACTION), Some((Triage::New, true)));
        assert_eq!(triage_of(WRONG_ACTION), None);
    }
}
