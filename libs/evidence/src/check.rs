//! Compares the claims of a text with the results of calls.

mod alike;
mod certain;
mod columns;
mod computed;
mod context;
mod count;
mod derivable;
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
mod rounding;
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

/// What a mark rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ground {
    /// The call was not made, or its result has no such line.
    Citation,
    /// Another call than the cited one shows it.
    Elsewhere,
    /// No result has it.
    Absent,
    /// It stands only beside other objects or words.
    Taken,
    /// The field that the words name, of the object that they name, has another value.
    Field,
    /// The one value of the named object is another one.
    OnlyValue,
    /// The one field that the words name, where no object is named, has another value.
    OnlyField,
    /// The value is that of another object, and the named one has its own.
    Object,
    /// The named object has a field that the words name better.
    OwnField,
    /// The value is that of another field of the object.
    Sibling,
    /// The field had another value at the time of the clause.
    Moment,
    /// Another line has the words of the clause, and another value of the field.
    Line,
    /// `2/5` is another pair.
    Pair,
    /// `key: value` has another value.
    Value,
    /// The name is another object's value.
    Link,
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
    /// What its mark rests on, if it has one.
    pub ground: Option<Ground>,
}

/// All claims of a text, in its order. What only repeats the alert or the question is not among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub claims: Vec<Checked>,
    /// How many more no result shows, or shows otherwise, that may be true all the same: a count, and no marks.
    pub open: usize,
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
