//! Why an alert cannot be given a chain.

use tarsy_domain::code::{Code, Coded};

use crate::provider::NativeTool;
use crate::provider_override::UnknownProvider;
use crate::usable::Unusable;

/// Why an alert cannot be given a chain; the text names the field and the fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// No chain serves the alert's type.
    #[error("alert_type: unknown alert type \"{alert_type}\"{}", hint(.suggestion.as_deref()))]
    UnknownAlertType {
        /// The type as it was written.
        alert_type: String,
        /// The nearest known type, or all of them.
        suggestion: Option<String>,
    },
    /// The alert names a server that does not exist.
    #[error("mcp.servers[{index}].name: unknown server \"{name}\"{}", hint(.suggestion.as_deref()))]
    UnknownServer {
        /// Its place in the list.
        index: usize,
        name: String,
        /// The nearest known name and all of them.
        suggestion: Option<String>,
    },
    /// The alert names a server twice.
    #[error("mcp.servers[{index}].name: server \"{name}\" is named twice; keep one of them")]
    RepeatedServer {
        /// The second place in the list.
        index: usize,
        name: String,
    },
    /// The chain does not let alerts ask for this server.
    #[error(
        "mcp.servers[{index}].name: alerts of the chain \"{chain_id}\" may not request the server \"{name}\"; they may \
         request {}", listed(.allowed)
    )]
    ServerNotAllowed {
        /// Its place in the list.
        index: usize,
        name: String,
        chain_id: String,
        /// What the chain allows.
        allowed: Vec<String>,
    },
    /// The chain does not let alerts turn this tool on.
    #[error(
        "mcp.native_tools.{}: alerts of the chain \"{chain_id}\" may not turn this on; they may turn on {}",
        .tool.as_str(), listed(&.allowed.iter().map(|tool| tool.as_str()).collect::<Vec<_>>())
    )]
    NativeToolNotAllowed {
        tool: NativeTool,
        chain_id: String,
        /// What the chain allows.
        allowed: Vec<NativeTool>,
    },
    /// The alert requests servers, and none.
    #[error("mcp.without_servers: does not go with mcp.servers; leave one of the two out")]
    ServersAndNone,
    /// The alert takes the servers away, and nothing is left.
    #[error(
        "mcp.without_servers: would leave the agents without any tool; turn on one of mcp.native_tools, or leave this out"
    )]
    NoToolsAtAll,
    /// The alert chooses a provider that does not exist.
    #[error("provider: {0}")]
    UnknownProvider(UnknownProvider),
    /// The chain does not let alerts choose this provider.
    #[error(
        "provider: alerts of the chain \"{chain_id}\" may not choose the provider \"{name}\"; they may choose {}",
        listed(.allowed)
    )]
    ProviderNotAllowed {
        name: String,
        chain_id: String,
        /// Those that the chain allows and that can be called.
        allowed: Vec<String>,
    },
    /// The provider cannot be called.
    #[error("provider: \"{name}\" cannot be called: {reason}; choose one of {}", listed(.allowed))]
    ProviderUnusable {
        name: String,
        /// What it lacks.
        reason: Unusable,
        /// Those that the chain allows and that can be called.
        allowed: Vec<String>,
    },
    /// The provider has no price, and the chain a budget in money.
    #[error(
        "provider: \"{name}\" has no price, and the chain has a budget in money (`budget.cost_usd`), which its calls would not \
         count in; choose another, or add `price:` to llm_providers.{name}"
    )]
    ProviderUnpriced { name: String },
    /// A tool's name is blank.
    #[error("mcp.servers[{index}].tools[{tool}]: the name is blank; write the name of a tool")]
    BlankTool {
        /// The server's place in the list.
        index: usize,
        /// The tool's place in its list.
        tool: usize,
    },
}

impl ResolveError {
    /// The field of the alert that is wrong, as the API names it.
    pub fn field(&self) -> String {
        match self {
            Self::UnknownAlertType { .. } => "alert_type".to_owned(),
            Self::UnknownServer { index, .. } | Self::RepeatedServer { index, .. } => {
                format!("mcp.servers[{index}].name")
            }
            Self::ServerNotAllowed { index, .. } => format!("mcp.servers[{index}].name"),
            Self::NativeToolNotAllowed { tool, .. } => {
                format!("mcp.native_tools.{}", tool.as_str())
            }
            Self::UnknownProvider(_)
            | Self::ProviderNotAllowed { .. }
            | Self::ProviderUnusable { .. }
            | Self::ProviderUnpriced { .. } => "provider".to_owned(),
            Self::ServersAndNone | Self::NoToolsAtAll => "mcp.without_servers".to_owned(),
            Self::BlankTool { index, tool } => format!("mcp.servers[{index}].tools[{tool}]"),
        }
    }
}

impl Coded for ResolveError {
    fn code(&self) -> Code {
        Code::Invalid
    }
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map(|text| format!("; {text}")).unwrap_or_default()
}

fn listed<S: AsRef<str>>(names: &[S]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}
