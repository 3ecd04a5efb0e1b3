//! The providers of an agent, each as it uses it, and at which price.

use jiff::Timestamp;

use crate::agent::Agent;
use crate::catalog::Catalog;
use crate::fallback::Fallback;
use crate::provider::{NativeTools, OFFLINE, ProviderType, ResolvedProvider};
use crate::resolved::ResolvedChain;
use crate::resolver::Resolver;
use crate::resolver::native_tools::with_own_tools;
use crate::strategy::{Backend, Strategy};

impl Catalog {
    /// The strategy, or its like without Gemini's own interface where the provider has none.
    pub(crate) fn fitting(&self, provider: &str, strategy: Strategy) -> Strategy {
        let provider = self.providers.get(provider);
        let gemini = provider.is_none_or(|provider| provider.provider_type.has_gemini_api());
        match strategy {
            Strategy::NativeThinking if !gemini => Strategy::Langchain,
            Strategy::SynthesisNativeThinking if !gemini => Strategy::Synthesis,
            strategy => strategy,
        }
    }

    /// Gives the providers of a chain the prices of promotions that are in force when its session is accepted.
    pub fn promote(&self, chain: &mut ResolvedChain, at: Timestamp) {
        chain.for_each_provider(|one| self.promote_provider(one, at));
    }

    pub(super) fn promote_provider(&self, one: &mut ResolvedProvider, at: Timestamp) {
        let provider = self.providers.get(&one.name);
        let promoted =
            provider.and_then(|provider| self.system.cost_estimation.promoted(provider, at));
        one.price = promoted.or(one.price);
    }

    /// A provider as an agent of this strategy uses it; an unknown name is the offline analyst.
    pub(crate) fn resolve_provider(&self, name: &str, strategy: Strategy) -> ResolvedProvider {
        let Some(provider) = self.providers.get(name).or_else(|| self.providers.get(OFFLINE))
        else {
            return ResolvedProvider::offline();
        };
        ResolvedProvider {
            name: provider.name.clone(),
            provider_type: provider.provider_type,
            model: provider.model.clone(),
            backend: match provider.provider_type {
                ProviderType::Offline => Backend::Offline,
                _ => strategy.backend(),
            },
            max_tool_result_tokens: provider.tool_result_tokens(),
            context_window_tokens: Some(provider.context_window()),
            timeouts: provider.llm_timeouts.resolve(self.defaults.llm_timeouts),
            max_concurrent_requests: provider.concurrent_requests(),
            price: self.system.cost_estimation.price(provider),
            native_tools: if provider.provider_type.has_native_tools() {
                provider.native_tools
            } else {
                NativeTools::default()
            },
            search_with_tool_text: provider.search_with_tool_text,
            offline_tokens_per_second: None,
        }
    }
}

impl<'a> Resolver<'a> {
    /// The strategy and the provider of an agent: what stands where it is named, else at the chain, else in its definition. One
    /// that comes from further out than the provider becomes its like without Gemini's own interface where the provider has none.
    pub(super) fn model(
        &self,
        here: (Option<Strategy>, Option<&'a str>),
        base: Option<&Agent>,
    ) -> (Option<Strategy>, Option<&'a str>) {
        let chain = (self.chain.strategy(), self.chain.llm_provider.as_deref());
        let levels = [here, chain, (base.and_then(Agent::strategy), None)];
        let strategy = levels.iter().find_map(|(strategy, _)| *strategy);
        let provider = levels.iter().find_map(|(_, provider)| *provider);
        let nearest = levels.iter().find(|level| level.0.is_some() || level.1.is_some());
        let inherited = || strategy.unwrap_or(self.catalog.defaults.iteration_strategy);
        match (nearest, provider) {
            (Some((None, Some(_))), Some(name)) => {
                (Some(self.catalog.fitting(name, inherited())), provider)
            }
            _ => (strategy, provider),
        }
    }

    /// The providers that take over in turn, each with a backend once, without what they take over from; a native strategy
    /// becomes one that the provider can serve.
    pub(super) fn fallbacks(
        &self,
        chosen: Option<&[Fallback]>,
        first: &str,
        strategy: Strategy,
        base: Option<&Agent>,
    ) -> Vec<ResolvedProvider> {
        let entries = chosen.unwrap_or(&self.catalog.defaults.fallback_providers);
        let fitting = self.catalog.fitting(first, strategy);
        let mut known = vec![self.catalog.resolve_provider(first, fitting)];
        for entry in entries {
            let own = entry.backend.map_or(strategy, |backend| strategy.with_backend(backend));
            let strategy = self.catalog.fitting(&entry.provider, own);
            let one = self.catalog.resolve_provider(&entry.provider, strategy);
            let is_it =
                |other: &ResolvedProvider| (&other.name, other.backend) == (&one.name, one.backend);
            if !known.iter().any(is_it) {
                known.push(one);
            }
        }
        let others = known.into_iter().skip(1);
        others.map(|provider| self.with_choice(with_own_tools(base, provider))).collect()
    }
}
