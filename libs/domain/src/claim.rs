//! Claims of texts that models wrote, and what became of them.

use crate::string_enum::string_enum;

string_enum! {
    /// What a claim is.
    ClaimKind {
        /// The number of a call, and perhaps a line of its result.
        Citation,
        /// A number, with or without a unit.
        Quantity,
        /// A date, a time of day, or both.
        Time,
        /// A text that a result has word for word.
        Quotation,
        /// The name of an object: a pod, a path, an address.
        Name,
    }
}

string_enum! {
    /// What became of a claim.
    Verdict {
        /// A call that the statement cites shows it.
        Supported,
        /// A call shows it, and the statement cites none.
        Uncited,
        /// The statement cites a call, but another one shows it.
        SupportedElsewhere,
        /// No call shows it.
        Unsupported,
        /// A result shows another value for the same field of the same object.
        Contradicted,
        /// It cites a call that was not made.
        NoSuchCall,
    }
}

string_enum! {
    /// Which of a session's texts is checked.
    CheckedText {
        /// An agent's conclusion.
        FinalAnalysis,
        /// One analysis made of those of several agents.
        Synthesis,
        /// The answer to a question about the session.
        ChatAnswer,
        /// The executive summary of the session.
        ExecutiveSummary,
    }
}

string_enum! {
    /// Why a text could not be checked.
    CheckFailure {
        /// The text, or the results it is compared with, are too long.
        TooLarge,
        /// The check did not end in its time, or before the session's work stopped.
        TimedOut,
        /// The check failed; the log has the cause.
        Failed,
    }
}

string_enum! {
    /// Why the findings of a session need a second look.
    DegradedReason {
        /// No tool call succeeded: the analysis rests on nothing that was looked up.
        NoSuccessfulCall,
        /// An agent that had tools concluded without a successful call, or without a result of a tool that its chain
        /// requires.
        NoToolCalled,
        /// Each call of some tool failed: what only that tool shows was not examined. Calls that were refused do not count.
        ToolFailed,
        /// A tool server of an agent offered it no tools.
        ToolServerUnavailable,
        /// The last conclusions, or the executive summary, have claims that no cited result shows.
        UnverifiedClaims,
        /// One of these texts could not be checked.
        NotChecked,
        /// The alert, or a result that the investigation read, has text that is addressed to a model.
        InjectedInstructions,
        /// An agent had used up its iterations and was asked to conclude.
        IterationsUsedUp,
        /// The session's budget was used up: agents were asked to conclude.
        BudgetUsedUp,
    }
}

string_enum! {
    /// Why an agent was asked to conclude before it did so by itself.
    ConclusionCause {
        /// It made as many iterations as it may.
        Iterations,
        /// The session's budget is used up.
        Budget,
        /// It made the same calls again and again.
        Repetition,
        /// Its answers came too late.
        Time,
        /// Its messages kept to no form.
        Form,
    }
}

impl Verdict {
    /// Whether people must be warned: the claim is not what the cited results show.
    pub const fn is_flagged(self) -> bool {
        !matches!(self, Self::Supported | Self::Uncited)
    }

    /// How much it speaks against the text, from 0.
    pub const fn severity(self) -> u8 {
        match self {
            Self::Supported => 0,
            Self::Uncited => 1,
            Self::SupportedElsewhere => 2,
            Self::Unsupported => 3,
            Self::NoSuchCall => 4,
            Self::Contradicted => 5,
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator as _;

    use super::*;

    #[test]
    fn what_is_flagged_is_worse_than_what_is_not() {
        let least_flagged =
            Verdict::iter().filter(|one| one.is_flagged()).map(Verdict::severity).min();
        let worst_other =
            Verdict::iter().filter(|one| !one.is_flagged()).map(Verdict::severity).max();
        assert!(least_flagged > worst_other);
    }
}
