//! The chain of a stored session with another provider.

use tarsy_domain::suggest::nearest;

use crate::catalog::Catalog;
use crate::provider::ResolvedProvider;
use crate::report::advice;
use crate::resolved::{ResolvedAgent, ResolvedChain, ResolvedStage};
use crate::resolver::{RULES_AGENT, RULES_STAGE};
use crate::strategy::Strategy;

/// No such provider is configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no provider {name:?}{advice}")]
pub struct UnknownProvider {
    name: String,
    advice: String,
}

/// Whether it is the stage that `rules_first` adds; a stage of an operator may have its name.
fn is_of_rules(stage: &ResolvedStage) -> bool {
    stage.name == RULES_STAGE && stage.agents.iter().all(|agent| agent.agent == RULES_AGENT)
}

impl Catalog {
    /// The chain with this provider for every model call, and without fallbacks: what it answers is what is seen. The offline
    /// analyst of `rules_first` stays.
    pub fn with_provider(
        &self,
        mut chain: ResolvedChain,
        name: &str,
    ) -> Result<ResolvedChain, UnknownProvider> {
        if !self.providers.contains_key(name) {
            return Err(self.unknown_provider(name));
        }
        for stage in chain.stages.iter_mut().filter(|stage| !is_of_rules(stage)) {
            stage.agents.iter_mut().for_each(|agent| self.set_provider(agent, name));
            stage.synthesis.iter_mut().for_each(|agent| self.set_provider(agent, name));
        }
        chain.chat.iter_mut().for_each(|agent| self.set_provider(agent, name));
        chain.executive_summary_provider = self.for_texts(name);
        chain.executive_summary_fallbacks.clear();
        Ok(chain)
    }

    fn set_provider(&self, agent: &mut ResolvedAgent, name: &str) {
        agent.strategy = self.fitting(name, agent.strategy);
        agent.provider = self.resolve_provider(name, agent.strategy);
        agent.fallbacks.clear();
        for sub_agent in agent.delegation.iter_mut().flat_map(|one| &mut one.agents) {
            self.set_provider(&mut sub_agent.agent, name);
        }
        for server in &mut agent.servers {
            if server.summarizer.is_some() {
                server.summarizer = Some(self.for_texts(name));
            }
        }
    }

    fn for_texts(&self, name: &str) -> ResolvedProvider {
        self.resolve_provider(name, self.fitting(name, Strategy::Langchain))
    }

    pub(crate) fn unknown_provider(&self, name: &str) -> UnknownProvider {
        let known = self.providers.keys().map(String::as_str);
        let advice = match nearest(name, known.clone()) {
            Some(near) => format!("; did you mean {near:?}?"),
            None => advice(name, known).map(|text| format!("; {text}")).unwrap_or_default(),
        };
        UnknownProvider { name: name.to_owned(), advice }
    }
}
