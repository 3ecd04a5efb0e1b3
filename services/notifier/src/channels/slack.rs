//! A channel of Slack: each message once, in the thread of the alert it answers.

use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Value, json};
use tarsy_catalog::SlackTarget;
use tarsy_domain::clock::Clock;
use tarsy_store::{Notification, Store};

use crate::channels::slack_api::{SlackApi, walk};
use crate::channels::{Outcome, Trouble, message, page};

/// How far back the alert's own message is looked for.
const DAY: Duration = Duration::from_hours(24);
/// Our clock and Slack's may differ.
const SKEW: Duration = Duration::from_mins(5);
/// Pages of 200 messages that are looked through.
const PAGES: usize = 5;
/// What Slack says when a thread takes no answers, now or ever.
const CLOSED: [&str; 4] = [
    "thread_not_found",
    "cannot_reply_to_message",
    "restricted_action_thread_locked",
    "restricted_action_non_threadable_channel",
];
const EVENT_TYPE: &str = "tarsy_notification";

/// A channel of Slack.
#[derive(Debug)]
pub(crate) struct Slack {
    api: SlackApi,
    channel: String,
    dashboard: String,
}

impl Slack {
    pub(super) fn new(
        target: &SlackTarget,
        token: SecretString,
        dashboard: &str,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            api: SlackApi::new(&target.api_url, token)?,
            channel: target.channel.clone(),
            dashboard: dashboard.to_owned(),
        })
    }

    /// Posts the message, unless an earlier try did, whose answer was lost.
    pub(super) async fn deliver(
        &self,
        store: &Store,
        clock: &dyn Clock,
        note: &Notification,
    ) -> Result<Outcome, Trouble> {
        let thread = if note.attempted_at.is_some() {
            if let Some(ts) = self.posted(note).await? {
                return Ok(Outcome::Sent(Some(ts)));
            }
            note.thread_ref.clone()
        } else if note.started_thread_ref.is_some() {
            note.started_thread_ref.clone()
        } else {
            self.thread(clock, note).await?
        };
        match self.send(store, note, thread.as_deref()).await {
            // Refused, so that nothing was posted there.
            Err(Trouble::Passing(code)) if thread.is_some() && CLOSED.contains(&code.as_str()) => {
                tracing::info!(
                    code,
                    "the alert's thread takes no answer; it goes into the channel"
                );
                self.send(store, note, None).await
            }
            sent => sent,
        }
    }

    async fn send(
        &self,
        store: &Store,
        note: &Notification,
        thread: Option<&str>,
    ) -> Result<Outcome, Trouble> {
        let tried = store.begin_notification_send(note.id, note.claim, thread).await?;
        if let Some(outcome) = Outcome::instead(tried) {
            return Ok(outcome);
        }
        let ts = self.post(note, thread).await?;
        Ok(Outcome::Sent(Some(ts)))
    }

    async fn post(&self, note: &Notification, thread: Option<&str>) -> Result<String, Trouble> {
        let message = message::of(note, &page(&self.dashboard, note));
        let mut body = json!({
            "channel": self.channel,
            "text": message.text,
            "blocks": message.blocks,
            "unfurl_links": false,
            "unfurl_media": false,
            "metadata": { "event_type": EVENT_TYPE, "event_payload": { "id": note.id } },
        });
        if let (Some(thread), Some(body)) = (thread, body.as_object_mut()) {
            body.insert("thread_ts".to_owned(), thread.into());
        }
        let answer = self.api.post("chat.postMessage", &body).await?;
        let ts = answer.get("ts").and_then(Value::as_str);
        ts.map(str::to_owned).ok_or_else(|| Trouble::Passing("its answer names no message".into()))
    }

    /// The thread of the alert's own message, if it came from this channel within the last day.
    async fn thread(
        &self,
        clock: &dyn Clock,
        note: &Notification,
    ) -> Result<Option<String>, Trouble> {
        let fingerprint = note.fingerprint.as_deref().map(plain);
        let Some(fingerprint) = fingerprint.filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let oldest = (clock.now() - DAY).as_second().to_string();
        let query = [("channel", self.channel.as_str()), ("oldest", oldest.as_str())];
        let found = walk(&self.api, "conversations.history", &query, PAGES, |message| {
            if is_ours(message) || !plain(&words(message)).contains(&fingerprint) {
                return None;
            }
            let ts = message.get("thread_ts").or_else(|| message.get("ts"))?;
            ts.as_str().map(str::to_owned)
        });
        found.await
    }

    /// The message of an earlier try, if it arrived.
    async fn posted(&self, note: &Notification) -> Result<Option<String>, Trouble> {
        let since = note.attempted_at.unwrap_or(note.created_at) - SKEW;
        let oldest = since.as_second().to_string();
        let mut query = vec![
            ("channel", self.channel.as_str()),
            ("oldest", oldest.as_str()),
            ("include_all_metadata", "true"),
        ];
        let method = match note.thread_ref.as_deref() {
            Some(thread) => {
                query.push(("ts", thread));
                "conversations.replies"
            }
            None => "conversations.history",
        };
        let (id, marker) = (note.id.to_string(), message::marker(note));
        let found = walk(&self.api, method, &query, 2 * PAGES, |message| {
            let by_metadata =
                message.pointer("/metadata/event_payload/id").is_some_and(|one| *one == id);
            let blocks = message.get("blocks").and_then(Value::as_array);
            let mut blocks = blocks.into_iter().flatten();
            let by_block = blocks.any(|one| one.get("block_id").is_some_and(|one| *one == marker));
            let ts = message.get("ts").filter(|_| by_metadata || by_block)?;
            ts.as_str().map(str::to_owned)
        });
        found.await
    }
}

/// A message that we posted answers an alert and is none.
fn is_ours(message: &Value) -> bool {
    let blocks = message.get("blocks").and_then(Value::as_array);
    blocks.into_iter().flatten().any(|block| {
        let id = block.get("block_id").and_then(Value::as_str);
        id.is_some_and(|id| id.starts_with("tarsy:"))
    })
}

/// Every text of a message: its own, and those of its attachments and blocks.
fn words(message: &Value) -> String {
    let mut all = String::new();
    for part in ["text", "attachments", "blocks"] {
        gather(message.get(part).unwrap_or(&Value::Null), &mut all);
    }
    all
}

fn gather(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push(' ');
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, into)),
        Value::Object(members) => members.values().for_each(|member| gather(member, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Small letters, single spaces, and no escapes: what may differ without meaning.
fn plain(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_found_in_any_part_of_a_message() {
        let needle = plain("FIRING:  Disk <full>\n on web-1");
        let message = json!({
            "text": "An alert",
            "attachments": [{ "fields": [{ "value": "firing: disk &lt;full&gt; on WEB-1, now" }] }],
        });
        assert!(plain(&words(&message)).contains(&needle));
        let other = json!({ "text": "firing: disk", "ts": "full on web-1" });
        assert!(!plain(&words(&other)).contains(&needle));
    }

    #[test]
    fn an_answer_of_ours_is_no_alert() {
        assert!(is_ours(&json!({ "blocks": [{ "block_id": "tarsy:1" }] })));
        assert!(!is_ours(&json!({ "blocks": [{ "block_id": "other" }], "text": "tarsy:1" })));
    }
}
