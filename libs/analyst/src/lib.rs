//! Investigates an alert by rules, without a language model.
//!
//! Pure: values in, the next step out. [`next`] decides on an investigation: [`Next::Call`] while a call is worth making, then
//! [`Next::Conclude`] with a typed [`Verdict`] and its report. [`answer`] does the same for a conversation as TARSy's prompts
//! make it, and also writes summaries and answers questions.
//!
//! What tools print is read by `tarsy-evidence`. Each family of faults has a file of its own in `rules`.

mod alert;
mod answer;
mod chat;
mod conversation;
mod facts;
mod plan;
mod rank;
mod report;
mod request;
mod results;
mod rules;
mod sections;
mod signal;
mod since;
mod steps;
mod summary;
mod text;
mod transcript;
mod verdict;

pub use answer::answer;
pub use conversation::{Answer, CallRequest, Conversation, Message, Role};
pub use plan::{CALLS_PER_TURN, MOST_CALLS};
pub use report::LABEL;
pub use transcript::{CallRecord, Tool, ToolCall, Transcript};
pub use verdict::{Alternative, Category, Confidence, NotExamined, Quote, Target, Verdict};

use alert::Focus;
use facts::Facts;
use rank::Ranked;

/// What to do next in an investigation.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// These calls, at the same time; at most [`CALLS_PER_TURN`].
    Call(Vec<ToolCall>),
    Conclude(Box<Report>),
}

/// The end of an investigation.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// None if no result shows a fault.
    pub verdict: Option<Verdict>,
    pub markdown: String,
}

/// Other causes that a report names.
const MOST_ALTERNATIVES: usize = 4;
/// Quotations of the first cause.
const MOST_QUOTES: usize = 6;
/// A cause that scores this much less than the first is not named as another one.
const FARTHEST: f64 = 45.0;

/// The next step of an investigation. The same transcript gives the same step.
pub fn next(transcript: &Transcript) -> Next {
    let case = Case::read(transcript);
    let calls = plan::next(transcript, &case.focus, &case.facts, &case.found);
    if calls.is_empty() {
        Next::Conclude(Box::new(case.conclude(transcript)))
    } else {
        Next::Call(calls)
    }
}

/// A transcript with what was read from it.
struct Case {
    focus: Focus,
    facts: Facts,
    found: Vec<signal::Signal>,
}

impl Case {
    fn read(transcript: &Transcript) -> Self {
        let focus = Focus::read(&transcript.alert);
        let facts = facts::read(transcript, &focus);
        let found = rules::find(&facts);
        Self { focus, facts, found }
    }

    fn conclude(self, transcript: &Transcript) -> Report {
        let missing = plan::not_examined(transcript, &self.focus, &self.facts);
        let looked = self.facts.results.len();
        let ranked = rank::rank(self.found, &self.focus, &self.facts);
        match verdict(&ranked, &self.facts, missing.clone()) {
            // What no evidence decides is a hint: in recorded incidents of others no such cause was the right one.
            Some(hints) if hints.confidence == Confidence::Low => {
                Report { verdict: None, markdown: report::write_hints(&hints) }
            }
            Some(verdict) => {
                let markdown = report::write(&verdict);
                Report { verdict: Some(verdict), markdown }
            }
            None => Report { verdict: None, markdown: report::write_nothing(looked, &missing) },
        }
    }
}

fn verdict(ranked: &[Ranked], facts: &Facts, not_examined: Vec<NotExamined>) -> Option<Verdict> {
    let first = ranked.first()?;
    let evidence = rank::best_quotes(&first.signal.quotes, MOST_QUOTES);
    let alternatives = ranked
        .iter()
        .skip(1)
        .filter(|one| first.score - one.score < FARTHEST)
        .take(MOST_ALTERNATIVES)
        .map(|one| Alternative {
            cause: one.signal.stated(),
            category: one.signal.category,
            target: target(&one.signal.target),
            because: one.remark.to_owned(),
            evidence: rank::best_quotes(&one.signal.quotes, 1),
        })
        .collect();
    Some(Verdict {
        cause: first.signal.stated(),
        category: first.signal.category,
        target: target(&first.signal.target),
        since: since::of(&evidence, facts),
        confidence: rank::confidence(ranked),
        evidence,
        alternatives,
        not_examined,
        next_steps: steps::next_steps(first.signal.category),
    })
}

/// A target with its kind as people write it.
fn target(target: &Target) -> Target {
    let kind = facts::canonical_kind(&target.kind).map_or(target.kind.as_str(), facts::shown_kind);
    Target::new(kind, &target.name, &target.namespace)
}
