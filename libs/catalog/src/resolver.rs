//! How the fields of an agent are found among the layers around it.

mod delegation;
mod native_tools;
mod providers;
mod remediation;
mod scoring;
mod servers;
mod skills;
mod summaries;

use crate::agent::{Agent, AgentType};
use crate::catalog::Catalog;
use crate::chain::{CHAT_AGENT, Chain, Chat, SYNTHESIS_AGENT};
use crate::delegation::{Below, Orchestrator, SubAgent};
use crate::fallback::Fallback;
use crate::limits::millis;
use crate::memory;
use crate::provider::{OFFLINE, Provider, ResolvedProvider};
use crate::resolved::{ResolvedAgent, ResolvedChain, ResolvedServer, ResolvedStage};
use crate::resolver::native_tools::with_own_tools;
use crate::selection::Requested;
use crate::stage::{Stage, StageAgent, Synthesis};
use crate::strategy::{Strategy, SuccessPolicy};

/// The stage that `rules_first` puts before the others, and its agent.
pub(crate) const RULES_STAGE: &str = "rules";
pub(crate) const RULES_AGENT: &str = "OfflineAnalyst";

/// What the layers around an agent set, the nearest layer first.
struct Choices<'a> {
    strategy: Option<Strategy>,
    provider: Option<&'a str>,
    fallbacks: Option<&'a [Fallback]>,
    max_iterations: Option<u32>,
    servers: Option<Vec<&'a str>>,
    agent_type: AgentType,
    /// The skills that may be loaded; none for all.
    skills: Option<&'a [String]>,
    required_skills: &'a [String],
    /// The agents that it may dispatch.
    sub_agents: &'a [SubAgent],
    /// Whether it may dispatch a copy of itself: a list of its own names it.
    names_itself: bool,
    /// Limits of these, the nearest level first.
    orchestrator: [Option<&'a Orchestrator>; 2],
    /// Where it stands if another one dispatches it.
    below: Option<Below>,
}

pub(crate) struct Resolver<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) chain: &'a Chain,
    pub(crate) requested: Requested<'a>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn chain(&self, alert_type: &str) -> ResolvedChain {
        let stages = self.stages();
        let chat = self.chain.chat.as_ref().filter(|chat| chat.enabled).map(|chat| self.chat(chat));
        ResolvedChain {
            chain_id: self.chain.id.clone(),
            alert_type: alert_type.to_owned(),
            description: self.chain.description.clone(),
            skills: self.kept_skills(&stages, chat.as_ref()),
            stages,
            executive_summary_provider: self.executive_summary(),
            executive_summary_fallbacks: self.executive_summary_fallbacks(),
            chat,
            memory: self.chain.memory,
            max_memories: memory::max_given(
                self.catalog.defaults.memory.as_ref(),
                self.chain.memory,
            ),
            changes: self.catalog.defaults.changes.resolved(),
            dependencies: self.catalog.topology.most,
            verdict: self.chain.verdict,
            runbook: self.catalog.defaults.runbook.clone().unwrap_or_default(),
            session_timeout_ms: millis(self.catalog.queue.session_timeout),
            iteration_timeout_ms: millis(self.catalog.defaults.llm_timeouts.answer),
            first_token_timeout_ms: millis(self.catalog.defaults.llm_timeouts.first_token),
            stall_timeout_ms: millis(self.catalog.defaults.llm_timeouts.stall),
            budget: self.chain.budget.applied_to(self.catalog.defaults.budget),
            required_tools: self
                .chain
                .required_tools
                .clone()
                .or_else(|| self.catalog.defaults.required_tools.clone()),
            claims: self.chain.claims,
            scoring: self.scoring(),
            calendar: Some(self.catalog.calendar()),
        }
    }

    fn stages(&self) -> Vec<ResolvedStage> {
        let mut stages: Vec<ResolvedStage> =
            self.chain.stages.iter().map(|stage| self.stage(stage)).collect();
        if let Some(first) = stages.first().filter(|first| self.begins_with_rules(first)) {
            stages.insert(0, self.rules_stage(first));
        }
        stages
    }

    /// Whether the offline analyst looks before this stage: as it is configured, else if a model on this machine would look,
    /// which is most often a small one, and there is something to look with.
    fn begins_with_rules(&self, first: &ResolvedStage) -> bool {
        let configured = self.chain.rules_first.or(self.catalog.defaults.rules_first);
        configured.unwrap_or_else(|| {
            first.agents.iter().any(|agent| {
                let provider = self.catalog.providers.get(&agent.provider.name);
                !agent.servers.is_empty() && provider.is_some_and(Provider::is_on_this_machine)
            })
        })
    }

    /// The offline analyst with the tools of a stage.
    fn rules_stage(&self, before: &ResolvedStage) -> ResolvedStage {
        let mut servers: Vec<ResolvedServer> = Vec::new();
        for server in before.agents.iter().flat_map(|agent| &agent.servers) {
            if !servers.iter().any(|known| known.id == server.id) {
                servers.push(server.clone());
            }
        }
        let strategy = Strategy::Langchain;
        ResolvedStage {
            name: RULES_STAGE.to_owned(),
            agents: vec![ResolvedAgent {
                name: RULES_AGENT.to_owned(),
                agent: RULES_AGENT.to_owned(),
                custom_instructions: String::new(),
                strategy,
                max_iterations: self.catalog.defaults.max_iterations,
                provider: self.catalog.resolve_provider(OFFLINE, strategy),
                fallbacks: Vec::new(),
                servers,
                skills: Vec::new(),
                required_skills: Vec::new(),
                without_calendar: true,
                delegation: None,
                action: None,
            }],
            parallel_type: None,
            success_policy: SuccessPolicy::Any,
            synthesis: None,
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
        let sub_agents =
            self.sub_agents([here.sub_agents.as_deref(), stage.sub_agents.as_deref()], base);
        let (strategy, provider) =
            self.model((here.strategy(), here.llm_provider.as_deref()), base);
        let choices = Choices {
            strategy,
            provider,
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
            agent_type: here.agent_type.or(base.map(|agent| agent.agent_type)).unwrap_or_default(),
            skills: here
                .skills
                .as_deref()
                .or(stage.skills.as_deref())
                .or(self.chain.skills.as_deref())
                .or(base.and_then(|agent| agent.skills.as_deref())),
            required_skills: here.required_skills.as_deref().unwrap_or(required_skills(base)),
            sub_agents,
            names_itself: names_itself(
                sub_agents,
                [here.sub_agents.as_deref(), of_agent(base)],
                &here.name,
            ),
            orchestrator: [here.orchestrator.as_ref(), limits(base)],
            below: None,
        };
        self.agent(&here.name, base, choices)
    }

    pub(crate) fn chat(&self, chat: &'a Chat) -> ResolvedAgent {
        let name = chat.agent.as_deref().unwrap_or(CHAT_AGENT);
        let base = self.catalog.agents.get(name);
        let sub_agents = self.sub_agents([chat.sub_agents.as_deref()], base);
        let (strategy, provider) =
            self.model((chat.strategy(), chat.llm_provider.as_deref()), base);
        let choices = Choices {
            strategy,
            provider,
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
                .or(base.and_then(|agent| agent.mcp_servers.as_ref()))
                .map(|servers| names(servers))
                .or_else(|| Some(self.servers_of_stages())),
            agent_type: AgentType::Investigation,
            skills: self.chain.skills.as_deref().or(base.and_then(|agent| agent.skills.as_deref())),
            required_skills: required_skills(base),
            sub_agents,
            names_itself: names_itself(
                sub_agents,
                [chat.sub_agents.as_deref(), of_agent(base)],
                name,
            ),
            orchestrator: [None, limits(base)],
            below: None,
        };
        self.agent(name, base, choices)
    }

    pub(crate) fn synthesis(&self, block: Option<&'a Synthesis>) -> ResolvedAgent {
        let name = block.and_then(|block| block.agent.as_deref()).unwrap_or(SYNTHESIS_AGENT);
        let inherited = self.chain.strategy().unwrap_or(self.catalog.defaults.iteration_strategy);
        let provider = block
            .and_then(|block| block.llm_provider.as_deref())
            .or(self.chain.llm_provider.as_deref());
        let written = block.and_then(Synthesis::strategy);
        let strategy = written.unwrap_or_else(|| {
            self.catalog.fitting(self.provider(provider), inherited).for_synthesis()
        });
        let choices = Choices {
            strategy: Some(strategy),
            provider,
            fallbacks: block
                .and_then(|block| block.fallback_providers.as_deref())
                .or(self.chain.fallback_providers.as_deref()),
            max_iterations: Some(1),
            servers: None,
            agent_type: AgentType::Synthesis,
            skills: None,
            required_skills: &[],
            sub_agents: &[],
            names_itself: false,
            orchestrator: [None, None],
            below: None,
        };
        self.agent(name, self.catalog.agents.get(name), choices)
    }

    fn agent(&self, name: &str, base: Option<&Agent>, choices: Choices<'a>) -> ResolvedAgent {
        let defaults = &self.catalog.defaults;
        let provider = self.provider(choices.provider);
        let configured = choices.strategy.unwrap_or(defaults.iteration_strategy);
        let strategy = match self.requested.provider {
            Some(requested) => self.catalog.fitting(requested, configured),
            // What does not fit is reported when the configuration is read.
            None => configured,
        };
        let strategy = match choices.agent_type {
            AgentType::Synthesis => strategy.for_synthesis(),
            _ => strategy,
        };
        let own_tools = |provider| with_own_tools(base, provider);
        let (skills, required_skills) = self.skills(provider, strategy, &choices);
        let delegation = self.delegation(name, provider, strategy, &choices);
        let servers = if strategy.uses_tools() {
            self.servers(choices.servers.unwrap_or_default())
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
            max_iterations: choices.max_iterations.unwrap_or(defaults.max_iterations),
            provider: self
                .with_choice(own_tools(self.catalog.resolve_provider(provider, strategy))),
            fallbacks: self.fallbacks(choices.fallbacks, provider, strategy, base),
            servers,
            skills,
            required_skills,
            without_calendar: base.is_some_and(|agent| !agent.calendar),
            delegation,
            action: self.remediation(choices.agent_type, strategy),
        }
    }

    /// The provider that the alert requests, else the configured one, else the default.
    fn provider(&self, configured: Option<&'a str>) -> &'a str {
        self.requested.provider.or(configured).unwrap_or(&self.catalog.default_provider)
    }

    fn with_choice(&self, provider: ResolvedProvider) -> ResolvedProvider {
        let choice = self.requested.mcp.and_then(|mcp| mcp.native_tools.as_ref());
        match choice {
            // Only Gemini's own types have such tools; elsewhere the choice has no effect.
            Some(choice) if provider.provider_type.has_native_tools() => {
                let native_tools = choice.applied_to(provider.native_tools);
                ResolvedProvider { native_tools, ..provider }
            }
            _ => provider,
        }
    }
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

/// Limits that an agent's definition sets for those that it dispatches.
fn limits(base: Option<&Agent>) -> Option<&Orchestrator> {
    base.and_then(|agent| agent.orchestrator.as_ref())
}

/// The skills that an agent's prompt has wherever nothing nearer names any.
fn required_skills(base: Option<&Agent>) -> &[String] {
    base.and_then(|agent| agent.required_skills.as_deref()).unwrap_or_default()
}

fn names(servers: &[String]) -> Vec<&str> {
    servers.iter().map(String::as_str).collect()
}

/// Whether a list is an agent's own and names it: a copy of it is wanted, which dispatches no further one.
fn names_itself(chosen: &[SubAgent], own: [Option<&[SubAgent]>; 2], name: &str) -> bool {
    let is_own = own.into_iter().flatten().any(|own| std::ptr::eq(own, chosen));
    is_own && chosen.iter().any(|entry| entry.name == name)
}

/// The list of an agent's definition.
fn of_agent(base: Option<&Agent>) -> Option<&[SubAgent]> {
    base.and_then(|agent| agent.sub_agents.as_deref())
}
