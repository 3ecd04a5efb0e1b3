//! How an agent iterates, and which backend that means.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an agent talks to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Function calling through Gemini's own interface, with thinking.
    NativeThinking,
    /// Function calling through any provider.
    Langchain,
    /// A text protocol for models without function calling.
    React,
    /// One call without tools that joins what several agents found.
    Synthesis,
    /// The same through Gemini's own interface, with thinking.
    SynthesisNativeThinking,
}

impl Strategy {
    /// The name that configuration files use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NativeThinking => "native-thinking",
            Self::Langchain => "langchain",
            Self::React => "react",
            Self::Synthesis => "synthesis",
            Self::SynthesisNativeThinking => "synthesis-native-thinking",
        }
    }

    /// Whether an agent of this strategy may call tools.
    pub const fn uses_tools(self) -> bool {
        matches!(self, Self::NativeThinking | Self::Langchain | Self::React)
    }

    /// Whether this strategy needs Gemini's own interface.
    pub const fn is_native(self) -> bool {
        matches!(self, Self::NativeThinking | Self::SynthesisNativeThinking)
    }

    /// The strategy that a synthesis takes over from this one.
    #[must_use]
    pub const fn for_synthesis(self) -> Self {
        if self.is_native() { Self::SynthesisNativeThinking } else { Self::Synthesis }
    }

    /// The same with this backend. Calls by text need none of their own.
    #[must_use]
    pub(crate) const fn with_backend(self, backend: LlmBackend) -> Self {
        match (backend, self) {
            (LlmBackend::GoogleNative, Self::Langchain) => Self::NativeThinking,
            (LlmBackend::GoogleNative, Self::Synthesis) => Self::SynthesisNativeThinking,
            (LlmBackend::Langchain, Self::NativeThinking) => Self::Langchain,
            (LlmBackend::Langchain, Self::SynthesisNativeThinking) => Self::Synthesis,
            _ => self,
        }
    }

    /// The backend of llm-service that this strategy asks for.
    pub const fn backend(self) -> Backend {
        if self.is_native() { Backend::GoogleNative } else { Backend::Langchain }
    }
}

impl std::fmt::Display for Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The part of llm-service that serves a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// Gemini's own interface.
    GoogleNative,
    /// Any provider, through one common interface.
    Langchain,
    /// The offline analyst: rules, no model.
    Offline,
}

impl Backend {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GoogleNative => "google-native",
            Self::Langchain => "langchain",
            Self::Offline => "offline",
        }
    }
}

/// The part of llm-service, as files name it beside a strategy or in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LlmBackend {
    /// Gemini's own interface, with thinking: `native-thinking`.
    GoogleNative,
    /// Any provider, through one common interface: `langchain`.
    Langchain,
}

impl LlmBackend {
    /// The name that configuration files use.
    pub const fn as_str(self) -> &'static str {
        self.backend().as_str()
    }

    const fn backend(self) -> Backend {
        match self {
            Self::GoogleNative => Backend::GoogleNative,
            Self::Langchain => Backend::Langchain,
        }
    }

    /// Whether a strategy asks for another one.
    pub(crate) fn contradicts(self, strategy: Strategy) -> bool {
        strategy.backend() != self.backend()
    }
}

/// The strategy that a part of a file names, by itself or by its backend.
pub(crate) fn named(strategy: Option<Strategy>, backend: Option<LlmBackend>) -> Option<Strategy> {
    strategy.or_else(|| Some(Strategy::Langchain.with_backend(backend?)))
}

/// When a stage with several agents counts as successful.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SuccessPolicy {
    /// Every agent must succeed.
    All,
    /// One agent is enough.
    Any,
}

impl SuccessPolicy {
    /// The name that configuration files, tables and the API use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
        }
    }
}
