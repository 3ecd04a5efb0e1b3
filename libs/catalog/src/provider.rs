//! The providers of language models, and what runs when none is set up.

use serde::{Deserialize, Serialize};

use crate::strategy::Backend;

/// The name of the built-in provider that needs no key.
pub const OFFLINE: &str = "offline";

/// Whose interface a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderType {
    /// Google's Gemini API.
    Google,
    /// `OpenAI`, or any server that speaks its protocol (with `base_url`).
    Openai,
    /// Anthropic.
    Anthropic,
    /// xAI.
    Xai,
    /// Models on Google Cloud's Vertex AI.
    Vertexai,
    /// The offline analyst: rules, no model, no key.
    Offline,
}

impl ProviderType {
    /// The name that configuration files and the wire use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Xai => "xai",
            Self::Vertexai => "vertexai",
            Self::Offline => "offline",
        }
    }

    /// Whether this type can serve the strategies that need Gemini's own interface.
    pub const fn has_gemini_api(self) -> bool {
        matches!(self, Self::Google | Self::Vertexai | Self::Offline)
    }
}

/// The tools that the provider itself runs.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(default)]
pub struct NativeTools {
    /// Search with Google.
    pub google_search: bool,
    /// Run code in the provider's sandbox.
    pub code_execution: bool,
    /// Read the pages whose addresses are in the conversation.
    pub url_context: bool,
}

impl NativeTools {
    /// Whether none is on.
    pub const fn is_off(self) -> bool {
        !(self.google_search || self.code_execution || self.url_context)
    }
}

/// A provider as it was configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The name that chains refer to.
    pub name: String,
    /// Whose interface it speaks.
    pub provider_type: ProviderType,
    /// The model's name at the provider.
    pub model: String,
    /// The variable that holds the key.
    pub api_key_env: Option<String>,
    /// The variable that holds the path of a credentials file.
    pub credentials_env: Option<String>,
    /// The variable that holds the project (Vertex AI).
    pub project_env: Option<String>,
    /// The variable that holds the location (Vertex AI).
    pub location_env: Option<String>,
    /// Another address of the API.
    pub base_url: Option<String>,
    /// The most tokens of one tool result that a conversation may carry.
    pub max_tool_result_tokens: u32,
    /// The provider's own tools that are on unless an alert says otherwise.
    pub native_tools: NativeTools,
    /// Whether it comes with TARSy rather than from a file.
    pub builtin: bool,
}

/// A provider as a session uses it: names of variables, never a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedProvider {
    /// The provider's name in the catalog.
    pub name: String,
    /// Whose interface it speaks.
    pub provider_type: ProviderType,
    /// The model's name at the provider.
    pub model: String,
    /// The part of llm-service that serves it; `offline` for the offline analyst, whatever the strategy.
    pub backend: Backend,
    /// The variable that holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// The variable that holds the path of a credentials file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials_env: Option<String>,
    /// Another address of the API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The project's value (Vertex AI).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The location's value (Vertex AI).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The most tokens of one tool result that a conversation may carry.
    pub max_tool_result_tokens: u32,
    /// The provider's own tools, after the alert's wishes.
    #[serde(default)]
    pub native_tools: NativeTools,
}

impl ResolvedProvider {
    /// The provider's own tools that a call may use: none once MCP tools are offered.
    pub const fn native_tools_beside(&self, mcp_tools: bool) -> NativeTools {
        if mcp_tools {
            NativeTools { google_search: false, code_execution: false, url_context: false }
        } else {
            self.native_tools
        }
    }
}

/// What answers when a chain names no provider, in words for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmInfo {
    /// The provider's name in the catalog.
    pub provider: String,
    /// The model's name at the provider.
    pub model: String,
    /// The part of llm-service that serves it.
    pub backend: Backend,
    /// Whether it is the offline analyst, which is rules and not a model.
    pub offline: bool,
    /// One or two sentences that say what runs and, when offline, what to set.
    pub message: String,
}
