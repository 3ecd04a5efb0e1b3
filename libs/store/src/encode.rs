//! The one place where an event becomes its wire text.

use jiff::Timestamp;
use serde_json::Value;
use tarsy_contracts::event::{Body, Committed};
use tarsy_contracts::failure::Failure;
use tarsy_domain::id::{SessionId, TimelineEventId};

use crate::error::Error;

/// An event's text without what only the database can give: numbers and time.
pub(crate) struct Tail {
    pub(crate) kind: &'static str,
    /// Everything after the numbers: `"session_id":…,"type":…}`.
    pub(crate) text: String,
    /// The timeline event that begins with it, and takes a place in the session's timeline.
    pub(crate) opens: Option<TimelineEventId>,
}

/// The payload of an event that takes no place in the timeline, as a statement builds it that numbers and writes in one
/// step: the expressions of the number, of the time and of the [`Tail`]'s text. The same text as [`Tail::payload`].
macro_rules! event_payload {
    ($seq:literal, $at:literal, $tail:literal) => {
        concat!(
            "('{\"db_event_id\":' || ",
            $seq,
            " || ',\"timestamp\":\"' || to_char(",
            $at,
            " at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') || '\",' || ",
            $tail,
            ")::jsonb"
        )
    };
}

pub(crate) use event_payload;

/// What follows the session in the text of a [`Tail`], for a statement that picks the session itself.
pub(crate) fn members(body: &Body) -> Result<String, Error> {
    let mut json = serde_json::to_string(body).map_err(Error::Encode)?;
    json.remove(0);
    Ok(json)
}

impl Tail {
    pub(crate) fn new(session: SessionId, body: &Body) -> Result<Self, Error> {
        let members = members(body)?;
        Ok(Self {
            kind: body.kind(),
            text: format!("\"session_id\":\"{session}\",{members}"),
            opens: match body {
                Body::TimelineCreated { event, .. } => Some(event.id),
                _ => None,
            },
        })
    }

    /// The whole text. A statement that numbers and writes in one step builds the same in SQL.
    pub(crate) fn payload(&self, seq: i64, place: Option<i64>, at: Timestamp) -> String {
        let text = &self.text;
        match place {
            Some(place) => format!(
                "{{\"db_event_id\":{seq},\"sequence_number\":{place},\"timestamp\":\"{at:.6}\",{text}"
            ),
            None => format!("{{\"db_event_id\":{seq},\"timestamp\":\"{at:.6}\",{text}"),
        }
    }

    pub(crate) fn committed(
        &self,
        session: SessionId,
        seq: i64,
        place: Option<i64>,
        at: Timestamp,
    ) -> Committed {
        Committed {
            session_id: session,
            seq,
            kind: self.kind.to_owned(),
            payload: self.payload(seq, place, at),
        }
    }
}

/// Text that PostgreSQL takes: it has no place for the character NUL.
pub(crate) fn clean(text: &mut String) {
    if text.contains('\0') {
        *text = text.replace('\0', "\u{fffd}");
    }
}

/// The same for text that may be absent.
pub(crate) fn clean_maybe(text: &mut Option<String>) {
    if let Some(text) = text {
        clean(text);
    }
}

/// The same for the words of who failed; the rest of a failure are names of the configuration.
pub(crate) fn clean_failure(failure: &mut Option<Failure>) {
    if let Some(failure) = failure {
        clean(&mut failure.reason);
    }
}

/// The same for every text within a JSON value.
pub(crate) fn clean_json(value: &mut Value) {
    match value {
        Value::String(text) => clean(text),
        Value::Array(items) => items.iter_mut().for_each(clean_json),
        Value::Object(members) => {
            if members.keys().any(|key| key.contains('\0')) {
                *members = std::mem::take(members)
                    .into_iter()
                    .map(|(mut key, value)| {
                        clean(&mut key);
                        (key, value)
                    })
                    .collect();
            }
            members.values_mut().for_each(clean_json);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The same for a JSON value that may be absent.
pub(crate) fn clean_maybe_json(value: &mut Option<Value>) {
    if let Some(value) = value {
        clean_json(value);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_contracts::event::Event;
    use tarsy_domain::status::SessionStatus;

    use super::*;

    #[test]
    fn the_wire_text_is_the_event_with_its_number() {
        let session = SessionId::new();
        let body = Body::SessionStatus { status: SessionStatus::Pending };
        let at: Timestamp = "2026-01-02T03:04:05.5Z".parse().unwrap();
        let text = Tail::new(session, &body).unwrap().payload(7, None, at);
        assert_eq!(
            text,
            format!(
                "{{\"db_event_id\":7,\"timestamp\":\"2026-01-02T03:04:05.500000Z\",\
                 \"session_id\":\"{session}\",\"type\":\"session.status\",\"status\":\"pending\"}}"
            )
        );
        let event: Event = serde_json::from_str(&text).unwrap();
        assert_eq!(event, Event { session_id: session, timestamp: at, body });
    }

    #[test]
    fn a_nul_character_is_replaced_wherever_it_hides() {
        let mut value = json!({"a\0": ["b\0", {"c": "d\0"}], "n": 1});
        clean_json(&mut value);
        assert_eq!(value, json!({"a\u{fffd}": ["b\u{fffd}", {"c": "d\u{fffd}"}], "n": 1}));
    }
}
