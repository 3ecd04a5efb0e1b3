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
