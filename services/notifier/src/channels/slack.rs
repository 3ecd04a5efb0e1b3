//! Slack: each message once, in the thread of the alert that it reports.

mod api;
mod approval;
mod dialect;
mod message;
mod review;
mod rollback;
mod shown;
mod triage;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::{Value, json};
use tarsy_catalog::{CallMasks, Slack as SlackSettings, SlackTarget};
use tarsy_store::{Notification, NotifiedApproval};
use uuid::Uuid;

use self::api::{Listing, SlackApi};
use self::approval::Approvers;
use self::message::Message;
use crate::channel::{Approvals, Channel, ChannelContext, Letter, SendError, Starts, session_page};
use crate::report::Report;

/// How far back the alert's own message is searched.
const ALERT_AGE: Duration = Duration::from_hours(24);
/// The most that our clock and Slack's differ.
const CLOCK_SKEW: Duration = Duration::from_mins(5);
/// Pages of 200 messages that are searched for the alert's own message, and twice as many for one of
/// ours.
const MAX_PAGES: usize = 5;
/// Slack's codes for a thread that takes no replies.
const THREAD_CLOSED: [&str; 4] = [
    "thread_not_found",
    "cannot_reply_to_message",
    "restricted_action_thread_locked",
    "restricted_action_non_threadable_channel",
];
/// Slack's code for a message that does not exist any more.
const MESSAGE_GONE: &str = "message_not_found";
const EVENT_TYPE: &str = "tarsy_notification";
/// The prefix of the ids of our messages' blocks.
const BLOCK_PREFIX: &str = "tarsy:";

/// A channel of Slack, or the threads of commands.
struct Slack {
    api: SlackApi,
    /// None of threads, which are in the channel of their command.
    channel: Option<String>,
    dashboard_url: String,
    masks: Arc<CallMasks>,
    approvers: Approvers,
}

pub(super) fn open(
    target: &SlackTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    Ok(Slack {
        api: SlackApi::new(&target.api_url, context.secret(&target.token_env)?)?,
        channel: Some(target.channel.clone()),
        dashboard_url: context.dashboard_url.to_owned(),
        masks: Arc::clone(&context.masks),
        approvers: approvers(target, context.slack),
    })
}

/// The threads in which people give commands to the app of `system.slack`.
pub(super) fn open_threads(context: &ChannelContext<'_>) -> anyhow::Result<impl Channel + use<>> {
    let slack = context.slack;
    Ok(Slack {
        api: SlackApi::new(&slack.api_url, context.secret(&slack.token_env)?)?,
        channel: None,
        dashboard_url: context.dashboard_url.to_owned(),
        masks: Arc::clone(&context.masks),
        approvers: buttons(slack),
    })
}

/// Slack signs what the buttons of an app send with that app's secret, so only the app of `system.slack` has some.
fn approvers(target: &SlackTarget, settings: &SlackSettings) -> Approvers {
    let is_same_app = target.token_env == settings.token_env;
    if is_same_app { buttons(settings) } else { Approvers::Dashboard }
}

fn buttons(settings: &SlackSettings) -> Approvers {
    if !settings.receives() {
        return Approvers::Dashboard;
    }
    Approvers::Buttons(settings.approvers().map(str::to_owned).collect())
}

#[async_trait]
impl Channel for Slack {
    fn starts(&self) -> Starts {
        Starts::Threaded
    }

    fn approvals(&self) -> Approvals {
        Approvals::Reported
    }

    async fn find_sent(&self, note: &Notification) -> Result<Option<String>, SendError> {
        if note.kind.changes_message() {
            // It changes a message; changing it again is the same.
            return Ok(None);
        }
        let since = note.attempted_at.unwrap_or(note.created_at);
        self.find((self.channel_of(note), note.thread_ref.as_deref()), note.mark(), since).await
    }

    /// The thread of the newest message of the last day that contains the alert's fingerprint.
    async fn find_thread(&self, note: &Notification) -> Result<Option<String>, SendError> {
        if note.kind.changes_message() {
            return Ok(None);
        }
        let Some(channel) = &self.channel else {
            return Ok(note.place.as_ref().and_then(|place| place.thread.clone()));
        };
        let fingerprint = note.fingerprint.as_deref().map(normalized);
        let Some(fingerprint) = fingerprint.filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let oldest = (note.claimed_at - ALERT_AGE).as_second().to_string();
        let query = [("channel", channel.as_str()), ("oldest", oldest.as_str())];
        let listing =
            Listing { method: "conversations.history", query: &query, max_pages: MAX_PAGES };
        let found = self.api.find_message(listing, |message| {
            if is_ours(message) || !normalized(&all_text(message)).contains(&fingerprint) {
                return None;
            }
            let ts = message.get("thread_ts").or_else(|| message.get("ts"))?;
            ts.as_str().map(str::to_owned)
        });
        found.await
    }

    async fn send(
        &self,
        note: &Notification,
        thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        let mut body = self.body(note);
        if note.kind.changes_message() {
            return self.update(body, changed_message(note)).await;
        }
        if let (Some(thread), Some(body)) = (thread, body.as_object_mut()) {
            body.insert("thread_ts".to_owned(), thread.into());
        }
        self.post(&body).await
    }

    async fn send_letter(&self, letter: &Letter) -> Result<Option<String>, SendError> {
        let channel = self.channel.as_deref().unwrap_or_default();
        if let Some(since) = letter.attempted_at
            && let Some(ts) = self.find((channel, None), letter.id, since).await?
        {
            return Ok(Some(ts));
        }
        self.post(&content(channel, letter.id, &message::render(letter.id, &letter.report))).await
    }
}

/// A message for Slack's methods.
fn content(channel: &str, mark: Uuid, message: &Message) -> Value {
    json!({
        "channel": channel,
        "text": message.text,
        "blocks": message.blocks,
        "unfurl_links": false,
        "unfurl_media": false,
        "metadata": { "event_type": EVENT_TYPE, "event_payload": { "id": mark } },
    })
}

impl Slack {
    /// The message with this mark that was posted since then, in the channel or in one of its threads.
    async fn find(
        &self,
        (channel, thread): (&str, Option<&str>),
        mark: Uuid,
        since: Timestamp,
    ) -> Result<Option<String>, SendError> {
        let oldest = (since - CLOCK_SKEW).as_second().to_string();
        let mut query = vec![
            ("channel", channel),
            ("oldest", oldest.as_str()),
            ("include_all_metadata", "true"),
        ];
        let method = match thread {
            Some(thread) => {
                query.push(("ts", thread));
                "conversations.replies"
            }
            None => "conversations.history",
        };
        let (id, block_id) = (mark.to_string(), message::block_id(mark));
        let listing = Listing { method, query: &query, max_pages: 2 * MAX_PAGES };
        let found = self.api.find_message(listing, |message| {
            let by_metadata =
                message.pointer("/metadata/event_payload/id").is_some_and(|one| *one == id);
            let by_block = block_ids(message).any(|one| one == block_id);
            let ts = message.get("ts").filter(|_| by_metadata || by_block)?;
            ts.as_str().map(str::to_owned)
        });
        found.await
    }

    async fn post(&self, body: &Value) -> Result<Option<String>, SendError> {
        match self.api.post("chat.postMessage", body).await {
            Ok(response) => match response.get("ts").and_then(Value::as_str) {
                Some(ts) => Ok(Some(ts.to_owned())),
                None => Err(SendError::Transient("its answer names no message".to_owned())),
            },
            Err(SendError::Transient(code)) if THREAD_CLOSED.contains(&code.as_str()) => {
                Err(SendError::ThreadClosed(code))
            }
            Err(error) => Err(error),
        }
    }

    fn channel_of<'a>(&'a self, note: &'a Notification) -> &'a str {
        let of_command = note.place.as_ref().map(|place| place.channel.as_str());
        self.channel.as_deref().or(of_command).unwrap_or_default()
    }

    /// The message of a notification, for Slack's methods.
    fn body(&self, note: &Notification) -> Value {
        let page = session_page(&self.dashboard_url, note);
        let message = match &note.approval {
            Some(approval) if !note.kind.has_end() => self.about_call(note, approval, &page),
            _ => self.about_session(note),
        };
        content(self.channel_of(note), note.mark(), &message)
    }

    fn about_session(&self, note: &Notification) -> Message {
        let report = Report::of(note, &self.dashboard_url);
        let mut message = message::render(note.mark(), &report);
        if matches!(self.approvers, Approvers::Buttons(_)) {
            rollback::add(&mut message, note, &self.masks, &report.link);
        }
        review::add(&mut message, note, &self.approvers, &report.link);
        message
    }

    fn about_call(&self, note: &Notification, call: &NotifiedApproval, page: &str) -> Message {
        let arguments = self.masks.mask(&call.server_name, &call.tool_arguments);
        approval::render(note, call, &arguments, &self.approvers, page)
    }

    /// Replaces a message that was posted. One that somebody deleted needs no change.
    async fn update(
        &self,
        mut body: Value,
        ts: Option<String>,
    ) -> Result<Option<String>, SendError> {
        let Some(ts) = ts else { return Ok(None) };
        if let Some(body) = body.as_object_mut() {
            body.insert("ts".to_owned(), ts.as_str().into());
        }
        match self.api.post("chat.update", &body).await {
            Err(SendError::Permanent(code)) if code == MESSAGE_GONE => Ok(None),
            // It is sent again in any case; nothing can be there twice.
            Err(SendError::Unanswered(what)) => Err(SendError::Transient(what)),
            Err(error) => Err(error),
            Ok(_) => Ok(Some(ts)),
        }
    }
}

fn changed_message(note: &Notification) -> Option<String> {
    if note.kind.changes_end() {
        return note.ended_ref.clone();
    }
    note.approval.as_ref().and_then(|approval| approval.request_ref.clone())
}

/// The ids of a message's blocks.
fn block_ids(message: &Value) -> impl Iterator<Item = &str> {
    let blocks = message.get("blocks").and_then(Value::as_array);
    let ids = blocks.into_iter().flatten().map(|block| block.get("block_id"));
    ids.filter_map(|id| id.and_then(Value::as_str))
}

/// Whether TARSy posted a message; such a message is never an alert.
fn is_ours(message: &Value) -> bool {
    block_ids(message).any(|id| id.starts_with(BLOCK_PREFIX))
}

/// All texts of a message, its attachments and blocks.
fn all_text(message: &Value) -> String {
    let mut all = String::new();
    for part in ["text", "attachments", "blocks"] {
        collect_text(message.get(part).unwrap_or(&Value::Null), &mut all);
    }
    all
}

fn collect_text(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push(' ');
        }
        Value::Array(items) => items.iter().for_each(|item| collect_text(item, into)),
        Value::Object(members) => members.values().for_each(|member| collect_text(member, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Lower case, single spaces and no escapes, for comparisons.
fn normalized(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_found_in_any_part_of_a_message() {
        let needle = normalized("FIRING:  Disk <full>\n on web-1");
        let message = json!({
            "text": "An alert",
            "attachments": [{ "fields": [{ "value": "firing: disk &lt;full&gt; on WEB-1, now" }] }],
        });
        assert!(normalized(&all_text(&message)).contains(&needle));
        let other = json!({ "text": "firing: disk", "ts": "full on web-1" });
        assert!(!normalized(&all_text(&other)).contains(&needle));
    }

    #[test]
    fn a_message_of_ours_is_no_alert() {
        assert!(is_ours(&json!({ "blocks": [{ "block_id": "tarsy:1" }] })));
        assert!(!is_ours(&json!({ "blocks": [{ "block_id": "other" }], "text": "tarsy:1" })));
    }

    #[test]
    fn only_the_app_whose_secret_is_known_has_buttons() {
        let target = |token_env: &str| SlackTarget {
            channel: "C1".to_owned(),
            token_env: token_env.to_owned(),
            api_url: "https://slack.com/api".to_owned(),
        };
        let none = SlackSettings::default();
        assert_eq!(approvers(&target("SLACK_BOT_TOKEN"), &none), Approvers::Dashboard);
        let some = SlackSettings { signing_secret_env: Some("SECRET".to_owned()), ..none };
        let buttons = Approvers::Buttons(Vec::new());
        assert_eq!(approvers(&target("SLACK_BOT_TOKEN"), &some), buttons);
        assert_eq!(approvers(&target("OTHER_TOKEN"), &some), Approvers::Dashboard);
    }
}
