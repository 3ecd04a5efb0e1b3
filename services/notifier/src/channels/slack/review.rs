//! What people do with a finding, in the message about the end of its session: they open, review, take and question it.

use serde_json::{Value, json};
use tarsy_contracts::slack::{
    ACCURATE_ACTION, ASK_ACTION, OPEN_ACTION, WRONG_ACTION, ask_block_id,
};
use tarsy_domain::review::Review;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Notification, NotifiedReview};

use super::approval::{Approvers, time};
use super::dialect::escaped;
use super::message::{Message, cut_to, mrkdwn};
use super::triage;

/// The most characters of a reviewer's name.
const MAX_NAME: usize = 200;
/// The most characters of a question; Slack accepts no more in an input.
const MAX_QUESTION: usize = 3_000;

/// Adds the review that counts, who works on the session, the buttons for both and the input for questions before the last block, which is
/// the link to the session.
pub(super) fn add(message: &mut Message, note: &Notification, approvers: &Approvers, page: &str) {
    if !note.kind.has_end() {
        return;
    }
    let link = message.blocks.pop();
    if let Some(review) = &note.review {
        message.blocks.push(json!({ "type": "section", "text": mrkdwn(&describe(review)) }));
    }
    if let Some(text) = note.triage.as_ref().and_then(triage::describe) {
        message.blocks.push(json!({ "type": "section", "text": mrkdwn(&text) }));
    }
    let has_buttons = matches!(approvers, Approvers::Buttons(_));
    if has_buttons && note.status != SessionStatus::Cancelled {
        message.blocks.push(buttons(note, page));
    }
    // Nothing can be asked about a session that was cancelled.
    if has_buttons && note.status != SessionStatus::Cancelled {
        message.blocks.push(question(note));
    }
    message.blocks.extend(link);
}

fn describe(review: &NotifiedReview) -> String {
    let (emoji, text) = match review.review {
        Review::Accurate => (":thumbsup:", "accurate"),
        Review::Partly => (":left_right_arrow:", "partly accurate"),
        Review::Wrong => (":thumbsdown:", "wrong"),
    };
    let reviewer = cut_to(&escaped(&review.reviewer), MAX_NAME);
    format!("{emoji} *Reviewed as {text}* by {reviewer} at {}", time(review.reviewed_at))
}

fn buttons(note: &Notification, page: &str) -> Value {
    let button = |action: &str, text: &str| {
        json!({
            "type": "button",
            "action_id": action,
            "text": { "type": "plain_text", "text": text },
            "value": note.session_id.to_string(),
        })
    };
    let mut open = button(OPEN_ACTION, "Open");
    if let Some(open) = open.as_object_mut() {
        open.insert("url".to_owned(), page.into());
    }
    let mut elements = vec![open];
    if note.status == SessionStatus::Completed {
        elements.push(button(ACCURATE_ACTION, "Accurate"));
        elements.push(button(WRONG_ACTION, "Wrong"));
    }
    elements.extend(triage::buttons(note));
    json!({ "type": "actions", "elements": elements })
}

/// A dialog would need the token of the bot in api-gateway; Slack sends what is written here by itself.
fn question(note: &Notification) -> Value {
    json!({
        "type": "input",
        "block_id": ask_block_id(note.session_id),
        "optional": true,
        "dispatch_action": true,
        "label": { "type": "plain_text", "text": "Ask a question" },
        "element": {
            "type": "plain_text_input",
            "action_id": ASK_ACTION,
            "max_length": MAX_QUESTION,
            "placeholder": { "type": "plain_text", "text": "Enter sends it; the answer is in the session" },
            "dispatch_action_config": { "trigger_actions_on": ["on_enter_pressed"] },
        },
    })
}
