//! What viewers say, and what the relay itself says; everything else is forwarded untouched.

use std::fmt;

use axum::extract::ws::Utf8Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::access::SocketAction;
use tarsy_domain::id::SessionId;

/// The longest message that a viewer may send, in bytes.
pub(crate) const MAX_INBOUND: usize = 64 * 1024;

const SESSIONS: &str = "sessions";
const SESSION: &str = "session:";

/// What can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Channel {
    Sessions,
    Session(SessionId),
}

impl Channel {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        if name == SESSIONS {
            return Some(Self::Sessions);
        }
        name.strip_prefix(SESSION)?.parse().ok().map(Self::Session)
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sessions => f.write_str(SESSIONS),
            Self::Session(id) => write!(f, "{SESSION}{id}"),
        }
    }
}

/// What a viewer asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Watch a channel; a session's from the event after this one on.
    Subscribe(Channel, i64),
    /// Watch it no longer.
    Unsubscribe(Channel),
    /// Tell again what came after this event.
    Catchup(Channel, i64),
    /// Are you there?
    Ping,
}

#[derive(Deserialize)]
struct Request {
    action: Option<Value>,
    channel: Option<Value>,
    last_event_id: Option<Value>,
}

impl Action {
    /// Reads a message; what cannot be read becomes the answer to it.
    pub(crate) fn parse(text: &str) -> Result<Self, Control> {
        let request: Request = serde_json::from_str(text).map_err(|_| {
            Control::error("the message is not a JSON object; send {\"action\": …}")
        })?;
        let action = request.action.as_ref().and_then(Value::as_str).unwrap_or_default();
        let action: SocketAction = action.parse().map_err(|_| {
            Control::error("action: is not known; use subscribe, unsubscribe, catchup or ping")
        })?;
        Ok(match action {
            SocketAction::Ping => Self::Ping,
            SocketAction::Subscribe => Self::Subscribe(channel(&request)?, after(&request)?),
            SocketAction::Catchup => Self::Catchup(channel(&request)?, after(&request)?),
            SocketAction::Unsubscribe => Self::Unsubscribe(channel(&request)?),
        })
    }
}

fn channel(request: &Request) -> Result<Channel, Control> {
    let name = request.channel.as_ref().and_then(Value::as_str).unwrap_or_default();
    Channel::parse(name).ok_or_else(|| Control::SubscriptionError {
        channel: name.chars().take(120).collect(),
        message: "channel: is not known; use `sessions` or `session:` and a session's id".into(),
    })
}

fn after(request: &Request) -> Result<i64, Control> {
    match &request.last_event_id {
        None | Some(Value::Null) => Ok(0),
        Some(value) => match value.as_i64() {
            Some(number) => Ok(number.max(0)),
            None => Err(Control::error(
                "last_event_id: is not a whole number; send the last db_event_id you have",
            )),
        },
    }
}

/// What the relay itself tells a viewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type")]
pub(crate) enum Control {
    #[serde(rename = "connection.established")]
    Established { connection_id: String },
    #[serde(rename = "subscription.confirmed")]
    Confirmed { channel: String },
    #[serde(rename = "subscription.error")]
    SubscriptionError { channel: String, message: String },
    #[serde(rename = "error")]
    Error { message: String },
    #[serde(rename = "pong")]
    Pong,
    #[serde(rename = "catchup.overflow")]
    Overflow { channel: String, has_more: bool },
    #[serde(rename = "connection.degraded")]
    Degraded { channel: String, message: String },
    #[serde(rename = "connection.recovered")]
    Recovered { channel: String },
}

impl Control {
    pub(crate) fn error(message: &str) -> Self {
        Self::Error { message: message.to_owned() }
    }

    pub(crate) fn overflow(channel: Channel) -> Self {
        Self::Overflow { channel: channel.to_string(), has_more: true }
    }

    pub(crate) fn degraded(channel: Channel) -> Self {
        Self::Degraded {
            channel: channel.to_string(),
            message: "live delivery is disturbed; events come late until it is repaired".to_owned(),
        }
    }

    pub(crate) fn recovered(channel: Channel) -> Self {
        Self::Recovered { channel: channel.to_string() }
    }

    pub(crate) fn frame(&self) -> Utf8Bytes {
        match serde_json::to_string(self) {
            Ok(text) => text.into(),
            Err(_) => Utf8Bytes::from_static(r#"{"type":"error","message":"internal error"}"#),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_survives_its_name() {
        let session = Channel::Session(SessionId::new());
        for channel in [Channel::Sessions, session] {
            assert_eq!(Channel::parse(&channel.to_string()), Some(channel));
        }
        for name in ["", "session", "session:", "session:nonsense", "Sessions", "sessions "] {
            assert_eq!(Channel::parse(name), None, "{name}");
        }
    }

    #[test]
    fn actions_are_read_as_existing_clients_send_them() {
        let read = |text: &str| Action::parse(text).unwrap();
        assert_eq!(read(r#"{"action":"ping"}"#), Action::Ping);
        let list = Channel::Sessions;
        assert_eq!(
            read(r#"{"action":"subscribe","channel":"sessions"}"#),
            Action::Subscribe(list, 0)
        );
        assert_eq!(
            read(r#"{"action":"catchup","channel":"sessions","last_event_id":7}"#),
            Action::Catchup(list, 7)
        );
        assert_eq!(
            read(r#"{"action":"subscribe","channel":"sessions","last_event_id":null,"x":1}"#),
            Action::Subscribe(list, 0)
        );
    }

    #[test]
    fn what_cannot_be_read_is_answered_with_the_fix() {
        for (text, needle) in [
            ("nonsense", "JSON object"),
            ("[]", "JSON object"),
            ("{}", "action"),
            (r#"{"action":"dance"}"#, "action"),
            (r#"{"action":"subscribe"}"#, "channel"),
            (r#"{"action":"subscribe","channel":"x"}"#, "channel"),
            (r#"{"action":"catchup","channel":"sessions","last_event_id":"7"}"#, "last_event_id"),
        ] {
            let refusal = Action::parse(text).unwrap_err().frame();
            assert!(refusal.contains(needle), "{text}: {refusal}");
        }
    }
}
