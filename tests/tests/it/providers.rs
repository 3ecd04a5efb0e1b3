//! llm-service and the other services read the same providers from the same files.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_catalog::{Catalog, Env, ProviderType};

/// What a file may contain: anchors, merged mappings, variables, a built-in name that it takes over, empty texts, and keys
/// that llm-service does not use.
const OWN: &str = r#"llm_providers:
  local: &local
    type: openai
    model: "qwen2.5:7b"        # a comment
    base_url: {{.MODEL_SERVER}}/v1
    context_window_tokens: 32000
  larger:
    <<: *local
    model: >-
      qwen2.5:72b
  openai-default: {type: openai, model: mine, api_key_env: MY_KEY, base_url: "https://{{ .PROXY }}:8443"}
  'on': {type: google, model: g, api_key_env: MY_KEY, native_tools: {google_search: true}, search_with_tool_text: yes}
  cloud:
    type: vertexai
    model: claude@1
    credentials_env: MY_ACCOUNT
    project_env: MY_PROJECT
    location_env: MY_LOCATION
  empty: {type: google, model: g, api_key_env: MY_KEY, credentials_env: '', base_url: "", native_tools: }
"#;
const VARIABLES: [(&str, &str); 2] =
    [("MODEL_SERVER", "http://models:8000"), ("PROXY", "proxy.example")];
const PRINT: &str = "import dataclasses, json, sys; from llm_service.definitions import load; \
    print(json.dumps([dataclasses.asdict(one) for one in load(sys.argv[1]).all()]))";

/// The providers as the Rust services have them.
fn of_the_catalog(folder: Option<&Path>) -> anyhow::Result<Value> {
    let env = Env::of(VARIABLES).without_llm_credentials();
    let catalog = Catalog::load_dir(folder, &env)?;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    // The offline analyst answers in the services themselves.
    let models =
        catalog.providers.values().filter(|one| one.provider_type != ProviderType::Offline);
    let providers = models.map(|one| {
        json!({
            "name": one.name, "type": one.provider_type.as_str(), "model": one.model,
            "api_key_env": text(&one.api_key_env), "credentials_env": text(&one.credentials_env),
            "project_env": text(&one.project_env), "location_env": text(&one.location_env),
            "base_url": text(&one.base_url), "search_with_tool_text": one.search_with_tool_text,
        })
    });
    Ok(providers.collect())
}

/// The providers as llm-service has them.
fn of_llm_service(folder: Option<&Path>) -> anyhow::Result<Value> {
    let workspace = tarsy_testkit::workspace();
    let output = Command::new(workspace.join(".tarsy/venv-llm/bin/python"))
        .args(["-c", PRINT])
        .arg(folder.unwrap_or(Path::new("")))
        .env("PYTHONPATH", workspace.join("llm-service/src"))
        .envs(VARIABLES)
        .output()
        .context("run `make setup` first: llm-service is not set up")?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn assert_same(folder: Option<&Path>, at_least: usize) -> anyhow::Result<()> {
    let (rust, python) = (of_the_catalog(folder)?, of_llm_service(folder)?);
    assert_eq!(rust, python);
    assert!(rust.as_array().is_some_and(|all| all.len() >= at_least), "{rust}");
    Ok(())
}

#[test]
fn llm_service_has_the_built_in_providers() -> anyhow::Result<()> {
    assert_same(None, 9)
}

#[test]
fn llm_service_reads_the_example_as_the_other_services_do() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let example = tarsy_testkit::workspace().join("deploy/config/llm-providers.example.yaml");
    let example = std::fs::read_to_string(example)?;
    // With the entries that are only shown, too.
    std::fs::write(folder.path().join("llm-providers.yaml"), example.replace("  #: ", "  "))?;
    assert_same(Some(folder.path()), 12)
}

#[test]
fn llm_service_reads_every_form_of_an_entry_as_the_other_services_do() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("llm-providers.yaml"), OWN)?;
    assert_same(Some(folder.path()), 14)
}
