//! Scenarios: `alert.json`, `answer.yml` with the kind of the cause and required words, and a `.json` file for the answer of each tool. What a
//! scenario lacks it takes from the one that `scenario.yml` names as its `base`.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tarsy_catalog::yaml_value;
use tarsy_domain::event::CallStatus;

use super::parts::{File, LayoutError, ReadCase, call, numbered, problem, text};
use crate::case::Expected;

pub(super) const ANSWER: &str = "answer.yml";
const SCENARIO: &str = "scenario.yml";
const ALERT: &str = "alert.json";
/// The end of the names of files with results.
const RESULTS: &str = ".json";
/// The kind of cause of a scenario in which nothing is wrong.
const HEALTHY: &str = "healthy";

#[derive(Debug, Deserialize)]
struct Answer {
    root_cause_category: String,
    #[serde(default)]
    required_keywords: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Scenario {
    /// The folder beside this one that has what is not here.
    #[serde(default)]
    base: Option<String>,
}

/// Whether a case is made from a file of this name.
pub(super) fn reads(name: &str) -> bool {
    [ANSWER, SCENARIO].contains(&name) || name.ends_with(RESULTS)
}

/// Whether a scenario takes a file of this name from its base.
pub(super) fn inherits(name: &str) -> bool {
    name != ALERT && name.ends_with(RESULTS)
}

/// The folder beside the scenario's own that has what it lacks.
pub(super) fn base(files: &[File<'_>]) -> Result<Option<String>, LayoutError> {
    if !files.iter().any(|file| file.name == SCENARIO) {
        return Ok(None);
    }
    let base = yaml::<Scenario>(files, SCENARIO)?.base.filter(|name| !name.trim().is_empty());
    match base {
        Some(name) if name.contains(['/', '\\']) || name.starts_with('.') => {
            Err(problem(SCENARIO, format!("base is {name}; write the name of a folder beside it")))
        }
        base => Ok(base),
    }
}

/// Reads a case. A required word counts as a name of the cause and as evidence; a file is a tool without arguments.
pub(super) fn read(files: &[File<'_>]) -> Result<ReadCase, LayoutError> {
    let alert = text(files, ALERT)?.to_owned();
    let answer: Answer = yaml(files, ANSWER)?;
    let results = files.iter().filter(|file| inherits(file.name));
    let calls = results.map(|file| {
        let tool = format!("get_{}", file.name.trim_end_matches(RESULTS));
        call(tool, json!({}), CallStatus::Completed, file.text.to_owned())
    });
    let (server, calls) = numbered(calls.collect());
    if calls.is_empty() {
        return Err(problem(ANSWER, "has no answers of tools beside it (*.json)"));
    }
    Ok(ReadCase { alert, received_at: None, server, calls, expected: expected(answer)? })
}

fn expected(answer: Answer) -> Result<Expected, LayoutError> {
    if answer.root_cause_category == HEALTHY {
        return Ok(Expected { healthy: true, ..Expected::default() });
    }
    if answer.required_keywords.iter().all(|word| word.trim().is_empty()) {
        return Err(problem(ANSWER, "required_keywords is empty; write what names the cause"));
    }
    let required_evidence = answer.required_keywords.iter().map(|word| vec![word.clone()]);
    Ok(Expected {
        required_evidence: required_evidence.collect(),
        cause: answer.required_keywords,
        ..Expected::default()
    })
}

fn yaml<T: DeserializeOwned>(files: &[File<'_>], name: &str) -> Result<T, LayoutError> {
    let value: Value = yaml_value(name, text(files, name)?)
        .map_err(|error| problem(name, format!("line {}: {}", error.line, error.message)))?;
    serde_json::from_value(value).map_err(|error| problem(name, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [File<'static>; 3] = [
        File { name: ALERT, text: r#"{"title": "Pod restarts"}"# },
        File {
            name: ANSWER,
            text: "root_cause_category: resource_exhaustion\nrequired_keywords: [memory, exit code 137]\n",
        },
        File { name: "cluster_pods.json", text: r#"{"pods": []}"# },
    ];

    #[test]
    fn each_file_is_a_tool_and_the_required_words_are_what_is_expected() {
        let case = read(&FILES).unwrap();
        assert_eq!(case.alert, r#"{"title": "Pod restarts"}"#);
        let calls: Vec<_> =
            case.calls.iter().map(|call| (call.tool.as_str(), call.result.as_str())).collect();
        assert_eq!(calls, [("get_cluster_pods", r#"{"pods": []}"#)]);
        assert_eq!(case.expected.cause, ["memory", "exit code 137"]);
        assert_eq!(case.expected.required_evidence.len(), 2);
        assert!(!case.expected.healthy);
    }

    #[test]
    fn a_scenario_in_which_nothing_is_wrong_expects_no_cause() {
        let [alert, _, pods] = FILES;
        let text = "root_cause_category: healthy\nrequired_keywords: [normal]\n";
        let case = read(&[alert, File { name: ANSWER, text }, pods]).unwrap();
        assert!(case.expected.healthy && case.expected.cause.is_empty());
    }

    #[test]
    fn the_base_is_a_folder_beside_the_scenario() {
        let of = |text| base(&[File { name: SCENARIO, text }]);
        assert_eq!(of("base: 000-calm\n").unwrap().as_deref(), Some("000-calm"));
        assert_eq!(of("severity: info\n").unwrap(), None);
        assert_eq!(base(&FILES).unwrap(), None);
        let error = of("base: ../../etc\n").unwrap_err().to_string();
        assert!(error.starts_with("scenario.yml: base is ../../etc"), "{error}");
        assert!(inherits("nodes.json") && !inherits(ALERT) && !inherits(ANSWER));
    }

    #[test]
    fn a_missing_field_and_missing_words_are_reported_with_their_file() {
        let [alert, _, pods] = FILES;
        let error =
            |text| read(&[alert, File { name: ANSWER, text }, pods]).unwrap_err().to_string();
        assert_eq!(
            error("required_keywords: [a]\n"),
            "answer.yml: missing field `root_cause_category`"
        );
        assert!(error("root_cause_category: x\n").contains("required_keywords is empty"));
        assert!(read(&FILES[..2]).unwrap_err().to_string().contains("no answers of tools"));
    }
}
