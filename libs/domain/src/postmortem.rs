//! What postmortems are made of.

use crate::string_enum::string_enum;

string_enum! {
    /// What happened at a time of an incident.
    MomentKind {
        /// Something was changed, as a source of changes reported it.
        Change,
        /// A result of a tool shows it with its time.
        Signal,
        /// An alert came for the first time.
        Alert,
        /// An alert that came again came for the last time.
        Repeat,
        /// An alert was resolved.
        Resolved,
        /// An investigation ended.
        Finding,
        /// A call that changes something was made or checked.
        Action,
        /// A person decided, took the session, wrote a note, asked or reviewed.
        Person,
    }
}

string_enum! {
    /// How far the cause of an incident is known.
    CauseState {
        /// A person reviewed the finding and named or confirmed the cause.
        Reviewed,
        /// An investigation states it, and nobody reviewed it.
        Stated,
        /// Nobody states one.
        NotFound,
    }
}

string_enum! {
    /// The parts of a postmortem that a model may write.
    ProseSection {
        Summary,
        WhatHappened,
        Lessons,
    }
}

string_enum! {
    /// How far the prose of a postmortem has come.
    ProseStatus {
        Pending,
        InProgress,
        Completed,
        Failed,
    }
}

string_enum! {
    /// Why a model wrote no prose.
    ProseFailure {
        /// No sentence of its answers rests on a fact.
        Invalid,
        /// The model could not be called.
        Failed,
        TimedOut,
        /// The tokens or the money of the day are used up.
        BudgetUsedUp,
        /// It was begun five times and never ended.
        AttemptsUsedUp,
        /// What was stored with the request cannot be read.
        Unreadable,
    }
}
