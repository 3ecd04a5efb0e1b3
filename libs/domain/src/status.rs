//! The states of sessions, stages and timeline events, and the transitions that are allowed.

use thiserror::Error;

use crate::code::{Code, Coded};
use crate::string_enum::string_enum;

string_enum! {
    SessionStatus {
        /// In the queue.
        Pending,
        /// Claimed by a worker.
        InProgress,
        /// A cancel was requested; the owner stops the work.
        Cancelling,
        /// Finished with an analysis.
        Completed,
        /// Finished without an analysis, or with an incomplete one.
        Failed,
        /// The session timeout expired.
        TimedOut,
        /// Cancelled by a person.
        Cancelled,
    }
}

string_enum! {
    /// How a session came to be.
    SessionOrigin {
        /// An alert was submitted.
        Alert,
        /// Another session is replayed: tool results come from its record, and nobody is notified.
        Replay,
        /// A record that was made elsewhere; nothing was investigated here.
        Recording,
    }
}

string_enum! {
    /// The state of a stage or of an agent's execution.
    WorkStatus {
        /// Not started.
        Pending,
        /// Running.
        Active,
        /// Finished with a result.
        Completed,
        /// Finished without a result.
        Failed,
        /// A timeout expired.
        TimedOut,
        /// Cancelled by a person.
        Cancelled,
    }
}

string_enum! {
    /// The state of a stage in `stage.status` events: they have no `pending`, and call `active` started.
    StageEventStatus {
        Started,
        /// Finished with a result.
        Completed,
        /// Finished without a result.
        Failed,
        /// A timeout expired.
        TimedOut,
        /// Cancelled by a person.
        Cancelled,
    }
}

string_enum! {
    /// What an agent or a session does at the moment.
    Phase {
        /// The model is called.
        Investigating,
        /// Tools are opened or called.
        GatheringInfo,
        /// A limit is reached; the agent writes its conclusion.
        Concluding,
        /// The findings of several agents are joined.
        Synthesizing,
        /// The executive summary is written.
        Finalizing,
        /// A tool reports how far its call has come.
        Tool,
    }
}

string_enum! {
    TimelineStatus {
        /// Its text is still being written.
        Streaming,
        /// Its text is complete.
        Completed,
        /// Its text was interrupted.
        Failed,
        /// Cancelled by a person.
        Cancelled,
        /// A timeout expired.
        TimedOut,
    }
}

/// A transition that the state machine does not allow.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot go from {from} to {to}")]
pub struct IllegalTransition {
    pub from: &'static str,
    pub to: &'static str,
}

impl Coded for IllegalTransition {
    fn code(&self) -> Code {
        Code::Conflict
    }
}

impl SessionStatus {
    /// Whether the investigation is finished.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled)
    }

    /// Returns `to` if a session in this state may enter it.
    pub fn transition(self, to: Self) -> Result<Self, IllegalTransition> {
        let allowed = match self {
            Self::Pending => matches!(to, Self::InProgress | Self::Cancelled | Self::Failed),
            Self::InProgress => to.is_terminal() || to == Self::Cancelling,
            Self::Cancelling => matches!(to, Self::Cancelled),
            Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled => false,
        };
        if allowed {
            Ok(to)
        } else {
            Err(IllegalTransition { from: self.as_str(), to: to.as_str() })
        }
    }
}

impl WorkStatus {
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Pending | Self::Active)
    }

    pub const fn stage_event_status(self) -> StageEventStatus {
        match self {
            Self::Pending | Self::Active => StageEventStatus::Started,
            Self::Completed => StageEventStatus::Completed,
            Self::Failed => StageEventStatus::Failed,
            Self::TimedOut => StageEventStatus::TimedOut,
            Self::Cancelled => StageEventStatus::Cancelled,
        }
    }
}

impl TimelineStatus {
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Streaming)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_session_stays_finished() {
        for end in [
            SessionStatus::Completed,
            SessionStatus::Failed,
            SessionStatus::TimedOut,
            SessionStatus::Cancelled,
        ] {
            assert!(end.transition(SessionStatus::InProgress).is_err());
            assert!(end.transition(SessionStatus::Cancelling).is_err());
        }
    }

    #[test]
    fn a_session_is_cancelled_through_cancelling_or_before_it_began() {
        assert!(SessionStatus::Pending.transition(SessionStatus::Cancelled).is_ok());
        assert!(SessionStatus::InProgress.transition(SessionStatus::Cancelling).is_ok());
        assert!(SessionStatus::Cancelling.transition(SessionStatus::Cancelled).is_ok());
        assert!(SessionStatus::Cancelling.transition(SessionStatus::Completed).is_err());
    }

    #[test]
    fn statuses_are_spelled_in_snake_case() {
        assert_eq!(SessionStatus::TimedOut.as_str(), "timed_out");
        assert_eq!("in_progress".parse::<SessionStatus>().unwrap(), SessionStatus::InProgress);
    }
}
