//! A message to the app, in what Slack's Events API sends.

use serde::Deserialize;
use serde_json::Value;
use tarsy_domain::messenger::Messenger;
use tarsy_web::{FieldError, Problem};

use crate::http::commands::{Message, plain};

/// The longest id of Slack that is kept.
const MAX_ID: usize = 100;

/// What Slack sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// Slack asks whether the address is ours, and is answered with the same text.
    Challenge(String),
    Message(Message),
    /// A message of a bot, a change of a message, or another event.
    Other,
}

/// An event with what is said about it, as far as it is read.
#[derive(Debug, Deserialize)]
struct Callback {
    #[serde(rename = "type")]
    kind: String,
    challenge: Option<String>,
    team_id: Option<String>,
    event: Option<Event>,
    #[serde(default)]
    authorizations: Vec<Authorization>,
}

#[derive(Debug, Deserialize)]
struct Authorization {
    user_id: Option<String>,
    #[serde(default)]
    is_bot: bool,
}

#[derive(Debug, Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    /// Of what is no message of a person, such as `message_changed` and `bot_message`.
    subtype: Option<String>,
    /// Of a message that was changed.
    edited: Option<Value>,
    bot_id: Option<String>,
    #[serde(default)]
    hidden: bool,
    user: Option<String>,
    text: Option<String>,
    channel: Option<String>,
    channel_type: Option<String>,
    ts: Option<String>,
    thread_ts: Option<String>,
}

pub(super) fn read(body: &[u8]) -> Result<Received, Problem> {
    serde_json::from_slice(body).map_err(|_| wrong()).and_then(of_payload)
}

fn wrong() -> Problem {
    Problem::invalid(vec![FieldError::new("body", "is no event of Slack")])
}

pub(super) fn of_payload(payload: Value) -> Result<Received, Problem> {
    let callback: Callback = serde_json::from_value(payload).map_err(|_| wrong())?;
    Ok(match (callback.kind.as_str(), callback.challenge) {
        ("url_verification", Some(challenge)) => Received::Challenge(challenge),
        ("event_callback", _) => {
            let app = callback.authorizations.into_iter().find(|one| one.is_bot);
            let app = app.and_then(|one| one.user_id);
            let message =
                callback.event.and_then(|event| message(event, callback.team_id, app.as_deref()));
            message.map_or(Received::Other, Received::Message)
        }
        _ => Received::Other,
    })
}

/// A message of a person that mentions the app, or that is to it alone.
fn message(event: Event, workspace: Option<String>, app: Option<&str>) -> Option<Message> {
    let is_direct = event.kind == "message" && event.channel_type.as_deref() == Some("im");
    let is_written = event.subtype.is_none()
        && event.edited.is_none()
        && event.bot_id.is_none()
        && !event.hidden;
    let user = event.user.filter(|user| app != Some(user.as_str()))?;
    if !is_written || !(is_direct || event.kind == "app_mention") {
        return None;
    }
    let (channel, ts, text) = (event.channel?, event.ts?, event.text?);
    let ids = [Some(&channel), Some(&ts), Some(&user), event.thread_ts.as_ref()];
    if ids.into_iter().flatten().any(|id| !is_id(id)) {
        return None;
    }
    Some(Message {
        messenger: Messenger::Slack,
        // Of a message that is delivered as several events, too.
        key: format!("{channel}/{ts}"),
        workspace,
        user,
        text: plain(Messenger::Slack, &text, app),
        thread: Some(event.thread_ts.unwrap_or(ts)),
        channel,
    })
}

fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_ID
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// As Slack's documentation has it.
    fn mention(event: &Value) -> Value {
        json!({
            "token": "z26uFbvR1xHJEdHE1OQiO6t8", "team_id": "T123ABC456", "api_app_id": "A123ABC456", "event": event,
            "type": "event_callback", "event_id": "Ev123ABC456", "event_time": 1_515_449_522,
            "authorizations": [{
                "enterprise_id": null, "team_id": "T123ABC456", "user_id": "U0LAN0Z89", "is_bot": true,
                "is_enterprise_install": false
            }],
            "is_ext_shared_channel": false, "event_context": "1-app_mention-T123ABC456-C123ABC456"
        })
    }

    fn event() -> Value {
        json!({
            "type": "app_mention", "user": "U061F7AUR", "text": "<@U0LAN0Z89> status", "ts": "1515449522.000016",
            "team": "T123ABC456", "channel": "C123ABC456", "event_ts": "1515449522.000016",
            "blocks": [{"type": "rich_text", "block_id": "Sesm", "elements": []}],
            "client_msg_id": "f0582a78-72db-4feb-b2f3-1e47d66365c8"
        })
    }

    fn of(event: &Value) -> Received {
        read(mention(event).to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_mention_begins_a_thread_or_is_in_one() {
        let message = Message {
            messenger: Messenger::Slack,
            key: "C123ABC456/1515449522.000016".to_owned(),
            workspace: Some("T123ABC456".to_owned()),
            user: "U061F7AUR".to_owned(),
            channel: "C123ABC456".to_owned(),
            thread: Some("1515449522.000016".to_owned()),
            text: "status".to_owned(),
        };
        assert_eq!(of(&event()), Received::Message(message.clone()));
        let mut reply = event();
        reply["thread_ts"] = json!("1515449000.000001");
        let thread = Some("1515449000.000001".to_owned());
        assert_eq!(of(&reply), Received::Message(Message { thread, ..message }));
    }

    #[test]
    fn a_direct_message_needs_no_mention() {
        let direct = json!({
            "type": "message", "channel": "D024BE91L", "user": "U2147483697", "text": "help",
            "ts": "1355517523.000005", "event_ts": "1355517523.000005", "channel_type": "im"
        });
        assert!(matches!(of(&direct), Received::Message(one) if one.text == "help"));
        let mut public = direct;
        public["channel_type"] = json!("channel");
        assert_eq!(of(&public), Received::Other);
    }

    #[test]
    fn what_no_person_wrote_now_is_no_command() {
        for (key, value) in [
            ("bot_id", json!("B1")),
            ("subtype", json!("message_changed")),
            ("edited", json!({"user": "U061F7AUR", "ts": "1515449523.000000"})),
            ("hidden", json!(true)),
            ("user", json!("U0LAN0Z89")),
            ("user", Value::Null),
            ("type", json!("reaction_added")),
            ("channel", json!("../C1")),
        ] {
            let mut other = event();
            other[key] = value.clone();
            assert_eq!(of(&other), Received::Other, "{key} {value}");
        }
    }

    #[test]
    fn a_challenge_is_answered_and_nonsense_is_named() {
        let asked = json!({
            "token": "Jhj5dZrVaK7ZwHHjRyZWjbDl", "type": "url_verification",
            "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"
        });
        let challenge = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P".to_owned();
        assert_eq!(read(asked.to_string().as_bytes()).unwrap(), Received::Challenge(challenge));
        assert!(read(b"[]").is_err() && read(b"{").is_err() && read(b"{}").is_err());
    }
}
