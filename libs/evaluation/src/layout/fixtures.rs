//! Fixtures with answer keys: `test_case.yaml` has the question and the expected statements; each `.txt` file is a call: a line
//! of JSON that names the tool and its arguments, in newer fixtures a line of JSON with the status, then the result.

use serde::Deserialize;
use serde_json::{Map, Value};
use tarsy_catalog::yaml_value;
use tarsy_contracts::recording::RecordedCall;
use tarsy_domain::event::CallStatus;

use super::parts::{File, LayoutError, ReadCase, call, numbered, problem, text};
use crate::case::Expected;

pub(super) const TEST_CASE: &str = "test_case.yaml";
/// The end of the names of files with results.
pub(super) const RESULTS: &str = ".txt";

#[derive(Debug, Deserialize)]
struct TestCase {
    user_prompt: Texts,
    expected_output: Texts,
    #[serde(default)]
    mocked_date: Option<String>,
}

/// A text or a list of them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

/// The first line of a result.
#[derive(Debug, Deserialize)]
struct Head {
    tool_name: String,
    /// `params` in older fixtures.
    #[serde(default, alias = "params")]
    match_params: Option<Map<String, Value>>,
}

/// The second line of a result.
#[derive(Debug, Deserialize)]
struct Status {
    status: String,
    #[serde(default)]
    error: Option<String>,
}

/// Reads a case. Files whose first line names no tool are no results.
pub(super) fn read(files: &[File<'_>]) -> Result<ReadCase, LayoutError> {
    let value = yaml_value(TEST_CASE, text(files, TEST_CASE)?)
        .map_err(|error| problem(TEST_CASE, format!("line {}: {}", error.line, error.message)))?;
    let case: TestCase =
        serde_json::from_value(value).map_err(|error| problem(TEST_CASE, error.to_string()))?;
    let mut alerts = case.user_prompt.list().into_iter();
    let alert = alerts.next().filter(|alert| !alert.trim().is_empty());
    let alert =
        alert.ok_or_else(|| problem(TEST_CASE, "user_prompt is empty; write the question"))?;
    let answers = case.expected_output.list();
    if answers.iter().all(|one| one.trim().is_empty()) {
        return Err(problem(TEST_CASE, "expected_output is empty; write what the answer states"));
    }
    let results = files.iter().filter(|file| file.name.ends_with(RESULTS));
    let (server, calls) = numbered(results.filter_map(result).collect());
    if calls.is_empty() {
        return Err(problem(TEST_CASE, "has no recorded results beside it (*.txt)"));
    }
    let received_at = case.mocked_date.and_then(|date| date.parse().ok());
    Ok(ReadCase {
        alert,
        received_at,
        server,
        calls,
        expected: Expected { cause: answers, ..Expected::default() },
    })
}

impl Texts {
    fn list(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        }
    }
}

fn result(file: &File<'_>) -> Option<RecordedCall> {
    let (head, rest) = file.text.split_once('\n').unwrap_or((file.text, ""));
    let head: Head = serde_json::from_str(head.trim()).ok()?;
    let (second, data) = rest.split_once('\n').unwrap_or((rest, ""));
    let status: Option<Status> = serde_json::from_str(second.trim()).ok();
    let arguments = Value::Object(head.match_params.unwrap_or_default());
    let (status, text) = match status {
        None => (CallStatus::Completed, rest.to_owned()),
        Some(Status { status, error }) if status == "error" => (
            CallStatus::Failed,
            error.filter(|_| data.is_empty()).unwrap_or_else(|| data.to_owned()),
        ),
        Some(_) => (CallStatus::Completed, data.to_owned()),
    };
    Some(call(head.tool_name, arguments, status, text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CASE: &str = "user_prompt: 'Why is << { \"type\": \"pod\" } >> {{ pending }}?'\n# a remark\nexpected_output:\n  - The node is\n    tainted\ntags: [easy]\n";

    #[test]
    fn results_are_read_in_both_forms_and_other_texts_are_none() {
        let files = [
            File { name: TEST_CASE, text: CASE },
            File {
                name: "a.txt",
                text: "{\"toolset_name\":\"k\", \"tool_name\":\"get\", \"params\":{\"kind\":\"pod\"}}\nNAME\nweb\n",
            },
            File {
                name: "b.txt",
                text: "{\"tool_name\":\"top\",\"match_params\":null}\n{\"status\":\"success\"}\nCPU\n",
            },
            File {
                name: "c.txt",
                text: "{\"tool_name\":\"logs\"}\n{\"status\":\"error\",\"error\":\"denied\"}\n",
            },
            File { name: "notes.txt", text: "not a result\n" },
        ];
        let case = read(&files).unwrap();
        assert_eq!(case.alert, "Why is << { \"type\": \"pod\" } >> {{ pending }}?");
        assert_eq!(case.expected.cause, ["The node is tainted"]);
        let results: Vec<_> =
            case.calls.iter().map(|call| (call.tool.as_str(), call.result.as_str())).collect();
        assert_eq!(results, [("get", "NAME\nweb\n"), ("top", "CPU\n"), ("logs", "denied")]);
        assert_eq!(case.calls[0].arguments, json!({"kind": "pod"}));
        assert_eq!(case.calls[2].status, CallStatus::Failed);
    }

    #[test]
    fn a_missing_field_and_missing_results_are_reported_with_their_file() {
        let error = |text| read(&[File { name: TEST_CASE, text }]).unwrap_err().to_string();
        assert_eq!(error("user_prompt: why\n"), "test_case.yaml: missing field `expected_output`");
        assert!(
            error("user_prompt: [\n").starts_with("test_case.yaml: line "),
            "{}",
            error("user_prompt: [\n")
        );
        assert!(error(CASE).contains("no recorded results"), "{}", error(CASE));
    }
}
