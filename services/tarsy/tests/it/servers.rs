//! Model servers, as their documentation shows their answers. Each has the paths that the real one has.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// How a model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conduct {
    /// It calls tools and keeps to schemas.
    Able,
    /// It writes calls as text, and its server ignores schemas.
    Textual,
    /// Its server refuses tools.
    Refusing,
    /// Its server never answers.
    Mute,
    /// Its server still loads it.
    Loading,
}

type Answers = fn(&Played, &str, &Value) -> Option<Value>;

/// A server that is played.
#[derive(Clone)]
pub(crate) struct Played {
    pub(crate) address: String,
    conduct: Conduct,
    key: Option<&'static str>,
    answers: Answers,
    /// The models that were asked something.
    called: Arc<Mutex<Vec<String>>>,
}

impl Played {
    pub(crate) fn called(&self) -> Vec<String> {
        self.called.lock().unwrap().clone()
    }
}

#[expect(clippy::disallowed_methods, reason = "a test has no service to wait for its tasks")]
pub(crate) async fn play(conduct: Conduct, key: Option<&'static str>, answers: Answers) -> Played {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let played = Played { address, conduct, key, answers, called: Arc::default() };
    let router = Router::new().fallback(answer).with_state(played.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    played
}

async fn answer(
    State(played): State<Played>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> Response {
    let sent = headers.get("authorization").and_then(|value| value.to_str().ok());
    if played.key.is_some_and(|key| sent != Some(&format!("Bearer {key}"))) {
        return (StatusCode::UNAUTHORIZED, Json(json!({ "error": "Unauthorized" })))
            .into_response();
    }
    let body: Value = serde_json::from_str(&body).unwrap_or_default();
    if played.conduct == Conduct::Loading {
        let error = json!({ "message": "Loading model", "type": "unavailable_error", "code": 503 });
        return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "error": error }))).into_response();
    }
    if uri.path() == "/v1/chat/completions" {
        return chat(&played, &body).await;
    }
    match (played.answers)(&played, uri.path(), &body) {
        Some(answer) => Json(answer).into_response(),
        None => (StatusCode::NOT_FOUND, "404 page not found").into_response(),
    }
}

async fn chat(played: &Played, body: &Value) -> Response {
    played.called.lock().unwrap().push(body["model"].as_str().unwrap().to_owned());
    let asks_for_call = body.get("tools").is_some();
    let message = match played.conduct {
        Conduct::Mute => std::future::pending().await,
        Conduct::Refusing if asks_for_call => {
            let reason = "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set";
            let error = json!({ "error": { "message": reason, "code": 400 } });
            return (StatusCode::BAD_REQUEST, Json(error)).into_response();
        }
        Conduct::Textual if asks_for_call => json!({
            "content": "<tool_call>\n{\"name\": \"disk_usage\", \"arguments\": {\"path\": \"/var\"}}\n</tool_call>",
        }),
        Conduct::Textual => json!({ "content": "That is ok." }),
        Conduct::Able | Conduct::Refusing if !asks_for_call => {
            json!({ "content": "{\"state\": \"ok\", \"percent\": 12}" })
        }
        _ => json!({ "content": null, "tool_calls": [{ "id": "1", "type": "function", "function": {
            "name": "disk_usage", "arguments": "{\"path\":\"/var\"}",
        } }] }),
    };
    Json(json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] }))
        .into_response()
}

fn listed(entries: &[Value]) -> Value {
    json!({ "object": "list", "data": entries })
}

/// Three models, of which one makes embeddings; `qwen3:8b` is in memory, and any other after a call.
pub(crate) fn ollama(played: &Played, path: &str, body: &Value) -> Option<Value> {
    let names = ["qwen3:8b", "llama3.2:latest", "nomic-embed-text:latest"];
    let entry = |name: &str| json!({ "id": name, "object": "model", "owned_by": "library" });
    Some(match path {
        "/v1/models" => listed(&names.map(entry)),
        "/api/tags" => {
            json!({ "models": names.map(|name| json!({ "name": name, "model": name })) })
        }
        "/api/ps" => {
            let mut running = vec!["qwen3:8b".to_owned()];
            running.extend(played.called());
            let entry = |name: String| json!({ "name": name, "context_length": 4096 });
            json!({ "models": running.into_iter().map(entry).collect::<Vec<_>>() })
        }
        "/api/show" => match body["model"].as_str()? {
            "nomic-embed-text:latest" => json!({ "capabilities": ["embedding"], "model_info": {} }),
            "qwen3:8b" => json!({
                "capabilities": ["completion", "tools", "thinking"],
                "model_info": { "general.architecture": "qwen3", "qwen3.context_length": 40960 },
            }),
            _ => {
                json!({ "capabilities": ["completion"], "model_info": { "llama.context_length": 131_072 } })
            }
        },
        _ => return None,
    })
}

/// It answers Ollama's `/api/tags`, too.
pub(crate) fn llama_cpp(_: &Played, path: &str, _: &Value) -> Option<Value> {
    let name = "/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf";
    Some(match path {
        "/v1/models" | "/api/tags" => json!({
            "models": [{ "name": name, "model": name }],
            "object": "list",
            "data": [{ "id": name, "owned_by": "llamacpp", "meta": { "n_ctx_train": 32768, "n_params": 1_543_714_304 } }],
        }),
        "/props" => json!({
            "default_generation_settings": { "n_ctx": 16384 },
            "total_slots": 1,
            "chat_template_caps": { "supports_tools": true },
        }),
        _ => return None,
    })
}

pub(crate) fn vllm(_: &Played, path: &str, _: &Value) -> Option<Value> {
    let model =
        json!({ "id": "Qwen/Qwen2.5-7B-Instruct", "owned_by": "vllm", "max_model_len": 32768 });
    (path == "/v1/models").then(|| listed(&[model]))
}

/// It answers 200 for paths that it does not know.
#[expect(clippy::unnecessary_wraps, reason = "other servers have no answer for some paths")]
pub(crate) fn lm_studio(_: &Played, path: &str, _: &Value) -> Option<Value> {
    Some(match path {
        "/v1/models" => listed(&[
            json!({ "id": "granite-3.0-2b-instruct", "owned_by": "organization_owner" }),
            json!({ "id": "text-embedding-nomic-embed-text-v1.5", "owned_by": "organization_owner" }),
        ]),
        "/api/v0/models" => listed(&[
            json!({
                "id": "granite-3.0-2b-instruct", "type": "llm", "state": "loaded",
                "max_context_length": 8192, "loaded_context_length": 4096, "capabilities": ["tool_use"],
            }),
            json!({ "id": "text-embedding-nomic-embed-text-v1.5", "type": "embeddings", "state": "loaded" }),
        ]),
        _ => json!({ "error": format!("Unexpected endpoint or method. (GET {path})") }),
    })
}

/// A server of something else, with a page for every path.
#[expect(clippy::unnecessary_wraps, reason = "other servers have no answer for some paths")]
pub(crate) fn website(_: &Played, _: &str, _: &Value) -> Option<Value> {
    Some(json!("<html>"))
}

/// It names a model like a template of the configuration.
pub(crate) fn hostile(_: &Played, path: &str, _: &Value) -> Option<Value> {
    let model = json!({ "id": "{{.SERVER_KEY}}", "owned_by": "x", "max_model_len": 32768 });
    (path == "/v1/models").then(|| listed(&[model]))
}
