//! What an investigation found, typed: the verdict of a session. What became of a single claim of a text is another
//! verdict, [`crate::claim::Verdict`].

mod category;
mod chart;
mod explained;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};
use utoipa::ToSchema;

use crate::string_enum::string_enum;

pub use category::Category;
pub use chart::{Chart, ChartChange, ChartPoint, MAX_CHART_POINTS, MAX_CHARTS};
pub use explained::ExplainingChange;

/// The longest cause, reason, step or line of a result, in characters: a few sentences.
pub const MAX_TEXT_CHARS: usize = 500;
/// The longest name, kind, namespace or time, in characters.
pub const MAX_NAME_CHARS: usize = 253;
/// Lines of results that the cause, or an alternative, rests on.
pub const MAX_EVIDENCE: usize = 12;
/// Other causes.
pub const MAX_ALTERNATIVES: usize = 6;
/// Things that were not looked at.
pub const MAX_NOT_EXAMINED: usize = 20;
/// What to do next.
pub const MAX_NEXT_STEPS: usize = 10;

/// How sure a cause is, by the evidence for it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    EnumIter,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

impl Confidence {
    /// The spelling in the database and on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

string_enum! {
    /// How an investigation ended.
    Outcome {
        /// A cause is stated, with evidence that decides.
        CauseFound,
        /// What the alert is about was looked at, and nothing that was found explains it.
        NoFaultFound,
        /// What the alert is about could not be looked at.
        NotExaminable,
    }
}

string_enum! {
    /// What became of the alert's own statement.
    AlertStatement {
        Confirmed,
        NotConfirmed,
        /// Nothing that was looked at can show it.
        NotVisible,
    }
}

string_enum! {
    /// Who found it.
    Source {
        /// A language model, asked for it after the investigation.
        Model,
        /// The offline analyst.
        Rules,
    }
}

string_enum! {
    /// Why a session that completed has no verdict.
    VerdictFailure {
        /// Its chain asks for none.
        SwitchedOff,
        /// No result shows a fault that the rules know.
        NothingFound,
        /// The analysis is a model's, and the provider of the executive summary is the offline analyst.
        NoModel,
        /// The model could not be called.
        Failed,
        /// The model, or the session, ran out of time.
        TimedOut,
        /// The model's answer was no JSON object, twice.
        Invalid,
    }
}

impl Outcome {
    /// Of an investigation that states no cause.
    pub const fn without_cause(statement: AlertStatement) -> Self {
        match statement {
            AlertStatement::NotVisible => Self::NotExaminable,
            AlertStatement::Confirmed | AlertStatement::NotConfirmed => Self::NoFaultFound,
        }
    }
}

impl AlertStatement {
    /// As people read it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotConfirmed => "not confirmed",
            Self::NotVisible => "cannot be seen from here",
        }
    }
}

impl VerdictFailure {
    /// The reason for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::SwitchedOff => "the chain asks for none",
            Self::NothingFound => "no result shows a fault that the rules know",
            Self::NoModel => "the offline analyst cannot judge a model's analysis",
            Self::Failed => "the model could not be called",
            Self::TimedOut => "there was no time left for it",
            Self::Invalid => "the model's answer was not valid, twice",
        }
    }
}

/// The most likely cause, and what it rests on; or that none was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema, JsonSchema)]
pub struct Verdict {
    /// `cause_found`, `no_fault_found` or `not_examinable`.
    #[schema(value_type = String, example = "cause_found")]
    #[schemars(with = "String")]
    pub outcome: Outcome,
    /// What became of the alert's own statement: `confirmed`, `not_confirmed` or `not_visible`.
    #[schema(value_type = String, example = "confirmed")]
    #[schemars(with = "String")]
    pub alert_statement: AlertStatement,
    /// The same in a sentence, with its numbers; empty if the author wrote none.
    pub answer: String,
    /// One sentence without its full stop. Without an outcome `cause_found` it is the weakest hint, or empty.
    pub cause: String,
    /// A word of a closed list: `image_pull`, `crash`, `out_of_memory` … `other`.
    #[schema(value_type = String, example = "out_of_memory")]
    #[schemars(with = "String")]
    pub category: Category,
    pub object: AffectedObject,
    /// When it began, as a result shows it: a time or an age.
    pub since: Option<String>,
    /// `low`, `medium` or `high`.
    #[schema(value_type = String, example = "high")]
    #[schemars(with = "String")]
    pub confidence: Confidence,
    /// The lines of results that the cause rests on.
    pub evidence: Vec<Evidence>,
    /// The change that explains the cause, beside what results show; none where no change is known to.
    #[serde(default)]
    pub change: Option<ExplainingChange>,
    /// Other causes that were considered, the more likely first.
    pub alternatives: Vec<Alternative>,
    pub not_examined: Vec<NotExamined>,
    /// The safest first.
    pub next_steps: Vec<String>,
    /// The metrics over time that the evidence names, or that changed; none where no result has values over time.
    #[serde(default)]
    pub charts: Vec<Chart>,
    /// `model` or `rules`.
    #[schema(value_type = String, example = "model")]
    #[schemars(with = "String")]
    pub source: Source,
}

/// What a cause belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[schema(as = VerdictObject)]
#[schemars(rename = "VerdictObject")]
pub struct AffectedObject {
    /// `Pod`, `Deployment`, `Service`, `Node`, `host` …
    pub kind: String,
    /// Empty if no result names it.
    pub name: String,
    /// None for what has none, and if it is not known.
    pub namespace: Option<String>,
}

/// A line of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[schema(as = VerdictEvidence)]
#[schemars(rename = "VerdictEvidence")]
pub struct Evidence {
    /// The number of the call in the session, from 1.
    pub call: u32,
    /// From 1.
    pub line: u32,
    /// Word for word, without its margins; a part of a long line.
    pub text: String,
}

/// Another cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[schema(as = VerdictAlternative)]
#[schemars(rename = "VerdictAlternative")]
pub struct Alternative {
    pub cause: String,
    /// As that of the verdict.
    #[schema(value_type = String, example = "probe")]
    #[schemars(with = "String")]
    pub category: Category,
    pub object: Option<AffectedObject>,
    /// Why it is ruled out, or ranks lower.
    pub because: String,
    pub evidence: Vec<Evidence>,
    /// The change that would explain it, as that of the verdict.
    #[serde(default)]
    pub change: Option<ExplainingChange>,
}

/// Something that was not looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[schema(as = VerdictNotExamined)]
#[schemars(rename = "VerdictNotExamined")]
pub struct NotExamined {
    pub what: String,
    pub why: String,
}

/// What was found, in a few words: the cause, or that there is none. Without a stated cause, `cause` is a hint or empty.
pub fn headline(outcome: Outcome, statement: AlertStatement, cause: &str) -> &str {
    let is_open = !cause.is_empty() || statement == AlertStatement::Confirmed;
    match outcome {
        Outcome::CauseFound => cause,
        Outcome::NotExaminable => "Cannot be examined",
        Outcome::NoFaultFound if is_open => "Cause not found",
        Outcome::NoFaultFound => "No fault found",
    }
}

impl Verdict {
    /// Whether it states a cause; what it has as a cause otherwise is a hint.
    pub fn states_cause(&self) -> bool {
        self.outcome == Outcome::CauseFound
    }

    /// What was found, in a few words: the cause, or that there is none.
    pub fn headline(&self) -> &str {
        headline(self.outcome, self.alert_statement, &self.cause)
    }

    /// What became of the alert's own statement: in the author's words, else in ours.
    pub fn answered(&self) -> &str {
        if self.answer.is_empty() { self.alert_statement.words() } else { &self.answer }
    }

    /// What speaks for a cause without deciding, where none is stated.
    pub fn hint(&self) -> Option<&str> {
        Some(self.cause.as_str()).filter(|cause| !self.states_cause() && !cause.is_empty())
    }

    /// Cuts texts and lists to their limits, and drops what is blank where it says nothing.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        cut(&mut self.answer, MAX_TEXT_CHARS);
        cut(&mut self.cause, MAX_TEXT_CHARS);
        self.object.cut();
        bound_maybe(&mut self.since);
        bound_evidence(&mut self.evidence);
        self.change.iter_mut().for_each(bound_change);
        self.alternatives.retain(|one| !one.cause.trim().is_empty());
        self.alternatives.truncate(MAX_ALTERNATIVES);
        for one in &mut self.alternatives {
            cut(&mut one.cause, MAX_TEXT_CHARS);
            cut(&mut one.because, MAX_TEXT_CHARS);
            one.object.iter_mut().for_each(AffectedObject::cut);
            bound_evidence(&mut one.evidence);
            one.change.iter_mut().for_each(bound_change);
        }
        self.not_examined.retain(|one| !one.what.trim().is_empty());
        self.not_examined.truncate(MAX_NOT_EXAMINED);
        for one in &mut self.not_examined {
            cut(&mut one.what, MAX_TEXT_CHARS);
            cut(&mut one.why, MAX_TEXT_CHARS);
        }
        self.next_steps.retain(|step| !step.trim().is_empty());
        self.next_steps.truncate(MAX_NEXT_STEPS);
        for step in &mut self.next_steps {
            cut(step, MAX_TEXT_CHARS);
        }
        self.charts.truncate(MAX_CHARTS);
        for chart in &mut self.charts {
            for text in [&mut chart.metric, &mut chart.object, &mut chart.unit] {
                cut(text, MAX_NAME_CHARS);
            }
            chart.points.truncate(MAX_CHART_POINTS);
        }
        self
    }
}

impl AffectedObject {
    /// `Pod web-1 in namespace shop`; the kind alone without a name.
    pub fn describe(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(" {}", self.name) };
        let of = self.namespace.as_deref().map(|space| format!(" in namespace {space}"));
        format!("{}{name}{}", self.kind, of.unwrap_or_default())
    }

    fn cut(&mut self) {
        if self.kind.trim().is_empty() {
            "object".clone_into(&mut self.kind);
        }
        cut(&mut self.kind, MAX_NAME_CHARS);
        cut(&mut self.name, MAX_NAME_CHARS);
        bound_maybe(&mut self.namespace);
    }

    fn is_same(&self, other: &Self) -> bool {
        self.kind.eq_ignore_ascii_case(&other.kind)
            && self.name == other.name
            && self.namespace == other.namespace
    }
}

/// A blank text is none.
fn bound_maybe(text: &mut Option<String>) {
    if let Some(text) = text {
        cut(text, MAX_NAME_CHARS);
    }
    if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        *text = None;
    }
}

fn bound_change(change: &mut ExplainingChange) {
    bound_maybe(&mut change.object);
    bound_maybe(&mut change.service);
    cut(&mut change.text, MAX_TEXT_CHARS);
}

fn bound_evidence(evidence: &mut Vec<Evidence>) {
    evidence.truncate(MAX_EVIDENCE);
    for one in evidence {
        cut(&mut one.text, MAX_TEXT_CHARS);
    }
}

fn cut(text: &mut String, max_chars: usize) {
    if let Some((at, _)) = text.char_indices().nth(max_chars) {
        text.truncate(at);
    }
}

/// The index of the verdict that stands for several agents: one with a cause before one without, then the surest, then the one whose object most others name, then
/// the first. None of none.
pub fn choose(verdicts: &[&Verdict]) -> Option<usize> {
    let agreeing = |verdict: &Verdict| {
        verdicts.iter().filter(|other| other.object.is_same(&verdict.object)).count()
    };
    let best = |index: &usize| {
        verdicts.get(*index).map(|one| {
            (rank(one.outcome), one.confidence, agreeing(one), std::cmp::Reverse(*index))
        })
    };
    (0..verdicts.len()).max_by_key(best)
}

/// What says more comes later.
const fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::NotExaminable => 0,
        Outcome::NoFaultFound => 1,
        Outcome::CauseFound => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(name: &str, confidence: Confidence) -> Verdict {
        let (outcome, alert_statement) = if confidence == Confidence::Low {
            (Outcome::NoFaultFound, AlertStatement::NotConfirmed)
        } else {
            (Outcome::CauseFound, AlertStatement::Confirmed)
        };
        Verdict {
            outcome,
            alert_statement,
            answer: String::new(),
            cause: "it is full".to_owned(),
            category: Category::Disk,
            object: AffectedObject {
                kind: "host".to_owned(),
                name: name.to_owned(),
                namespace: None,
            },
            since: None,
            confidence,
            evidence: Vec::new(),
            alternatives: Vec::new(),
            not_examined: Vec::new(),
            next_steps: Vec::new(),
            charts: Vec::new(),
            change: None,
            source: Source::Rules,
        }
    }

    fn chosen(verdicts: &[Verdict]) -> Option<usize> {
        choose(&verdicts.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_surest_verdict_counts_then_what_agents_agree_on_then_the_first() {
        use Confidence::{High, Low, Medium};
        assert_eq!(chosen(&[]), None);
        assert_eq!(chosen(&[verdict("a", Low), verdict("b", High), verdict("a", Medium)]), Some(1));
        assert_eq!(chosen(&[verdict("a", Low), verdict("b", Low), verdict("b", Low)]), Some(1));
        assert_eq!(chosen(&[verdict("a", Low), verdict("b", Low)]), Some(0));
        let unseen = Verdict { outcome: Outcome::NotExaminable, ..verdict("a", Low) };
        assert_eq!(chosen(&[unseen.clone(), verdict("b", Low)]), Some(1));
        assert_eq!(chosen(&[unseen, verdict("b", Medium)]), Some(1));
    }

    #[test]
    fn what_is_not_decided_is_a_hint() {
        assert_eq!(verdict("a", Confidence::Low).hint(), Some("it is full"));
        assert_eq!(verdict("a", Confidence::Medium).hint(), None);
        let nothing = Verdict { cause: String::new(), ..verdict("a", Confidence::Low) };
        assert_eq!((nothing.hint(), nothing.headline()), (None, "No fault found"));
        assert_eq!(nothing.answered(), "not confirmed");
        assert_eq!(verdict("a", Confidence::Low).headline(), "Cause not found");
        assert_eq!(verdict("a", Confidence::High).headline(), "it is full");
        assert_eq!(Outcome::without_cause(AlertStatement::NotVisible), Outcome::NotExaminable);
        assert_eq!(Outcome::without_cause(AlertStatement::Confirmed), Outcome::NoFaultFound);
    }

    #[test]
    fn what_is_blank_is_dropped() {
        let blank = || " ".to_owned();
        let object =
            AffectedObject { kind: blank(), name: String::new(), namespace: Some(blank()) };
        let other = Alternative {
            cause: blank(),
            category: Category::Disk,
            object: Some(object.clone()),
            because: String::new(),
            evidence: Vec::new(),
            change: None,
        };
        let unseen = NotExamined { what: blank(), why: "no tool".to_owned() };
        let bounded = Verdict {
            object,
            since: Some(String::new()),
            alternatives: vec![other.clone(), Alternative { cause: "a leak".to_owned(), ..other }],
            not_examined: vec![unseen],
            next_steps: vec![blank(), "Restart it.".to_owned()],
            ..verdict("a", Confidence::Low)
        }
        .bounded();
        assert_eq!((bounded.since, bounded.object.kind.as_str()), (None, "object"));
        assert_eq!(bounded.object.namespace, None);
        assert_eq!(bounded.alternatives.len(), 1);
        assert_eq!((bounded.not_examined.len(), bounded.next_steps.len()), (0, 1));
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let mut long = verdict("a", Confidence::Low);
        long.cause = "ß".repeat(MAX_TEXT_CHARS + 1);
        long.next_steps = vec!["wait".to_owned(); MAX_NEXT_STEPS + 1];
        let bounded = long.bounded();
        assert_eq!(bounded.cause.chars().count(), MAX_TEXT_CHARS);
        assert_eq!(bounded.next_steps.len(), MAX_NEXT_STEPS);
    }

    #[test]
    fn a_category_has_a_word_for_the_record_and_words_for_people() {
        assert_eq!(Category::OutOfMemory.as_str(), "out_of_memory");
        assert_eq!(Category::OutOfMemory.words(), "out of memory");
        assert_eq!(Category::Dns.words(), "DNS");
        assert_eq!("service_routing".parse(), Ok(Category::ServiceRouting));
    }
}
