//! The shapes of the two files. Their doc comments and bounds are the JSON Schema, and the schema is what
//! checks a file: there is no second description.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::limits::BudgetChoice;
use crate::notifications::Moment;
use crate::provider::{NativeTools, ProviderType};
use crate::server::{Isolation, Lifecycle, OAuthGrant};
use crate::strategy::{Strategy, SuccessPolicy};

/// The `format` of a duration in the schema.
pub(crate) const DURATION_FORMAT: &str = "tarsy-duration";
/// The `format` of a duration that may also be a number of seconds.
pub(crate) const SECONDS_FORMAT: &str = "tarsy-seconds";

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
    pub(crate) statuses: Option<Vec<Moment>>,
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

impl From<BudgetFile> for BudgetChoice {
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
    /// http, sse: the most time that one request may take, in seconds or as a duration.
    pub(crate) timeout: Option<Seconds>,
    /// http, sse: further headers.
    pub(crate) custom_headers: Option<BTreeMap<String, String>>,
    /// http: how tokens are got, if the server wants OAuth.
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

/// Who shortens long results.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummarizerFile {
    /// The provider of the summaries; that of the agent that made the call.
    pub(crate) llm_provider: Option<String>,
}

/// An agent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentFile {
    /// The servers whose tools it uses.
    pub(crate) mcp_servers: Option<Vec<String>>,
    /// What its prompt says beside the general instructions.
    pub(crate) custom_instructions: Option<String>,
    /// How it iterates.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// How often it may call its model.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
}

/// A chain: the stages that alerts of some types go through.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChainFile {
    /// The alert types that it serves; each belongs to one chain.
    #[schemars(required, length(min = 1))]
    pub(crate) alert_types: Option<Vec<String>>,
    /// What it is good for.
    pub(crate) description: Option<String>,
    /// Its stages, in order.
    #[schemars(required, length(min = 1))]
    pub(crate) stages: Option<Vec<StageFile>>,
    /// The provider of its agents.
    pub(crate) llm_provider: Option<String>,
    /// Providers that take over in turn when their provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
    /// The limit of its agents.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
    /// The strategy of its agents.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// The provider of the executive summary.
    pub(crate) executive_summary_provider: Option<String>,
    /// The servers of its agents.
    pub(crate) mcp_servers: Option<Vec<String>>,
    /// Chats about its sessions; without this block there are none.
    pub(crate) chat: Option<ChatFile>,
    /// What one session of it may use up.
    pub(crate) budget: Option<BudgetFile>,
}

/// Chats about the sessions of a chain.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChatFile {
    /// Whether there are any; true.
    pub(crate) enabled: Option<bool>,
    /// The agent that answers; `ChatAgent`.
    pub(crate) agent: Option<String>,
    /// How it iterates.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// Its provider.
    pub(crate) llm_provider: Option<String>,
    /// Providers that take over in turn when its provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
    /// Its servers.
    pub(crate) mcp_servers: Option<Vec<String>>,
    /// Its limit.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
}

/// A stage: one agent, several different ones, or replicas of one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StageFile {
    /// Its name.
    #[schemars(required)]
    pub(crate) name: Option<String>,
    /// Its agents.
    #[schemars(required, length(min = 1))]
    pub(crate) agents: Option<Vec<StageAgentFile>>,
    /// How many of its one agent run side by side; 1.
    #[schemars(range(min = 1, max = 20))]
    pub(crate) replicas: Option<u32>,
    /// When it counts as successful.
    pub(crate) success_policy: Option<SuccessPolicy>,
    /// The limit of its agents.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
    /// The servers of its agents.
    pub(crate) mcp_servers: Option<Vec<String>>,
    /// Providers that take over in turn when their provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
    /// How the findings of several agents are joined.
    pub(crate) synthesis: Option<SynthesisFile>,
}

/// An agent in a stage.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StageAgentFile {
    /// The agent's name.
    #[schemars(required)]
    pub(crate) name: Option<String>,
    /// Its provider here.
    pub(crate) llm_provider: Option<String>,
    /// Providers that take over in turn when its provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
    /// How it iterates here.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// Its limit here.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
    /// Its servers here.
    pub(crate) mcp_servers: Option<Vec<String>>,
}

/// How the findings of several agents are joined.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SynthesisFile {
    /// The agent that joins them; `SynthesisAgent`.
    pub(crate) agent: Option<String>,
    /// synthesis or synthesis-native-thinking.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// Its provider.
    pub(crate) llm_provider: Option<String>,
    /// Providers that take over in turn when its provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
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

/// A duration such as `30s`, `15m` or `1h30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Duration);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        crate::duration::parse(&text)
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom("not a duration such as 30s or 15m"))
    }
}

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": DURATION_FORMAT,
            "pattern": "^0$|^([0-9.]+(ms|s|m|h|d) *)+$",
            "examples": ["30s", "15m", "1h30m"],
        })
    }
}

/// A duration that may also be written as a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) Duration);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        seconds(&text)
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom("not a number of seconds or a duration"))
    }
}

impl JsonSchema for Seconds {
    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "string"], "format": SECONDS_FORMAT, "minimum": 1 })
    }
}

/// Reads a number of seconds or a duration.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    match text.trim().parse::<u32>() {
        Ok(seconds) => Some(Duration::from_secs(seconds.into())),
        Err(_) => crate::duration::parse(text),
    }
}
