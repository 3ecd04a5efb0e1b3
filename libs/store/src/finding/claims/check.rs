//! A check as the owner of a session stores it.

use tarsy_domain::claim::{CheckFailure, CheckedText, ClaimKind, Verdict};
use tarsy_domain::id::{ClaimCheckId, ExecutionId, TimelineEventId};

use crate::encode::{clean, clean_maybe};

/// Claims of one check that have a row: more than a reader looks at.
const MAX_STORED: usize = 500;

/// The check of a text that is stored in the same batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewClaimCheck {
    pub id: ClaimCheckId,
    /// None for the executive summary.
    pub execution_id: Option<ExecutionId>,
    /// Shows the text; none for a conclusion that its agent is asked to correct.
    pub timeline_event_id: Option<TimelineEventId>,
    pub text: CheckedText,
    /// Calls with a result that the text could rest on.
    pub successful_calls: usize,
    /// In the order of the text, or why there are none.
    pub outcome: Result<Vec<NewClaim>, CheckFailure>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewClaim {
    pub kind: ClaimKind,
    pub text: String,
    /// In UTF-16 code units.
    pub start: usize,
    /// In UTF-16 code units.
    pub end: usize,
    pub verdict: Verdict,
    /// The call that shows it, or something else instead.
    pub call: Option<u32>,
    /// The line there, from 1.
    pub line: Option<usize>,
    /// What a result shows instead.
    pub shown: Option<String>,
}

/// A claim, and its place among those of the text, from 1.
pub(crate) struct Row<'a> {
    pub(crate) ordinal: i32,
    pub(crate) claim: &'a NewClaim,
}

impl NewClaimCheck {
    pub fn claims(&self) -> &[NewClaim] {
        self.outcome.as_deref().unwrap_or_default()
    }

    /// How many claims a result shows.
    pub fn verified(&self) -> usize {
        self.claims().iter().filter(|claim| !claim.verdict.is_flagged()).count()
    }

    pub(crate) fn clean(&mut self) {
        for claim in self.outcome.iter_mut().flatten() {
            clean(&mut claim.text);
            clean_maybe(&mut claim.shown);
        }
    }

    /// The claims that get a row: the worst ones.
    pub(crate) fn stored(&self) -> Vec<Row<'_>> {
        let mut rows: Vec<Row<'_>> =
            (1..).zip(self.claims()).map(|(ordinal, claim)| Row { ordinal, claim }).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.claim.verdict.severity()));
        rows.truncate(MAX_STORED);
        rows
    }
}

/// As the column has it; also the event of the check.
pub(crate) fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
