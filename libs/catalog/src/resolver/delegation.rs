//! The agents that an agent may dispatch.

use crate::agent::Agent;
use crate::delegation::{
    AGENT_TIMEOUT, Below, MAX_BUDGET, MAX_CONCURRENT_AGENTS, MAX_DEPTH, Orchestrator, SubAgent,
};
use crate::limits::millis;
use crate::provider::ProviderType;
use crate::resolved::{ResolvedAgent, ResolvedDelegation, ResolvedSubAgent};
use crate::resolver::{Choices, Resolver, names, required_skills};
use crate::strategy::Strategy;

impl<'a> Resolver<'a> {
    /// The agents that this one may dispatch, never one above it, and itself only where its own list says so; none for the
    /// offline analyst and for agents without tools.
    pub(super) fn delegation(
        &self,
        dispatcher: &str,
        provider: &str,
        strategy: Strategy,
        choices: &Choices<'a>,
    ) -> Option<ResolvedDelegation> {
        let provider = self.catalog.providers.get(provider);
        let is_model = provider.is_some_and(|one| one.provider_type != ProviderType::Offline);
        if !is_model || !strategy.uses_tools() {
            return None;
        }
        let below = self.below(dispatcher, choices);
        let mut agents: Vec<ResolvedSubAgent> = Vec::new();
        for entry in choices.sub_agents {
            let is_known = agents.iter().any(|one| one.agent.name == entry.name);
            // What is not there is reported when the configuration is read.
            let Some(base) = self.catalog.agents.get(&entry.name) else { continue };
            let is_copy = choices.names_itself && entry.name == dispatcher;
            if (is_copy || !below.above.contains(&entry.name)) && !is_known {
                let agent = self.sub_agent(entry, base, &below);
                agents.push(ResolvedSubAgent { description: described(base, &agent), agent });
            }
        }
        let [nearest, base] = choices.orchestrator;
        let levels = [nearest, base, self.catalog.defaults.orchestrator.as_ref()];
        (!agents.is_empty()).then(|| limited(agents, levels))
    }

    /// Where the agents stand that this one dispatches.
    fn below(&self, dispatcher: &str, choices: &Choices<'a>) -> Below {
        let [nearest, base] = choices.orchestrator;
        let own = [nearest, base].into_iter().flatten().find_map(|level| level.max_depth);
        let of_defaults = || self.catalog.defaults.orchestrator.as_ref()?.max_depth;
        let (levels, mut above) = match &choices.below {
            Some(Below { levels, above }) => (own.unwrap_or(*levels).min(*levels), above.clone()),
            None => (own.or_else(of_defaults).unwrap_or(MAX_DEPTH), Vec::new()),
        };
        above.push(dispatcher.to_owned());
        Below { levels: levels.saturating_sub(1), above }
    }

    /// The nearest of these lists, that of the chain and that of the agent's definition.
    pub(super) fn sub_agents<const N: usize>(
        &self,
        nearest: [Option<&'a [SubAgent]>; N],
        base: Option<&'a Agent>,
    ) -> &'a [SubAgent] {
        let of_chain = || self.chain.sub_agents.as_deref();
        let of_agent = || base.and_then(|agent| agent.sub_agents.as_deref());
        nearest.into_iter().flatten().next().or_else(of_chain).or_else(of_agent).unwrap_or_default()
    }

    /// An agent as another one dispatches it. It dispatches those of its own definition, if there may be a level below it.
    fn sub_agent(&self, entry: &'a SubAgent, base: &'a Agent, below: &Below) -> ResolvedAgent {
        let own_agents = base.sub_agents.as_deref().filter(|_| below.levels > 0);
        let own = entry.llm_backend.map(|backend| {
            let inherited = self.chain.strategy().or(base.strategy());
            inherited.unwrap_or(self.catalog.defaults.iteration_strategy).with_backend(backend)
        });
        let (strategy, provider) = self.model((own, entry.llm_provider.as_deref()), Some(base));
        let choices = Choices {
            strategy,
            provider,
            fallbacks: self.chain.fallback_providers.as_deref(),
            max_iterations: entry
                .max_iterations
                .or(self.chain.max_iterations)
                .or(base.max_iterations),
            servers: entry
                .mcp_servers
                .as_ref()
                .or(base.mcp_servers.as_ref())
                .map(|servers| names(servers)),
            agent_type: base.agent_type,
            skills: entry
                .skills
                .as_deref()
                .or(self.chain.skills.as_deref())
                .or(base.skills.as_deref()),
            required_skills: entry
                .required_skills
                .as_deref()
                .unwrap_or(required_skills(Some(base))),
            sub_agents: own_agents.unwrap_or_default(),
            names_itself: false,
            orchestrator: [None, base.orchestrator.as_ref()],
            below: Some(below.clone()),
        };
        self.agent(&entry.name, Some(base), choices)
    }
}

/// By what a model chooses it: its description, else whose tools it has.
fn described(base: &Agent, agent: &ResolvedAgent) -> String {
    let description = base.description.trim();
    if !description.is_empty() {
        return description.to_owned();
    }
    let servers: Vec<&str> = agent.servers.iter().map(|server| server.id.as_str()).collect();
    if servers.is_empty() {
        "An agent without tools.".to_owned()
    } else {
        format!("An agent with the tools of {}.", servers.join(", "))
    }
}

/// The agents with the limits of the nearest level that sets each.
fn limited(
    agents: Vec<ResolvedSubAgent>,
    levels: [Option<&Orchestrator>; 3],
) -> ResolvedDelegation {
    let levels = || levels.into_iter().flatten();
    ResolvedDelegation {
        agents,
        max_concurrent_agents: levels()
            .find_map(|level| level.max_concurrent_agents)
            .unwrap_or(MAX_CONCURRENT_AGENTS),
        agent_timeout_ms: millis(
            levels().find_map(|level| level.agent_timeout).unwrap_or(AGENT_TIMEOUT),
        ),
        max_budget_ms: millis(levels().find_map(|level| level.max_budget).unwrap_or(MAX_BUDGET)),
    }
}
