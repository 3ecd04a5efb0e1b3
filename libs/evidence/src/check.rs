//! Compares the claims of a text with the results of calls.

mod columns;
mod computed;
mod context;
mod count;
mod derive;
mod durations;
mod elsewhere;
mod evidence;
mod judge;
mod label;
mod names;
mod nouns;
mod number_claim;
mod numbers;
mod related;
mod rivals;
mod rows;
mod scan;
mod search;
mod shares;
mod source;
mod subject;
mod times;

use crate::claim::Claim;

pub use evidence::Evidence;
pub use source::Call;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// A call that the statement cites shows it.
    Supported,
    /// The statement cites a call, but another one shows it.
    SupportedElsewhere,
    /// A call shows it, and the statement cites none.
    Uncited,
    /// No call shows it.
    Unsupported,
    /// A call shows another value for the same field of the same object.
    Contradicted,
    /// It cites a call that was not made.
    NoSuchCall,
}

/// A line of a result. Lines are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub call: u32,
    pub line: usize,
}

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    pub claim: Claim,
    pub verdict: Verdict,
    /// Where the claim, or what contradicts it, stands.
    pub place: Option<Place>,
    /// What a call shows instead, if it contradicts: `RESTARTS of shop / web-1: 5`.
    pub instead: Option<String>,
}

/// All claims of a text, in its order. What only repeats the alert or the question is not among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub claims: Vec<Checked>,
}

impl Verdict {
    /// Whether people must be warned: the claim is not what the cited results show.
    pub fn is_flagged(self) -> bool {
        !matches!(self, Self::Supported | Self::Uncited)
    }
}

impl Report {
    /// How many claims have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.claims.iter().filter(|checked| checked.verdict == verdict).count()
    }

    /// The claims that people must be warned of.
    pub fn flagged(&self) -> impl Iterator<Item = &Checked> {
        self.claims.iter().filter(|checked| checked.verdict.is_flagged())
    }
}
