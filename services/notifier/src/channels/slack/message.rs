//! Notifications as messages of Slack.

use serde_json::{Value, json};
use tarsy_catalog::NotificationStatus;
use tarsy_store::{Notification, NotificationKind};

use crate::channel::reported_status;
use crate::findings;

/// The most characters of one block's text; Slack accepts 3,000.
const MAX_CHARS: usize = 2_900;
/// The most characters of the line with the verdict.
const MAX_VERDICT: usize = 1_000;
/// The end of a text that was cut.
const MORE: &str = "… _(more in the session)_";

/// A message: its blocks, and the text for clients that show none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) blocks: Vec<Value>,
}

/// Renders a notification. The id of the first block is [`block_id`], by which the message is found.
pub(super) fn render(note: &Notification, page: &str) -> Message {
    let status = reported_status(note.kind, note.status).unwrap_or(NotificationStatus::Failed);
    let (emoji, label) = match status {
        NotificationStatus::Started => (":hourglass_flowing_sand:", "Analysis Started"),
        NotificationStatus::Completed => (":white_check_mark:", "Analysis Complete"),
        NotificationStatus::Failed => (":x:", "Analysis Failed"),
        NotificationStatus::TimedOut => (":hourglass:", "Analysis Timed Out"),
        NotificationStatus::Cancelled => (":no_entry_sign:", "Analysis Cancelled"),
        NotificationStatus::Approval => (":raised_hand:", "Approval needed"),
    };
    let alert_type = note.alert_type.as_deref().unwrap_or("alert");
    let head = format!("{emoji} *{label}* · {}", escaped(alert_type));
    let mut blocks = vec![json!({
        "type": "section",
        "block_id": block_id(note),
        "text": mrkdwn(&head),
    })];
    if let Some(text) = body(note, status) {
        blocks.push(json!({
            "type": "section",
            "text": mrkdwn(&text),
        }));
    }
    if let Some(verdict) = &note.verdict {
        let line = cut_to(&escaped(&findings::verdict_line(verdict)), MAX_VERDICT);
        blocks.push(json!({ "type": "section", "text": mrkdwn(&format!("*Verdict:* {line}")) }));
    }
    let mut context =
        vec![json!({ "type": "mrkdwn", "text": format!("<{page}|Open the session>") })];
    if note.kind == NotificationKind::Ended {
        let lines = findings::context_lines(note.claims, &note.degraded_reasons).into_iter();
        context.extend(lines.map(|line| json!({ "type": "mrkdwn", "text": line })));
    }
    blocks.push(json!({ "type": "context", "elements": context }));
    Message { text: format!("{label}: {} {page}", escaped(alert_type)), blocks }
}

/// The id of the first block of a notification's message.
pub(super) fn block_id(note: &Notification) -> String {
    format!("tarsy:{}", note.id)
}

fn body(note: &Notification, status: NotificationStatus) -> Option<String> {
    let found = || note.executive_summary.as_deref().or(note.final_analysis.as_deref());
    let text = match status {
        NotificationStatus::Approval => return None,
        NotificationStatus::Started => "The alert is being investigated.".to_owned(),
        NotificationStatus::Completed | NotificationStatus::Cancelled => slack_text(found()?),
        NotificationStatus::Failed | NotificationStatus::TimedOut => {
            let error =
                note.error_message.as_deref().map(|error| format!("*Error:* {}", escaped(error)));
            let parts: Vec<String> = error.into_iter().chain(found().map(slack_text)).collect();
            parts.join("\n\n")
        }
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Converts headings, lists and bold text of Markdown to Slack's dialect.
fn slack_text(markdown: &str) -> String {
    let lines = escaped(markdown.trim()).lines().map(slack_line).collect::<Vec<_>>();
    lines.join("\n")
}

fn slack_line(line: &str) -> String {
    let title = line.trim_start_matches('#');
    if title.len() < line.len() && title.starts_with(' ') {
        return format!("*{}*", title.trim().replace("**", ""));
    }
    let line = match line.trim_start().strip_prefix("* ") {
        Some(item) => {
            let indent = line.chars().take_while(|c| c.is_whitespace()).count();
            format!("{}• {item}", " ".repeat(indent))
        }
        None => line.to_owned(),
    };
    line.replace("**", "*")
}

/// The text of a block. Without `verbatim`, Slack turns addresses and channel names into links and
/// resolves mentions.
pub(super) fn mrkdwn(text: &str) -> Value {
    json!({ "type": "mrkdwn", "text": cut(text), "verbatim": true })
}

/// Escapes mentions and links.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
    fn markdown_becomes_slacks_dialect() {
        let text = slack_text("## What **happened**\n\n* the disk of <web-1> & co\n  * **full**");
        assert_eq!(text, "*What happened*\n\n• the disk of &lt;web-1&gt; &amp; co\n  • *full*");
    }

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
