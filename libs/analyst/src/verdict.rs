//! The outcome of an investigation, typed; the report is rendered from it.

use serde::{Deserialize, Serialize};
use tarsy_domain::verdict as record;
use tarsy_domain::verdict::AlertStatement;
pub use tarsy_domain::verdict::{Category, Confidence};

use crate::text::plain;

/// The step after an investigation that found no cause.
pub(crate) const CHECK_THE_ALERT: &str =
    "Check whether the alert is still firing, and compare with the usual values.";

/// How the sentences about the alert begin.
const CONFIRMED: &str = "Confirmed";
const NOT_CONFIRMED: &str = "Not confirmed";
const NOT_VISIBLE: &str = "Cannot be seen from here";

/// What became of the alert's own statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) kind: AlertStatement,
    /// One sentence of Markdown.
    pub(crate) sentence: String,
}

impl Statement {
    pub(crate) fn new(kind: AlertStatement, because: &str) -> Self {
        let head = match kind {
            AlertStatement::Confirmed => CONFIRMED,
            AlertStatement::NotConfirmed => NOT_CONFIRMED,
            AlertStatement::NotVisible => NOT_VISIBLE,
        };
        Self { kind, sentence: format!("{head}: {because}.") }
    }

    /// The sentence without Markdown, citations and full stop.
    fn plain(&self) -> String {
        plain(&self.sentence).trim_end_matches('.').to_owned()
    }
}

/// Whether a line of a report is such a sentence.
pub(crate) fn is_statement(line: &str) -> bool {
    let heads = [CONFIRMED, NOT_CONFIRMED, NOT_VISIBLE];
    heads.iter().any(|head| line.strip_prefix(head).is_some_and(|rest| rest.starts_with(": ")))
}

/// What a cause belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Target {
    /// `Pod`, `Deployment`, `Service`, `Node`, `host` …; empty if it is not known.
    pub kind: String,
    pub name: String,
    /// Empty for what has none, and if it is not known.
    pub namespace: String,
}

/// A place of a result, word for word.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Quote {
    /// The number of the call; 0 for a text that was given with the request.
    pub call: u32,
    /// From 1.
    pub line: usize,
    pub text: String,
}

/// Another cause that the evidence speaks for, less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    pub cause: String,
    pub category: Category,
    pub target: Target,
    /// Why it ranks lower.
    pub because: String,
    pub evidence: Vec<Quote>,
    /// The change that would explain it.
    #[serde(default)]
    pub change: Option<record::ExplainingChange>,
}

/// What was not looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NotExamined {
    /// A call that failed: its tool, its number and the first line of the error.
    Failed { tool: String, call: u32, error: String },
    /// A tool that could be called and was not.
    NotCalled { tool: String },
    /// A tool whose required arguments nothing names.
    NotCallable { tool: String, missing: Vec<String> },
}

/// The most likely cause, and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// One sentence without its full stop.
    pub cause: String,
    pub category: Category,
    pub target: Target,
    /// When it began, as a result shows it: a time or an age.
    pub since: Option<String>,
    pub confidence: Confidence,
    pub evidence: Vec<Quote>,
    /// The change that explains it.
    #[serde(default)]
    pub change: Option<record::ExplainingChange>,
    pub alternatives: Vec<Alternative>,
    pub not_examined: Vec<NotExamined>,
    /// The safest first.
    pub next_steps: Vec<String>,
}

impl Target {
    pub(crate) fn new(kind: &str, name: &str, namespace: &str) -> Self {
        Self { kind: kind.to_owned(), name: name.to_owned(), namespace: namespace.to_owned() }
    }
}

impl Verdict {
    /// As it is recorded with the session: of the evidence, what calls returned. A cause with confidence *low* is a hint.
    pub(crate) fn record(&self, statement: &Statement) -> record::Verdict {
        let is_hint = self.confidence == Confidence::Low;
        let outcome = if is_hint {
            record::Outcome::without_cause(statement.kind)
        } else {
            record::Outcome::CauseFound
        };
        // The steps of a cause that is none would mend what is not known to be broken.
        let next_steps =
            if is_hint { vec![CHECK_THE_ALERT.to_owned()] } else { self.next_steps.clone() };
        let verdict = record::Verdict {
            outcome,
            alert_statement: statement.kind,
            answer: statement.plain(),
            cause: self.cause.clone(),
            category: self.category,
            object: self.target.record(),
            since: self.since.clone(),
            confidence: self.confidence,
            evidence: evidence(&self.evidence),
            alternatives: self.alternatives.iter().map(Alternative::record).collect(),
            not_examined: self.not_examined.iter().map(NotExamined::record).collect(),
            next_steps,
            charts: Vec::new(),
            change: self.change.clone().filter(|_| !is_hint),
            source: record::Source::Rules,
        };
        verdict.bounded()
    }
}

/// That no cause was found, with what was seen beside the alert; as it is recorded with the session.
pub(crate) fn nothing_found(
    statement: &Statement,
    object: &Target,
    aside: &[Alternative],
    not_examined: &[NotExamined],
) -> record::Verdict {
    let verdict = record::Verdict {
        outcome: record::Outcome::without_cause(statement.kind),
        alert_statement: statement.kind,
        answer: statement.plain(),
        cause: String::new(),
        category: Category::Other,
        object: object.record(),
        since: None,
        confidence: Confidence::Low,
        evidence: Vec::new(),
        alternatives: aside.iter().map(Alternative::record).collect(),
        not_examined: not_examined.iter().map(NotExamined::record).collect(),
        next_steps: vec![CHECK_THE_ALERT.to_owned()],
        charts: Vec::new(),
        change: None,
        source: record::Source::Rules,
    };
    verdict.bounded()
}

impl Target {
    fn record(&self) -> record::AffectedObject {
        let kind = match (self.kind.as_str(), self.name.as_str()) {
            ("", "") => "system",
            ("", _) => "object",
            (kind, _) => kind,
        };
        record::AffectedObject {
            kind: kind.to_owned(),
            name: self.name.clone(),
            namespace: Some(self.namespace.clone()).filter(|name| !name.is_empty()),
        }
    }
}

impl Alternative {
    fn record(&self) -> record::Alternative {
        record::Alternative {
            cause: self.cause.clone(),
            category: self.category,
            object: Some(self.target.record()),
            because: self.because.clone(),
            evidence: evidence(&self.evidence),
            change: self.change.clone(),
        }
    }
}

impl NotExamined {
    fn record(&self) -> record::NotExamined {
        let (what, why) = match self {
            Self::Failed { tool, call, error } => {
                let error = if error.is_empty() { "without a message" } else { error };
                (format!("{tool} (call {call})"), format!("the call failed: {error}"))
            }
            Self::NotCalled { tool } => (tool.clone(), "not run".to_owned()),
            Self::NotCallable { tool, missing } => (
                tool.clone(),
                format!("no {} in the alert or the results", missing.join(" and no ")),
            ),
        };
        record::NotExamined { what, why }
    }
}

fn evidence(quotes: &[Quote]) -> Vec<record::Evidence> {
    let of_calls = quotes.iter().filter(|quote| quote.call > 0);
    of_calls
        .map(|quote| record::Evidence {
            call: quote.call,
            line: u32::try_from(quote.line).unwrap_or(u32::MAX),
            text: quote.text.clone(),
        })
        .collect()
}
