//! What a channel of Slack reads, as blocks.

use serde_json::{Value, json};
use tarsy_catalog::NotificationStatus;
use tarsy_store::Notification;

use crate::planner::moment;

/// The most characters of one block's text; Slack takes 3,000.
const LONGEST: usize = 2_900;
/// The word about what was cut.
const MORE: &str = "… _(more in the session)_";

/// A message: the text for small screens, and the blocks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) blocks: Value,
}

/// The message for a notification; its first block carries the notification's own name, by which it
/// is found again.
pub(super) fn of(note: &Notification, page: &str) -> Message {
    let moment = moment(note.kind, note.status).unwrap_or(NotificationStatus::Failed);
    let (emoji, label) = match moment {
        NotificationStatus::Started => (":hourglass_flowing_sand:", "Analysis Started"),
        NotificationStatus::Completed => (":white_check_mark:", "Analysis Complete"),
        NotificationStatus::Failed => (":x:", "Analysis Failed"),
        NotificationStatus::TimedOut => (":hourglass:", "Analysis Timed Out"),
        NotificationStatus::Cancelled => (":no_entry_sign:", "Analysis Cancelled"),
    };
    let alert_type = note.alert_type.as_deref().unwrap_or("alert");
    let head = format!("{emoji} *{label}* · {}", escaped(alert_type));
    let mut blocks = vec![json!({
        "type": "section",
        "block_id": marker(note),
        "text": written(&head),
    })];
    if let Some(text) = body(note, moment) {
        blocks.push(json!({
            "type": "section",
            "text": written(&text),
        }));
    }
    blocks.push(json!({
        "type": "context",
        "elements": [{ "type": "mrkdwn", "text": format!("<{page}|Open the session>") }],
    }));
    Message { text: format!("{label}: {} {page}", escaped(alert_type)), blocks: blocks.into() }
}

/// The name by which the message of a notification is found.
pub(super) fn marker(note: &Notification) -> String {
    format!("tarsy:{}", note.id)
}

fn body(note: &Notification, moment: NotificationStatus) -> Option<String> {
    let found = || note.executive_summary.as_deref().or(note.final_analysis.as_deref());
    let text = match moment {
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

/// Markdown in Slack's own dialect, as far as it matters: headings and bold text.
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

/// The text of a block, as it stands: without `verbatim`, Slack makes links of addresses and of the
/// names of channels, and looks for mentions.
fn written(text: &str) -> Value {
    json!({ "type": "mrkdwn", "text": cut(text), "verbatim": true })
}

/// Text that mentions nobody and links nowhere.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A text that a block takes; what is cut ends with a word about it, and not within a character.
fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let kept: String = text.chars().take(LONGEST - MORE.chars().count()).collect();
    // An escape that is cut in its middle would show.
    let whole = match kept.rsplit_once('&') {
        Some((before, after)) if !after.contains(';') => before,
        _ => &kept,
    };
    format!("{whole}{MORE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_what_slack_shows() {
        let text = slack_text("## What **happened**\n\n* the disk of <web-1> & co\n  * **full**");
        assert_eq!(text, "*What happened*\n\n• the disk of &lt;web-1&gt; &amp; co\n  • *full*");
    }

    #[test]
    fn a_cut_leaves_no_half_escape() {
        for length in LONGEST - 40..LONGEST + 10 {
            let text = format!("{}&amp;{}", "x".repeat(length), "y".repeat(60));
            let text = cut(&text);
            assert!(text.chars().count() <= LONGEST);
            let escape = text.split_once('&').map(|(_, rest)| rest);
            assert!(escape.is_none_or(|rest| rest.starts_with("amp;")), "{length}: {text}");
        }
    }
}
