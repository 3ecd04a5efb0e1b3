//! What an operator writes: agents, chains, providers, MCP servers, and the settings around them.
//!
//! A folder holds `tarsy.yaml` and `llm-providers.yaml`, both optional: what TARSy brings along is a working
//! system. The files are checked as a whole and every problem is shown at once, each with its file, line,
//! key and suggestion. Pure, apart from reading the two files: the environment comes in as [`Env`], and nothing
//! here knows sessions, buses, tables or the process's own settings.
//!
//! ```
//! use tarsy_catalog::{Catalog, Env};
//!
//! let catalog = Catalog::builtin(&Env::empty()).expect("the built-ins are valid");
//! let chain = catalog.resolve_chain(Some("host"), None).expect("a built-in alert type");
//! assert_eq!(chain.stages[0].agents[0].agent, "HostAgent");
//! assert!(catalog.llm_info().offline);
//! ```

mod access;
mod agent;
mod allowed;
mod allowed_servers;
mod build;
mod calendar;
mod call_masks;
mod catalog;
mod chain;
mod check;
mod connection;
mod cost;
mod cron;
mod delegation;
mod doc;
mod duration;
mod embedding;
mod empty;
mod env;
mod examples;
mod fallback;
mod fault;
mod files;
mod hash;
mod intake;
mod later;
mod layers;
mod limits;
mod llm_info;
mod load;
mod memory;
mod messengers;
mod near_changes;
mod notifications;
mod path;
mod preset;
mod price;
mod price_list;
mod promotion;
mod provider;
mod provider_override;
mod queries;
mod quotas;
mod read;
mod reference;
mod remediation;
mod removed;
mod report;
mod resolve;
mod resolve_error;
mod resolved;
mod resolver;
mod retention;
mod rule;
mod schedule;
mod schema;
mod scoring;
mod secrets;
mod selection;
mod server;
mod settings;
mod skill;
mod slack;
mod source;
mod stage;
mod strategy;
mod topology;
mod usable;
mod values;
mod verify;
mod yaml;

pub use access::{Access, AccessMode, Oidc, ProxyHeaders, RoleGroups};
pub use agent::{Agent, AgentType};
pub use allowed::Allowed;
pub use allowed_servers::AllowedServers;
pub use calendar::{Holiday, ResolvedCalendar, ResolvedHoliday};
pub use call_masks::CallMasks;
pub use catalog::Catalog;
pub use chain::{Chain, Chat, Claims, OnUnverified};
pub use connection::{
    Connection, ConnectionFault, ConnectionField, ConnectionKind, connection, connection_kinds,
    server_at,
};
pub use cost::CostEstimation;
pub use delegation::{Orchestrator, SubAgent};
pub use embedding::ResolvedEmbedding;
pub use env::Env;
pub use examples::{ExampleAlert, examples};
pub use fallback::Fallback;
pub use intake::{
    ChangedKind, Intake, IntakeFlapping, IntakeMapping, IntakeMatcher, IntakePolicy,
    IntakeQuietHours, IntakeRule, IntakeSource, IntakeStatusWords, KubernetesChanges,
    KubernetesEvents, KubernetesTopology, MatchedField, QuietDay, SourceKind, SourceVerification,
};
pub use limits::{Budget, BudgetOverride, LlmTimeouts, ResolvedTimeouts, TimeoutPreset};
pub use llm_info::LlmInfo;
pub use load::{PROVIDERS_FILE, Sources, TARSY_FILE};
pub use memory::{Embedding, Memories};
pub use messengers::{ListedUser, MattermostCommands, TeamsCommands};
pub use near_changes::{NearChanges, ResolvedChanges};
pub use notifications::{
    Destination, EmailTarget, GoogleChatTarget, JiraTarget, MailTls, MatrixTarget,
    MattermostTarget, NotificationStatus, PagerDutyTarget, PreventionMessage, SIMPLE_SLACK,
    SlackTarget, Target, TeamsTarget, WebhookTarget,
};
pub use price::{ModelRates, Price, ResolvedPrice, Tokens};
pub use promotion::Promotion;
pub use provider::{NativeTool, NativeTools, OFFLINE, Provider, ProviderType, ResolvedProvider};
pub use provider_override::UnknownProvider;
pub use queries::{AlertType, DefaultTools};
pub use quotas::Limits;
pub use reference::renew_reference;
pub use remediation::{Remediation, ResolvedRemediation};
pub use report::{Problem, Report};
pub use resolve_error::ResolveError;
pub use resolved::{
    ResolvedAgent, ResolvedChain, ResolvedDelegation, ResolvedScoring, ResolvedServer,
    ResolvedStage, ResolvedSubAgent, ResolvedWriter,
};
pub use retention::{Retention, RetentionPreset};
pub use rule::is_safe_address;
pub use schedule::{ConcurrencyPolicy, MissedRuns, NotifyPolicy, Schedule};
pub use schema::schema_json;
pub use scoring::Scoring;
pub use selection::{
    McpSelection, NativeToolsChoice, Requested, SelectedServer, Sender, Suppressed,
};
pub use server::{
    Accept, CustomPattern, DataMasking, Endpoint, FileAccess, HOST_INSPECTOR_COMMAND, Isolation,
    Lifecycle, McpServer, OAuth, OAuthGrant, Pin, PolicyMode, ProcessLimits, RESERVED_ID, Remote,
    Sandbox, ServerSummarization, SigningAlgorithm, Subprocess, Summarization, ToolPolicy,
    Transport,
};
pub use settings::{AlertMasking, Defaults, Github, Queue, Runbooks, Summarizer, System};
pub use skill::{ResolvedSkill, Skill};
pub use slack::Slack;
pub use source::Source;
pub use stage::{Stage, StageAgent, Synthesis};
pub use strategy::{Backend, LlmBackend, Strategy, SuccessPolicy};
pub use topology::{Service, Topology};
pub use usable::{ProviderState, Unusable};
pub use values::{ConfigValue, ValueSource};
pub use yaml::{SESSION_ID_TEMPLATE, yaml_value};
