//! The providers of the executive summary, and of other calls without tools.

use crate::provider::ResolvedProvider;
use crate::resolver::Resolver;
use crate::strategy::{LlmBackend, Strategy};

impl<'a> Resolver<'a> {
    /// The provider of the executive summary: one call without tools.
    pub(crate) fn executive_summary(&self) -> ResolvedProvider {
        self.one_call(self.summarizing().0, None)
    }

    pub(super) fn executive_summary_fallbacks(&self) -> Vec<ResolvedProvider> {
        let (name, strategy) = self.summarizing();
        self.fallbacks(self.chain.fallback_providers.as_deref(), name, strategy, None)
    }

    /// The name of the executive summary's provider, and its strategy.
    fn summarizing(&self) -> (&'a str, Strategy) {
        let catalog = self.catalog;
        let configured = self.chain.executive_summary_provider.as_deref();
        let name = self.provider(configured.or(self.chain.llm_provider.as_deref()));
        (name, self.chain.strategy().unwrap_or(catalog.defaults.iteration_strategy))
    }

    /// A provider for one call without tools, with a backend of its own if one is named.
    pub(super) fn one_call(&self, name: &str, backend: Option<LlmBackend>) -> ResolvedProvider {
        let strategy = self.chain.strategy().unwrap_or(self.catalog.defaults.iteration_strategy);
        let strategy = backend.map_or(strategy, |backend| strategy.with_backend(backend));
        self.with_choice(self.catalog.resolve_provider(name, self.catalog.fitting(name, strategy)))
    }
}
