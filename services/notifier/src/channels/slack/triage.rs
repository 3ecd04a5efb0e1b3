//! Who works on a session, in the message about its end.

use serde_json::{Value, json};
use tarsy_contracts::slack::{DONE_ACTION, REOPEN_ACTION, TAKE_ACTION, TAKE_OVER_ACTION};
use tarsy_domain::triage::Triage;
use tarsy_store::{Notification, NotifiedTriage};

use super::approval::time;
use super::dialect::escaped;
use super::message::cut_to;

/// The most characters of a name.
const MAX_NAME: usize = 200;

/// Who has taken or done it, and since when; none of a new one.
pub(super) fn describe(triage: &NotifiedTriage) -> Option<String> {
    let (emoji, text) = match triage.triage {
        Triage::New => return None,
        Triage::Taken => (":eyes:", "Taken"),
        Triage::Done => (":ballot_box_with_check:", "Done"),
    };
    let assignee = cut_to(&escaped(triage.assignee.as_deref()?), MAX_NAME);
    Some(format!("{emoji} *{text}* by {assignee} at {}", time(triage.since)))
}

/// What is next.
pub(super) fn buttons(note: &Notification) -> Vec<Value> {
    let buttons: &[(&str, &str)] = match note.triage.as_ref().map(|one| one.triage) {
        None | Some(Triage::New) => &[(TAKE_ACTION, "Take"), (DONE_ACTION, "Mark as done")],
        Some(Triage::Taken) => &[(DONE_ACTION, "Mark as done"), (TAKE_OVER_ACTION, "Take over")],
        Some(Triage::Done) => &[(REOPEN_ACTION, "Reopen")],
    };
    let button = |&(action, text): &(&str, &str)| {
        json!({
            "type": "button",
            "action_id": action,
            "text": { "type": "plain_text", "text": text },
            "value": note.session_id.to_string(),
        })
    };
    buttons.iter().map(button).collect()
}
