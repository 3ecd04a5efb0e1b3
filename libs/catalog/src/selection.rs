//! What one alert requests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::provider::{NativeTool, NativeTools};

/// What an alert requests in place of what its chain configures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Requested<'a> {
    /// The tools.
    pub mcp: Option<&'a McpSelection>,
    /// The provider of every model call, by its name; the chain's fallbacks stay.
    pub provider: Option<&'a str>,
    pub sender: Sender,
}

/// Who requests something of a chain: what the chain allows by default depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sender {
    /// A person, or a program that may submit alerts of every type.
    Trusted,
    /// A source that sends alerts of some types.
    #[default]
    Source,
}

/// A tool of the provider that an alert turns on and that no agent gets; the text names the field and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("mcp.native_tools.{}: {}", .tool.as_str(), without_effect(*.beside_servers))]
pub struct Suppressed {
    pub tool: NativeTool,
    /// Whether some agent would have it without its servers.
    pub beside_servers: bool,
}

const fn without_effect(beside_servers: bool) -> &'static str {
    if beside_servers {
        "has no effect, because a model with tool servers does not get its provider's own tools; for these alone, add \
         \"without_servers\": true"
    } else {
        "has no effect, because no agent of the chain has a provider of the type google or vertexai and the strategy \
         native-thinking"
    }
}

/// The `mcp` part of an alert: it replaces the servers of every agent of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpSelection {
    /// The servers instead of the configured ones; empty leaves those as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<SelectedServer>,
    /// No servers at all: the agents have the provider's own tools instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_servers: bool,
    /// The provider's own tools; what is absent stays as the provider has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native_tools: Option<NativeToolsChoice>,
}

/// A server that an alert names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectedServer {
    /// Its name in the catalog.
    pub name: String,
    /// The only tools that may be called there; absent or empty allows all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
}

/// On, off, or as the provider has it, for each of the provider's own tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NativeToolsChoice {
    /// Search with Google
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub google_search: Option<bool>,
    /// Run code in the provider's sandbox
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_execution: Option<bool>,
    /// Read the pages whose addresses are in the conversation
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_context: Option<bool>,
}

impl SelectedServer {
    /// The only tools that may be called; none allows all.
    pub(crate) fn permitted_tools(&self) -> Option<Vec<String>> {
        self.tools.clone().filter(|tools| !tools.is_empty())
    }
}

impl NativeToolsChoice {
    pub(crate) fn turned_on(self) -> impl Iterator<Item = NativeTool> {
        let on = self.applied_to(NativeTools::default());
        NativeTool::ALL.into_iter().filter(move |tool| on.has(*tool))
    }

    /// The provider's tools after this choice.
    pub fn applied_to(&self, tools: NativeTools) -> NativeTools {
        NativeTools {
            google_search: self.google_search.unwrap_or(tools.google_search),
            code_execution: self.code_execution.unwrap_or(tools.code_execution),
            url_context: self.url_context.unwrap_or(tools.url_context),
        }
    }
}
