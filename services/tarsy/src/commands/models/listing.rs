//! Which models a server has, as it states it.
//!
//! Every one of them answers `GET /v1/models`. Whose it is follows from what stands there, not from its port: llama.cpp also
//! answers Ollama's paths, and LM Studio answers unknown paths with 200.

use serde::Serialize;
use serde_json::{Value, json};

use super::ask::{Reply, Server};

/// The most models of one server that are shown: Ollama is asked about each.
const MAX_MODELS: usize = 100;

/// Whose server it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Ollama,
    #[serde(rename = "llama.cpp")]
    LlamaCpp,
    Vllm,
    LmStudio,
    /// It speaks the protocol of `OpenAI`, and nothing shows whose it is.
    Other,
}

impl Kind {
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vLLM",
            Self::LmStudio => "LM Studio",
            Self::Other => "OpenAI's protocol",
        }
    }

    /// The first part of a provider's name.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::LlamaCpp => "llama-cpp",
            Self::Vllm => "vllm",
            Self::LmStudio => "lm-studio",
            Self::Other => "local",
        }
    }

    /// How its context window is made larger.
    pub(super) const fn window_option(self) -> &'static str {
        match self {
            Self::Ollama => "set OLLAMA_CONTEXT_LENGTH for `ollama serve`",
            Self::LlamaCpp => "start llama-server with `--ctx-size`",
            Self::Vllm => "start vLLM with `--max-model-len`",
            Self::LmStudio => "load the model with `lms load --context-length`",
            Self::Other => "start the server with a larger one",
        }
    }
}

/// A model of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Model {
    pub(super) name: String,
    /// Whether it is in memory; none if the server does not state it.
    pub(super) loaded: Option<bool>,
    /// The tokens of a conversation that the server takes.
    pub(super) context_window: Option<u64>,
    /// The tokens for which the model was made; a server may take fewer.
    pub(super) longest_context_window: Option<u64>,
    /// Whether the server states that the model calls tools.
    pub(super) stated_tool_calls: Option<bool>,
}

/// What an address has.
pub(super) enum Found {
    Models(Kind, Vec<Model>),
    /// Nothing that is a model server, and why.
    Nothing(String),
}

/// The models of a server.
pub(super) async fn of(server: &Server) -> Found {
    let reply = match server.get("v1/models").await {
        Ok(reply) => reply,
        Err(reason) => return Found::Nothing(reason),
    };
    if matches!(reply.status, 401 | 403) {
        let reason =
            format!("it answers {}: name the variable of its key with --key-env", reply.status);
        return Found::Nothing(reason);
    }
    let Some(listed) = entries(&reply, "data") else {
        let answered = reply.message();
        let reason = format!("it lists no models: GET /v1/models answers {answered}");
        return Found::Nothing(reason);
    };
    if listed.iter().any(|entry| text(entry, "/owned_by") == Some("llamacpp")) {
        let props = body(server.get("props").await);
        return Found::Models(Kind::LlamaCpp, llama_cpp(listed, &props));
    }
    if listed.iter().any(|entry| entry.get("max_model_len").is_some()) {
        return Found::Models(Kind::Vllm, listed.iter().filter_map(vllm).collect());
    }
    if let Some(models) = lm_studio(&body(server.get("api/v0/models").await)) {
        return Found::Models(Kind::LmStudio, models);
    }
    if let Some(names) = ollama_names(&body(server.get("api/tags").await)) {
        return Found::Models(Kind::Ollama, ollama(server, names).await);
    }
    Found::Models(Kind::Other, listed.iter().filter_map(named).collect())
}

fn body(reply: Result<Reply, String>) -> Value {
    reply.ok().filter(|reply| reply.status == 200).and_then(|reply| reply.body).unwrap_or_default()
}

fn entries<'a>(reply: &'a Reply, key: &str) -> Option<&'a [Value]> {
    let body = reply.body.as_ref().filter(|_| reply.status == 200)?;
    list(body, key)
}

fn list<'a>(body: &'a Value, key: &str) -> Option<&'a [Value]> {
    let entries = body.get(key)?.as_array()?;
    Some(entries.get(..MAX_MODELS).unwrap_or(entries))
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// A number of tokens; servers write 0 for what they do not know.
fn tokens(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64().filter(|tokens| *tokens > 0)
}

fn named(entry: &Value) -> Option<Model> {
    Some(Model { name: text(entry, "/id")?.to_owned(), ..Model::default() })
}

/// One model, unless the server is a router, which states for each whether it is loaded.
fn llama_cpp(listed: &[Value], props: &Value) -> Vec<Model> {
    let served = tokens(props, "/default_generation_settings/n_ctx").filter(|_| listed.len() == 1);
    let calls = props.pointer("/chat_template_caps/supports_tools").and_then(Value::as_bool);
    let model = |entry: &Value| {
        let state = text(entry, "/status/value");
        Some(Model {
            loaded: Some(state.is_none_or(|state| state == "loaded")),
            context_window: served.or_else(|| tokens(entry, "/meta/n_ctx")),
            longest_context_window: tokens(entry, "/meta/n_ctx_train"),
            stated_tool_calls: calls.filter(|_| listed.len() == 1),
            ..named(entry)?
        })
    };
    listed.iter().filter_map(model).collect()
}

fn vllm(entry: &Value) -> Option<Model> {
    let window = tokens(entry, "/max_model_len");
    Some(Model { loaded: Some(true), context_window: window, ..named(entry)? })
}

/// None if it is not the answer of LM Studio.
fn lm_studio(body: &Value) -> Option<Vec<Model>> {
    let model = |entry: &Value| {
        let capabilities = entry.get("capabilities").and_then(Value::as_array);
        Some(Model {
            loaded: Some(text(entry, "/state") == Some("loaded")),
            context_window: tokens(entry, "/loaded_context_length"),
            longest_context_window: tokens(entry, "/max_context_length"),
            stated_tool_calls: capabilities.map(|all| all.iter().any(|one| one == "tool_use")),
            ..named(entry)?
        })
    };
    let converses = |entry: &&Value| text(entry, "/type") != Some("embeddings");
    Some(list(body, "data")?.iter().filter(converses).filter_map(model).collect())
}

/// None if it is not the answer of Ollama.
fn ollama_names(body: &Value) -> Option<Vec<String>> {
    let names = list(body, "models")?.iter();
    Some(names.filter_map(|entry| Some(text(entry, "/name")?.to_owned())).collect())
}

async fn ollama(server: &Server, names: Vec<String>) -> Vec<Model> {
    let running = body(server.get("api/ps").await);
    let mut models = Vec::new();
    for name in names {
        let shown = body(server.look_up("api/show", &json!({ "model": name })).await);
        models.extend(ollama_model(name, &shown, &running));
    }
    models
}

/// None if it only makes embeddings.
fn ollama_model(name: String, shown: &Value, running: &Value) -> Option<Model> {
    let capabilities = shown.get("capabilities").and_then(Value::as_array);
    let has = |word: &str| capabilities.map(|all| all.iter().any(|one| one == word));
    if has("completion") == Some(false) {
        return None;
    }
    let facts = shown.get("model_info").and_then(Value::as_object);
    let longest = facts.and_then(|facts| {
        let is_length = |key: &String| key.ends_with(".context_length");
        facts.iter().find(|(key, _)| is_length(key)).and_then(|(_, length)| length.as_u64())
    });
    let running = list(running, "models").unwrap_or_default();
    let running = running.iter().find(|entry| text(entry, "/name") == Some(&name));
    Some(Model {
        loaded: Some(running.is_some()),
        context_window: running.and_then(|entry| tokens(entry, "/context_length")),
        longest_context_window: longest,
        stated_tool_calls: has("tools"),
        name,
    })
}
