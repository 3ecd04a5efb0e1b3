//! The offer to take an action back that did not work, in the message about the end of its session.

use serde_json::{Value, json};
use tarsy_catalog::CallMasks;
use tarsy_contracts::slack::{ROLL_BACK_ACTION, RollbackValue};
use tarsy_store::{Notification, OfferedRollback};

use super::message::{Message, mrkdwn};
use super::shown::ShownCall;

/// The most rollbacks that one message offers; the page of the session has the others.
const MAX_OFFERED: usize = 3;

/// Adds the calls that take back what did not work before the last block, which is the link to the session. Whoever clicks
/// approves the call above the button, so that there is none below a part of a call.
pub(super) fn add(message: &mut Message, note: &Notification, masks: &CallMasks, page: &str) {
    let offered: Vec<&OfferedRollback> =
        note.actions.iter().filter_map(|action| action.rollback.as_ref()).collect();
    if !note.kind.has_end() || offered.is_empty() {
        return;
    }
    let link = message.blocks.pop();
    for rollback in offered.into_iter().take(MAX_OFFERED) {
        message.blocks.extend(blocks(note, rollback, masks, page));
    }
    message.blocks.extend(link);
}

fn blocks(
    note: &Notification,
    rollback: &OfferedRollback,
    masks: &CallMasks,
    page: &str,
) -> Vec<Value> {
    let masked = masks.mask(&rollback.call.server_name, &rollback.call.arguments.to_string());
    let call = ShownCall::of_rollback(&rollback.call, &masked);
    let head =
        format!(":leftwards_arrow_with_hook: *It did not work. To roll it back:* {}", call.name);
    let code = format!("```{}\n```", call.arguments);
    let mut blocks = vec![section(&head), section(&code)];
    blocks.push(if call.is_whole {
        button(note, rollback)
    } else {
        let text = format!(
            "The call is too long for this message. <{page}|Read it and roll back in TARSy>"
        );
        section(&text)
    });
    blocks
}

fn section(text: &str) -> Value {
    json!({ "type": "section", "text": mrkdwn(text), "expand": true })
}

fn button(note: &Notification, rollback: &OfferedRollback) -> Value {
    let value = RollbackValue {
        session_id: note.session_id,
        action_id: rollback.action_id,
        shown: rollback.call.digest(),
    };
    json!({
        "type": "actions",
        "elements": [{
            "type": "button",
            "action_id": ROLL_BACK_ACTION,
            "text": { "type": "plain_text", "text": "Roll back" },
            "style": "danger",
            "value": value.to_string(),
        }],
    })
}
