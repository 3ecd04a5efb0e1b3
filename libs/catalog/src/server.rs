//! The MCP servers that agents may use: the section `mcp_servers` of `tarsy.yaml`.

mod oauth;
mod sandbox;
mod transport;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use tarsy_hosts::HostList;
use tarsy_masking::MaskingRules;

pub use self::oauth::{OAuth, OAuthGrant, SigningAlgorithm};
pub use self::sandbox::{FileAccess, ProcessLimits, Sandbox};
pub use self::transport::{
    Endpoint, HOST_INSPECTOR_COMMAND, Isolation, Lifecycle, Remote, Subprocess, Transport,
};
use crate::check::Check;
use crate::path::Path;
use crate::rule::{
    AllowedHost, As, AtLeast, Each, Expression, Glob, MaskingGroup, MaskingPattern, ProviderName,
};
use crate::strategy::LlmBackend;

/// The warning about a server whose entry names no mode: it may be older than the default.
const DEFAULT_MODE: &str = "has no policy.mode, which is `enforce`: calls that may change something wait for a person, and \
                            tools of which that is not known wait for `tarsy mcp accept`";
const WAY_BACK: &str = "write `policy: {mode: enforce}` to keep that, or `policy: {mode: allow_all}` to let every tool run, as before";

/// The server that names of TARSy's own tools begin with.
pub const RESERVED_ID: &str = "tarsy";
/// The most characters of a server's id.
const LONGEST_ID: usize = 64;

/// An MCP server.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpServer {
    /// The key in the file.
    #[serde(skip)]
    pub id: String,
    /// How it is reached
    pub transport: Transport,
    /// Which of its tools may be called
    #[serde(default)]
    pub policy: ToolPolicy,
    /// Added to the prompt
    #[serde(default)]
    pub instructions: String,
    /// What is masked in its results
    #[serde(default)]
    pub data_masking: DataMasking,
    /// When its results are made short
    #[serde(default)]
    pub summarization: ServerSummarization,
    /// Whether it comes with TARSy rather than from a file.
    #[serde(skip)]
    pub builtin: bool,
}

/// Which tools of a server may be called, and what a call needs.
///
/// A tool is read-only, a write tool or unknown: by the lists here, then by the words of its name and its parameters. What its
/// server says of it (annotations) counts where it is stricter, or once it is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ToolPolicy {
    /// Globs (`*`, `?`) on names of tools that are offered; [those that return secrets](mcp.md#which-tools-run) must be named
    #[serde(with = "Each::<Glob>")]
    #[schemars(extend("x-default" = "all"))]
    pub allow: Vec<String>,
    /// Globs on tool names that are refused even if allowed
    #[serde(with = "Each::<Glob>")]
    #[schemars(extend("x-default" = "none"))]
    pub deny: Vec<String>,
    /// Whether only tools that are annotated read-only may be called
    pub require_read_only: bool,
    /// `enforce`: what may change something waits for a person, unknown tools until they are accepted; `allow_all`: every tool
    /// runs
    pub mode: PolicyMode,
    /// Globs on names of tools that only read, whatever their names, parameters and servers say
    #[serde(with = "Each::<Glob>")]
    #[schemars(extend("x-default" = "none; of `host` and `kubernetes-server` those of the built-in entry"))]
    pub read_only: Vec<String>,
    /// Globs of tools that change something; goes before `read_only`
    #[serde(with = "Each::<Glob>")]
    #[schemars(extend("x-default" = "none"))]
    pub write: Vec<String>,
    /// Globs of tools that change nothing when their switch `dry_run` (`dryRun`, `dry-run`, `dryrun`) is on; such a
    /// call needs no approval, see *Actions*
    #[serde(with = "Each::<Glob>")]
    #[schemars(extend("x-default" = "none"))]
    pub dry_run: Vec<String>,
    /// `listed`: unknown tools run once a person has accepted them (`tarsy mcp accept ID`); `all`: without that
    pub accept: Accept,
    /// `enforce` withholds a tool that differs from the accepted one, or is new; `warn` offers it
    pub pin: Pin,
    /// Globs of tools that reach any host that their arguments name; goes before `reaches_own_system`
    #[serde(with = "Each::<Glob>")]
    #[schemars(extend("x-default" = "none"))]
    pub reaches_any_host: Vec<String>,
    /// Globs of tools that reach their own system alone, whatever their server says
    #[serde(with = "Each::<Glob>")]
    #[schemars(extend("x-default" = "none"))]
    pub reaches_own_system: Vec<String>,
    /// Hosts that their calls may name: names, `*.example.com`, addresses, networks, `*`; link-local addresses and metadata
    /// services one by one
    #[serde(with = "Each::<AllowedHost>")]
    pub hosts: Vec<String>,
    /// Whether they may also name the alert's own hosts, to read there
    #[default = true]
    pub alert_hosts: bool,
}

impl ToolPolicy {
    pub fn host_list(&self) -> HostList {
        // The entries were checked when they were read.
        HostList::parse(&self.hosts).unwrap_or_default()
    }
}

/// Whether calls depend on the class of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyMode {
    /// Read-only tools run, others need more.
    #[default]
    Enforce,
    /// Every tool that is not denied runs.
    AllowAll,
}

/// Which unknown tools run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Accept {
    /// Those that a person accepted.
    #[default]
    Listed,
    /// All.
    All,
}

/// What happens to tools that differ from the accepted ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pin {
    /// They are withheld.
    #[default]
    Enforce,
    /// They are offered.
    Warn,
}

/// What is masked in the results of a server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct DataMasking {
    /// Whether anything is masked
    #[default = true]
    pub enabled: bool,
    /// Groups, see *Masking*
    #[default(vec!["security".to_owned()])]
    #[serde(with = "Each::<MaskingGroup>")]
    pub pattern_groups: Vec<String>,
    /// Single patterns beside the groups
    #[serde(with = "Each::<MaskingPattern>")]
    pub patterns: Vec<String>,
    /// Patterns of your own, applied in this order
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

/// A masking pattern of the operator's own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomPattern {
    /// A regular expression without look-around that matches at least one character
    #[serde(with = "As::<Expression>")]
    pub pattern: String,
    /// What replaces a match; `${1}` stands for a group
    #[serde(default = "custom_mask")]
    pub replacement: String,
    /// A note for readers of the file, without an effect
    #[serde(default)]
    pub description: String,
}

fn custom_mask() -> String {
    "[MASKED_CUSTOM]".to_owned()
}

/// When the results of a server are made short, and by which provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSummarization {
    /// When they are made short.
    #[serde(rename = "*limits")]
    #[schemars(flatten)]
    pub limits: Summarization,
    /// Summarizes this server's results
    #[serde(with = "As::<ProviderName>")]
    #[schemars(extend("x-default" = "`defaults.summarization.llm_provider`"))]
    pub llm_provider: Option<String>,
    /// Its backend, see *Strategies*
    #[schemars(extend("x-default" = "with an own provider that of the chain, else `defaults.summarization.llm_backend`"))]
    pub llm_backend: Option<LlmBackend>,
}

/// When the results of a server are made short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct Summarization {
    /// Whether a model summarizes long results
    #[default = true]
    pub enabled: bool,
    /// Longer results are summarized
    #[default = 5000]
    #[serde(with = "As::<AtLeast<100>>")]
    pub size_threshold_tokens: u32,
    /// Tokens of a summary at most
    #[default = 1000]
    #[serde(with = "As::<AtLeast<50>>")]
    pub summary_max_token_limit: u32,
}

/// Checks the section `mcp_servers`.
pub(crate) fn check_servers(servers: &BTreeMap<String, McpServer>, check: &mut Check<'_>) {
    for (id, server) in servers {
        let at = Path::of(["mcp_servers", id]);
        if !is_id(id) {
            let suggestion = "use letters, digits, single `_` and `-`, at most 64 of them";
            let message = format!("\"{id}\" cannot be a part of a tool's name");
            check.key_problem(&at, message, suggestion);
        }
        if id == RESERVED_ID {
            let message = format!("the id \"{id}\" is that of TARSy's own tools");
            check.key_problem(&at, message, "choose another one");
        }
        server.transport.check(&at.key("transport"), check);
        let summarization = &server.summarization;
        check.summarizer_backend(
            &at,
            summarization.llm_provider.is_some(),
            summarization.llm_backend,
        );
        if !check.has_text(&at.key("policy").key("mode")) {
            check.warning(&at, DEFAULT_MODE, WAY_BACK);
        }
    }
}

/// Whether a text can be the id of a server.
pub(crate) fn is_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= LONGEST_ID
        && !id.contains("__")
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
