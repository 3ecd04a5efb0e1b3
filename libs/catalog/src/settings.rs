//! The settings that are neither agents nor servers: queue, system, defaults.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::limits::{Budget, LlmTimeouts};
use crate::strategy::{Strategy, SuccessPolicy};

/// How much work is done at once, and how lost work is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Sessions at once in one orchestrator.
    pub worker_count: u32,
    /// Sessions at once over all orchestrators.
    pub max_concurrent_sessions: u32,
    /// The most time that a session may take.
    pub session_timeout: Duration,
    /// The most time that running sessions get when a service stops.
    pub graceful_shutdown_timeout: Duration,
    /// How often a lease is renewed.
    pub heartbeat_interval: Duration,
    /// After how long without renewal a session counts as abandoned.
    pub orphan_threshold: Duration,
    /// How often the sweeper looks for work that no message announced.
    pub poll_interval: Duration,
    /// The random share of that pace.
    pub poll_interval_jitter: Duration,
    /// How often abandoned sessions are looked for.
    pub orphan_detection_interval: Duration,
}

/// What surrounds the investigations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The dashboard's address, for links and allowed origins: http(s), without a slash at the end.
    pub dashboard_url: String,
    /// Host patterns from which browsers may open a WebSocket, beside the dashboard's.
    pub allowed_ws_origins: Vec<String>,
    /// Access to GitHub.
    pub github: Github,
    /// Where runbooks come from.
    pub runbooks: Runbooks,
    /// Who is told.
    pub slack: Slack,
    /// What is deleted, and when.
    pub retention: Retention,
}

/// Access to GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Github {
    /// The variable that holds the token.
    pub token_env: String,
}

/// Where runbooks come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runbooks {
    /// The repository folder whose runbooks are listed.
    pub repo_url: Option<Url>,
    /// How long a fetched runbook is reused.
    pub cache_ttl: Duration,
    /// The hosts that a runbook may come from; empty is any host at a public address.
    pub allowed_domains: Vec<String>,
    /// Hosts that may be at private addresses, beside the allowed ones.
    pub private_domains: Vec<String>,
    /// The folder whose files may be named.
    pub folder: Option<PathBuf>,
}

/// Notifications to Slack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slack {
    /// Whether anything is posted.
    pub enabled: bool,
    /// The variable that holds the bot's token.
    pub token_env: String,
    /// The channel; set whenever `enabled`.
    pub channel: Option<String>,
    /// The address of Slack's API, without a slash at its end.
    pub api_url: String,
}

/// What is deleted, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Days after which a finished session is deleted.
    pub session_retention_days: u32,
    /// How long an event is kept after its session has ended.
    pub event_ttl: Duration,
    /// How often this is done.
    pub cleanup_interval: Duration,
}

/// What holds where nothing nearer says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// The provider: as written, else the first usable one.
    pub llm_provider: String,
    /// Providers that take over in turn when one cannot be used.
    pub fallback_providers: Vec<String>,
    /// How agents iterate.
    pub iteration_strategy: Strategy,
    /// How often an agent may call its model.
    pub max_iterations: u32,
    /// When a stage with several agents counts as successful.
    pub success_policy: SuccessPolicy,
    /// The type of an alert that names none.
    pub alert_type: String,
    /// The runbook of an alert that names none.
    pub runbook: String,
    /// What is masked in alerts.
    pub alert_masking: AlertMasking,
    /// The provider that shortens long results; without one, that of the agent.
    pub summarizer: Option<String>,
    /// What one session may use up.
    pub budget: Budget,
    /// How long a model may be silent.
    pub llm_timeouts: LlmTimeouts,
}

/// What is masked in alerts before they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertMasking {
    /// Whether anything is masked.
    pub enabled: bool,
    /// The group of built-in patterns.
    pub pattern_group: String,
}
