//! The MCP servers that agents may use.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use tarsy_masking::MaskingRules;
use url::Url;

/// The command of the built-in `host` server.
///
/// It stands for TARSy's own read-only host inspector: the tool gateway replaces it by the path in its
/// settings (or by its own program) and looks it up on the search path otherwise.
pub const HOST_INSPECTOR_COMMAND: &str = "tarsy-host-inspector";

/// An MCP server as it was configured.
#[derive(Clone, Debug)]
pub struct McpServer {
    /// The name that agents and chains refer to.
    pub id: String,
    /// How it is reached.
    pub transport: Transport,
    /// Which of its tools may be called.
    pub policy: ToolPolicy,
    /// What the prompt says about it.
    pub instructions: String,
    /// What is masked in its results.
    pub data_masking: DataMasking,
    /// When its results are shortened.
    pub summarization: Summarization,
    /// The provider that shortens them, when one was named.
    pub summarizer: Option<String>,
    /// Whether it comes with TARSy rather than from a file.
    pub builtin: bool,
}

/// How an MCP server is reached, and how sessions with it are made.
#[derive(Clone, Debug)]
pub struct Transport {
    /// The program or the address.
    pub endpoint: Endpoint,
    /// The most time that connecting and the handshake may take.
    pub init_timeout: Duration,
    /// The most time that one tool call may take.
    pub call_timeout: Duration,
    /// Whether executions share a session.
    pub isolation: Isolation,
    /// How the handshake starts.
    pub lifecycle: Lifecycle,
    /// Whether HTTP connections are kept open for the next request.
    pub pooling: bool,
}

/// The program or the address of an MCP server.
#[derive(Clone, Debug)]
pub enum Endpoint {
    /// A subprocess with MCP on its standard input and output.
    Stdio(Subprocess),
    /// Streamable HTTP.
    Http(Remote),
    /// The older HTTP with server-sent events.
    Sse(Remote),
}

impl Endpoint {
    /// The value of `transport.type`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(_) => "http",
            Self::Sse(_) => "sse",
        }
    }
}

/// A server that the gateway starts as a subprocess.
#[derive(Clone)]
pub struct Subprocess {
    /// The program; see [`HOST_INSPECTOR_COMMAND`].
    pub command: String,
    /// Its arguments; they may hold secrets.
    pub args: Vec<String>,
    /// Its variables; they may hold secrets.
    pub env: BTreeMap<String, SecretString>,
    /// Names of variables of the gateway that it also gets.
    pub inherit_env: Vec<String>,
}

impl fmt::Debug for Subprocess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subprocess")
            .field("command", &self.command)
            .field("args", &format_args!("[{} hidden]", self.args.len()))
            .field("env", &self.env.keys())
            .field("inherit_env", &self.inherit_env)
            .finish()
    }
}

/// A server behind an address.
#[derive(Clone)]
pub struct Remote {
    /// Its address.
    pub url: Url,
    /// The token of the `Authorization` header.
    pub bearer_token: Option<SecretString>,
    /// Whether its certificate is checked.
    pub verify_ssl: bool,
    /// Further authorities that may vouch for its certificate: a file of PEM blocks.
    pub ca_file: Option<PathBuf>,
    /// The most time that one HTTP request may take, when it was set.
    pub timeout: Option<Duration>,
    /// Further headers; they may hold secrets.
    pub custom_headers: BTreeMap<String, SecretString>,
    /// How tokens are got, if the server wants OAuth.
    pub oauth: Option<OAuth>,
}

/// How the tokens of a server are got.
#[derive(Clone, Debug)]
pub struct OAuth {
    /// Who the tokens are for.
    pub grant: OAuthGrant,
    /// The client's id, where it was registered beforehand.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<SecretString>,
    /// Its private key, where it signs instead of showing a secret: a PEM file.
    pub private_key_file: Option<PathBuf>,
    /// How it signs.
    pub signing_algorithm: SigningAlgorithm,
    /// Where the client's description can be read, for servers that know clients by it.
    pub client_metadata_url: Option<Url>,
    /// What is asked for; empty leaves it to the server.
    pub scopes: Vec<String>,
}

/// How a client signs what proves that it is itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum SigningAlgorithm {
    /// RSA with SHA-256.
    #[default]
    Rs256,
    /// RSA with SHA-384.
    Rs384,
    /// RSA with SHA-512.
    Rs512,
    /// The curve P-256 with SHA-256.
    Es256,
    /// The curve P-384 with SHA-384.
    Es384,
}

/// Who the tokens of a server are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OAuthGrant {
    /// A person, who logs in with `tarsy mcp login`.
    #[default]
    AuthorizationCode,
    /// The client itself.
    ClientCredentials,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("origin", &self.url.origin().ascii_serialization())
            .field("bearer_token", &self.bearer_token)
            .field("verify_ssl", &self.verify_ssl)
            .field("ca_file", &self.ca_file)
            .field("timeout", &self.timeout)
            .field("custom_headers", &self.custom_headers.keys())
            .finish_non_exhaustive()
    }
}

/// Whether executions share a session with a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// One session, or one process, for each agent execution.
    PerExecution,
    /// One session for all.
    Shared,
    /// Per execution for session-based servers, shared for stateless ones.
    #[default]
    Auto,
}

/// How the handshake with a server starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// With `initialize`, as session-based servers want it.
    Initialize,
    /// With `server/discover`, as stateless servers want it.
    Discover,
    /// With `initialize`, then `server/discover` if that is refused.
    #[default]
    Auto,
}

/// Which tools of a server may be called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolPolicy {
    /// Globs (`*`, `?`) on tool names; empty allows all.
    pub allow: Vec<String>,
    /// Globs on tool names that are refused even if allowed.
    pub deny: Vec<String>,
    /// Whether only tools that are annotated read-only may be called.
    pub require_read_only: bool,
}

/// What is masked in the results of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataMasking {
    /// Whether anything is masked.
    pub enabled: bool,
    /// Groups of built-in patterns.
    pub pattern_groups: Vec<String>,
    /// Single built-in patterns beside the groups.
    pub patterns: Vec<String>,
    /// Patterns of the operator's own.
    pub custom_patterns: Vec<CustomPattern>,
}

impl DataMasking {
    /// The same as rules of a masker.
    pub fn rules(&self) -> MaskingRules {
        let custom = |custom: &CustomPattern| tarsy_masking::CustomPattern {
            pattern: custom.pattern.clone(),
            replacement: custom.replacement.clone(),
            description: custom.description.clone(),
        };
        MaskingRules {
            pattern_groups: self.pattern_groups.clone(),
            patterns: self.patterns.clone(),
            custom_patterns: self.custom_patterns.iter().map(custom).collect(),
        }
    }
}

/// A masking pattern of the operator's own; it compiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomPattern {
    /// The regular expression.
    pub pattern: String,
    /// What replaces a match; `${1}` refers to a group.
    pub replacement: String,
    /// What it is for.
    pub description: String,
}

/// When the results of a server are shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summarization {
    /// Whether long results are shortened by a model.
    pub enabled: bool,
    /// Results of more tokens than this are shortened.
    pub size_threshold_tokens: u32,
    /// The most tokens of a summary.
    pub summary_max_token_limit: u32,
}

impl Default for Summarization {
    fn default() -> Self {
        Self { enabled: true, size_threshold_tokens: 5000, summary_max_token_limit: 1000 }
    }
}
