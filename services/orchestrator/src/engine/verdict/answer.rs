//! A model's answer to the request for a verdict, checked: against the schema, and against what is known.

use jsonschema::Validator;
use serde::Deserialize;
use serde_json::Value;
use tarsy_domain::verdict::{
    AffectedObject, AlertStatement, Alternative, Category, Confidence, Evidence, NotExamined,
    Outcome, Source, Verdict,
};
use tarsy_llm::ToolCall;

use crate::prompts::evidence_id;

/// Problems that a repair names; a model that makes more of them is helped by none.
const MAX_PROBLEMS: usize = 10;

/// The answer as the schema describes it.
#[derive(Debug, Deserialize)]
struct Answer {
    outcome: Option<Outcome>,
    alert_statement: Option<AlertStatement>,
    #[serde(default, rename = "answer")]
    sentence: String,
    cause: String,
    category: Category,
    object: Named,
    since: Option<String>,
    confidence: Confidence,
    evidence: Vec<String>,
    alternatives: Vec<Other>,
    not_examined: Vec<NotExamined>,
    next_steps: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Named {
    kind: String,
    name: String,
    namespace: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Other {
    cause: String,
    category: Category,
    object: Option<Named>,
    because: String,
    #[serde(default)]
    evidence: Vec<String>,
}

/// The verdict of an answer: the arguments of its tool call, or the JSON object in its text. Otherwise what is wrong with
/// it, for the model. `lines` are what it may refer to. What it leaves out of the outcome is derived from the rest of it and
/// from whether a call succeeded.
pub(super) fn read(
    calls: &[ToolCall],
    text: &str,
    validator: &Validator,
    (lines, any_succeeded): (&[Evidence], bool),
) -> Result<Verdict, Vec<String>> {
    let json = match calls.first() {
        Some(call) => call.arguments.as_str(),
        None => object_in(text).ok_or_else(|| vec!["it is no JSON object".to_owned()])?,
    };
    let value: Value =
        serde_json::from_str(json).map_err(|error| vec![format!("it is no JSON: {error}")])?;
    let problems: Vec<String> = validator
        .iter_errors(&value)
        .take(MAX_PROBLEMS)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let answer: Answer = serde_json::from_value(value).map_err(|error| vec![error.to_string()])?;
    if answer.outcome == Some(Outcome::CauseFound) && answer.cause.trim().is_empty() {
        return Err(vec!["cause: it is empty, and the outcome is cause_found".to_owned()]);
    }
    Ok(verdict(answer, lines, any_succeeded).bounded())
}

/// From the first brace to the last: some models write a sentence or a code fence around it.
fn object_in(text: &str) -> Option<&str> {
    text.get(text.find('{')?..=text.rfind('}')?)
}

fn verdict(answer: Answer, lines: &[Evidence], any_succeeded: bool) -> Verdict {
    let (outcome, alert_statement) = ended(&answer, any_succeeded);
    let alternatives = answer.alternatives.into_iter().map(|other| Alternative {
        cause: sentence(&other.cause),
        category: other.category,
        object: other.object.map(object),
        because: sentence(&other.because),
        evidence: resolve(&other.evidence, lines),
    });
    Verdict {
        outcome,
        alert_statement,
        answer: sentence(&answer.sentence),
        cause: sentence(&answer.cause),
        category: answer.category,
        object: object(answer.object),
        since: answer.since,
        confidence: answer.confidence,
        evidence: resolve(&answer.evidence, lines),
        alternatives: alternatives.collect(),
        not_examined: answer.not_examined,
        next_steps: answer.next_steps,
        source: Source::Model,
    }
}

/// The outcome and what became of the alert's statement. A cause with confidence *low* is none.
fn ended(answer: &Answer, any_succeeded: bool) -> (Outcome, AlertStatement) {
    let decides = answer.confidence != Confidence::Low && !answer.cause.trim().is_empty();
    let states = decides && answer.outcome.is_none_or(|outcome| outcome == Outcome::CauseFound);
    let derived = match () {
        () if !any_succeeded || answer.outcome == Some(Outcome::NotExaminable) => {
            AlertStatement::NotVisible
        }
        () if states => AlertStatement::Confirmed,
        () => AlertStatement::NotConfirmed,
    };
    let statement = answer.alert_statement.unwrap_or(derived);
    let outcome = match answer.outcome {
        _ if states => Outcome::CauseFound,
        None | Some(Outcome::CauseFound) => Outcome::without_cause(statement),
        Some(outcome) => outcome,
    };
    (outcome, statement)
}

fn object(named: Named) -> AffectedObject {
    AffectedObject { kind: named.kind, name: named.name, namespace: named.namespace }
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    let without = text.strip_suffix('.').filter(|rest| !rest.is_empty());
    without.unwrap_or(text).to_owned()
}

/// The lines with these numbers, each once.
fn resolve(ids: &[String], lines: &[Evidence]) -> Vec<Evidence> {
    let mut found: Vec<Evidence> = Vec::new();
    for id in ids {
        let line = lines.iter().enumerate().find(|(index, _)| evidence_id(*index) == *id);
        if let Some((_, line)) = line.filter(|(_, line)| !found.contains(line)) {
            found.push(line.clone());
        }
    }
    found
}

/// A text of a verdict that must be known, and the member that has it.
pub(super) struct Stated {
    pub(super) member: String,
    pub(super) text: String,
}

/// Names, namespaces and the beginning, as far as the analysis does not have them.
pub(super) fn stated(verdict: &Verdict, analysis: &str) -> Vec<Stated> {
    let mut all = of_object("object", &verdict.object);
    for (index, other) in verdict.alternatives.iter().enumerate() {
        let member = format!("alternatives[{index}].object");
        all.extend(other.object.iter().flat_map(|object| of_object(&member, object)));
    }
    let since = verdict.since.iter();
    all.extend(since.map(|text| Stated { member: "since".to_owned(), text: text.clone() }));
    let analysis = analysis.to_lowercase();
    all.retain(|stated| !analysis.contains(&stated.text.to_lowercase()));
    all
}

fn of_object(member: &str, object: &AffectedObject) -> Vec<Stated> {
    let name = Stated { member: format!("{member}.name"), text: object.name.clone() };
    let namespace = object
        .namespace
        .iter()
        .map(|namespace| Stated { member: format!("{member}.namespace"), text: namespace.clone() });
    std::iter::once(name).chain(namespace).collect()
}

impl Stated {
    /// What is wrong with it, for the model.
    pub(super) fn problem(&self) -> String {
        format!("{}: {:?} stands neither in the analysis nor in a result", self.member, self.text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::prompts::verdict_tool;

    fn lines() -> Vec<Evidence> {
        vec![
            Evidence { call: 1, line: 2, text: "/var 40G 39G".to_owned() },
            Evidence { call: 3, line: 1, text: "no space left on device".to_owned() },
        ]
    }

    fn answer() -> Value {
        json!({
            "cause": "The disk is full.",
            "category": "disk",
            "object": {"kind": "host", "name": "web-1"},
            "confidence": "high",
            "evidence": ["E2", "E1", "E2"],
            "alternatives": [{"cause": "a leak", "category": "crash", "because": "memory is free"}],
            "not_examined": [],
            "next_steps": ["Look for large files"],
        })
    }

    fn read_json(answer: &Value) -> Result<Verdict, Vec<String>> {
        let validator = jsonschema::validator_for(&verdict_tool(2).input_schema).unwrap();
        let call = ToolCall {
            id: "a".to_owned(),
            name: "tarsy.record_verdict".to_owned(),
            arguments: answer.to_string(),
            ..ToolCall::default()
        };
        let of_call = read(&[call], "", &validator, (&lines(), true));
        let fenced = format!("Here it is:\n```json\n{answer}\n```");
        assert_eq!(read(&[], &fenced, &validator, (&lines(), true)), of_call);
        of_call
    }

    #[test]
    fn an_answer_names_lines_by_their_numbers() {
        let verdict = read_json(&answer()).unwrap();
        assert_eq!(verdict.cause, "The disk is full");
        let calls: Vec<u32> = verdict.evidence.iter().map(|line| line.call).collect();
        assert_eq!(calls, [3, 1]);
        assert_eq!(verdict.source, Source::Model);
    }

    #[test]
    fn what_the_schema_does_not_allow_is_a_problem_with_its_place() {
        let mut wrong = answer();
        wrong["evidence"] = json!(["E3"]);
        wrong["category"] = json!("full_disk");
        let problems = read_json(&wrong).unwrap_err();
        assert!(problems.iter().any(|one| one.starts_with("/evidence/0: ")), "{problems:?}");
        assert!(problems.iter().any(|one| one.starts_with("/category: ")), "{problems:?}");
        let validator = jsonschema::validator_for(&verdict_tool(0).input_schema).unwrap();
        assert!(read(&[], &answer().to_string(), &validator, (&[], true)).is_err());
        assert_eq!(
            read(&[], "I do not know.", &validator, (&[], true)),
            Err(vec!["it is no JSON object".to_owned()])
        );
    }

    #[test]
    fn names_and_times_must_be_known() {
        let mut verdict = read_json(&answer()).unwrap();
        verdict.since = Some("10:05".to_owned());
        verdict.object.namespace = Some("shop".to_owned());
        let unknown = stated(&verdict, "The disk of Web-1 is full since 10:05.");
        let members: Vec<&str> = unknown.iter().map(|one| one.member.as_str()).collect();
        assert_eq!(members, ["object.namespace"]);
    }
}
