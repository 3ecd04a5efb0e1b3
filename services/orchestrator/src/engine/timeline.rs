//! Operations that write timeline events.

use serde_json::{Value, json};
use tarsy_contracts::timeline::NewTimelineEvent;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{ExecutionId, StageId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_llm::Attempt;
use tarsy_store::Op;

use crate::prompts::Cut;

/// The stage and the execution that an event belongs to; neither for an event of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) stage: Option<StageId>,
    pub(crate) execution: Option<ExecutionId>,
}

impl Scope {
    pub(crate) const SESSION: Self = Self { stage: None, execution: None };

    /// An event that happens at once.
    pub(crate) fn event(self, kind: TimelineKind, content: String) -> Op {
        self.event_with(kind, content, None)
    }

    /// The same with metadata of its kind.
    pub(crate) fn event_with(
        self,
        kind: TimelineKind,
        content: String,
        metadata: Option<Value>,
    ) -> Op {
        self.event_as(TimelineEventId::new(), kind, content, metadata)
    }

    /// The same with an id that others refer to.
    pub(crate) fn event_as(
        self,
        id: TimelineEventId,
        kind: TimelineKind,
        content: String,
        metadata: Option<Value>,
    ) -> Op {
        Op::OpenEvent(NewTimelineEvent {
            id,
            stage_id: self.stage,
            execution_id: self.execution,
            kind,
            status: TimelineStatus::Completed,
            content,
            metadata,
        })
    }

    pub(crate) fn error(self, content: String) -> Op {
        self.event(TimelineKind::Error, content)
    }

    /// An event whose content is streamed, and then stored by `Op::CloseEvent`.
    pub(crate) fn stream(
        self,
        id: TimelineEventId,
        kind: TimelineKind,
        metadata: Option<Value>,
    ) -> Op {
        Op::OpenEvent(NewTimelineEvent {
            id,
            stage_id: self.stage,
            execution_id: self.execution,
            kind,
            status: TimelineStatus::Streaming,
            content: String::new(),
            metadata,
        })
    }
}

/// What cut an answer off, if anything did.
pub(crate) fn cut_of(attempt: &Attempt<'_>) -> Option<Cut> {
    match attempt.cut {
        Some(_) => Some(Cut::Time),
        None => attempt.is_truncated().then_some(Cut::Output),
    }
}

/// The metadata of an event whose text was cut off.
pub(crate) fn truncated_mark(cut: Cut) -> Value {
    match cut {
        Cut::Output => json!({ "truncated": true }),
        Cut::Time => json!({ "truncated": true, "time_up": true }),
    }
}
