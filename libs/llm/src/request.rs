//! What a model is asked, and what it says.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tarsy_catalog::ResolvedProvider;
use tarsy_domain::event::Role;
use tarsy_domain::id::{ExecutionId, SessionId};

/// One turn to generate.
#[derive(Clone, Debug)]
pub struct Request {
    /// The investigation, for logs and limits.
    pub session_id: SessionId,
    /// The agent's execution, if it is one's.
    pub execution_id: Option<ExecutionId>,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// What the model may call.
    pub tools: Vec<ToolDefinition>,
    /// Which model.
    pub config: Config,
    /// The most it may write, in tokens.
    pub max_output_tokens: Option<u32>,
    /// The time it may take.
    pub deadline: Duration,
}

/// Which model, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The provider's type: google, openai, anthropic, xai, vertexai or offline.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// google-native, langchain or offline.
    pub backend: String,
    /// The variable that holds the key.
    pub api_key_env: String,
    /// The variable that holds the path of a credentials file.
    pub credentials_env: String,
    /// Another address than the vendor's.
    pub base_url: String,
    /// The cloud project.
    pub project: String,
    /// The cloud location.
    pub location: String,
    /// The longest tool result the model takes, in tokens.
    pub max_tool_result_tokens: i32,
    /// The provider's own tools, on or off.
    pub native_tools: BTreeMap<String, bool>,
}

impl From<&ResolvedProvider> for Config {
    fn from(provider: &ResolvedProvider) -> Self {
        let native = [
            ("google_search", provider.native_tools.google_search),
            ("code_execution", provider.native_tools.code_execution),
            ("url_context", provider.native_tools.url_context),
        ];
        Self {
            provider: provider.provider_type.as_str().to_owned(),
            model: provider.model.clone(),
            backend: provider.backend.as_str().to_owned(),
            api_key_env: provider.api_key_env.clone().unwrap_or_default(),
            credentials_env: provider.credentials_env.clone().unwrap_or_default(),
            base_url: provider.base_url.clone().unwrap_or_default(),
            project: provider.project.clone().unwrap_or_default(),
            location: provider.location.clone().unwrap_or_default(),
            max_tool_result_tokens: i32::try_from(provider.max_tool_result_tokens)
                .unwrap_or(i32::MAX),
            native_tools: native.into_iter().map(|(name, on)| (name.to_owned(), on)).collect(),
        }
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
    /// The calls that the model asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool's message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// What the provider wants back with this message.
    #[serde(default, skip)]
    pub provider_state: Option<Vec<u8>>,
}

impl Message {
    /// A message that only says something.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
            tool_name: None,
            provider_state: None,
        }
    }
}

/// A call that the model asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The model's name for this call.
    pub id: String,
    /// `server.tool`.
    pub name: String,
    /// JSON text, as the model wrote it.
    pub arguments: String,
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDefinition {
    /// `server.tool`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema text of its arguments.
    pub parameters_schema: String,
}

/// A piece of what the model says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Visible text.
    Text(String),
    /// Reasoning.
    Thinking(String),
    /// A complete call.
    ToolCall(ToolCall),
    /// What the turn cost.
    Usage(Usage),
    /// Code that the provider ran.
    CodeExecution {
        /// The code.
        code: String,
        /// What it printed.
        result: String,
    },
    /// What the provider's search found.
    Grounding(Grounding),
    /// What the provider wants back on the next turn.
    ProviderState(Vec<u8>),
}

/// What a turn cost, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read.
    pub input_tokens: i32,
    /// Written.
    pub output_tokens: i32,
    /// Both.
    pub total_tokens: i32,
    /// Of the written, reasoning.
    pub thinking_tokens: i32,
    /// Of the read, from the provider's cache.
    pub cached_input_tokens: i32,
}

/// What the provider's search found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grounding {
    /// What was searched for.
    pub queries: Vec<String>,
    /// What was found.
    pub sources: Vec<GroundingSource>,
}

/// A page that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroundingSource {
    /// Its address.
    pub uri: String,
    /// Its title.
    pub title: String,
}
