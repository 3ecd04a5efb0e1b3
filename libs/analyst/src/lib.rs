//! Investigates an alert by rules, without a language model.
//!
//! Pure: values in, the next step out. [`next`] decides on an investigation: [`Next::Call`] while a call is worth making, then
//! [`Next::Conclude`] with a typed [`Verdict`] and its report. [`answer`] does the same for a conversation as TARSy's prompts
//! make it, and also writes summaries and answers questions.
//!
//! What tools print is read by `tarsy-evidence`. Each family of faults has a file of its own in `rules`.

mod alert;
mod answer;
mod assertion;
mod bearing;
mod called;
mod change;
mod changes;
mod charts;
mod chat;
mod confidence;
mod conversation;
mod dependencies;
mod facts;
mod follows;
mod plan;
mod rank;
mod report;
mod request;
mod results;
mod rules;
mod sections;
mod signal;
mod since;
mod statement;
mod steps;
mod summary;
mod text;
mod transcript;
mod usage;
mod verdict;

pub use answer::answer;
pub use charts::charts;
pub use conversation::{Answer, CallRequest, Conversation, Message, Role};
pub use plan::{CALLS_PER_TURN, MOST_CALLS};
pub use report::LABEL;
pub use text::owner_name;
pub use transcript::{CallRecord, Tool, ToolCall, Transcript};
pub use verdict::{Alternative, Category, Confidence, NotExamined, Quote, Target, Verdict};

use alert::Focus;
use assertion::Assertion;
use bearing::Bearing;
use facts::Facts;
use rank::Ranked;
use statement::{Known, Scene};

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
    /// None if no cause is stated.
    pub verdict: Option<Verdict>,
    /// How the investigation ended, with a cause or without; as the session has it.
    pub recorded: tarsy_domain::verdict::Verdict,
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
        let mut focus = Focus::read(&transcript.alert);
        focus.set_called(dependencies::follow(&transcript.dependencies, &focus));
        let facts = facts::read(transcript, &focus);
        let found = rules::find(&facts);
        Self { focus, facts, found }
    }

    fn conclude(self, transcript: &Transcript) -> Report {
        let missing = plan::not_examined(transcript, &self.focus, &self.facts);
        let assertion = Assertion::read(&self.focus, &transcript.alert);
        let scene = Scene::of(&assertion, &self.facts);
        let measured = statement::measured(&assertion, &self.facts, &self.focus);
        let ranked = rank::rank(self.found, &self.focus, &self.facts);
        let ranked = dependencies::weigh(ranked, &self.focus);
        let ranked = changes::weigh(ranked, &self.focus, &self.facts);
        let bearing = Bearing {
            assertion: &assertion,
            focus: &self.focus,
            facts: &self.facts,
            scene: &scene,
            is_refuted: statement::is_refuted(&measured),
        };
        let (likely, aside) = bearing.split(ranked);
        let sure = confidence::of(&likely, &self.focus);
        let verdict = verdict((&likely, sure), &aside, &self.facts, missing.clone());
        // What no evidence decides is a hint: in recorded incidents of others no such cause was the right one.
        let (stated, hints) = match verdict {
            Some(verdict) if verdict.confidence == Confidence::Low => (None, Some(verdict)),
            other => (other, None),
        };
        let known = Known {
            assertion: &assertion,
            scene: &scene,
            measured: &measured,
            cause: likely.first().map(|one| &one.signal).filter(|_| stated.is_some()),
            focus: &self.focus,
            facts: &self.facts,
        };
        let statement = known.statement();
        let aside = alternatives(&aside);
        let recorded = match stated.as_ref().or(hints.as_ref()) {
            Some(verdict) => verdict.record(&statement),
            None => verdict::nothing_found(&statement, &assertion.object(), &aside, &missing),
        };
        let found = match (&stated, &hints) {
            (Some(verdict), _) => report::write(verdict),
            (None, Some(hints)) => report::write_hints(hints),
            (None, None) => report::write_nothing(&aside, &missing),
        };
        let markdown = format!("{}\n\n{found}", statement.sentence);
        Report { verdict: stated, recorded, markdown }
    }
}

fn verdict(
    (ranked, confidence): (&[Ranked], Confidence),
    aside: &[Ranked],
    facts: &Facts,
    not_examined: Vec<NotExamined>,
) -> Option<Verdict> {
    let first = ranked.first()?;
    let evidence = rank::best_quotes(&first.signal.quotes, MOST_QUOTES);
    let near = ranked.iter().skip(1).filter(|one| first.score - one.score < FARTHEST);
    let others: Vec<Ranked> = near.chain(aside).cloned().collect();
    Some(Verdict {
        cause: first.stated(),
        category: first.signal.category,
        target: target(&first.signal.target),
        since: since::of(&evidence, facts),
        confidence,
        evidence,
        change: first.change.as_ref().map(|one| (&one.change).into()),
        alternatives: alternatives(&others),
        not_examined,
        next_steps: steps::next_steps(first.signal.category, &first.signal.target.kind),
    })
}

fn alternatives(ranked: &[Ranked]) -> Vec<Alternative> {
    let named = ranked.iter().take(MOST_ALTERNATIVES).map(|one| Alternative {
        cause: one.stated(),
        category: one.signal.category,
        target: target(&one.signal.target),
        because: one.remark.to_owned(),
        evidence: rank::best_quotes(&one.signal.quotes, 1),
        change: one.change.as_ref().map(|one| (&one.change).into()),
    });
    named.collect()
}

/// A target with its kind as people write it.
fn target(target: &Target) -> Target {
    let kind = facts::canonical_kind(&target.kind).map_or(target.kind.as_str(), facts::shown_kind);
    Target::new(kind, &target.name, &target.namespace)
}
