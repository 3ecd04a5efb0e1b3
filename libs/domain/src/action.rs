//! Calls that change something: how their effect is checked, and what became of it.

use crate::string_enum::string_enum;

string_enum! {
    /// What became of the effect that a call was meant to have.
    ActionOutcome {
        /// The check shows the effect.
        Worked,
        /// The check shows that the effect is not there.
        DidNotWork,
        /// It could not be checked, or what was read does not decide it.
        Unknown,
    }
}

impl ActionOutcome {
    /// As people read it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Worked => "worked",
            Self::DidNotWork => "did not work",
            Self::Unknown => "unknown",
        }
    }
}

string_enum! {
    /// How a value of a check's result is compared with the expected one.
    ExpectationKind {
        /// It is the same value.
        Equals,
        /// Its text has this one.
        Contains,
        /// Its text does not have this one.
        Lacks,
        /// Its text matches this regular expression.
        Matches,
        /// It is a number, and not less than this one.
        AtLeast,
        /// It is a number, and not more than this one.
        AtMost,
    }
}

string_enum! {
    /// How far a call that changes something has come.
    ActionState {
        /// It waits for a person, runs, or is checked.
        Open,
        /// It was denied, or nobody approved it in time.
        NotMade,
        /// Its outcome is known, or known to be unknown.
        Ended,
    }
}
