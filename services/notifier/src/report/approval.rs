//! A tool call that waits for a person, where the message has no buttons: it says what is asked, and leads to the page that has all of
//! it. Arguments are left out, because nobody decides here.

use tarsy_catalog::NotificationStatus;
use tarsy_store::{InjectedLine, Notification, NotifiedApproval};
use tarsy_visible::exact;

use super::finding;
use super::parts::{Fact, MAX_LINE, Mark, Note, Report, Weight, cut, facts, title};

/// The most characters of the effect, the reason, and a line that addresses a model.
const MAX_TEXT: usize = 500;

pub(super) fn requested(note: &Notification, call: &NotifiedApproval, page: &str) -> Report {
    let named = |name, text: &str| Fact { name, value: cut(&exact(text), MAX_TEXT) };
    let tool = format!("{}.{}", call.server_name, call.tool_name);
    let effect = call.plan.as_ref().map(|plan| named("Effect", &plan.effect));
    let expires = Fact { name: "Expires", value: deadline(note, call) };
    let of_call = [named("Tool", &tool)].into_iter().chain(effect);
    let of_call = of_call.chain([named("Why", &call.reason), expires]);
    let undecided = "If nobody decides, the call is denied.".to_owned();
    let undecided = Note { text: undecided, weight: Weight::Normal };
    Report {
        status: NotificationStatus::Approval,
        mark: Mark::Found,
        headline: finding::headline(NotificationStatus::Approval, None),
        title: title(note),
        finding: None,
        next_step: None,
        facts: facts(note).chain(of_call).collect(),
        error: None,
        findings: None,
        notes: call.injected.as_ref().map(warning).into_iter().chain([undecided]).collect(),
        // The id of the step on the session page.
        link: format!("{page}#step-{}", call.timeline_event_id),
        link_label: "Approve or deny",
        pages: Vec::new(),
        caution: None,
    }
}

/// Until when people may decide, and how long that is from when the message was written.
pub(crate) fn deadline(note: &Notification, call: &NotifiedApproval) -> String {
    let left = call.expires_at.duration_since(note.claimed_at).as_secs();
    let left = match left {
        ..=0 => String::new(),
        1..120 => format!(" ({left} s left)"),
        _ => format!(" ({} min left)", left / 60),
    };
    format!("{}{left}", call.expires_at.strftime("%Y-%m-%d %H:%M UTC"))
}

fn warning(line: &InjectedLine) -> Note {
    let place = line.call.map_or("the alert".to_owned(), |call| format!("call {call}"));
    let text = cut(&exact(&line.text), MAX_TEXT);
    let text = cut(&format!("Possible prompt injection in {place}: “{text}”"), MAX_LINE);
    Note { text, weight: Weight::Warning }
}
