//! The providers of the executive summary, and of other calls without tools.

use jiff::Timestamp;

use crate::catalog::Catalog;
use crate::limits::millis;
use crate::provider::ResolvedProvider;
use crate::resolved::ResolvedWriter;
use crate::resolver::Resolver;
use crate::selection::Requested;
use crate::strategy::{Backend, LlmBackend, Strategy};

impl Catalog {
    /// Who writes the prose of the postmortem of a session of this chain now: who writes its executive summaries. None if there
    /// is no such chain, or no model is configured for it.
    pub fn resolve_writer(&self, chain_id: &str, at: Timestamp) -> Option<ResolvedWriter> {
        let chain = self.chains.get(chain_id)?;
        // Who sent the alert does not choose who is read by others.
        let resolver = Resolver { catalog: self, chain, requested: Requested::default() };
        let fallbacks = resolver.executive_summary_fallbacks();
        let mut providers: Vec<_> =
            std::iter::once(resolver.executive_summary()).chain(fallbacks).collect();
        providers.retain(|one| one.backend != Backend::Offline);
        for provider in &mut providers {
            self.promote_provider(provider, at);
        }
        let timeouts = &self.defaults.llm_timeouts;
        (!providers.is_empty()).then(|| ResolvedWriter {
            providers,
            iteration_timeout_ms: millis(timeouts.answer),
            first_token_timeout_ms: millis(timeouts.first_token),
            stall_timeout_ms: millis(timeouts.stall),
        })
    }
}

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
