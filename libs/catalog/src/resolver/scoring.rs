//! Who judges sessions of a chain.

use jiff::Timestamp;

use crate::agent::{Agent, AgentType};
use crate::catalog::Catalog;
use crate::limits::millis;
use crate::resolved::ResolvedScoring;
use crate::resolver::{Choices, Resolver};
use crate::scoring::{SCORING_AGENT, Scoring};
use crate::selection::Requested;
use crate::strategy::named;

impl Catalog {
    /// Who judges a session of this chain now, whether or not it is scored without a request; none if there is no such
    /// chain.
    pub fn resolve_scoring(&self, chain_id: &str, at: Timestamp) -> Option<ResolvedScoring> {
        let chain = self.chains.get(chain_id)?;
        // Who sends an alert does not choose who judges its investigation.
        let resolver = Resolver { catalog: self, chain, requested: Requested::default() };
        let mut judge = resolver.judge();
        judge.agent.for_each_provider(&mut |one| self.promote_provider(one, at));
        Some(judge)
    }
}

impl<'a> Resolver<'a> {
    /// Who judges its sessions; none if they are not scored without a request.
    pub(super) fn scoring(&self) -> Option<ResolvedScoring> {
        let block = self.chain.scoring.as_ref().or(self.catalog.defaults.scoring.as_ref());
        let unrequested = Self { requested: Requested::default(), ..*self };
        block.is_some_and(|block| block.enabled).then(|| unrequested.judge())
    }

    pub(crate) fn judge(&self) -> ResolvedScoring {
        let name = self.scoring_key(|block| block.agent.as_deref()).unwrap_or(SCORING_AGENT);
        let base = self.catalog.agents.get(name);
        let provider = self
            .scoring_key(|block| block.llm_provider.as_deref())
            .or(self.chain.llm_provider.as_deref());
        let written = named(None, self.scoring_key(|block| block.llm_backend));
        let inherited = written.or(base.and_then(Agent::strategy));
        let inherited = inherited.unwrap_or(self.catalog.defaults.iteration_strategy);
        let strategy = self.catalog.fitting(self.provider(provider), inherited);
        let choices = Choices {
            strategy: Some(strategy),
            provider,
            fallbacks: self.chain.fallback_providers.as_deref(),
            max_iterations: Some(1),
            servers: None,
            // One answer after the other, without tools.
            agent_type: AgentType::Synthesis,
            skills: None,
            required_skills: &[],
            sub_agents: &[],
            names_itself: false,
            orchestrator: [None, None],
            below: None,
        };
        let timeouts = &self.catalog.defaults.llm_timeouts;
        ResolvedScoring {
            agent: self.agent(name, base, choices),
            iteration_timeout_ms: millis(timeouts.answer),
            first_token_timeout_ms: millis(timeouts.first_token),
            stall_timeout_ms: millis(timeouts.stall),
        }
    }

    /// A key of the block of the chain, or else of `defaults`.
    fn scoring_key<T>(&self, key: impl Fn(&'a Scoring) -> Option<T>) -> Option<T> {
        let of = |block: &'a Option<Scoring>| block.as_ref().and_then(&key);
        of(&self.chain.scoring).or_else(|| of(&self.catalog.defaults.scoring))
    }
}
