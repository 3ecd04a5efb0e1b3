//! What people think of a finding.

use crate::string_enum::string_enum;

string_enum! {
    /// A person's judgement of what a session found.
    Review {
        /// The finding names the actual cause.
        Accurate,
        /// The finding is right in part, or names one of several causes.
        Partly,
        /// The finding does not name the actual cause.
        Wrong,
    }
}
