//! What people think of a finding, in the message about the end of its session.

use serde_json::{Value, json};
use tarsy_contracts::slack::{ACCURATE_ACTION, WRONG_ACTION};
use tarsy_domain::review::Review;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Notification, NotificationKind, NotifiedReview};

use super::approval::{Approvers, time};
use super::message::{Message, cut_to, escaped, mrkdwn};

/// The most characters of a reviewer's name.
const MAX_NAME: usize = 200;

/// Adds the review that counts, and the buttons for another one, before the last block, which is the link to the session.
pub(super) fn add(message: &mut Message, note: &Notification, approvers: &Approvers) {
    if note.kind == NotificationKind::Started {
        return;
    }
    let link = message.blocks.pop();
    if let Some(review) = &note.review {
        message.blocks.push(json!({ "type": "section", "text": mrkdwn(&describe(review)) }));
    }
    if note.status == SessionStatus::Completed && matches!(approvers, Approvers::Buttons(_)) {
        message.blocks.push(buttons(note));
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

fn buttons(note: &Notification) -> Value {
    let button = |action: &str, text: &str| {
        json!({
            "type": "button",
            "action_id": action,
            "text": { "type": "plain_text", "text": text },
            "value": note.session_id.to_string(),
        })
    };
    json!({
        "type": "actions",
        "elements": [button(ACCURATE_ACTION, "Accurate"), button(WRONG_ACTION, "Wrong")],
    })
}
