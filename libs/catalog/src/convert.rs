//! From the shapes of the files to the catalog, with the defaults filled in.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;
use url::Url;

use crate::catalog::Catalog;
use crate::chain::{Agent, Chain, Chat, Stage, StageAgent, Synthesis};
use crate::check::credentials;
use crate::env::Env;
use crate::file::{
    AgentFile, BudgetFile, ChainFile, ChatFile, DestinationFile, DestinationKind, MaskingFile,
    OAuthFile, ProviderFile, ServerFile, Span, StageAgentFile, StageFile, SummarizationFile,
    SynthesisFile, TransportFile, TransportKind,
};
use crate::limits::{Budget, BudgetOverride, LlmTimeouts};
use crate::load::Layers;
use crate::notifications::{Destination, SIMPLE_SLACK, SlackTarget, Target, WebhookTarget};
use crate::provider::{NativeTools, OFFLINE, Provider, ProviderType};
use crate::server::{
    CustomPattern, DataMasking, Endpoint, McpServer, OAuth, Remote, Subprocess, Summarization,
    ToolPolicy, Transport,
};
use crate::settings::{AlertMasking, Defaults, Github, Queue, Retention, Runbooks, Slack, System};
use crate::strategy::{Strategy, SuccessPolicy};

/// The masking group where none is named.
const DEFAULT_GROUP: &str = "security";
/// The type of an alert that names none, unless the files say otherwise.
pub(crate) const DEFAULT_ALERT_TYPE: &str = "kubernetes";
pub(crate) const SLACK_TOKEN_ENV: &str = "SLACK_BOT_TOKEN";
pub(crate) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);
pub(crate) const ORPHAN_THRESHOLD: Duration = Duration::from_secs(30);
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(30);
pub(crate) const POLL_INTERVAL_JITTER: Duration = Duration::from_secs(10);
const MINUTE: Duration = Duration::from_mins(1);
const DASHBOARD_URL: &str = "http://localhost:8080";
const SLACK_API: &str = "https://slack.com/api";

/// The catalog of both layers; what is wrong is left out, since the check has named it.
pub(crate) fn catalog(layers: &Layers, env: &Env, hash: String) -> Catalog {
    let providers: BTreeMap<String, Provider> = layers
        .merged(|layer| layer.providers.llm_providers.as_ref())
        .into_iter()
        .map(|(name, file, builtin)| (name.to_owned(), provider(name, file, builtin)))
        .collect();
    let mut chains: BTreeMap<String, Chain> = BTreeMap::new();
    let mut by_alert_type: BTreeMap<String, String> = BTreeMap::new();
    for (id, file, builtin) in layers.merged(|layer| layer.tarsy.agent_chains.as_ref()) {
        let mut chain = chain(id, file, builtin);
        // The operator's chains come first: they take alert types over from built-in ones.
        chain.alert_types.retain(|alert_type| !by_alert_type.contains_key(alert_type));
        if builtin && chain.alert_types.is_empty() {
            continue;
        }
        for alert_type in &chain.alert_types {
            by_alert_type.insert(alert_type.clone(), id.to_owned());
        }
        chains.insert(id.to_owned(), chain);
    }
    Catalog {
        queue: queue(layers),
        system: system(layers),
        defaults: defaults(layers, &providers, env),
        servers: layers
            .merged(|layer| layer.tarsy.mcp_servers.as_ref())
            .into_iter()
            .filter_map(|(id, file, builtin)| Some((id.to_owned(), server(id, file, builtin)?)))
            .collect(),
        agents: layers
            .merged(|layer| layer.tarsy.agents.as_ref())
            .into_iter()
            .map(|(name, file, builtin)| (name.to_owned(), agent(name, file, builtin)))
            .collect(),
        chains,
        providers,
        destinations: destinations(layers),
        by_alert_type,
        hash,
        env: env.clone(),
    }
}

fn span(written: Option<Span>, default: Duration) -> Duration {
    written.map_or(default, |span| span.0)
}

fn queue(layers: &Layers) -> Queue {
    let file = layers.user.tarsy.queue.clone().unwrap_or_default();
    Queue {
        worker_count: file.worker_count.unwrap_or(5),
        max_concurrent_sessions: file.max_concurrent_sessions.unwrap_or(5),
        session_timeout: span(file.session_timeout, 15 * MINUTE),
        graceful_shutdown_timeout: span(file.graceful_shutdown_timeout, 15 * MINUTE),
        heartbeat_interval: span(file.heartbeat_interval, HEARTBEAT_INTERVAL),
        orphan_threshold: span(file.orphan_threshold, ORPHAN_THRESHOLD),
        poll_interval: span(file.poll_interval, POLL_INTERVAL),
        poll_interval_jitter: span(file.poll_interval_jitter, POLL_INTERVAL_JITTER),
        orphan_detection_interval: span(file.orphan_detection_interval, MINUTE),
    }
}

fn system(layers: &Layers) -> System {
    let file = layers.user.tarsy.system.clone().unwrap_or_default();
    let runbooks = file.runbooks.unwrap_or_default();
    let slack = file.slack.unwrap_or_default();
    let retention = file.retention.unwrap_or_default();
    let token_env = file.github.and_then(|github| github.token_env);
    System {
        dashboard_url: file
            .dashboard_url
            .map_or_else(|| DASHBOARD_URL.to_owned(), |url| url.trim_end_matches('/').to_owned()),
        allowed_ws_origins: file.allowed_ws_origins.unwrap_or_default(),
        github: Github { token_env: token_env.unwrap_or_else(|| "GITHUB_TOKEN".to_owned()) },
        runbooks: Runbooks {
            repo_url: runbooks.repo_url.and_then(|url| Url::parse(&url).ok()),
            cache_ttl: span(runbooks.cache_ttl, MINUTE),
            allowed_domains: runbooks.allowed_domains.unwrap_or_else(|| {
                vec!["github.com".to_owned(), "raw.githubusercontent.com".to_owned()]
            }),
            private_domains: runbooks.private_domains.unwrap_or_default(),
            folder: runbooks.folder.map(PathBuf::from),
        },
        slack: Slack {
            enabled: slack.enabled.unwrap_or(false),
            token_env: slack.token_env.unwrap_or_else(|| SLACK_TOKEN_ENV.to_owned()),
            channel: slack.channel,
            api_url: slack_api(slack.api_url.as_deref()),
        },
        retention: Retention {
            session_retention_days: retention.session_retention_days.unwrap_or(365),
            event_ttl: span(retention.event_ttl, 60 * MINUTE),
            cleanup_interval: span(retention.cleanup_interval, 12 * 60 * MINUTE),
        },
    }
}

fn slack_api(written: Option<&str>) -> String {
    written.unwrap_or(SLACK_API).trim_end_matches('/').to_owned()
}

fn destinations(layers: &Layers) -> Vec<Destination> {
    let slack = system(layers).slack;
    let simple = slack.channel.filter(|_| slack.enabled).map(|channel| Destination {
        name: SIMPLE_SLACK.to_owned(),
        alert_types: Vec::new(),
        statuses: Vec::new(),
        target: Target::Slack(SlackTarget {
            channel,
            token_env: slack.token_env,
            api_url: slack.api_url,
        }),
    });
    let file = layers.user.tarsy.notifications.clone().unwrap_or_default();
    let named = file.destinations.unwrap_or_default().into_iter();
    simple.into_iter().chain(named.filter_map(|(name, file)| destination(name, file))).collect()
}

fn destination(name: String, file: DestinationFile) -> Option<Destination> {
    let target = match file.kind? {
        DestinationKind::Slack => Target::Slack(SlackTarget {
            channel: file.channel?,
            token_env: file.token_env.unwrap_or_else(|| SLACK_TOKEN_ENV.to_owned()),
            api_url: slack_api(file.api_url.as_deref()),
        }),
        DestinationKind::Webhook => Target::Webhook(WebhookTarget {
            url: Url::parse(file.url.as_deref()?).ok()?,
            secret_env: file.secret_env?,
        }),
    };
    Some(Destination {
        name,
        alert_types: file.alert_types.unwrap_or_default(),
        statuses: file.statuses.unwrap_or_default(),
        target,
    })
}

fn defaults(layers: &Layers, providers: &BTreeMap<String, Provider>, env: &Env) -> Defaults {
    let file = layers.user.tarsy.defaults.clone().unwrap_or_default();
    let builtin = layers.builtin.tarsy.defaults.clone().unwrap_or_default();
    let masking = file.alert_masking.unwrap_or_default();
    let (timeouts, silence) = (file.llm_timeouts.unwrap_or_default(), LlmTimeouts::default());
    let strategy = file.iteration_strategy.unwrap_or(Strategy::Langchain);
    Defaults {
        llm_provider: file
            .llm_provider
            .unwrap_or_else(|| first_usable(layers, providers, strategy, env)),
        fallback_providers: file.fallback_providers.unwrap_or_default(),
        iteration_strategy: strategy,
        max_iterations: file.max_iterations.unwrap_or(20),
        success_policy: file.success_policy.unwrap_or(SuccessPolicy::Any),
        alert_type: file.alert_type.unwrap_or_else(|| DEFAULT_ALERT_TYPE.to_owned()),
        runbook: file.runbook.or(builtin.runbook).unwrap_or_default(),
        alert_masking: AlertMasking {
            enabled: masking.enabled.unwrap_or(true),
            pattern_group: masking.pattern_group.unwrap_or_else(|| DEFAULT_GROUP.to_owned()),
        },
        summarizer: file.summarization.and_then(|summarization| summarization.llm_provider),
        budget: budget(file.budget).applied_to(Budget::default()),
        llm_timeouts: LlmTimeouts {
            first_token: span(timeouts.first_token, silence.first_token),
            stall: span(timeouts.stall, silence.stall),
        },
    }
}

/// The first provider, in the order of the operator's file and then of the built-in one, whose variables
/// are set and that can serve the default strategy; without one, the offline analyst.
fn first_usable(
    layers: &Layers,
    providers: &BTreeMap<String, Provider>,
    strategy: Strategy,
    env: &Env,
) -> String {
    let order = [&layers.user, &layers.builtin]
        .into_iter()
        .filter_map(|layer| layer.providers_doc.root.get("llm_providers"))
        .flat_map(|node| node.entries().iter().map(|entry| entry.key.as_str()));
    order
        .filter_map(|name| providers.get(name))
        .filter(|provider| !strategy.is_native() || provider.provider_type.has_gemini_api())
        .find(|provider| {
            provider.provider_type != ProviderType::Offline
                && credentials::missing(provider, env).is_empty()
        })
        .map_or_else(|| OFFLINE.to_owned(), |provider| provider.name.clone())
}

fn server(id: &str, file: &ServerFile, builtin: bool) -> Option<McpServer> {
    let file_transport = file.transport.as_ref()?;
    let policy = file.policy.clone().unwrap_or_default();
    Some(McpServer {
        id: id.to_owned(),
        transport: Transport {
            endpoint: endpoint(file_transport)?,
            init_timeout: span(file_transport.init_timeout, Duration::from_secs(30)),
            call_timeout: span(file_transport.call_timeout, Duration::from_secs(90)),
            isolation: file_transport.isolation.unwrap_or_default(),
            lifecycle: file_transport.lifecycle.unwrap_or_default(),
            pooling: file_transport.pooling.unwrap_or(false),
        },
        policy: ToolPolicy {
            allow: policy.allow.unwrap_or_default(),
            deny: policy.deny.unwrap_or_default(),
            require_read_only: policy.require_read_only.unwrap_or(false),
        },
        instructions: file.instructions.clone().unwrap_or_default(),
        data_masking: data_masking(file.data_masking.clone().unwrap_or_default()),
        summarization: summarization(&file.summarization.clone().unwrap_or_default()),
        summarizer: file.summarization.as_ref().and_then(|file| file.llm_provider.clone()),
        builtin,
    })
}

/// The address of a server whose own is not known here.
const OPEN_URL: &str = "http://unset.invalid/";

fn endpoint(file: &TransportFile) -> Option<Endpoint> {
    let secrets = |map: &Option<BTreeMap<String, String>>| {
        map.iter()
            .flatten()
            .map(|(name, value)| (name.clone(), SecretString::from(value.clone())))
            .collect::<BTreeMap<_, _>>()
    };
    if file.kind? == TransportKind::Stdio {
        return Some(Endpoint::Stdio(Subprocess {
            command: file.command.clone().unwrap_or_default(),
            args: file.args.clone().unwrap_or_default(),
            env: secrets(&file.env),
            inherit_env: file.inherit_env.clone().unwrap_or_default(),
        }));
    }
    let remote = Remote {
        // Where a variable is left open, so is the address; nobody there connects.
        url: Url::parse(file.url.as_deref().unwrap_or(OPEN_URL))
            .or_else(|_| Url::parse(OPEN_URL))
            .ok()?,
        bearer_token: file
            .bearer_token
            .clone()
            .filter(|token| !token.is_empty())
            .map(SecretString::from),
        verify_ssl: file.verify_ssl.unwrap_or(true),
        ca_file: file.ca_file.clone().filter(|path| !path.is_empty()).map(PathBuf::from),
        timeout: file.timeout.map(|timeout| timeout.0),
        custom_headers: secrets(&file.custom_headers),
        oauth: file.oauth.as_ref().map(oauth),
    };
    match file.kind? {
        TransportKind::Sse => Some(Endpoint::Sse(remote)),
        TransportKind::Http | TransportKind::Stdio => Some(Endpoint::Http(remote)),
    }
}

fn oauth(file: &OAuthFile) -> OAuth {
    let text = |value: &Option<String>| value.clone().filter(|text| !text.is_empty());
    OAuth {
        grant: file.grant.unwrap_or_default(),
        client_id: text(&file.client_id),
        client_secret: text(&file.client_secret).map(SecretString::from),
        private_key_file: text(&file.private_key_file).map(PathBuf::from),
        signing_algorithm: file.signing_algorithm.unwrap_or_default(),
        client_metadata_url: file
            .client_metadata_url
            .as_deref()
            .and_then(|url| Url::parse(url).ok()),
        scopes: file.scopes.clone().unwrap_or_default(),
    }
}

fn data_masking(file: MaskingFile) -> DataMasking {
    let custom = file.custom_patterns.unwrap_or_default();
    DataMasking {
        enabled: file.enabled.unwrap_or(true),
        pattern_groups: file.pattern_groups.unwrap_or_else(|| vec![DEFAULT_GROUP.to_owned()]),
        patterns: file.patterns.unwrap_or_default(),
        custom_patterns: custom
            .into_iter()
            .map(|custom| CustomPattern {
                pattern: custom.pattern.unwrap_or_default(),
                replacement: custom.replacement.unwrap_or_else(|| "[MASKED_CUSTOM]".to_owned()),
                description: custom.description.unwrap_or_default(),
            })
            .collect(),
    }
}

fn summarization(file: &SummarizationFile) -> Summarization {
    let default = Summarization::default();
    Summarization {
        enabled: file.enabled.unwrap_or(default.enabled),
        size_threshold_tokens: file.size_threshold_tokens.unwrap_or(default.size_threshold_tokens),
        summary_max_token_limit: file
            .summary_max_token_limit
            .unwrap_or(default.summary_max_token_limit),
    }
}

fn agent(name: &str, file: &AgentFile, builtin: bool) -> Agent {
    Agent {
        name: name.to_owned(),
        mcp_servers: file.mcp_servers.clone(),
        custom_instructions: file.custom_instructions.clone().unwrap_or_default(),
        iteration_strategy: file.iteration_strategy,
        max_iterations: file.max_iterations,
        builtin,
    }
}

fn chain(id: &str, file: &ChainFile, builtin: bool) -> Chain {
    Chain {
        id: id.to_owned(),
        alert_types: file.alert_types.clone().unwrap_or_default(),
        description: file.description.clone().unwrap_or_default(),
        stages: file.stages.iter().flatten().map(stage).collect(),
        llm_provider: file.llm_provider.clone(),
        fallback_providers: file.fallback_providers.clone(),
        max_iterations: file.max_iterations,
        iteration_strategy: file.iteration_strategy,
        executive_summary_provider: file.executive_summary_provider.clone(),
        mcp_servers: file.mcp_servers.clone(),
        chat: file.chat.as_ref().map(chat),
        budget: budget(file.budget),
        builtin,
    }
}

fn budget(file: Option<BudgetFile>) -> BudgetOverride {
    file.map_or_else(BudgetOverride::default, BudgetOverride::from)
}

fn chat(file: &ChatFile) -> Chat {
    Chat {
        enabled: file.enabled.unwrap_or(true),
        agent: file.agent.clone(),
        iteration_strategy: file.iteration_strategy,
        llm_provider: file.llm_provider.clone(),
        fallback_providers: file.fallback_providers.clone(),
        mcp_servers: file.mcp_servers.clone(),
        max_iterations: file.max_iterations,
    }
}

fn stage(file: &StageFile) -> Stage {
    Stage {
        name: file.name.clone().unwrap_or_default(),
        agents: file.agents.iter().flatten().map(stage_agent).collect(),
        replicas: file.replicas.unwrap_or(1),
        success_policy: file.success_policy,
        max_iterations: file.max_iterations,
        mcp_servers: file.mcp_servers.clone(),
        fallback_providers: file.fallback_providers.clone(),
        synthesis: file.synthesis.as_ref().map(synthesis),
    }
}

fn stage_agent(file: &StageAgentFile) -> StageAgent {
    StageAgent {
        name: file.name.clone().unwrap_or_default(),
        llm_provider: file.llm_provider.clone(),
        fallback_providers: file.fallback_providers.clone(),
        iteration_strategy: file.iteration_strategy,
        max_iterations: file.max_iterations,
        mcp_servers: file.mcp_servers.clone(),
    }
}

fn synthesis(file: &SynthesisFile) -> Synthesis {
    Synthesis {
        agent: file.agent.clone(),
        iteration_strategy: file.iteration_strategy,
        llm_provider: file.llm_provider.clone(),
        fallback_providers: file.fallback_providers.clone(),
    }
}

pub(crate) fn provider(name: &str, file: &ProviderFile, builtin: bool) -> Provider {
    let provider_type = file.provider_type.unwrap_or(ProviderType::Offline);
    Provider {
        name: name.to_owned(),
        provider_type,
        model: file.model.clone().unwrap_or_default(),
        api_key_env: file.api_key_env.clone(),
        credentials_env: file.credentials_env.clone(),
        project_env: file.project_env.clone(),
        location_env: file.location_env.clone(),
        base_url: file.base_url.clone(),
        max_tool_result_tokens: file
            .max_tool_result_tokens
            .unwrap_or_else(|| default_tool_result_tokens(provider_type)),
        native_tools: file.native_tools.map_or_else(NativeTools::default, NativeTools::from),
        builtin,
    }
}

/// What fits into the usual context of a type, with room for the rest of the conversation.
const fn default_tool_result_tokens(provider_type: ProviderType) -> u32 {
    match provider_type {
        ProviderType::Google => 950_000,
        ProviderType::Openai => 250_000,
        ProviderType::Anthropic | ProviderType::Vertexai => 150_000,
        ProviderType::Xai => 1_500_000,
        ProviderType::Offline => 100_000,
    }
}
