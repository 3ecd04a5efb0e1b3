//! A provider as an agent uses it, and at which price.

use jiff::Timestamp;

use crate::catalog::Catalog;
use crate::provider::{OFFLINE, ProviderType, ResolvedProvider};
use crate::resolved::ResolvedChain;
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
            native_tools: provider.native_tools,
            search_with_tool_text: provider.search_with_tool_text,
            offline_tokens_per_second: None,
        }
    }
}
