//! What became of all rounds.

use std::fmt;

/// The result of all rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Rounds that were run.
    pub rounds: usize,
    /// Faults that were carried out.
    pub faults: usize,
    /// How many of these killed the owner of a session whose agents delegated.
    pub owners: usize,
    /// Alerts that were submitted.
    pub sessions: usize,
    /// Sessions that completed, with their question answered.
    pub completed: usize,
    /// Sessions that were accepted and are missing, ended otherwise or lack something, and reports that were not received.
    pub lost: usize,
    /// Sessions, questions and requests without an end, and services that ended by themselves.
    pub stuck: usize,
    /// Tool calls with side effects that were made more than once.
    pub repeated: usize,
    /// Posts that were received again without a reason.
    pub duplicate_posts: usize,
    /// Sessions, stages, executions, messages, decisions, outcomes and events that are there more than once.
    pub duplicates: usize,
    /// Events that are missing, in the table or before the viewer.
    pub gaps: usize,
    /// Sessions that could not be in progress at the same time, at the end of all rounds.
    pub lost_slots: usize,
    /// The seed of all that was random.
    pub seed: u64,
}

impl Outcome {
    /// Whether every session completed and nothing is wrong with any.
    pub fn is_good(&self) -> bool {
        let Self { rounds, faults, owners, sessions, seed, .. } = *self;
        let good =
            Self { rounds, faults, owners, sessions, completed: sessions, seed, ..Self::default() };
        *self == good
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rounds, faults, owners, sessions, completed, lost, stuck, .. } = self;
        let Self { repeated, duplicate_posts, duplicates, gaps, lost_slots, seed, .. } = self;
        write!(
            out,
            "rounds {rounds}, faults {faults}, owners killed {owners}, sessions {sessions}, completed {completed}, \
             lost {lost}, stuck {stuck}, repeated tool calls {repeated}, \
             duplicate posts {duplicate_posts}, duplicates {duplicates}, gaps {gaps}, \
             lost slots {lost_slots}, seed {seed}"
        )
    }
}
