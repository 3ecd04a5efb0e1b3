//! Messages about tool calls that wait for a person's decision, and what becomes of them.

use jiff::Timestamp;
use serde_json::{Value, json};
use tarsy_contracts::slack::{APPROVE_ACTION, ButtonValue, DENY_ACTION};
use tarsy_domain::event::ApprovalDecision;
use tarsy_store::{InjectedLine, Notification, NotificationKind, NotifiedApproval};
use tarsy_visible::exact;

use super::dialect::escaped;
use super::message::{Message, block_id, cut_to, mrkdwn};
use super::shown::ShownCall;
use crate::report::{deadline, title};

/// The most characters of a name.
const MAX_NAME: usize = 200;
/// The most characters of a line that addresses a model.
const MAX_INJECTED: usize = 600;
/// The most people that are named.
const MAX_NAMED: usize = 20;

/// Who may decide where, as a message says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Approvers {
    /// With the buttons, these; on the dashboard, everybody whose role allows it.
    Buttons(Vec<String>),
    /// On the dashboard only.
    Dashboard,
}

/// Renders the request for a decision, or what became of it. `arguments` are masked. Nobody decides by a message that
/// shows a part of the call only.
pub(super) fn render(
    note: &Notification,
    approval: &NotifiedApproval,
    arguments: &str,
    approvers: &Approvers,
    page: &str,
) -> Message {
    let is_open = note.kind == NotificationKind::ApprovalRequested;
    let (head, text) = if is_open { requested() } else { closed(approval) };
    let call = ShownCall::of(note, approval, arguments);
    let mut head = section(&format!("{head} · {}", call.name));
    if let Some(head) = head.as_object_mut() {
        head.insert("block_id".to_owned(), block_id(note.mark()).into());
    }
    let code = section(&format!("*Arguments*\n```{}\n```", call.arguments));
    let mut blocks = vec![head, section(&call.facts), code];
    if let Some(line) = approval.injected.as_ref().filter(|_| is_open) {
        blocks.push(section(&warning(line)));
    }
    if is_open {
        let who = who_may_decide(approvers, call.is_whole);
        let until = deadline(note, approval);
        blocks.push(section(&format!(
            "{who} Expires *{until}*. If nobody decides, the call is denied."
        )));
    }
    if let (true, true, Approvers::Buttons(_)) = (is_open, call.is_whole, approvers) {
        blocks.push(buttons(note, approval));
    }
    // The id of the step on the session page.
    let step = format!("{page}#step-{}", approval.timeline_event_id);
    blocks.push(json!({
        "type": "context",
        "elements": [{ "type": "mrkdwn", "text": format!("<{step}|Open the approval> · <{page}|Open the session>") }],
    }));
    let name = call.name.replace('`', "");
    let title = cut_to(&escaped(&title(note)), MAX_NAME);
    Message { text: format!("{text}: {title}: {name} {page}"), blocks }
}

/// A block whose text Slack does not fold.
fn section(text: &str) -> Value {
    json!({ "type": "section", "text": mrkdwn(text), "expand": true })
}

fn requested() -> (String, &'static str) {
    (":raised_hand: *Approval needed*".to_owned(), "Approval needed")
}

fn closed(approval: &NotifiedApproval) -> (String, &'static str) {
    let by = |what: &str| {
        let by = approval.decided_by.as_deref().unwrap_or("somebody");
        let at = approval.decided_at.map(|at| format!(" at {}", time(at))).unwrap_or_default();
        format!("*{what}* by {}{at}", cut_to(&escaped(by), MAX_NAME))
    };
    match approval.decision {
        Some(ApprovalDecision::Approved) => {
            (format!(":white_check_mark: {}", by("Approved")), "Approved")
        }
        Some(ApprovalDecision::Denied) => (format!(":no_entry: {}", by("Denied")), "Denied"),
        Some(ApprovalDecision::Expired) => expired(approval),
        None if approval.is_expired => expired(approval),
        None => {
            let text =
                ":no_entry_sign: *No longer needed*: the session ended before anybody decided";
            (text.to_owned(), "Approval no longer needed")
        }
    }
}

fn expired(approval: &NotifiedApproval) -> (String, &'static str) {
    let text = format!(
        ":hourglass: *Expired*: nobody decided until {}, and the call was denied",
        time(approval.expires_at)
    );
    (text, "Approval expired")
}

fn who_may_decide(approvers: &Approvers, shows_whole_call: bool) -> String {
    let who = match approvers {
        _ if !shows_whole_call => {
            "The call is too long for this message. Any responder can approve it in TARSy".to_owned()
        }
        Approvers::Dashboard => "Can approve: any responder in TARSy".to_owned(),
        Approvers::Buttons(names) if names.is_empty() => {
            "No Slack user is allowed to approve (`system.slack.users`). Can approve: any responder in TARSy".to_owned()
        }
        Approvers::Buttons(names) => {
            let shown: Vec<String> =
                names.iter().take(MAX_NAMED).map(|name| cut_to(&escaped(name), 60)).collect();
            let more = names.len().saturating_sub(MAX_NAMED);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            format!("Can approve: {}{more}, or any responder in TARSy", shown.join(", "))
        }
    };
    format!("{who}.")
}

fn buttons(note: &Notification, approval: &NotifiedApproval) -> Value {
    let value = ButtonValue {
        session_id: note.session_id,
        approval_id: approval.id,
        shows_whole_call: true,
    }
    .to_string();
    let button = |action: &str, text: &str| {
        json!({
            "type": "button",
            "action_id": action,
            "text": { "type": "plain_text", "text": text },
            "value": value,
        })
    };
    // The safe one comes first and stands out, as on the dashboard.
    let mut deny = button(DENY_ACTION, "Deny");
    if let Some(deny) = deny.as_object_mut() {
        deny.insert("style".to_owned(), "primary".into());
    }
    json!({ "type": "actions", "elements": [deny, button(APPROVE_ACTION, "Approve")] })
}

/// The text that may have asked for the call.
fn warning(line: &InjectedLine) -> String {
    let place = line.call.map_or("the alert".to_owned(), |call| format!("call {call}"));
    let text = cut_to(&escaped(&exact(&line.text)), MAX_INJECTED);
    format!(":warning: *Possible prompt injection* in {place}: “{text}”")
}

pub(super) fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
