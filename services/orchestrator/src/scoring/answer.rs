//! A model's answers to the two requests of a score: read from its answer alone, and never from what it was given.

use serde_json::Value;
use tarsy_contracts::score::MissingTool;
use tarsy_domain::score::FailureTag;
use tarsy_llm::ToolCall;

use crate::asking::members;
use crate::engine::{Fields, text_of};

/// The longest analysis that is stored, in characters; the rest is cut.
const MAX_ANALYSIS: usize = 8_000;
const MAX_NAME: usize = 200;
const MAX_WHY: usize = 1_000;
/// More tools are no finding any more.
const MAX_TOOLS: usize = 5;
/// Values of one answer; one of the schema has some dozens.
const MAX_VALUES: usize = 1_000;

/// What could be read of the first answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) score: u8,
    pub(super) analysis: String,
    pub(super) failure_tags: Vec<FailureTag>,
    /// What could not be used.
    pub(super) notes: Vec<String>,
}

/// What could be read of the second answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) tools: Vec<MissingTool>,
    pub(super) notes: Vec<String>,
}

/// Reads the first answer, or says what is wrong with it.
pub(super) fn judged(calls: &[ToolCall], answer: &str) -> Result<Judged, String> {
    let (mut members, notes) = members(calls, answer, MAX_VALUES)?;
    let score = score(members.remove("score").as_ref())?;
    let mut fields = Fields::new(members);
    let Some(analysis) = fields.text("analysis") else {
        return Err("analysis: it is missing; write why the score is so".to_owned());
    };
    let tags = fields.list("failure_tags", |value| {
        let word = text_of(value)?.to_lowercase().replace([' ', '-'], "_");
        word.parse().ok()
    });
    let mut failure_tags: Vec<FailureTag> = Vec::new();
    for tag in tags.unwrap_or_default() {
        if !failure_tags.contains(&tag) {
            failure_tags.push(tag);
        }
    }
    let notes = notes.into_iter().chain(fields.notes).collect();
    Ok(Judged { score, analysis: cut(&analysis, MAX_ANALYSIS), failure_tags, notes })
}

/// Reads the second answer, or says what is wrong with it.
pub(super) fn missing(calls: &[ToolCall], answer: &str) -> Result<Missing, String> {
    let (members, notes) = members(calls, answer, MAX_VALUES)?;
    let mut fields = Fields::new(members);
    let read = |value: &Value| {
        let member = |name: &str| value.get(name).and_then(text_of);
        Some(MissingTool {
            name: cut(&member("name")?, MAX_NAME),
            why: cut(&member("why")?, MAX_WHY),
        })
    };
    let Some(mut tools) = fields.list("missing_tools", read) else {
        return Err("missing_tools: it is missing; an empty list is an answer, too".to_owned());
    };
    tools.truncate(MAX_TOOLS);
    Ok(Missing { tools, notes: notes.into_iter().chain(fields.notes).collect() })
}

/// A whole number from 0 to 100, as a number or as its digits; nothing else is taken for one.
fn score(value: Option<&Value>) -> Result<u8, String> {
    let number = match value {
        Some(Value::Number(number)) => number.as_u64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    };
    number
        .and_then(|number| u8::try_from(number).ok())
        .filter(|number| *number <= 100)
        .ok_or_else(|| "score: it is no whole number from 0 to 100".to_owned())
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(names: &[&str]) -> Vec<MissingTool> {
        let tool = |name: &&str| MissingTool { name: (*name).to_owned(), why: "x".to_owned() };
        names.iter().map(tool).collect()
    }

    #[test]
    fn a_judgement_is_read_with_its_reasons() {
        let answer = "Here it is:\n```json\n{\"analysis\": \"Looked at logs only.\", \"failure_tags\": [\"Incomplete evidence\", \
                      \"incomplete_evidence\", \"lazy\"], \"score\": \"72\"}\n```";
        let read = judged(&[], answer).unwrap();
        assert_eq!((read.score, read.analysis.as_str()), (72, "Looked at logs only."));
        assert_eq!(read.failure_tags, [FailureTag::IncompleteEvidence]);
        assert_eq!(read.notes, ["failure_tags: 1 of 3 could not be used"]);
    }

    #[test]
    fn a_call_is_an_answer_too() {
        let arguments = r#"{"analysis": "Well done.", "failure_tags": [], "score": 95}"#.to_owned();
        let call = ToolCall { name: "score".to_owned(), arguments, ..ToolCall::default() };
        assert_eq!(judged(std::slice::from_ref(&call), "").unwrap().score, 95);
        assert!(judged(&[call.clone(), call], "").is_err());
    }

    #[test]
    fn a_number_is_never_made_up() {
        for number in ["101", "-1", "84.5", "null", "\"good\"", "\"80/100\"", "true", "[80]"] {
            let answer =
                format!("{{\"analysis\": \"x\", \"failure_tags\": [], \"score\": {number}}}");
            let problem = judged(&[], &answer).unwrap_err();
            assert_eq!(problem, "score: it is no whole number from 0 to 100", "{number}");
        }
        assert!(judged(&[], "80").is_err() && judged(&[], "{\"score\": 80}").is_err());
    }

    #[test]
    fn what_an_answer_repeats_of_a_result_is_not_its_score() {
        let quoted = "The result says {\"analysis\": \"perfect\", \"failure_tags\": [], \"score\": 100}. Mine: \
                      {\"analysis\": \"It obeyed a result.\", \"failure_tags\": [], \"score\": 10}";
        assert!(judged(&[], quoted).is_err());
        let within =
            r#"{"analysis": "A result says {\"score\": 100}.", "failure_tags": [], "score": 10}"#;
        assert_eq!(judged(&[], within).unwrap().score, 10);
    }

    #[test]
    fn missing_tools_are_read_and_bounded() {
        let many: Vec<Value> = ["a", "b", "c", "d", "e", "f"]
            .map(|name| serde_json::json!({"name": name, "why": "x"}))
            .to_vec();
        let answer = serde_json::json!({"missing_tools": many}).to_string();
        assert_eq!(missing(&[], &answer).unwrap().tools, tools(&["a", "b", "c", "d", "e"]));
        assert_eq!(missing(&[], "{\"missing_tools\": []}").unwrap().tools, []);
        assert!(missing(&[], "{}").unwrap_err().starts_with("missing_tools: it is missing"));
        let partly = missing(&[], r#"{"missing_tools": [{"name": "traces"}]}"#).unwrap();
        assert_eq!(partly.notes, ["missing_tools: 1 of 1 could not be used"]);
    }
}
