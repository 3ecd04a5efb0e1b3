//! The JSON Schema: complete, and of one mind with the reader of the files.

use serde_json::Value;
use tarsy_catalog::{Env, schema_json, yaml_value};

use crate::support::{load, shipped, switched_on};

#[test]
fn the_schema_describes_both_files_and_resolves_its_references() {
    let schema = schema_json();
    let defs = schema["$defs"].as_object().unwrap();
    assert!(defs["tarsy.yaml"]["properties"]["agent_chains"].is_object());
    assert!(defs["llm-providers.yaml"]["properties"]["llm_providers"].is_object());
    let text = schema.to_string();
    for reference in text.split("\"$ref\":\"#/$defs/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(defs.contains_key(name), "{name}");
    }
    assert_eq!(defs["Queue"]["additionalProperties"], false);
    assert_eq!(defs["Queue"]["properties"]["worker_count"]["maximum"], 50);
}

fn json(text: &str) -> Value {
    yaml_value("x.yaml", text).unwrap()
}

#[test]
fn the_shipped_files_follow_the_schema() {
    let schema = jsonschema::validator_for(&schema_json()).unwrap();
    for name in ["tarsy.example.yaml", "llm-providers.example.yaml"] {
        for source in [shipped(name), switched_on(shipped(name))] {
            let problems: Vec<String> = schema
                .iter_errors(&json(&source.text))
                .map(|problem| format!("{}: {problem}", problem.instance_path()))
                .collect();
            assert_eq!(problems, Vec::<String>::new(), "{name}");
        }
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema = jsonschema::validator_for(&schema_json()).unwrap();
    for text in [
        "queue: {worker_cont: 1}",
        "queue: {worker_count: 70}",
        "queue: {session_timeout: soon}",
        "agent_chains: {c: {alert_types: [a]}}",
        "mcp_servers: {s: {transport: {type: stdoi, command: x}}}",
        "notifications: {destinations: {a: {type: webhook, channel: C1}}}",
        "intake: {sources: {a: {kind: nagios, verification: bearer, secret_env: X}}}",
        "intake: {sources: {a: {kind: alertmanager, secret_env: X}}}",
        "llm_providers: {p: {type: openai}}",
        "llm_providers: {p: {type: openai, model: m, price: {input: -1, output: 2}}}",
    ] {
        assert!(!schema.is_valid(&json(text)), "{text}");
        let (tarsy, providers) = if text.starts_with("llm") { ("", text) } else { (text, "") };
        assert!(load(tarsy, providers, &Env::empty()).is_err(), "{text}");
    }
}
