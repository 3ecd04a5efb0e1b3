//! Operations that write timeline events.

use serde_json::Value;
use tarsy_contracts::timeline::NewTimelineEvent;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{ExecutionId, StageId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_store::Op;

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
