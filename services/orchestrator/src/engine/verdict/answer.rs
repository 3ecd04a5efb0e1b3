//! A model's answer to the request for a verdict: read member by member, and completed from the record.

use std::fmt;

use serde_json::{Map, Value};
use tarsy_contracts::change::Change;
use tarsy_domain::event::CallStatus;
use tarsy_domain::verdict::{
    AffectedObject, AlertStatement, Alternative, Category, Confidence, Evidence, ExplainingChange,
    NotExamined, Outcome, Source, Verdict,
};
use tarsy_llm::ToolCall;
use tarsy_store::VerdictMaterial;

use crate::engine::verdict::explained;
use crate::engine::verdict::fields::{Fields, line, text, word};
use crate::prompts::change_id;

/// The kind of an object that nothing names.
const UNKNOWN_KIND: &str = "unknown";
/// Values of one answer; one of the schema has some hundreds at most.
const MAX_VALUES: usize = 10_000;

/// Members that say how the investigation ended. An answer with none of them says nothing, whatever else it has.
const MEMBERS: [&str; 5] = ["outcome", "alert_statement", "answer", "cause", "object"];

/// What could be read of an answer.
#[derive(Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) verdict: Verdict,
    /// What could not be used, and what stands in its place.
    pub(super) notes: Vec<String>,
    /// What only the model can mend. It is asked once; the verdict has a stand-in.
    pub(super) problems: Vec<Problem>,
}

/// Why the model is asked for a member again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) member: &'static str,
    /// The member, or one inside of it.
    at: &'static str,
    what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Answer {
    members: Map<String, Value>,
    /// What was mended to decode it.
    notes: Vec<String>,
}

impl Answer {
    /// With these members of another answer, where it has them.
    pub(super) fn with(mut self, mut mended: Self, members: &[&str]) -> Self {
        for member in members {
            if let Some((name, value)) = mended.members.remove_entry(*member) {
                self.members.insert(name, value);
            }
        }
        self
    }
}

/// Decodes an answer: the JSON object in its text, or the arguments of a call. `asked` are the members that were asked for;
/// none of them means all.
pub(super) fn decode(calls: &[ToolCall], answer: &str, asked: &[&str]) -> Result<Answer, String> {
    let no_object = || "it is no JSON object".to_owned();
    let json = match calls.first() {
        Some(call) => call.arguments.as_str(),
        None => object_in(answer).ok_or_else(no_object)?,
    };
    let decoded = tarsy_lenient::decode_at_most(json.as_bytes(), None, MAX_VALUES)
        .map_err(|error| format!("it {error}"))?;
    let Value::Object(mut members) = decoded.value else { return Err(no_object()) };
    // Asked for the object alone, some models write its value.
    if asked == ["object"] && !members.contains_key("object") && members.contains_key("name") {
        members = Map::from_iter([("object".to_owned(), Value::Object(members))]);
    }
    // Some models write the schema itself.
    if !MEMBERS.iter().any(|member| members.contains_key(*member)) {
        return Err("it has no member of the schema".to_owned());
    }
    Ok(Answer { members, notes: decoded.notes.iter().map(ToString::to_string).collect() })
}

/// Reads an answer. What it leaves out, and what cannot be used, comes from the record or is left empty.
pub(super) fn read(answer: Answer, record: &VerdictMaterial) -> Reading {
    let mut fields = Fields::new(answer.members);
    for note in &answer.notes {
        fields.note("JSON", note);
    }
    reading(fields, record)
}

/// From the first brace to the last: some models write a sentence or a code fence around it.
pub(crate) fn object_in(text: &str) -> Option<&str> {
    text.get(text.find('{')?..=text.rfind('}')?)
}

fn reading(mut fields: Fields, record: &VerdictMaterial) -> Reading {
    let mut problems = Vec::new();
    let stated: Option<Outcome> = fields.word("outcome");
    let statement: Option<AlertStatement> = fields.word("alert_statement");
    let cause = fields.text("cause").map(|text| sentence(&text)).unwrap_or_default();
    if cause.is_empty() && stated == Some(Outcome::CauseFound) {
        fields.note("cause", "it is empty, and the outcome is cause_found");
        let what = "it is empty, and the outcome is cause_found".to_owned();
        problems.push(Problem { member: "cause", at: "cause", what });
    }
    let object = fields.object("object", object).unwrap_or_else(|| {
        let what = "it is missing, or has no kind or no name".to_owned();
        problems.push(Problem { member: "object", at: "object", what });
        AffectedObject { kind: UNKNOWN_KIND.to_owned(), name: String::new(), namespace: None }
    });
    let evidence = evidence(&mut fields, &record.evidence, &object);
    let any_succeeded = record.calls.iter().any(|call| call.status == CallStatus::Completed);
    let confidence = fields.word("confidence").unwrap_or_else(|| {
        let confidence = rests_on(any_succeeded && !evidence.is_empty() && !cause.is_empty());
        fields.note("confidence", &format!("{confidence} stands in its place"));
        confidence
    });
    let (outcome, alert_statement) = ended(stated, statement, (&cause, confidence), any_succeeded);
    let verdict = Verdict {
        outcome,
        alert_statement,
        answer: fields.text("answer").map(|text| sentence(&text)).unwrap_or_default(),
        cause,
        category: fields.word("category").unwrap_or_else(|| {
            fields.note("category", "other stands in its place");
            Category::Other
        }),
        object,
        since: fields.text("since"),
        confidence,
        evidence,
        change: change(&mut fields, &record.changes),
        alternatives: alternatives(&mut fields, &record.evidence, &record.changes),
        not_examined: fields.list("not_examined", unexamined).unwrap_or_else(|| failed(record)),
        next_steps: fields.list("next_steps", text).unwrap_or_default(),
        charts: Vec::new(),
        source: Source::Model,
    };
    Reading { verdict: verdict.bounded(), notes: fields.notes, problems }
}

/// How sure a cause is of which the model does not say it.
fn rests_on(evidence: bool) -> Confidence {
    if evidence { Confidence::Medium } else { Confidence::Low }
}

/// The lines that the answer names. If it names none that exist, those of the record that name the object: they bear out the
/// analysis.
fn evidence(fields: &mut Fields, lines: &[Evidence], object: &AffectedObject) -> Vec<Evidence> {
    let noted = fields.notes.len();
    let named = once(fields.list("evidence", |value| line(value, lines)).unwrap_or_default());
    if !named.is_empty() || fields.notes.len() == noted || object.name.is_empty() {
        return named;
    }
    let name = object.name.to_lowercase();
    let of_object = lines.iter().filter(|line| line.text.to_lowercase().contains(&name));
    let found: Vec<Evidence> = of_object.cloned().collect();
    if !found.is_empty() {
        fields.note("evidence", "the lines that name the object stand in its place");
    }
    found
}

/// The change that the answer names; it is asked for only where there are some.
fn change(fields: &mut Fields, near: &[Change]) -> Option<ExplainingChange> {
    if near.is_empty() {
        return None;
    }
    let named = fields.text("change")?;
    let found = change_of(&named, near);
    if found.is_none() {
        fields.note("change", "it is none of the changes, and was left out");
    }
    found
}

fn change_of(named: &str, near: &[Change]) -> Option<ExplainingChange> {
    let found = near.iter().enumerate().find(|(index, change)| {
        named.eq_ignore_ascii_case(&change_id(*index)) || named == change.id.to_string()
    });
    found.map(|(_, change)| explained::typed(change))
}

fn alternatives(fields: &mut Fields, lines: &[Evidence], near: &[Change]) -> Vec<Alternative> {
    let read = |value: &Value| {
        let members = value.as_object()?;
        let named_text = |member: &str| members.get(member).and_then(text);
        let named = members.get("evidence").and_then(Value::as_array).into_iter().flatten();
        Some(Alternative {
            cause: sentence(&named_text("cause")?),
            category: members.get("category").and_then(word).unwrap_or(Category::Other),
            object: members.get("object").and_then(Value::as_object).and_then(object),
            because: sentence(&named_text("because")?),
            evidence: once(named.filter_map(|value| line(value, lines)).collect()),
            change: named_text("change").and_then(|named| change_of(&named, near)),
        })
    };
    fields.list("alternatives", read).unwrap_or_default()
}

fn unexamined(value: &Value) -> Option<NotExamined> {
    let named_text = |member: &str| value.get(member).and_then(text);
    Some(NotExamined { what: named_text("what")?, why: named_text("why")? })
}

/// The calls of the record that failed.
fn failed(record: &VerdictMaterial) -> Vec<NotExamined> {
    let failed = record.calls.iter().filter(|call| call.status == CallStatus::Failed);
    let of = |number: i64, tool: &str| NotExamined {
        what: tool.to_owned(),
        why: format!("[call {number}] failed"),
    };
    failed.map(|call| of(call.number, &call.tool)).collect()
}

/// The outcome and what became of the alert's statement. A cause with confidence *low* is none.
fn ended(
    outcome: Option<Outcome>,
    statement: Option<AlertStatement>,
    (cause, confidence): (&str, Confidence),
    any_succeeded: bool,
) -> (Outcome, AlertStatement) {
    let decides = confidence != Confidence::Low && !cause.is_empty();
    let states = decides && outcome.is_none_or(|outcome| outcome == Outcome::CauseFound);
    let derived = match () {
        () if !any_succeeded || outcome == Some(Outcome::NotExaminable) => {
            AlertStatement::NotVisible
        }
        () if states => AlertStatement::Confirmed,
        () => AlertStatement::NotConfirmed,
    };
    let statement = statement.unwrap_or(derived);
    let outcome = match outcome {
        _ if states => Outcome::CauseFound,
        None | Some(Outcome::CauseFound) => Outcome::without_cause(statement),
        Some(outcome) => outcome,
    };
    (outcome, statement)
}

fn object(members: &Map<String, Value>) -> Option<AffectedObject> {
    let named_text = |member: &str| members.get(member).and_then(text);
    Some(AffectedObject {
        kind: named_text("kind")?,
        name: named_text("name")?,
        namespace: named_text("namespace"),
    })
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    let without = text.strip_suffix('.').filter(|rest| !rest.is_empty());
    without.unwrap_or(text).to_owned()
}

/// Each line once.
fn once(lines: Vec<Evidence>) -> Vec<Evidence> {
    let mut found: Vec<Evidence> = Vec::new();
    for line in lines {
        if !found.contains(&line) {
            found.push(line);
        }
    }
    found
}

/// The names, namespaces and the beginning that must be known, as far as the analysis does not have them.
pub(super) fn stated(verdict: &Verdict, analysis: &str) -> Vec<String> {
    let others = verdict.alternatives.iter().filter_map(|other| other.object.as_ref());
    let objects = std::iter::once(&verdict.object).chain(others);
    let named = objects.flat_map(|one| std::iter::once(&one.name).chain(&one.namespace));
    let analysis = analysis.to_lowercase();
    let is_new = |text: &&String| !text.is_empty() && !analysis.contains(&text.to_lowercase());
    named.chain(&verdict.since).filter(is_new).cloned().collect()
}

impl Reading {
    /// Leaves out changes that the analysis does not name.
    pub(super) fn leave_out_change(&mut self, near: &[Change], analysis: &str) {
        let left_out = explained::leave_out_unnamed(&mut self.verdict, near, analysis);
        let note = |member: String| {
            format!(
                "{member}: the analysis does not name it as what brought the cause about, and it was left out"
            )
        };
        self.notes.extend(left_out.into_iter().map(note));
    }

    /// Leaves out what stands neither in the analysis nor in a result. Only the model can say which object it means.
    pub(super) fn leave_out(&mut self, unknown: &[String]) {
        let mut left_out: Vec<String> = Vec::new();
        let verdict = &mut self.verdict;
        if unknown.contains(&verdict.object.name) {
            let name = std::mem::take(&mut verdict.object.name);
            left_out.push("object.name".to_owned());
            let what = format!("{name:?} stands neither in the analysis nor in a result");
            self.problems.push(Problem { member: "object", at: "object.name", what });
        }
        if verdict.object.namespace.take_if(|text| unknown.contains(text)).is_some() {
            left_out.push("object.namespace".to_owned());
        }
        if verdict.since.take_if(|text| unknown.contains(text)).is_some() {
            left_out.push("since".to_owned());
        }
        for (index, other) in verdict.alternatives.iter_mut().enumerate() {
            let is_unknown = |object: &mut AffectedObject| {
                let namespace = object.namespace.as_ref();
                unknown.contains(&object.name)
                    || namespace.is_some_and(|text| unknown.contains(text))
            };
            if other.object.take_if(is_unknown).is_some() {
                left_out.push(format!("alternatives[{index}].object"));
            }
        }
        let note = |member: String| {
            format!("{member}: it stands neither in the analysis nor in a result, and was left out")
        };
        self.notes.extend(left_out.into_iter().map(note));
    }
}

#[cfg(test)]
mod tests;
