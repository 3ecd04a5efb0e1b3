//! MCP servers, as they are written down.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Seconds, Span};
use crate::server::{Isolation, Lifecycle, OAuthGrant, SigningAlgorithm};

/// An MCP server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerFile {
    /// How to reach it.
    #[schemars(required)]
    pub(crate) transport: Option<TransportFile>,
    /// Which of its tools may be called; all.
    pub(crate) policy: Option<PolicyFile>,
    /// What the prompt says about it.
    pub(crate) instructions: Option<String>,
    /// What is masked in its results; on, group security.
    pub(crate) data_masking: Option<MaskingFile>,
    /// When its results are shortened.
    pub(crate) summarization: Option<SummarizationFile>,
}

/// How to reach an MCP server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TransportFile {
    /// The kind of transport.
    #[serde(rename = "type")]
    #[schemars(required)]
    pub(crate) kind: Option<TransportKind>,
    /// stdio: the program.
    pub(crate) command: Option<String>,
    /// stdio: its arguments.
    pub(crate) args: Option<Vec<String>>,
    /// stdio: its variables.
    pub(crate) env: Option<BTreeMap<String, String>>,
    /// stdio: names of the gateway's own variables that it also gets.
    pub(crate) inherit_env: Option<Vec<String>>,
    /// http, sse: the address.
    pub(crate) url: Option<String>,
    /// http, sse: the token of the Authorization header.
    pub(crate) bearer_token: Option<String>,
    /// http, sse: whether the certificate is checked; true.
    pub(crate) verify_ssl: Option<bool>,
    /// http, sse: a PEM file with further authorities that may vouch for the certificate.
    pub(crate) ca_file: Option<String>,
    /// http, sse: the most time that one request may take, in seconds or as a duration.
    pub(crate) timeout: Option<Seconds>,
    /// http, sse: further headers.
    pub(crate) custom_headers: Option<BTreeMap<String, String>>,
    /// http, sse: how tokens are got, if the server wants OAuth.
    pub(crate) oauth: Option<OAuthFile>,
    /// The most time that connecting and the handshake may take; 30s.
    pub(crate) init_timeout: Option<Span>,
    /// The most time that one tool call may take; 90s.
    pub(crate) call_timeout: Option<Span>,
    /// Whether executions share a session; auto.
    pub(crate) isolation: Option<Isolation>,
    /// How the handshake starts; auto.
    pub(crate) lifecycle: Option<Lifecycle>,
    /// http, sse: whether connections are kept for the next request; false.
    pub(crate) pooling: Option<bool>,
}

/// How the tokens of a server are got.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OAuthFile {
    /// Who the tokens are for; `authorization_code`.
    pub(crate) grant: Option<OAuthGrant>,
    /// The client's id, where it was registered beforehand.
    pub(crate) client_id: Option<String>,
    /// Its secret.
    pub(crate) client_secret: Option<String>,
    /// `client_credentials`: a PEM file with the client's private key, instead of a secret.
    pub(crate) private_key_file: Option<String>,
    /// How the client signs with it; RS256.
    pub(crate) signing_algorithm: Option<SigningAlgorithm>,
    /// Where the client's description can be read; https.
    pub(crate) client_metadata_url: Option<String>,
    /// What is asked for; as the server says.
    pub(crate) scopes: Option<Vec<String>>,
}

/// The kind of transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TransportKind {
    /// A subprocess.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older HTTP with server-sent events.
    Sse,
}

/// Which tools of a server may be called.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyFile {
    /// Globs (`*`, `?`) on tool names; all.
    pub(crate) allow: Option<Vec<String>>,
    /// Globs on tool names that are refused even if allowed; none.
    pub(crate) deny: Option<Vec<String>>,
    /// Whether only tools that are annotated read-only may be called; false.
    pub(crate) require_read_only: Option<bool>,
}

/// What is masked in the results of a server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MaskingFile {
    /// Whether anything is masked; true.
    pub(crate) enabled: Option<bool>,
    /// Groups of built-in patterns; security.
    pub(crate) pattern_groups: Option<Vec<String>>,
    /// Single built-in patterns beside the groups; none.
    pub(crate) patterns: Option<Vec<String>>,
    /// Patterns of your own; none.
    pub(crate) custom_patterns: Option<Vec<CustomPatternFile>>,
}

/// A masking pattern of your own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CustomPatternFile {
    /// The regular expression.
    #[schemars(required)]
    pub(crate) pattern: Option<String>,
    /// What replaces a match; `[MASKED_CUSTOM]`.
    pub(crate) replacement: Option<String>,
    /// What it is for.
    pub(crate) description: Option<String>,
}

/// When the results of a server are shortened.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummarizationFile {
    /// Whether long results are shortened by a model; true.
    pub(crate) enabled: Option<bool>,
    /// Results of more tokens than this are shortened; 5000.
    #[schemars(range(min = 100))]
    pub(crate) size_threshold_tokens: Option<u32>,
    /// The most tokens of a summary; 1000.
    #[schemars(range(min = 50))]
    pub(crate) summary_max_token_limit: Option<u32>,
    /// The provider of the summaries; `defaults.summarization.llm_provider`.
    pub(crate) llm_provider: Option<String>,
}
