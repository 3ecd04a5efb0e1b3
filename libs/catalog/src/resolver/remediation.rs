//! Agents that change something.

use crate::agent::AgentType;
use crate::remediation::ResolvedRemediation;
use crate::resolver::Resolver;
use crate::strategy::Strategy;

impl Resolver<'_> {
    /// How an agent of type `action` works in this chain; none of any other agent.
    pub(super) fn remediation(
        &self,
        agent_type: AgentType,
        strategy: Strategy,
    ) -> Option<ResolvedRemediation> {
        let acts = agent_type == AgentType::Action && strategy.uses_tools();
        acts.then(|| self.chain.remediation.resolved())
    }
}
