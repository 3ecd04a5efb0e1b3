//! Agents and chains, as they are written down.

use schemars::JsonSchema;
use serde::Deserialize;

use super::BudgetFile;
use crate::strategy::{Strategy, SuccessPolicy};

/// An agent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentFile {
    /// The servers whose tools it uses.
    pub(crate) mcp_servers: Option<Vec<String>>,
    /// What its prompt says beside the general instructions.
    pub(crate) custom_instructions: Option<String>,
    /// How it iterates.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// How often it may call its model.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
}

/// A chain: the stages that alerts of some types go through.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChainFile {
    /// The alert types that it serves; each belongs to one chain.
    #[schemars(required, length(min = 1))]
    pub(crate) alert_types: Option<Vec<String>>,
    /// What it is good for.
    pub(crate) description: Option<String>,
    /// Its stages, in order.
    #[schemars(required, length(min = 1))]
    pub(crate) stages: Option<Vec<StageFile>>,
    /// The provider of its agents.
    pub(crate) llm_provider: Option<String>,
    /// Providers that take over in turn when their provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
    /// The limit of its agents.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
    /// The strategy of its agents.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// The provider of the executive summary.
    pub(crate) executive_summary_provider: Option<String>,
    /// The servers of its agents.
    pub(crate) mcp_servers: Option<Vec<String>>,
    /// Chats about its sessions; without this block there are none.
    pub(crate) chat: Option<ChatFile>,
    /// What one session of it may use up.
    pub(crate) budget: Option<BudgetFile>,
}

/// Chats about the sessions of a chain.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChatFile {
    /// Whether there are any; true.
    pub(crate) enabled: Option<bool>,
    /// The agent that answers; `ChatAgent`.
    pub(crate) agent: Option<String>,
    /// How it iterates.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// Its provider.
    pub(crate) llm_provider: Option<String>,
    /// Providers that take over in turn when its provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
    /// Its servers.
    pub(crate) mcp_servers: Option<Vec<String>>,
    /// Its limit.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
}

/// A stage: one agent, several different ones, or replicas of one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StageFile {
    /// Its name.
    #[schemars(required)]
    pub(crate) name: Option<String>,
    /// Its agents.
    #[schemars(required, length(min = 1))]
    pub(crate) agents: Option<Vec<StageAgentFile>>,
    /// How many of its one agent run side by side; 1.
    #[schemars(range(min = 1, max = 20))]
    pub(crate) replicas: Option<u32>,
    /// When it counts as successful.
    pub(crate) success_policy: Option<SuccessPolicy>,
    /// The limit of its agents.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
    /// The servers of its agents.
    pub(crate) mcp_servers: Option<Vec<String>>,
    /// Providers that take over in turn when their provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
    /// How the findings of several agents are joined.
    pub(crate) synthesis: Option<SynthesisFile>,
}

/// An agent in a stage.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StageAgentFile {
    /// The agent's name.
    #[schemars(required)]
    pub(crate) name: Option<String>,
    /// Its provider here.
    pub(crate) llm_provider: Option<String>,
    /// Providers that take over in turn when its provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
    /// How it iterates here.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// Its limit here.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_iterations: Option<u32>,
    /// Its servers here.
    pub(crate) mcp_servers: Option<Vec<String>>,
}

/// How the findings of several agents are joined.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SynthesisFile {
    /// The agent that joins them; `SynthesisAgent`.
    pub(crate) agent: Option<String>,
    /// synthesis or synthesis-native-thinking.
    pub(crate) iteration_strategy: Option<Strategy>,
    /// Its provider.
    pub(crate) llm_provider: Option<String>,
    /// Providers that take over in turn when its provider cannot be used.
    pub(crate) fallback_providers: Option<Vec<String>>,
}
