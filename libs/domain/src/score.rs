//! How well an investigation was done: what a model judges, what code counts, and how often people agree.

mod agreement;
mod checks;

pub use self::agreement::{Agreement, FEWEST_SESSIONS};
pub use self::checks::{Part, ScoreChecks};

use crate::review::Review;
use crate::string_enum::string_enum;

/// From this score on, an investigation is good.
pub const GOOD: u8 = 80;
/// Below this score, it is bad.
pub const FAIR: u8 = 60;

string_enum! {
    /// How far a scoring has come.
    ScoreStatus {
        /// Nobody works on it.
        Pending,
        InProgress,
        /// It has a number.
        Completed,
        /// It has none, and a reason.
        Failed,
    }
}

string_enum! {
    /// What went wrong in an investigation, as the model names it.
    FailureTag {
        /// It concluded while something decisive could still be looked at.
        PrematureConclusion,
        /// A tool that it had would have shown more.
        MissedAvailableTool,
        /// It is surer than its evidence allows.
        UnsupportedConfidence,
        /// Parts of the question have no evidence.
        IncompleteEvidence,
        /// It states what no result shows.
        HallucinatedEvidence,
        /// Its evidence points to another cause.
        WrongConclusion,
    }
}

string_enum! {
    /// Why a scoring has no number, or no answer about tools.
    ScoreFailure {
        /// The provider is the offline analyst.
        NoModel,
        /// The model's answer was not valid, twice.
        Invalid,
        /// The model could not be called.
        Failed,
        /// There was no time left.
        TimedOut,
        /// The tokens of the day are used up.
        BudgetUsedUp,
        /// It was begun too often.
        AttemptsUsedUp,
        /// What was stored for it cannot be read.
        Unreadable,
    }
}

string_enum! {
    /// What scores are summed up by.
    ScoreDimension {
        /// All sessions.
        All,
        Chain,
        /// Each agent that took part.
        Agent,
        /// Each provider that an agent used.
        Provider,
    }
}

impl ScoreFailure {
    /// The reason for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::NoModel => {
                "the offline analyst cannot judge; name a provider in scoring.llm_provider"
            }
            Self::Invalid => "the model's answer was not valid, twice",
            Self::Failed => "the model could not be called",
            Self::TimedOut => "there was no time left for it",
            Self::BudgetUsedUp => "the tokens of the day are used up; score it again tomorrow",
            Self::AttemptsUsedUp => "it was begun five times and never ended",
            Self::Unreadable => "its request cannot be read; score the session again",
        }
    }
}

/// The score of a session: the lower of what the model judges and what code counts, so that no text of the record
/// raises it.
pub fn combined(model: u8, checks: &ScoreChecks) -> u8 {
    model.min(checks.score())
}

/// What a score says, in the words of reviews.
pub const fn as_review(score: u8) -> Review {
    match score {
        GOOD.. => Review::Accurate,
        FAIR.. => Review::Partly,
        _ => Review::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_of_both_counts() {
        let checks = ScoreChecks { looked: true, ..ScoreChecks::default() };
        assert_eq!(combined(64, &checks), 64);
        let blind = ScoreChecks { looked: false, ..checks };
        assert_eq!(combined(100, &blind), 20);
    }

    #[test]
    fn a_score_stands_for_a_review() {
        let words = [100, 80, 79, 60, 59, 0].map(as_review);
        let (good, fair, bad) = (Review::Accurate, Review::Partly, Review::Wrong);
        assert_eq!(words, [good, good, fair, fair, bad, bad]);
    }
}
