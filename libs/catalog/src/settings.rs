//! The sections `queue`, `system` and `defaults` of `tarsy.yaml`.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;
use url::Url;

use crate::access::Access;
use crate::calendar::{Holiday, usual_holidays};
use crate::check::Check;
use crate::cost::CostEstimation;
use crate::delegation::Orchestrator;
use crate::doc::Doc;
use crate::fallback::{Fallback, or_names};
use crate::intake::time_zone;
use crate::limits::{Budget, LlmTimeouts};
use crate::memory::Memories;
use crate::messengers::{MattermostCommands, TeamsCommands};
use crate::near_changes::NearChanges;
use crate::path::Path;
use crate::quotas::Limits;
use crate::retention::Retention;
use crate::rule::{
    AbsolutePath, AlertTypeName, As, AtLeast, Between, Each, FullToolName, HostName, HostPattern,
    HttpBase, HttpUrl, MaskingGroup, NotBlank, Positive, ProviderName, RepositoryPrefix, Span,
    VariableName, url_host,
};
use crate::scoring::Scoring;
use crate::slack::Slack;
use crate::strategy::{LlmBackend, Strategy, SuccessPolicy};

/// How many sessions run at once, and how orphaned ones are found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Queue {
    /// Sessions at once in one orchestrator
    #[default = 5]
    #[serde(with = "As::<Between<1, 50>>")]
    pub worker_count: u32,
    /// Sessions at once over all orchestrators
    #[default = 5]
    #[serde(with = "As::<AtLeast<1>>")]
    pub max_concurrent_sessions: u32,
    /// Time limit of a session
    #[default(Duration::from_mins(15))]
    #[serde(with = "As::<Positive>")]
    pub session_timeout: Duration,
    /// A tool call that nobody approves so long counts as denied
    #[default(Duration::from_mins(10))]
    #[serde(with = "As::<Positive>")]
    pub approval_timeout: Duration,
    /// Sessions of a sender and alert type that wait for approval at once; further calls are refused
    #[default = 10]
    #[serde(with = "As::<AtLeast<1>>")]
    pub max_waiting_for_approval: u32,
    /// How long scores that are being made go on at a stop, no longer than `TARSY_GRACE_SECONDS`; then another orchestrator
    /// resumes them
    #[default(Duration::from_mins(3))]
    #[serde(with = "As::<Span>")]
    pub scoring_shutdown_timeout: Duration,
    /// A lease is renewed at least this often
    #[default(Duration::from_secs(10))]
    #[serde(with = "As::<Positive>")]
    pub heartbeat_interval: Duration,
    /// A session whose lease was not renewed for so long is orphaned; at least twice `heartbeat_interval`
    #[schemars(extend("x-default" = "`30s`, at least three times `heartbeat_interval`"))]
    #[default(Duration::from_secs(30))]
    #[serde(with = "As::<Positive>")]
    pub orphan_threshold: Duration,
    /// Polling for work whose wake-up was lost, and for orphaned sessions
    #[default(Duration::from_secs(5))]
    #[serde(with = "As::<Positive>")]
    pub poll_interval: Duration,
}

impl Queue {
    /// How much a poll may be shifted, so that replicas which started together take turns.
    pub fn poll_jitter(&self) -> Duration {
        self.poll_interval * 2 / 5
    }

    /// The same with a threshold that fits the interval, where none is written.
    pub(crate) fn completed(self, doc: &Doc) -> Self {
        if doc.has_text(&Path::of(["queue", "orphan_threshold"])) {
            return self;
        }
        let orphan_threshold = self.orphan_threshold.max(self.heartbeat_interval * 3);
        Self { orphan_threshold, ..self }
    }

    pub(crate) fn check(&self, check: &mut Check<'_>) {
        let at = Path::of(["queue"]);
        let (interval, threshold) = (self.heartbeat_interval, self.orphan_threshold);
        let is_written = check.has_text(&at.key("orphan_threshold"));
        if is_written && threshold < interval * 2 {
            check.problem(
                &at.key("orphan_threshold"),
                format!("{threshold:?} is less than twice heartbeat_interval ({interval:?})"),
                format!("write at least {:?}, or a shorter heartbeat_interval", interval * 2),
            );
        }
    }
}

/// Addresses, runbooks, Slack and retention.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct System {
    /// The dashboard's address, for links, CORS and WebSocket origins; with the path below which a proxy serves it
    #[default = "http://localhost:8080"]
    #[serde(with = "As::<HttpBase>")]
    pub dashboard_url: String,
    /// Your copy of the book (`make book`), for links of the dashboard; without it they lead to its own pages
    #[serde(with = "As::<HttpBase>")]
    pub documentation_url: Option<String>,
    /// Further origins whose pages may open WebSockets and change something: `*.example.com` with the dashboard's scheme and
    /// its default port, `http://dev.example.com:*`
    #[serde(with = "Each::<HostPattern>")]
    pub allowed_ws_origins: Vec<String>,
    /// Who may use the API and the dashboard
    pub access: Access,
    /// What senders may use
    pub limits: Limits,
    /// Access to GitHub
    pub github: Github,
    /// Where runbooks come from
    pub runbooks: Runbooks,
    /// One channel of Slack that is notified of every session, buttons and commands
    pub slack: Slack,
    /// Commands in Mattermost, see [commands.md](notifications/commands.md)
    pub mattermost: Option<MattermostCommands>,
    /// Commands in Microsoft Teams, see [commands.md](notifications/commands.md)
    pub teams: Option<TeamsCommands>,
    /// What is deleted, and when
    pub retention: Retention,
    /// What calls of models are estimated to cost
    pub cost_estimation: CostEstimation,
    /// Days of each year on which few people are at work, see *Calendar*
    #[default(usual_holidays())]
    #[schemars(extend("x-default" = "01-01 and 12-25"))]
    pub holidays: Vec<Holiday>,
    /// A time zone of the IANA database, such as `Europe/Berlin`, see *Calendar*
    #[serde(with = "As::<NotBlank>")]
    #[schemars(extend("x-default" = "UTC"))]
    pub time_zone: Option<String>,
}

impl System {
    pub(crate) fn check(&self, check: &mut Check<'_>) {
        let at = Path::of(["system"]);
        self.access.check(&at.key("access"), &self.dashboard_url, check);
        self.runbooks.check(&at.key("runbooks"), check);
        self.slack.check(&at.key("slack"), check);
        if let Some(mattermost) = &self.mattermost {
            mattermost.check(&at.key("mattermost"), check);
        }
        if let Some(teams) = &self.teams {
            teams.check(&at.key("teams"), check);
        }
        self.cost_estimation.check(&at.key("cost_estimation"), check);
        if let Some(Err(wrong)) = self.time_zone.as_deref().map(time_zone) {
            wrong.report(&at, check);
        }
    }
}

/// Access to GitHub.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Github {
    /// Variable with the token, see *Runbooks*
    #[default = "GITHUB_TOKEN"]
    #[serde(with = "As::<VariableName>")]
    pub token_env: String,
}

/// Where runbooks come from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Runbooks {
    /// Folder of a repository whose runbooks are listed, on an allowed domain
    #[serde(with = "As::<HttpUrl>")]
    pub repo_url: Option<Url>,
    /// How long a fetched runbook is reused; 0s switches the cache off
    #[default(Duration::from_mins(1))]
    #[serde(with = "As::<Span>")]
    pub cache_ttl: Duration,
    /// Hosts that runbooks may come from; an empty list allows any public host
    #[default(["github.com", "raw.githubusercontent.com"].map(str::to_owned).into())]
    #[serde(with = "Each::<HostName>")]
    pub allowed_domains: Vec<String>,
    /// Further hosts, which may be at private addresses, see *Runbooks*
    #[serde(with = "Each::<HostName>")]
    pub private_domains: Vec<String>,
    /// Further repositories that the token is sent for: `owner/` or `owner/repository`
    #[serde(with = "Each::<RepositoryPrefix>")]
    pub token_repositories: Vec<String>,
    /// An absolute path; the files below it may be named as `file:///NAME.md`
    #[serde(with = "As::<AbsolutePath>")]
    pub folder: Option<PathBuf>,
}

impl Runbooks {
    fn check(&self, at: &Path, check: &mut Check<'_>) {
        let Some(host) = self.repo_url.as_ref().map(url_host) else { return };
        let allowed = self.allowed_domains.is_empty()
            || self.allowed_domains.iter().any(|domain| domain == host);
        if !allowed {
            let suggestion = format!("add {host} to system.runbooks.allowed_domains");
            let message = format!("the host {host} is not allowed");
            check.problem(&at.key("repo_url"), message, suggestion);
        }
    }
}

/// What applies where nothing nearer sets a value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Defaults {
    /// The provider where nothing names another
    #[serde(with = "As::<ProviderName>")]
    #[schemars(extend("x-default" = "the first usable one"))]
    pub llm_provider: Option<String>,
    /// Providers that take over in turn, see *Fallback*
    #[schemars(schema_with = "or_names::<Fallback>", extend("x-default" = "`[]`"))]
    pub fallback_providers: Vec<Fallback>,
    /// See *Strategies*
    #[default(Strategy::Langchain)]
    pub iteration_strategy: Strategy,
    /// See *Strategies*
    pub llm_backend: Option<LlmBackend>,
    /// How often an agent may call its model
    #[default = 20]
    #[serde(with = "As::<Between<1, 1000>>")]
    pub max_iterations: u32,
    /// How many agents of a stage must succeed
    #[default(SuccessPolicy::Any)]
    pub success_policy: SuccessPolicy,
    /// The type of an alert that names none; one that a chain serves
    #[default = "kubernetes"]
    #[serde(with = "As::<AlertTypeName>")]
    pub alert_type: String,
    /// Markdown, for alerts that name no runbook
    #[schemars(extend("x-default" = "a built-in text"))]
    pub runbook: Option<String>,
    /// What is masked in alerts before they are stored
    pub alert_masking: AlertMasking,
    /// What makes large tool results short
    pub summarization: Summarizer,
    /// Tools (`server.tool`) that an agent must have a result of; an empty list demands no look, see *No look, no finding*
    #[serde(with = "Each::<FullToolName>")]
    #[schemars(extend("x-default" = "any tool"))]
    pub required_tools: Option<Vec<String>>,
    /// Whether the offline analyst looks first, see *Rules first*
    #[schemars(extend(
        "x-default" = "`true` for chains that begin with a model on this machine, else `false`"
    ))]
    pub rules_first: Option<bool>,
    /// What one session may use, see *Budgets*
    pub budget: Budget,
    /// What investigations are given of changes near their alerts, see [changes.md](changes.md)
    pub changes: NearChanges,
    /// How long a call of a model may take, see *Slow models*
    pub llm_timeouts: LlmTimeouts,
    /// How finished sessions are scored, see [scores.md](scores.md)
    pub scoring: Option<Scoring>,
    /// Limits of agents that others dispatch, see *Delegation*
    pub orchestrator: Option<Orchestrator>,
    /// What investigations are given of memories, see *Memory*
    pub memory: Option<Memories>,
}

impl Defaults {
    /// The strategy, by itself or by its backend.
    pub(crate) fn strategy(&self) -> Strategy {
        match self.llm_backend {
            Some(backend) => self.iteration_strategy.with_backend(backend),
            None => self.iteration_strategy,
        }
    }

    pub(crate) fn check(&self, check: &mut Check<'_>) {
        let at = Path::of(["defaults"]);
        let first = self.llm_provider.as_deref();
        check.fallbacks(&at, Some(&self.fallback_providers), first);
        self.llm_timeouts.check(&at.key("llm_timeouts"), check);
        check.required_tools(&at, self.required_tools.as_deref());
        let is_written = check.has_text(&at.key("iteration_strategy"));
        let strategy = is_written.then_some(self.iteration_strategy);
        check.backend(&at, strategy, self.llm_backend);
        let named = self.summarization.llm_provider.is_some();
        check.summarizer_backend(&at, named, self.summarization.llm_backend);
    }

    /// Checks that a chain serves the type of alerts that name none, for the operator's file.
    pub(crate) fn check_alert_type(&self, check: &mut Check<'_>) {
        let path = Path::of(["defaults", "alert_type"]);
        if !check.has_text(&path) && !check.names.alert_types.contains(&self.alert_type) {
            let known = check.names.alert_types.join(", ");
            let message = format!("no chain serves the default alert type \"{}\"", self.alert_type);
            let suggestion = format!("add defaults.alert_type with one of: {known}");
            check.problem(&path, message, suggestion);
        }
    }
}

/// What is masked in alerts before they are stored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct AlertMasking {
    /// Whether anything is masked
    #[default = true]
    pub enabled: bool,
    /// A group, see *Masking*
    #[default = "security"]
    #[serde(with = "As::<MaskingGroup>")]
    pub pattern_group: String,
}

/// What makes large tool results short.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Summarizer {
    /// The provider of the summaries
    #[serde(with = "As::<ProviderName>")]
    #[schemars(extend("x-default" = "that of the agent that made the call"))]
    pub llm_provider: Option<String>,
    /// Its backend, see *Strategies*
    #[schemars(extend("x-default" = "that of the chain, where the provider has it"))]
    pub llm_backend: Option<LlmBackend>,
}
