//! The tools of a provider itself, as an agent has them.

use crate::agent::Agent;
use crate::provider::ResolvedProvider;

pub(super) fn with_own_tools(base: Option<&Agent>, provider: ResolvedProvider) -> ResolvedProvider {
    match base.and_then(|agent| agent.native_tools) {
        // Only Gemini's own types have such tools.
        Some(choice) if provider.provider_type.has_native_tools() => {
            let native_tools = choice.applied_to(provider.native_tools);
            ResolvedProvider { native_tools, ..provider }
        }
        _ => provider,
    }
}
