//! `tarsy models`.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::servers::{Conduct, Played, hostile, llama_cpp, lm_studio, ollama, play, vllm, website};

const PROVIDERS: &str = "# Ours.\nllm_providers:\n  first:\n    type: openai\n    model: m\n    base_url: http://10.0.0.1/v1\n";

async fn models(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tarsy"));
    command.arg("models").args(words).env("SERVER_KEY", "of-the-server").kill_on_drop(true);
    command.output().await.unwrap()
}

fn printed(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// What is printed as JSON, by the names of the models.
async fn listed(server: &Played, words: &[&str]) -> Value {
    let words = [&["--json", server.address.as_str()], words].concat();
    let output = models(&words).await;
    assert!(output.status.success(), "{}", printed(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let models = document["models"].as_array().unwrap().iter();
    models.map(|model| (model["name"].as_str().unwrap().to_owned(), model.clone())).collect()
}

fn outcomes(model: &Value) -> [&str; 2] {
    ["tool_calls", "json_schema"].map(|what| model[what]["outcome"].as_str().unwrap())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("llm-providers.yaml"), PROVIDERS).unwrap();
    folder
}

fn providers(folder: &tempfile::TempDir) -> String {
    fs::read_to_string(folder.path().join("llm-providers.yaml")).unwrap()
}

fn dir(folder: &tempfile::TempDir) -> &str {
    Path::to_str(folder.path()).unwrap()
}

#[tokio::test]
async fn of_ollama_what_is_in_memory_is_tried_with_the_window_that_it_has_there() {
    let server = play(Conduct::Able, None, ollama).await;
    let found = listed(&server, &[]).await;
    assert_eq!(found.as_object().unwrap().len(), 2, "{found}");
    let qwen = &found["qwen3:8b"];
    assert_eq!(outcomes(qwen), ["works", "works"], "{qwen}");
    assert_eq!((&qwen["kind"], &qwen["context_window"]), (&json!("ollama"), &json!(4096)));
    assert_eq!(qwen["longest_context_window"], 40960);
    let llama = &found["llama3.2:latest"];
    assert_eq!(outcomes(llama), ["not_tried", "not_tried"], "{llama}");
    assert_eq!((&llama["loaded"], &llama["stated_tool_calls"]), (&json!(false), &json!(false)));
    assert_eq!(llama["context_window"], Value::Null);
    assert_eq!(server.called(), ["qwen3:8b", "qwen3:8b"]);

    let found = listed(&server, &["--model", "llama3.2:latest"]).await;
    assert_eq!(found["llama3.2:latest"]["context_window"], 4096, "{found}");
    assert_eq!(outcomes(&found["qwen3:8b"]), ["not_tried", "not_tried"]);
}

#[tokio::test]
async fn each_server_is_known_by_what_it_answers() {
    let llama = play(Conduct::Textual, None, llama_cpp).await;
    let found = listed(&llama, &[]).await;
    let model = &found["/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"];
    assert_eq!((&model["kind"], &model["context_window"]), (&json!("llama.cpp"), &json!(16384)));
    assert_eq!(outcomes(model), ["as_text", "not_used"]);
    assert_eq!(model["stated_tool_calls"], true);
    let lines = model["provider_lines"].as_str().unwrap();
    assert!(lines.contains("llama-cpp-qwen2-5-coder-1-5b-instruct-q4-k-m:"), "{lines}");

    let vllm = play(Conduct::Refusing, None, vllm).await;
    let found = listed(&vllm, &[]).await;
    let model = &found["Qwen/Qwen2.5-7B-Instruct"];
    assert_eq!((&model["kind"], &model["context_window"]), (&json!("vllm"), &json!(32768)));
    assert_eq!(outcomes(model), ["refused", "works"]);
    let reason = model["tool_calls"]["detail"].as_str().unwrap();
    assert!(reason.contains("--tool-call-parser"), "{reason}");

    let studio = play(Conduct::Able, None, lm_studio).await;
    let found = listed(&studio, &["--no-trial"]).await;
    assert_eq!(found.as_object().unwrap().len(), 1, "{found}");
    let model = &found["granite-3.0-2b-instruct"];
    assert_eq!((&model["kind"], &model["context_window"]), (&json!("lm-studio"), &json!(4096)));
    assert_eq!((outcomes(model), &model["stated_tool_calls"]), (["not_tried"; 2], &json!(true)));
    assert!(studio.called().is_empty());
}

#[tokio::test]
async fn the_table_names_what_to_do() {
    let server = play(Conduct::Textual, None, ollama).await;
    let output = models(&[&server.address]).await;
    let text = printed(&output);
    assert!(output.status.success(), "{text}");
    for part in ["Ollama http://127.0.0.1", "4096 of 40960", "as text", "not tried, stated not to"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["iteration_strategy: react", "OLLAMA_CONTEXT_LENGTH", "--model NAME", "--write"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn where_nothing_answers_each_address_has_its_reason() {
    let site = play(Conduct::Able, None, website).await;
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let loading = play(Conduct::Loading, None, llama_cpp).await;
    let output = models(&[&site.address, &address, &loading.address]).await;
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "no model server answers",
        "it lists no models",
        "503: Loading model",
        &address,
        "docs/local-models.md",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let output = models(&["--json", &address]).await;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &document["models"]), (Some(1), &json!([])));
    assert_eq!(document["without_models"][0]["server"], address.as_str());
}

#[tokio::test]
async fn the_provider_is_written_and_the_configuration_stays_valid() {
    let server = play(Conduct::Able, Some("of-the-server"), llama_cpp).await;
    let folder = folder();
    let output = models(&[&server.address]).await;
    assert!(printed(&output).contains("--key-env"), "{}", printed(&output));

    let words = [&server.address, "--key-env", "SERVER_KEY", "--write", "--dir", dir(&folder)];
    let output = models(&words).await;
    let text = printed(&output);
    assert!(output.status.success() && text.contains("wrote the provider"), "{text}");
    assert!(text.contains("defaults.llm_provider"), "another provider is the default: {text}");
    assert!(!text.contains("of-the-server"), "{text}");
    let written = providers(&folder);
    assert!(written.starts_with(PROVIDERS), "{written}");
    for line in ["api_key_env: SERVER_KEY", "context_window_tokens: 16384", "/v1\n"] {
        assert!(written.contains(line), "{line}: {written}");
    }
    let again = models(&words).await;
    assert!(again.status.success() && printed(&again).contains("already"), "{}", printed(&again));
    assert_eq!(providers(&folder), written);
}

#[tokio::test]
async fn what_was_not_answered_or_is_not_valid_is_not_written() {
    let folder = folder();
    let refused = async |server: &Played, words: &[&str], reason: &str| {
        let words = [&[server.address.as_str(), "--write", "--dir", dir(&folder)], words].concat();
        let output = models(&words).await;
        let text = printed(&output);
        assert!(output.status.code() == Some(1) && text.contains(reason), "{reason}: {text}");
        assert_eq!(providers(&folder), PROVIDERS);
    };
    let mute = play(Conduct::Mute, None, vllm).await;
    refused(&mute, &["--wait", "1"], "no model answered").await;
    assert_eq!(mute.called().len(), 1, "the second answer was not waited for");
    let hostile = play(Conduct::Able, None, hostile).await;
    refused(&hostile, &[], "characters that no configuration has").await;
    let ollama = play(Conduct::Able, None, ollama).await;
    refused(&ollama, &["--context-window", "2048"], "OLLAMA_CONTEXT_LENGTH").await;
    refused(&ollama, &["--model", "qwen3:80b"], "no server lists qwen3:80b").await;
    let both = ["--model", "qwen3:8b", "--model", "llama3.2:latest"];
    refused(&ollama, &both, "2 models answered").await;
}
