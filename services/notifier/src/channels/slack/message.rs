//! Notifications as messages of Slack.

use serde_json::{Value, json};
use tarsy_catalog::NotificationStatus;
use uuid::Uuid;

use super::dialect::{Mrkdwn, escaped};
use crate::dialect::{Dialect as _, fit, next_step};
use crate::report::{Mark, Report, Weight};

/// The most characters of one block's text; Slack accepts 3,000.
const MAX_CHARS: usize = 2_900;
/// The most characters of an error, with its escapes.
const MAX_ERROR: usize = 1_200;
/// The end of a text that was cut.
const MORE: &str = "… _(more in the session)_";

/// A message: its blocks, and the text for clients that show none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) blocks: Vec<Value>,
}

/// Renders a report. The id of the first block is [`block_id`], by which the message is found.
pub(super) fn render(mark: Uuid, report: &Report) -> Message {
    let mut blocks = vec![json!({
        "type": "section",
        "block_id": block_id(mark),
        "text": mrkdwn(&head(report)),
    })];
    if let Some(text) = body(report) {
        blocks.push(json!({
            "type": "section",
            "text": mrkdwn(&text),
        }));
    }
    let link = format!("<{}|{}>", report.link, report.link_label);
    let notes = report.notes.iter().map(|note| match note.weight {
        Weight::Normal => escaped(&note.text),
        Weight::Warning => format!(":warning: {}", escaped(&note.text)),
    });
    let caution = report.caution.map(str::to_owned);
    let pages: Vec<String> =
        report.pages.iter().map(|page| format!("<{}|{}>", page.url, label(&page.title))).collect();
    let pages = (!pages.is_empty()).then(|| pages.join(" · "));
    let lines = std::iter::once(link).chain(pages).chain(notes).chain(caution);
    let context: Vec<Value> = lines.map(|line| json!({ "type": "mrkdwn", "text": line })).collect();
    blocks.push(json!({ "type": "context", "elements": context }));
    Message { text: pushed(report), blocks }
}

/// What telephones show: the first line, the next step, and the link.
fn pushed(report: &Report) -> String {
    let (first, between, rest) = report.first_line();
    let between = if between.starts_with(':') { between } else { ": " };
    let step = report.next_step.as_ref().map(|step| format!(". Next step: {}", escaped(step)));
    let step = step.unwrap_or_default();
    format!("{}{between}{}{step} {}", escaped(first), escaped(rest), report.link)
}

/// The text of a link: a bar would end its address.
fn label(title: &str) -> String {
    escaped(title).replace('|', "¦")
}

/// The id of the first block of a notification's message.
pub(super) fn block_id(mark: Uuid) -> String {
    format!("tarsy:{mark}")
}

fn head(report: &Report) -> String {
    let emoji = match report.status {
        NotificationStatus::Started => ":hourglass_flowing_sand:",
        NotificationStatus::Completed => match report.mark {
            Mark::Found => ":white_check_mark:",
            Mark::Doubtful => ":warning:",
            Mark::NoCause => ":white_circle:",
        },
        NotificationStatus::Failed => ":x:",
        NotificationStatus::TimedOut => ":hourglass:",
        NotificationStatus::Cancelled => ":no_entry_sign:",
        NotificationStatus::Approval => ":raised_hand:",
    };
    let facts: Vec<String> = report
        .facts
        .iter()
        .map(|fact| format!("*{}:* {}", fact.name, escaped(&fact.value)))
        .collect();
    let (bold, between, rest) = report.first_line();
    let bold = Mrkdwn.bold(&Mrkdwn.escape(bold));
    let first = format!("{emoji} {bold}{between}{}", escaped(rest));
    let facts = (!facts.is_empty()).then(|| facts.join(" · "));
    let lines = [Some(first), next_step(report, &Mrkdwn), facts];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn body(report: &Report) -> Option<String> {
    let error = report.error.as_deref();
    let error = error.map(|error| cut_to(&format!("*Error:* {}", escaped(error)), MAX_ERROR));
    let left = error.as_deref().map_or(MAX_CHARS, |error| MAX_CHARS - 2 - error.chars().count());
    let findings = report.findings.as_deref().map(|text| fit(text, &Mrkdwn, left));
    let parts: Vec<String> = error.into_iter().chain(findings).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The text of a block. Without `verbatim`, Slack turns addresses and channel names into links and
/// resolves mentions.
pub(super) fn mrkdwn(text: &str) -> Value {
    json!({ "type": "mrkdwn", "text": cut(text), "verbatim": true })
}

/// Cuts a text to the most that a block accepts, between characters and escapes.
fn cut(text: &str) -> String {
    cut_with(text, MAX_CHARS, MORE)
}

/// Cuts an escaped text to so many characters.
pub(super) fn cut_to(text: &str, max_chars: usize) -> String {
    cut_with(text, max_chars, "…")
}

fn cut_with(text: &str, max_chars: usize, more: &str) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max_chars.saturating_sub(more.chars().count())).collect();
    // Slack would show a half escape.
    let whole = match kept.rsplit_once('&') {
        Some((before, after)) if !after.contains(';') => before,
        _ => &kept,
    };
    format!("{whole}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_no_half_escape() {
        for length in MAX_CHARS - 40..MAX_CHARS + 10 {
            let text = format!("{}&amp;{}", "x".repeat(length), "y".repeat(60));
            let text = cut(&text);
            assert!(text.chars().count() <= MAX_CHARS);
            let escape = text.split_once('&').map(|(_, rest)| rest);
            assert!(escape.is_none_or(|rest| rest.starts_with("amp;")), "{length}: {text}");
        }
    }
}
