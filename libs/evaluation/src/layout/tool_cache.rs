//! Recorded tool caches: `tool_cache.json` has a result for each `Tool:{arguments}`, `metadata.json` the query and the answer.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use tarsy_contracts::recording::RecordedCall;
use tarsy_domain::event::CallStatus;

use super::parts::{File, LayoutError, ReadCase, call, json, numbered, problem};
use crate::case::Expected;

pub(super) const CACHE: &str = "tool_cache.json";
pub(super) const METADATA: &str = "metadata.json";
/// The member of a cache that is no call.
const COLLECTED: &str = "collection_timestamp";

#[derive(Debug, Deserialize)]
struct Metadata {
    /// What an engineer asks.
    query: String,
    #[serde(default)]
    namespace: Option<String>,
    result: Answer,
}

#[derive(Debug, Deserialize)]
struct Answer {
    root_cause: String,
    /// `kind/name`, or a name.
    #[serde(default)]
    fault_object: Option<String>,
    #[serde(default)]
    fault_taxonomy: Option<String>,
}

/// Reads a case. Arguments are those of the keys; a key without them is a call without arguments.
pub(super) fn read(files: &[File<'_>]) -> Result<ReadCase, LayoutError> {
    let metadata: Metadata = json(files, METADATA)?;
    let cache: Map<String, Value> = json(files, CACHE)?;
    let collected = cache.get(COLLECTED).and_then(Value::as_str);
    let received_at = collected.and_then(|text| text.parse::<Timestamp>().ok());
    let calls = cache
        .iter()
        .filter(|(key, _)| *key != COLLECTED)
        .map(|(key, result)| recorded(key, result));
    let (server, calls) = numbered(calls.collect::<Result<_, _>>()?);
    let alert = match &metadata.namespace {
        Some(namespace) => format!("{}\nnamespace: {namespace}", metadata.query),
        None => metadata.query,
    };
    Ok(ReadCase { alert, received_at, server, calls, expected: expected(metadata.result) })
}

fn recorded(key: &str, result: &Value) -> Result<RecordedCall, LayoutError> {
    let (tool, arguments) = key.split_once(':').unwrap_or((key, ""));
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    let arguments: Map<String, Value> = serde_json::from_str(arguments).map_err(|error| {
        problem(CACHE, format!("{key}: the arguments behind the name are no JSON object: {error}"))
    })?;
    let result = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
    Ok(call(tool.to_owned(), Value::Object(arguments), CallStatus::Completed, result))
}

fn expected(answer: Answer) -> Expected {
    let object = answer.fault_object.unwrap_or_default();
    let name = object.rsplit('/').next().unwrap_or_default();
    let names = |names: &[&str]| {
        names.iter().filter(|name| !name.is_empty()).map(|&name| name.to_owned()).collect()
    };
    let category = answer.fault_taxonomy.unwrap_or_default();
    let family = category.trim_end_matches("_Fault").trim_end_matches("_fault");
    Expected {
        cause: vec![answer.root_cause],
        object: names(&[name]),
        category: names(&[&category, family]),
        ..Expected::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const METADATA_TEXT: &str = r#"{"namespace": "shop", "query": "Pods are pending.", "process": {},
        "result": {"fault_taxonomy": "Scheduling_Fault", "fault_object": "app/cart", "root_cause": "node_taint"}}"#;

    fn read_cache(cache: &str) -> Result<ReadCase, LayoutError> {
        read(&[File { name: METADATA, text: METADATA_TEXT }, File { name: CACHE, text: cache }])
    }

    #[test]
    fn keys_are_calls_and_the_answer_is_what_is_expected() {
        let cache = r#"{"collection_timestamp": "2026-01-02T03:04:05Z", "GetAlerts:{}": [1],
            "GetAlerts": "none", "GetResources:{\"resource_type\": \"pods\", \"name\": null}": "NAME READY"}"#;
        let case = read_cache(cache).unwrap();
        assert_eq!(case.alert, "Pods are pending.\nnamespace: shop");
        assert_eq!(case.received_at, Some("2026-01-02T03:04:05Z".parse().unwrap()));
        let calls: Vec<_> = case
            .calls
            .iter()
            .map(|call| (call.number, call.tool.as_str(), call.result.as_str()))
            .collect();
        assert_eq!(
            calls,
            [(1, "GetAlerts", "[1]"), (2, "GetAlerts", "none"), (3, "GetResources", "NAME READY")]
        );
        assert_eq!(case.calls[2].arguments, json!({"resource_type": "pods", "name": null}));
        assert_eq!(case.server.tools.len(), 2);
        assert_eq!(case.expected.cause, ["node_taint"]);
        assert_eq!(case.expected.object, ["cart"]);
        assert_eq!(case.expected.category, ["Scheduling_Fault", "Scheduling"]);
    }

    #[test]
    fn a_wrong_key_and_a_missing_field_are_reported_with_their_file() {
        let error = read_cache(r#"{"GetAlerts:[1]": ""}"#).unwrap_err().to_string();
        assert!(error.starts_with("tool_cache.json: GetAlerts:[1]: the arguments"), "{error}");
        let files = [
            File { name: METADATA, text: r#"{"query": "q", "result": {}}"# },
            File { name: CACHE, text: "{}" },
        ];
        let error = read(&files).unwrap_err().to_string();
        assert!(error.starts_with("metadata.json: missing field `root_cause`"), "{error}");
        let error = read(&files[1..]).unwrap_err().to_string();
        assert_eq!(error, "metadata.json: is missing");
    }
}
