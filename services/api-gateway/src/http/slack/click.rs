//! A click on one of our buttons, in what Slack sends.

use serde::Deserialize;
use serde_json::Value;
use tarsy_contracts::slack::{
    ASK_ACTION, ButtonValue, ROLL_BACK_ACTION, RollbackValue, asked_session, decision_of,
    review_of, triage_of,
};
use tarsy_domain::access::Permission;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_domain::triage::Triage;
use tarsy_web::{FieldError, Problem};
use url::form_urlencoded;

use crate::http::actions::{OfAction, ROLL_BACK};
use crate::http::approvals::OfApproval;
use crate::http::chat::ASK;
use crate::http::reviews::REVIEW_ACTION;
use crate::http::triage::TRIAGE_ACTION;

/// What the audit log calls a decision; the same as over REST.
const DECIDE: &str = "decide_approval";

/// An interaction, as far as it is read.
#[derive(Debug, Deserialize)]
struct Interaction {
    user: Option<Member>,
    #[serde(default)]
    actions: Vec<UsedElement>,
    response_url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Member {
    id: String,
}

#[derive(Debug, Deserialize)]
struct UsedElement {
    action_id: String,
    block_id: Option<String>,
    value: Option<String>,
}

/// A click on one of our buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Click {
    pub(super) member_id: String,
    pub(super) button: Button,
    pub(super) response_url: Option<String>,
}

/// What a button or an input is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Button {
    Decide(OfApproval, ApprovalDecision),
    /// Approves below a message that may show a part of the call only.
    ApproveUnseen(OfApproval),
    Review(SessionId, Review),
    Triage(SessionId, TriageClick),
    Ask(SessionId, String),
    /// Takes an action back, with the digest of the call that the message shows.
    RollBack(OfAction, String),
}

/// What a button does about the work on a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TriageClick {
    pub(super) triage: Triage,
    pub(super) takes_over: bool,
}

impl Button {
    fn read(action: &UsedElement) -> Option<Self> {
        let value = action.value.as_deref()?;
        if action.action_id == ASK_ACTION {
            return Some(Self::Ask(asked_session(action.block_id.as_deref()?)?, value.to_owned()));
        }
        if action.action_id == ROLL_BACK_ACTION {
            let RollbackValue { session_id: id, action_id, shown } = RollbackValue::parse(value)?;
            return Some(Self::RollBack(OfAction { id, action_id }, shown));
        }
        if let Some(review) = review_of(&action.action_id) {
            return Some(Self::Review(value.parse().ok()?, review));
        }
        if let Some((triage, takes_over)) = triage_of(&action.action_id) {
            return Some(Self::Triage(value.parse().ok()?, TriageClick { triage, takes_over }));
        }
        let decision = decision_of(&action.action_id)?;
        let value = ButtonValue::parse(value)?;
        let approval = OfApproval { id: value.session_id, approval_id: value.approval_id };
        let approves = decision == ApprovalDecision::Approved;
        if approves && !value.shows_whole_call {
            return Some(Self::ApproveUnseen(approval));
        }
        Some(Self::Decide(approval, decision))
    }

    /// What the audit log calls it, and its path; the same as over REST.
    pub(super) fn audited(&self) -> (&'static str, String) {
        match self {
            Self::Decide(approval, _) | Self::ApproveUnseen(approval) => {
                let OfApproval { id, approval_id } = approval;
                (DECIDE, format!("/api/v1/sessions/{id}/approvals/{approval_id}"))
            }
            Self::Review(session, _) => {
                (REVIEW_ACTION, format!("/api/v1/sessions/{session}/review"))
            }
            Self::Triage(session, _) => {
                (TRIAGE_ACTION, format!("/api/v1/sessions/{session}/triage"))
            }
            Self::RollBack(OfAction { id, action_id }, _) => {
                (ROLL_BACK, format!("/api/v1/sessions/{id}/actions/{action_id}/rollback"))
            }
            Self::Ask(session, _) => (ASK, format!("/api/v1/sessions/{session}/chat/messages")),
        }
    }

    pub(super) const fn permission(&self) -> Permission {
        match self {
            Self::Decide(..) | Self::ApproveUnseen(_) | Self::RollBack(..) => {
                Permission::ApproveCall
            }
            Self::Review(..) => Permission::ReviewSession,
            Self::Triage(..) => Permission::TriageSession,
            Self::Ask(..) => Permission::AskQuestion,
        }
    }
}

/// The click that a form carries; none if it is about something else, such as a link.
pub(super) fn read_form(form: &[u8]) -> Result<Option<Click>, Problem> {
    let wrong =
        |message: &str| Problem::invalid(vec![FieldError::new("payload", message.to_owned())]);
    let payload = form_urlencoded::parse(form).find(|(name, _)| name == "payload");
    let (_, payload) = payload.ok_or_else(|| wrong("is missing; send a form of Slack"))?;
    let interaction = serde_json::from_str(&payload);
    Ok(click(interaction.map_err(|_| wrong("is not an interaction of Slack"))?))
}

/// The click that an envelope of Socket Mode carries; none if it is about something else.
pub(super) fn read_interaction(payload: Value) -> Option<Click> {
    click(serde_json::from_value(payload).ok()?)
}

fn click(interaction: Interaction) -> Option<Click> {
    let member = interaction.user?;
    interaction.actions.iter().find_map(Button::read).map(|button| Click {
        member_id: member.id.chars().filter(char::is_ascii_alphanumeric).take(32).collect(),
        button,
        response_url: interaction.response_url,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::id::{ActionId, ApprovalId};

    use super::*;

    fn form(payload: &Value) -> String {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("payload", &payload.to_string());
        form.finish()
    }

    #[test]
    fn a_click_names_who_decided_what() {
        let (session_id, approval_id) = (SessionId::new(), ApprovalId::new());
        let value = ButtonValue { session_id, approval_id, shows_whole_call: true }.to_string();
        let payload = json!({
            "type": "block_actions", "user": {"id": "U1", "name": "anna"}, "response_url": "https://a",
            "actions": [{"action_id": "tarsy_deny", "value": value, "type": "button"}],
        });
        let click = read_form(form(&payload).as_bytes()).unwrap().unwrap();
        let of = OfApproval { id: session_id, approval_id };
        assert_eq!(click.member_id, "U1");
        assert_eq!(click.button, Button::Decide(of, ApprovalDecision::Denied));
    }

    #[test]
    fn a_click_names_who_reviewed_which_session() {
        let session = SessionId::new();
        let payload = json!({
            "user": {"id": "U1"}, "actions": [{"action_id": "tarsy_review_wrong", "value": session.to_string()}],
        });
        let click = read_form(form(&payload).as_bytes()).unwrap().unwrap();
        assert_eq!(click.button, Button::Review(session, Review::Wrong));
        let (action, path) = click.button.audited();
        assert_eq!(
            (action, path),
            ("review_session", format!("/api/v1/sessions/{session}/review"))
        );
    }

    #[test]
    fn a_click_names_who_takes_which_session() {
        let session = SessionId::new();
        let payload = json!({
            "user": {"id": "U1"}, "actions": [{"action_id": "tarsy_take_over", "value": session.to_string()}],
        });
        let click = read_form(form(&payload).as_bytes()).unwrap().unwrap();
        let takes = TriageClick { triage: Triage::Taken, takes_over: true };
        assert_eq!(click.button, Button::Triage(session, takes));
        assert_eq!(click.button.permission(), Permission::TriageSession);
        let (action, path) = click.button.audited();
        assert_eq!(
            (action, path),
            ("triage_session", format!("/api/v1/sessions/{session}/triage"))
        );
    }

    #[test]
    fn a_rollback_names_its_action_and_the_call_that_was_shown() {
        let (id, action_id, shown) = (SessionId::new(), ActionId::new(), "0a".repeat(32));
        let value = RollbackValue { session_id: id, action_id, shown: shown.clone() };
        let payload = json!({"user": {"id": "U1"}, "actions": [
            {"action_id": "tarsy_roll_back", "value": value.to_string()},
        ]});
        let click = read_form(form(&payload).as_bytes()).unwrap().unwrap();
        assert_eq!(click.button, Button::RollBack(OfAction { id, action_id }, shown));
        assert_eq!(click.button.permission(), Permission::ApproveCall);
        let path = format!("/api/v1/sessions/{id}/actions/{action_id}/rollback");
        assert_eq!(click.button.audited(), ("roll_back_action", path));
    }

    #[test]
    fn a_question_names_its_session() {
        let session = SessionId::new();
        let payload = json!({"user": {"id": "U1"}, "actions": [{
            "action_id": "tarsy_ask", "block_id": format!("tarsy:ask:{session}"), "value": "why?",
        }]});
        let click = read_form(form(&payload).as_bytes()).unwrap().unwrap();
        assert_eq!(click.button, Button::Ask(session, "why?".to_owned()));
        assert_eq!(click.button.permission(), Permission::AskQuestion);
    }

    #[test]
    fn what_is_not_about_our_buttons_is_ignored_and_nonsense_refused() {
        for other in [
            json!({"type": "view_submission"}),
            json!({"user": {"id": "U1"}, "actions": [{"action_id": "open"}]}),
            json!({"user": {"id": "U1"}, "actions": [{"action_id": "tarsy_deny", "value": "x"}]}),
            json!({"user": {"id": "U1"}, "actions": [{"action_id": "tarsy_review_wrong", "value": "x"}]}),
            json!({"user": {"id": "U1"}, "actions": [{"action_id": "tarsy_ask", "value": "why?"}]}),
            json!({"user": {"id": "U1"}, "actions": [{"action_id": "tarsy_roll_back", "value": "x/y/z"}]}),
        ] {
            assert_eq!(read_form(form(&other).as_bytes()).unwrap(), None, "{other}");
        }
        for wrong in ["", "payload", "payload=%7B", "payload=[1]", "other=1"] {
            assert!(read_form(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
