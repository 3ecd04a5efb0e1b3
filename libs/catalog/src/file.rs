//! The shapes of the two files. Their doc comments and bounds are the JSON Schema, and the schema is what
//! checks a file: there is no second description.

mod chain;
mod server;
mod span;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) use self::chain::{
    AgentFile, ChainFile, ChatFile, StageAgentFile, StageFile, SynthesisFile,
};
pub(crate) use self::server::{
    MaskingFile, OAuthFile, PolicyFile, ServerFile, SummarizationFile, TransportFile, TransportKind,
};
pub(crate) use self::span::{DURATION_FORMAT, SECONDS_FORMAT, Seconds, Span, seconds};
use crate::limits::BudgetOverride;
use crate::notifications::NotificationStatus;
use crate::provider::{NativeTools, ProviderType};
use crate::strategy::{Strategy, SuccessPolicy};

/// `tarsy.yaml`: what TARSy does, with which agents, chains and tools.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TarsyFile {
    /// How much work is done at once.
    pub(crate) queue: Option<QueueFile>,
    /// What surrounds the investigations.
    pub(crate) system: Option<SystemFile>,
    /// What holds where nothing nearer says otherwise.
    pub(crate) defaults: Option<DefaultsFile>,
    /// MCP servers by name; an entry replaces the built-in one of the same name.
    pub(crate) mcp_servers: Option<BTreeMap<String, ServerFile>>,
    /// Agents by name; an entry replaces the built-in one of the same name.
    pub(crate) agents: Option<BTreeMap<String, AgentFile>>,
    /// Chains by name; an entry replaces the built-in one of the same name.
    pub(crate) agent_chains: Option<BTreeMap<String, ChainFile>>,
    /// Who is told of sessions.
    pub(crate) notifications: Option<NotificationsFile>,
}

/// `llm-providers.yaml`: the language models that chains may name.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProvidersFile {
    /// Providers by name; an entry replaces the built-in one of the same name.
    pub(crate) llm_providers: Option<BTreeMap<String, ProviderFile>>,
}

/// How much work is done at once, and how lost work is found.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueueFile {
    /// Sessions at once in one orchestrator; 5.
    #[schemars(range(min = 1, max = 50))]
    pub(crate) worker_count: Option<u32>,
    /// Sessions at once over all orchestrators; 5.
    #[schemars(range(min = 1))]
    pub(crate) max_concurrent_sessions: Option<u32>,
    /// The most time that a session may take; 15m.
    pub(crate) session_timeout: Option<Span>,
    /// The most time that running sessions get when a service stops; 15m.
    pub(crate) graceful_shutdown_timeout: Option<Span>,
    /// How often a lease is renewed; 10s.
    pub(crate) heartbeat_interval: Option<Span>,
    /// After how long without renewal a session counts as abandoned; 30s, at least two intervals.
    pub(crate) orphan_threshold: Option<Span>,
    /// How often the sweeper looks for work that no message announced; 30s.
    pub(crate) poll_interval: Option<Span>,
    /// The random share of that pace; 10s.
    pub(crate) poll_interval_jitter: Option<Span>,
    /// How often abandoned sessions are looked for; 1m.
    pub(crate) orphan_detection_interval: Option<Span>,
}

/// What surrounds the investigations.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SystemFile {
    /// The dashboard's address, for links and allowed origins; `http://localhost:8080`.
    pub(crate) dashboard_url: Option<String>,
    /// Host patterns from which browsers may open a WebSocket, beside the dashboard's; none.
    pub(crate) allowed_ws_origins: Option<Vec<String>>,
    /// Access to GitHub.
    pub(crate) github: Option<GithubFile>,
    /// Where runbooks come from.
    pub(crate) runbooks: Option<RunbooksFile>,
    /// Notifications to Slack.
    pub(crate) slack: Option<SlackFile>,
    /// What is deleted, and when.
    pub(crate) retention: Option<RetentionFile>,
}

/// Access to GitHub.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GithubFile {
    /// The variable that holds the token, sent to GitHub alone; `GITHUB_TOKEN`.
    pub(crate) token_env: Option<String>,
}

/// Where runbooks come from.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunbooksFile {
    /// The repository folder whose runbooks are listed; none.
    pub(crate) repo_url: Option<String>,
    /// How long a fetched runbook is reused; 1m.
    pub(crate) cache_ttl: Option<Span>,
    /// The hosts that a runbook may come from; github.com and raw.githubusercontent.com.
    pub(crate) allowed_domains: Option<Vec<String>>,
    /// Hosts of your own that may be at private addresses, beside the allowed ones; none.
    pub(crate) private_domains: Option<Vec<String>>,
    /// A folder whose files may be named as `file:///NAME.md`; none.
    pub(crate) folder: Option<String>,
}

/// Notifications to Slack.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlackFile {
    /// Whether anything is posted; false.
    pub(crate) enabled: Option<bool>,
    /// The variable that holds the bot's token; `SLACK_BOT_TOKEN`.
    pub(crate) token_env: Option<String>,
    /// The channel's id; needed when enabled.
    pub(crate) channel: Option<String>,
    /// Another address of Slack's API; `https://slack.com/api`.
    pub(crate) api_url: Option<String>,
}

/// Who is told of sessions.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotificationsFile {
    /// Destinations by name.
    pub(crate) destinations: Option<BTreeMap<String, DestinationFile>>,
}

/// Where notifications go.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DestinationFile {
    /// What it is.
    #[serde(rename = "type")]
    #[schemars(required)]
    pub(crate) kind: Option<DestinationKind>,
    /// The alert types that it is told of; all.
    #[schemars(length(min = 1))]
    pub(crate) alert_types: Option<Vec<String>>,
    /// What it is told of; all. Slack is told of a start only if the alert has a fingerprint.
    #[schemars(length(min = 1))]
    pub(crate) statuses: Option<Vec<NotificationStatus>>,
    /// slack: the channel's id.
    pub(crate) channel: Option<String>,
    /// slack: the variable that holds the bot's token; `SLACK_BOT_TOKEN`.
    pub(crate) token_env: Option<String>,
    /// slack: another address of Slack's API; `https://slack.com/api`.
    pub(crate) api_url: Option<String>,
    /// webhook: where the request goes.
    pub(crate) url: Option<String>,
    /// webhook: the variable that holds the secret which signs the requests.
    pub(crate) secret_env: Option<String>,
}

/// What a destination is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DestinationKind {
    /// A channel of Slack.
    Slack,
    /// A signed HTTP request.
    Webhook,
}

/// What is deleted, and when.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetentionFile {
    /// Days after which a finished session is deleted; 365.
    #[schemars(range(min = 1, max = 36_500))]
    pub(crate) session_retention_days: Option<u32>,
    /// How long an event is kept after its session has ended; 1h.
    pub(crate) event_ttl: Option<Span>,
    /// How often this is done; 12h.
    pub(crate) cleanup_interval: Option<Span>,
}

/// What holds where nothing nearer says otherwise.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DefaultsFile {
    /// The provider; the first usable one.
    pub(crate) llm_provider: Option<String>,
    /// Providers that take over in turn when the provider cannot be used; none.
    pub(crate) fallback_providers: Option<Vec<String>>,
    /// How agents iterate; langchain.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// How often an agent may call its model; 20.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
    /// When a stage with several agents counts as successful; any.
    pub(crate) success_policy: Option<SuccessPolicy>,
    /// The type of an alert that names none; kubernetes.
    pub(crate) alert_type: Option<String>,
    /// The runbook of an alert that names none; a built-in text.
    pub(crate) runbook: Option<String>,
    /// What is masked in alerts.
    pub(crate) alert_masking: Option<AlertMaskingFile>,
    /// Who shortens long results.
    pub(crate) summarization: Option<SummarizerFile>,
    /// What one session may use up; generous.
    pub(crate) budget: Option<BudgetFile>,
    /// How long a model may be silent.
    pub(crate) llm_timeouts: Option<LlmTimeoutsFile>,
}

/// What one session may use up, all its agents together; then they conclude. A question in its chat has
/// the same budget of its own.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BudgetFile {
    /// Calls of models; 300.
    #[schemars(range(min = 1))]
    pub(crate) llm_calls: Option<u32>,
    /// Tokens, read and written; 10000000.
    #[schemars(range(min = 1))]
    pub(crate) tokens: Option<u32>,
    /// Calls of tools; 1000.
    #[schemars(range(min = 1))]
    pub(crate) tool_calls: Option<u32>,
}

impl From<BudgetFile> for BudgetOverride {
    fn from(file: BudgetFile) -> Self {
        Self { llm_calls: file.llm_calls, tokens: file.tokens, tool_calls: file.tool_calls }
    }
}

/// How long a model may be silent within one call; each less than the two minutes of an iteration.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LlmTimeoutsFile {
    /// Before it says anything; 90s.
    pub(crate) first_token: Option<Span>,
    /// Between two pieces of what it says; 1m.
    pub(crate) stall: Option<Span>,
}

/// What is masked in alerts before they are stored.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlertMaskingFile {
    /// Whether anything is masked; true.
    pub(crate) enabled: Option<bool>,
    /// The group of built-in patterns; security.
    pub(crate) pattern_group: Option<String>,
}

/// Who shortens long results.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummarizerFile {
    /// The provider of the summaries; that of the agent that made the call.
    pub(crate) llm_provider: Option<String>,
}

/// A provider of language models.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProviderFile {
    /// Whose interface it speaks.
    #[serde(rename = "type")]
    #[schemars(required)]
    pub(crate) provider_type: Option<ProviderType>,
    /// The model's name at the provider.
    #[schemars(required)]
    pub(crate) model: Option<String>,
    /// The variable that holds the key.
    pub(crate) api_key_env: Option<String>,
    /// The variable that holds the path of a credentials file.
    pub(crate) credentials_env: Option<String>,
    /// The variable that holds the project (Vertex AI).
    pub(crate) project_env: Option<String>,
    /// The variable that holds the location (Vertex AI).
    pub(crate) location_env: Option<String>,
    /// Another address of the API.
    pub(crate) base_url: Option<String>,
    /// The most tokens of one tool result that a conversation may carry; by type.
    #[schemars(range(min = 1000))]
    pub(crate) max_tool_result_tokens: Option<u32>,
    /// The tools that the provider itself runs.
    pub(crate) native_tools: Option<NativeToolsFile>,
}

/// The tools that the provider itself runs (google and vertexai).
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NativeToolsFile {
    /// Search with Google; false.
    pub(crate) google_search: Option<bool>,
    /// Run code in the provider's sandbox; false.
    pub(crate) code_execution: Option<bool>,
    /// Read the pages whose addresses are in the conversation; false.
    pub(crate) url_context: Option<bool>,
}

impl From<NativeToolsFile> for NativeTools {
    fn from(file: NativeToolsFile) -> Self {
        Self {
            google_search: file.google_search.unwrap_or_default(),
            code_execution: file.code_execution.unwrap_or_default(),
            url_context: file.url_context.unwrap_or_default(),
        }
    }
}
