//! How far people are with a session.

use crate::string_enum::string_enum;

string_enum! {
    /// The state of work on a session. It is about people, whatever the status of the investigation is.
    Triage {
        /// Nobody has taken it.
        New,
        /// Its assignee works on it.
        Taken,
        /// Nothing is left to do.
        Done,
    }
}
