//! How an agent iterates, and which backend that means.

use serde::{Deserialize, Serialize};

/// How an agent talks to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
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

/// When a stage with several agents counts as successful.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
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
