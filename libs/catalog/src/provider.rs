//! The providers of language models, and what runs when none is set up.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::Check;
use crate::env::Env;
use crate::limits::{LlmTimeouts, ProviderTimeouts, ResolvedTimeouts};
use crate::path::Path;
use crate::price::{Price, ResolvedPrice, Tokens};
use crate::rule::{As, AtLeast, HttpAddress, NotBlank, VariableName, is_loopback_address};
use crate::strategy::Backend;

/// The part of a context window that is left to the answer, thinking included; a small window leaves a quarter.
/// llm-service limits Claude's answers to half of it, other vendors' answers are usually shorter.
const ANSWER_TOKENS: u32 = 32_768;

/// The name of the built-in provider that needs no key.
pub const OFFLINE: &str = "offline";

/// Whose interface a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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

    /// The name in OpenTelemetry's conventions for generative AI (`gen_ai.provider.name`).
    pub const fn telemetry_name(self) -> &'static str {
        match self {
            Self::Google => "gcp.gemini",
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Xai => "x_ai",
            Self::Vertexai => "gcp.vertex_ai",
            Self::Offline => "tarsy.offline",
        }
    }

    /// Whether providers of this type run tools of their own.
    pub(crate) const fn has_native_tools(self) -> bool {
        matches!(self, Self::Google | Self::Vertexai)
    }

    /// What fits into the usual context of this type, with room for the rest of the conversation.
    const fn default_tool_result_tokens(self) -> u32 {
        match self {
            Self::Google => 950_000,
            Self::Openai => 250_000,
            Self::Anthropic | Self::Vertexai => 150_000,
            Self::Xai => 1_500_000,
            Self::Offline => 100_000,
        }
    }

    /// The usual context window of this type's current models.
    const fn default_context_window(self) -> u32 {
        match self {
            Self::Google => 1_000_000,
            Self::Openai | Self::Anthropic | Self::Vertexai | Self::Offline => 200_000,
            Self::Xai => 2_000_000,
        }
    }

    /// Whether this type can serve the strategies that need Gemini's own interface.
    pub const fn has_gemini_api(self) -> bool {
        matches!(self, Self::Google | Self::Vertexai | Self::Offline)
    }
}

/// A tool that a provider itself runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NativeTool {
    /// Search with Google.
    GoogleSearch,
    /// Run code in the provider's sandbox.
    CodeExecution,
    /// Read the pages whose addresses are in the conversation.
    UrlContext,
}

impl NativeTool {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::GoogleSearch, Self::CodeExecution, Self::UrlContext];

    /// The name that configuration files and the API use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GoogleSearch => "google_search",
            Self::CodeExecution => "code_execution",
            Self::UrlContext => "url_context",
        }
    }
}

/// The tools that the provider itself runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct NativeTools {
    /// Search with Google (google, vertexai)
    pub google_search: bool,
    /// Run code in the provider's sandbox (the same)
    pub code_execution: bool,
    /// Read pages named in the conversation (the same)
    pub url_context: bool,
}

impl NativeTools {
    pub const fn has(self, tool: NativeTool) -> bool {
        match tool {
            NativeTool::GoogleSearch => self.google_search,
            NativeTool::CodeExecution => self.code_execution,
            NativeTool::UrlContext => self.url_context,
        }
    }

    /// The names of those that are on, as configuration files and the wire have them.
    pub fn names(self) -> Vec<&'static str> {
        NativeTool::ALL.into_iter().filter(|tool| self.has(*tool)).map(NativeTool::as_str).collect()
    }

    /// Whether one is on that reaches addresses.
    pub const fn searches(self) -> bool {
        self.google_search || self.url_context
    }

    /// Whether none is on.
    pub const fn is_off(self) -> bool {
        !(self.google_search || self.code_execution || self.url_context)
    }
}

/// A provider of language models: an entry of `llm_providers`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The key in the file.
    #[serde(skip)]
    pub name: String,
    /// Whose interface it has
    #[serde(rename = "type")]
    pub provider_type: ProviderType,
    /// The model's name at the provider
    #[serde(with = "As::<NotBlank>")]
    pub model: String,
    /// The **variable** with the key, never the key itself
    #[serde(default, with = "As::<VariableName>")]
    pub api_key_env: Option<String>,
    /// The variable with the path of a credentials file
    #[serde(default, with = "As::<VariableName>")]
    pub credentials_env: Option<String>,
    /// Vertex AI: the variable with the project
    #[serde(default, with = "As::<VariableName>")]
    pub project_env: Option<String>,
    /// Vertex AI: the variable with the location
    #[serde(default, with = "As::<VariableName>")]
    pub location_env: Option<String>,
    /// Address of a proxy, or of a server with the protocol of `OpenAI`
    #[serde(default, with = "As::<HttpAddress>")]
    #[schemars(extend("x-default" = "the vendor's"))]
    pub base_url: Option<String>,
    /// Tokens of one tool result in a conversation at most
    #[serde(default, with = "As::<AtLeast<1000>>")]
    #[schemars(extend(
        "x-default" = "google 950000, openai 250000, anthropic and vertexai 150000, xai 1500000, offline 100000"
    ))]
    pub max_tool_result_tokens: Option<u32>,
    /// The model's context window: conversation, tools and answer together
    #[serde(default, with = "As::<AtLeast<4000>>")]
    #[schemars(extend(
        "x-default" = "google 1000000, openai, anthropic, vertexai and offline 200000, xai 2000000"
    ))]
    pub context_window_tokens: Option<u32>,
    /// How long a call may take, see *Slow models*
    #[serde(default)]
    #[schemars(extend("x-as" = "defaults.llm_timeouts"))]
    pub llm_timeouts: ProviderTimeouts,
    /// Calls at once, of all processes; 0 for no limit, see *Slow models*
    #[serde(default, with = "As::<AtLeast<0>>")]
    #[schemars(extend("x-default" = "1 with a `base_url` on this machine, else none"))]
    pub max_concurrent_requests: Option<u32>,
    /// US dollars for a million tokens, see *Prices*
    pub price: Option<Price>,
    /// The provider's own tools that are on unless an alert overrides them
    #[serde(default)]
    pub native_tools: NativeTools,
    /// Keeps `google_search` and `url_context` on although text of tools may steer them
    #[serde(default)]
    pub search_with_tool_text: bool,
    /// Whether it comes with TARSy rather than from a file.
    #[serde(skip)]
    pub builtin: bool,
}

impl Provider {
    /// The most tokens of one tool result that a conversation may carry.
    pub(crate) fn tool_result_tokens(&self) -> u32 {
        self.max_tool_result_tokens
            .unwrap_or_else(|| self.provider_type.default_tool_result_tokens())
    }

    /// The model's name without what stands before a `/`, such as `models/`.
    pub(crate) fn bare_model(&self) -> &str {
        self.model.rsplit('/').next().unwrap_or_default()
    }

    /// The model's context window, in tokens.
    pub(crate) fn context_window(&self) -> u32 {
        self.context_window_tokens.unwrap_or_else(|| self.provider_type.default_context_window())
    }

    /// Whether its model is on this machine, by the address.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        self.base_url.as_deref().is_some_and(is_loopback_address)
    }

    /// The most calls at once, none without a limit: a server on this machine usually has one slot.
    pub(crate) fn concurrent_requests(&self) -> Option<u32> {
        let most = self.max_concurrent_requests.or(self.is_on_this_machine().then_some(1));
        most.filter(|most| *most > 0)
    }

    /// The variables that it names.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &String> {
        let named =
            [&self.api_key_env, &self.credentials_env, &self.project_env, &self.location_env];
        named.into_iter().flatten()
    }

    /// The variables that it names and that are not set; a provider without any way to a model lacks
    /// `api_key_env` itself.
    pub(crate) fn missing_variables(&self, env: &Env) -> BTreeSet<String> {
        if self.provider_type == ProviderType::Offline {
            return BTreeSet::new();
        }
        let none = self.api_key_env.is_none()
            && self.credentials_env.is_none()
            && self.base_url.is_none()
            && self.project_env.is_none();
        if none {
            return BTreeSet::from(["api_key_env".to_owned()]);
        }
        self.variables().filter(|name| !env.has(name)).cloned().collect()
    }
}

/// Checks the section `llm_providers`.
pub(crate) fn check_providers(
    providers: &BTreeMap<String, Provider>,
    limits: LlmTimeouts,
    check: &mut Check<'_>,
) {
    for (name, provider) in providers {
        let at = Path::of(["llm_providers", name]);
        provider.llm_timeouts.applied_to(limits).check(&at.key("llm_timeouts"), check);
        let kind = provider.provider_type;
        let path = at.key("type");
        if name == OFFLINE && kind != ProviderType::Offline && check.has_text(&path) {
            let suggestion = "choose another name: `offline` is the analyst that needs no model";
            check.problem(&path, "the name offline is taken", suggestion);
        }
        if !provider.native_tools.is_off() && !kind.has_native_tools() {
            let message = format!(
                "has no effect: a provider of type {} has no tools of its own",
                kind.as_str()
            );
            check.warning(&at.key("native_tools"), &message, "remove it");
        }
    }
}

/// A provider as a session uses it. How to reach it is not here: llm-service knows.
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
    /// The most tokens of one tool result that a conversation may carry.
    pub max_tool_result_tokens: u32,
    /// The model's context window, in tokens; sessions of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window_tokens: Option<u32>,
    /// How long a call may take; none if the limits of the chain apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<ResolvedTimeouts>,
    /// The most calls that it answers at once; none if there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrent_requests: Option<u32>,
    /// What its tokens cost; none if it is not configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ResolvedPrice>,
    /// The provider's own tools, with the alert's overrides.
    #[serde(default)]
    pub native_tools: NativeTools,
    /// Whether those that search or open addresses stay on where the prompt has text from tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub search_with_tool_text: bool,
    /// Tokens a second of the offline analyst, above 0, for demos that people watch; none for the setting of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offline_tokens_per_second: Option<u32>,
}

impl ResolvedProvider {
    /// The offline analyst, as it is built in.
    pub fn offline() -> Self {
        Self {
            name: OFFLINE.to_owned(),
            provider_type: ProviderType::Offline,
            model: "offline-analyst".to_owned(),
            backend: Backend::Offline,
            max_tool_result_tokens: 100_000,
            context_window_tokens: None,
            timeouts: None,
            max_concurrent_requests: None,
            price: None,
            native_tools: NativeTools::default(),
            search_with_tool_text: false,
            offline_tokens_per_second: None,
        }
    }

    /// The most tokens of a request, as `OpenAI`'s `o200k` vocabulary counts them: the context window without the
    /// answer, less a tenth, because other vocabularies count more.
    pub fn max_request_tokens(&self) -> usize {
        let window = self.context_window_tokens;
        let window = window.unwrap_or_else(|| self.provider_type.default_context_window());
        let request = window - ANSWER_TOKENS.min(window / 4);
        request as usize / 10 * 9
    }

    /// The most tokens of one tool result: what is configured, or what a request may have in all.
    pub fn tool_result_tokens(&self) -> usize {
        self.max_request_tokens().min(self.max_tool_result_tokens as usize)
    }

    /// Whether its calls have a cost.
    pub fn has_price(&self) -> bool {
        self.price.is_some() || self.provider_type == ProviderType::Offline
    }

    /// What a call cost, in millionths of a US dollar; none if no price is configured. The offline analyst costs nothing.
    pub fn micro_usd(&self, used: Tokens) -> Option<i64> {
        match self.provider_type {
            ProviderType::Offline => Some(0),
            _ => self.price.map(|price| price.micro_usd(used)),
        }
    }

    /// The provider's own tools that a call may use: none once MCP tools are offered.
    pub const fn native_tools_beside(&self, mcp_tools: bool) -> NativeTools {
        if mcp_tools {
            NativeTools { google_search: false, code_execution: false, url_context: false }
        } else {
            self.native_tools
        }
    }

    /// The provider's own tools that a call may use whose prompt has text from tools: none that searches or opens
    /// addresses, unless the operator allows it.
    pub const fn native_tools_with_tool_text(&self) -> NativeTools {
        if self.search_with_tool_text {
            return self.native_tools;
        }
        NativeTools { google_search: false, url_context: false, ..self.native_tools }
    }
}
