//! One stored event: its number, what it does to streams, and the bytes that viewers get.

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use tarsy_contracts::event::{Committed, EventHead};
use tarsy_domain::id::TimelineEventId;
use tarsy_domain::status::TimelineStatus;

/// What a stored event does to the streams of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// A text begins.
    Opens(TimelineEventId),
    /// A text is over.
    Closes(TimelineEventId),
    None,
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) seq: i64,
    pub(crate) effect: Effect,
    pub(crate) frame: Utf8Bytes,
}

impl Row {
    /// Reads an event as it came over the bus; what has no number is no stored event.
    pub(crate) fn read(payload: Bytes) -> Option<Self> {
        let head: EventHead = serde_json::from_slice(&payload).ok()?;
        let seq = head.db_event_id?;
        Some(Self { seq, effect: effect(&head), frame: Utf8Bytes::try_from(payload).ok()? })
    }

    /// Takes an event as the table has it.
    pub(crate) fn stored(event: Committed) -> Self {
        let head: Option<EventHead> = serde_json::from_str(&event.payload).ok();
        Self {
            seq: event.seq,
            effect: head.as_ref().map_or(Effect::None, effect),
            frame: event.payload.into(),
        }
    }
}

fn effect(head: &EventHead) -> Effect {
    let streaming = head.status.as_deref() == Some(TimelineStatus::Streaming.as_str());
    match (head.kind.as_str(), head.event_id) {
        ("timeline_event.created", Some(id)) if streaming => Effect::Opens(id),
        ("timeline_event.completed", Some(id)) => Effect::Closes(id),
        _ => Effect::None,
    }
}
