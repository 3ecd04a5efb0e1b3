//! How far a session, a stage or a timeline event has come, and which steps their lives allow.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::code::{Code, Coded};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize,
            strum::Display, strum::EnumString, strum::IntoStaticStr, strum::EnumIter,
        )]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// The word as the database and the wire spell it.
            pub fn as_str(self) -> &'static str {
                self.into()
            }
        }
    };
}

words! {
    /// How far a session has come.
    SessionStatus {
        /// Waiting for a worker.
        Pending,
        /// A worker holds it.
        InProgress,
        /// A cancel was asked for; its owner is winding it down.
        Cancelling,
        /// Finished with an analysis.
        Completed,
        /// Finished without one, or with a part of one.
        Failed,
        /// Ran out of its time.
        TimedOut,
        /// Ended by a person.
        Cancelled,
    }
}

words! {
    /// How far a stage or an agent's execution has come.
    WorkStatus {
        /// Not begun.
        Pending,
        /// Being worked on.
        Active,
        /// Finished with a result.
        Completed,
        /// Finished without one.
        Failed,
        /// Ran out of its time.
        TimedOut,
        /// Ended by a person.
        Cancelled,
    }
}

words! {
    /// How far a timeline event has come.
    TimelineStatus {
        /// Its text still grows.
        Streaming,
        /// It is whole.
        Completed,
        /// It broke off.
        Failed,
        /// It was ended by a person.
        Cancelled,
        /// It ran out of its time.
        TimedOut,
    }
}

/// A step that a life does not allow.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot go from {from} to {to}")]
pub struct IllegalStep {
    /// Where it stands.
    pub from: &'static str,
    /// Where it was asked to go.
    pub to: &'static str,
}

impl Coded for IllegalStep {
    fn code(&self) -> Code {
        Code::Conflict
    }
}

impl SessionStatus {
    /// Whether nothing more will happen to the session's investigation.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled)
    }

    /// Takes a step, if the life of a session allows it.
    pub fn step(self, to: Self) -> Result<Self, IllegalStep> {
        let allowed = match self {
            Self::Pending => matches!(to, Self::InProgress | Self::Cancelled | Self::Failed),
            Self::InProgress => to.is_terminal() || to == Self::Cancelling,
            Self::Cancelling => to.is_terminal(),
            Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled => false,
        };
        if allowed { Ok(to) } else { Err(IllegalStep { from: self.as_str(), to: to.as_str() }) }
    }
}

impl WorkStatus {
    /// Whether the work is over.
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Pending | Self::Active)
    }

    /// The word that `stage.status` events use for it.
    pub const fn event_word(self) -> &'static str {
        match self {
            Self::Pending | Self::Active => "started",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }
}

impl TimelineStatus {
    /// Whether the event is over.
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
            assert!(end.step(SessionStatus::InProgress).is_err());
            assert!(end.step(SessionStatus::Cancelling).is_err());
        }
    }

    #[test]
    fn a_session_is_cancelled_through_cancelling_or_before_it_began() {
        assert!(SessionStatus::Pending.step(SessionStatus::Cancelled).is_ok());
        assert!(SessionStatus::InProgress.step(SessionStatus::Cancelling).is_ok());
        assert!(SessionStatus::Cancelling.step(SessionStatus::Cancelled).is_ok());
    }

    #[test]
    fn words_are_spelled_as_the_wire_spells_them() {
        assert_eq!(SessionStatus::TimedOut.as_str(), "timed_out");
        assert_eq!("in_progress".parse::<SessionStatus>().unwrap(), SessionStatus::InProgress);
    }
}
