//! From what was configured to what a session runs.

use tarsy_domain::code::{Code, Coded};

use crate::catalog::Catalog;
use crate::chain::{Agent, Chain, Chat, Stage, StageAgent, Synthesis};
use crate::limits::ITERATION_TIMEOUT;
use crate::provider::{NativeTools, OFFLINE, ProviderType, ResolvedProvider};
use crate::report::advice;
use crate::resolved::{ResolvedAgent, ResolvedChain, ResolvedServer, ResolvedStage, millis};
use crate::selection::McpSelection;
use crate::server::{McpServer, Summarization};
use crate::strategy::{Backend, Strategy};

/// The agent that answers chats when none is named.
pub(crate) const CHAT_AGENT: &str = "ChatAgent";
/// The agent that joins findings when none is named.
pub(crate) const SYNTHESIS_AGENT: &str = "SynthesisAgent";

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
        /// The name as it was written.
        name: String,
        /// The nearest known name and all of them.
        suggestion: Option<String>,
    },
    /// The alert names a server twice.
    #[error("mcp.servers[{index}].name: server \"{name}\" is named twice; keep one of them")]
    RepeatedServer {
        /// The second place in the list.
        index: usize,
        /// The name.
        name: String,
    },
    /// The list of tools is empty.
    #[error(
        "mcp.servers[{index}].tools: no tool is named; leave `tools` out to allow all, or leave the server out"
    )]
    NoTools {
        /// Its place in the list.
        index: usize,
    },
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
            Self::NoTools { index } => format!("mcp.servers[{index}].tools"),
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

impl Catalog {
    /// The chain that an alert of this type runs, with the alert's wishes about tools.
    ///
    /// Without a type, the default alert type holds.
    pub fn resolve_chain(
        &self,
        alert_type: Option<&str>,
        mcp: Option<&McpSelection>,
    ) -> Result<ResolvedChain, ResolveError> {
        let alert_type = alert_type.unwrap_or(&self.defaults.alert_type);
        let chain = self
            .by_alert_type
            .get(alert_type)
            .and_then(|id| self.chains.get(id))
            .ok_or_else(|| self.unknown_alert_type(alert_type))?;
        if let Some(mcp) = mcp {
            self.check_selection(mcp)?;
        }
        Ok(Resolver { catalog: self, chain, mcp }.chain(alert_type))
    }

    fn unknown_alert_type(&self, alert_type: &str) -> ResolveError {
        ResolveError::UnknownAlertType {
            alert_type: alert_type.to_owned(),
            suggestion: both(alert_type, self.by_alert_type.keys().map(String::as_str)),
        }
    }

    fn check_selection(&self, mcp: &McpSelection) -> Result<(), ResolveError> {
        for (index, server) in mcp.servers.iter().enumerate() {
            let name = server.name.clone();
            if !self.servers.contains_key(&name) {
                let suggestion = both(&name, self.servers.keys().map(String::as_str));
                return Err(ResolveError::UnknownServer { index, name, suggestion });
            }
            if mcp.servers.iter().take(index).any(|earlier| earlier.name == name) {
                return Err(ResolveError::RepeatedServer { index, name });
            }
            let Some(tools) = &server.tools else { continue };
            if tools.is_empty() {
                return Err(ResolveError::NoTools { index });
            }
            if let Some(tool) = tools.iter().position(|tool| tool.trim().is_empty()) {
                return Err(ResolveError::BlankTool { index, tool });
            }
        }
        Ok(())
    }

    /// A provider as an agent of this strategy uses it; an unknown name is the offline analyst.
    pub(crate) fn resolve_provider(&self, name: &str, strategy: Strategy) -> ResolvedProvider {
        let Some(provider) = self.providers.get(name).or_else(|| self.providers.get(OFFLINE))
        else {
            return ResolvedProvider {
                name: OFFLINE.to_owned(),
                provider_type: ProviderType::Offline,
                model: "offline-analyst".to_owned(),
                backend: Backend::Offline,
                api_key_env: None,
                credentials_env: None,
                base_url: None,
                project: None,
                location: None,
                max_tool_result_tokens: 100_000,
                native_tools: NativeTools::default(),
            };
        };
        let value = |variable: &Option<String>| {
            variable.as_deref().and_then(|variable| self.env.get(variable))
        };
        ResolvedProvider {
            name: provider.name.clone(),
            provider_type: provider.provider_type,
            model: provider.model.clone(),
            backend: match provider.provider_type {
                ProviderType::Offline => Backend::Offline,
                _ => strategy.backend(),
            },
            api_key_env: provider.api_key_env.clone(),
            credentials_env: provider.credentials_env.clone(),
            base_url: provider.base_url.clone(),
            project: value(&provider.project_env),
            location: value(&provider.location_env),
            max_tool_result_tokens: provider.max_tool_result_tokens,
            native_tools: provider.native_tools,
        }
    }
}

/// The nearest name together with all of them.
fn both<'a>(written: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let all: Vec<&str> = known.clone().collect();
    let nearest = crate::report::nearest(written, known.clone());
    match nearest {
        Some(name) => Some(format!("did you mean \"{name}\"? known: {}", all.join(", "))),
        None => advice(written, known),
    }
}

/// The layers that a field of an agent is looked for in, nearest first.
struct Layers<'a> {
    strategy: Option<Strategy>,
    provider: Option<&'a str>,
    fallbacks: Option<&'a [String]>,
    max_iterations: Option<u32>,
    servers: Option<Vec<&'a str>>,
}

pub(crate) struct Resolver<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) chain: &'a Chain,
    pub(crate) mcp: Option<&'a McpSelection>,
}

impl<'a> Resolver<'a> {
    fn chain(&self, alert_type: &str) -> ResolvedChain {
        ResolvedChain {
            chain_id: self.chain.id.clone(),
            alert_type: alert_type.to_owned(),
            description: self.chain.description.clone(),
            stages: self.chain.stages.iter().map(|stage| self.stage(stage)).collect(),
            executive_summary_provider: self.executive_summary(),
            executive_summary_fallbacks: self.executive_summary_fallbacks(),
            chat: self.chain.chat.as_ref().filter(|chat| chat.enabled).map(|chat| self.chat(chat)),
            runbook: self.catalog.defaults.runbook.clone(),
            session_timeout_ms: millis(self.catalog.queue.session_timeout),
            iteration_timeout_ms: millis(ITERATION_TIMEOUT),
            first_token_timeout_ms: millis(self.catalog.defaults.llm_timeouts.first_token),
            stall_timeout_ms: millis(self.catalog.defaults.llm_timeouts.stall),
            budget: self.chain.budget.applied_to(self.catalog.defaults.budget),
        }
    }

    fn stage(&self, stage: &Stage) -> ResolvedStage {
        let mut agents: Vec<ResolvedAgent> = Vec::new();
        for agent in &stage.agents {
            let resolved = self.stage_agent(stage, agent);
            for _ in 0..stage.replicas.max(1) {
                agents.push(resolved.clone());
            }
        }
        number_repeated(&mut agents);
        let parallel_type = match (stage.agents.len(), stage.replicas) {
            (2.., _) => Some("multi_agent".to_owned()),
            (_, 2..) => Some("replica".to_owned()),
            _ => None,
        };
        let synthesis = parallel_type.is_some().then(|| self.synthesis(stage.synthesis.as_ref()));
        ResolvedStage {
            name: stage.name.clone(),
            agents,
            parallel_type,
            success_policy: stage.success_policy.unwrap_or(self.catalog.defaults.success_policy),
            synthesis,
        }
    }

    pub(crate) fn stage_agent(&self, stage: &'a Stage, here: &'a StageAgent) -> ResolvedAgent {
        let base = self.catalog.agents.get(&here.name);
        let layers = Layers {
            strategy: here
                .iteration_strategy
                .or(self.chain.iteration_strategy)
                .or(base.and_then(|agent| agent.iteration_strategy)),
            provider: here.llm_provider.as_deref().or(self.chain.llm_provider.as_deref()),
            fallbacks: here
                .fallback_providers
                .as_deref()
                .or(stage.fallback_providers.as_deref())
                .or(self.chain.fallback_providers.as_deref()),
            max_iterations: here
                .max_iterations
                .or(stage.max_iterations)
                .or(self.chain.max_iterations)
                .or(base.and_then(|agent| agent.max_iterations)),
            servers: self.stage_servers(stage, here),
        };
        self.agent(&here.name, base, layers)
    }

    pub(crate) fn chat(&self, chat: &'a Chat) -> ResolvedAgent {
        let name = chat.agent.as_deref().unwrap_or(CHAT_AGENT);
        let base = self.catalog.agents.get(name);
        let layers = Layers {
            strategy: chat
                .iteration_strategy
                .or(self.chain.iteration_strategy)
                .or(base.and_then(|agent| agent.iteration_strategy)),
            provider: chat.llm_provider.as_deref().or(self.chain.llm_provider.as_deref()),
            fallbacks: chat
                .fallback_providers
                .as_deref()
                .or(self.chain.fallback_providers.as_deref()),
            max_iterations: chat
                .max_iterations
                .or(self.chain.max_iterations)
                .or(base.and_then(|agent| agent.max_iterations)),
            servers: chat
                .mcp_servers
                .as_ref()
                .or(self.chain.mcp_servers.as_ref())
                .map(|servers| names(servers))
                .or_else(|| Some(self.servers_of_stages())),
        };
        self.agent(name, base, layers)
    }

    pub(crate) fn synthesis(&self, block: Option<&'a Synthesis>) -> ResolvedAgent {
        let name = block.and_then(|block| block.agent.as_deref()).unwrap_or(SYNTHESIS_AGENT);
        let inherited =
            self.chain.iteration_strategy.unwrap_or(self.catalog.defaults.iteration_strategy);
        let provider = block
            .and_then(|block| block.llm_provider.as_deref())
            .or(self.chain.llm_provider.as_deref());
        let written = block.and_then(|block| block.iteration_strategy);
        let strategy = written.unwrap_or_else(|| {
            self.fitting(provider.unwrap_or(&self.catalog.defaults.llm_provider), inherited)
                .for_synthesis()
        });
        let layers = Layers {
            strategy: Some(strategy),
            provider,
            fallbacks: block
                .and_then(|block| block.fallback_providers.as_deref())
                .or(self.chain.fallback_providers.as_deref()),
            max_iterations: Some(1),
            servers: None,
        };
        self.agent(name, self.catalog.agents.get(name), layers)
    }

    /// The provider of the executive summary: one call without tools.
    pub(crate) fn executive_summary(&self) -> ResolvedProvider {
        self.one_call(self.summarizing().0)
    }

    fn executive_summary_fallbacks(&self) -> Vec<ResolvedProvider> {
        let (name, strategy) = self.summarizing();
        self.fallbacks(self.chain.fallback_providers.as_deref(), name, strategy)
    }

    /// The name of the executive summary's provider, and its strategy.
    fn summarizing(&self) -> (&'a str, Strategy) {
        let catalog = self.catalog;
        let name = self
            .chain
            .executive_summary_provider
            .as_deref()
            .or(self.chain.llm_provider.as_deref())
            .unwrap_or(&catalog.defaults.llm_provider);
        (name, self.chain.iteration_strategy.unwrap_or(catalog.defaults.iteration_strategy))
    }

    /// A provider for one call without tools.
    fn one_call(&self, name: &str) -> ResolvedProvider {
        let catalog = self.catalog;
        let strategy = self.chain.iteration_strategy.unwrap_or(catalog.defaults.iteration_strategy);
        self.with_choice(catalog.resolve_provider(name, self.fitting(name, strategy)))
    }

    /// The providers that take over in turn, without the one that they take over from; a native
    /// strategy becomes one that the provider can serve.
    fn fallbacks(
        &self,
        wished: Option<&[String]>,
        first: &str,
        strategy: Strategy,
    ) -> Vec<ResolvedProvider> {
        let names = wished.unwrap_or(&self.catalog.defaults.fallback_providers);
        names
            .iter()
            .filter(|name| *name != first)
            .map(|name| self.catalog.resolve_provider(name, self.fitting(name, strategy)))
            .map(|provider| self.with_choice(provider))
            .collect()
    }

    /// The strategy, or `langchain` where the provider has no interface of Gemini's.
    fn fitting(&self, provider: &str, strategy: Strategy) -> Strategy {
        let gemini = self
            .catalog
            .providers
            .get(provider)
            .is_none_or(|provider| provider.provider_type.has_gemini_api());
        if gemini { strategy } else { Strategy::Langchain }
    }

    fn agent(&self, name: &str, base: Option<&Agent>, layers: Layers<'_>) -> ResolvedAgent {
        let defaults = &self.catalog.defaults;
        let strategy = layers.strategy.unwrap_or(defaults.iteration_strategy);
        let provider = layers.provider.unwrap_or(&defaults.llm_provider);
        let servers = if strategy.uses_tools() {
            self.servers(layers.servers.unwrap_or_default())
        } else {
            Vec::new()
        };
        ResolvedAgent {
            name: name.to_owned(),
            agent: name.to_owned(),
            custom_instructions: base
                .map(|agent| agent.custom_instructions.clone())
                .unwrap_or_default(),
            strategy,
            max_iterations: layers.max_iterations.unwrap_or(defaults.max_iterations),
            provider: self.with_choice(self.catalog.resolve_provider(provider, strategy)),
            fallbacks: self.fallbacks(layers.fallbacks, provider, strategy),
            servers,
        }
    }

    fn with_choice(&self, provider: ResolvedProvider) -> ResolvedProvider {
        let choice = self.mcp.and_then(|mcp| mcp.native_tools.as_ref());
        match choice {
            // Only Gemini's own types have such tools; elsewhere the wish has nothing to act on.
            Some(choice) if has_native_tools(provider.provider_type) => {
                let native_tools = choice.applied_to(provider.native_tools);
                ResolvedProvider { native_tools, ..provider }
            }
            _ => provider,
        }
    }

    fn servers(&self, configured: Vec<&str>) -> Vec<ResolvedServer> {
        match self.mcp {
            Some(mcp) if !mcp.servers.is_empty() => mcp
                .servers
                .iter()
                .map(|server| self.server(&server.name, server.tools.clone()))
                .collect(),
            _ => {
                let mut once: Vec<&str> = Vec::new();
                for id in configured {
                    if !once.contains(&id) {
                        once.push(id);
                    }
                }
                once.into_iter().map(|id| self.server(id, None)).collect()
            }
        }
    }

    fn server(&self, id: &str, tools: Option<Vec<String>>) -> ResolvedServer {
        let server: Option<&McpServer> = self.catalog.servers.get(id);
        ResolvedServer {
            id: id.to_owned(),
            instructions: server.map(|server| server.instructions.clone()).unwrap_or_default(),
            tools,
            summarization: server
                .map_or_else(Summarization::default, |server| server.summarization),
            summarizer: server
                .and_then(|server| server.summarizer.as_deref())
                .or(self.catalog.defaults.summarizer.as_deref())
                .map(|name| self.one_call(name)),
        }
    }

    /// The servers of the stages' agents as configured, in the order of first use.
    fn servers_of_stages(&self) -> Vec<&'a str> {
        let stages = self.chain.stages.iter();
        stages
            .flat_map(|stage| stage.agents.iter().map(move |agent| (stage, agent)))
            .flat_map(|(stage, agent)| self.stage_servers(stage, agent).unwrap_or_default())
            .collect()
    }

    fn stage_servers(&self, stage: &'a Stage, here: &'a StageAgent) -> Option<Vec<&'a str>> {
        let base = self.catalog.agents.get(&here.name);
        here.mcp_servers
            .as_ref()
            .or(stage.mcp_servers.as_ref())
            .or(self.chain.mcp_servers.as_ref())
            .or(base.and_then(|agent| agent.mcp_servers.as_ref()))
            .map(|servers| names(servers))
    }
}

/// Whether providers of this type run tools of their own.
pub(crate) const fn has_native_tools(provider_type: ProviderType) -> bool {
    matches!(provider_type, ProviderType::Google | ProviderType::Vertexai)
}

/// Names that appear more than once get `-1`, `-2`, … in order.
fn number_repeated(agents: &mut [ResolvedAgent]) {
    let all: Vec<String> = agents.iter().map(|agent| agent.agent.clone()).collect();
    for (index, agent) in agents.iter_mut().enumerate() {
        let same = all.iter().filter(|name| **name == agent.agent).count();
        if same > 1 {
            let ordinal = all.iter().take(index + 1).filter(|name| **name == agent.agent).count();
            agent.name = format!("{}-{ordinal}", agent.agent);
        }
    }
}

fn names(servers: &[String]) -> Vec<&str> {
    servers.iter().map(String::as_str).collect()
}
