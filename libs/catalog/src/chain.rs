//! Agents and chains as they were configured, before anything is resolved.

use crate::limits::BudgetOverride;
use crate::strategy::{Strategy, SuccessPolicy};

/// An agent: a role that stages refer to by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// The servers whose tools it uses.
    pub mcp_servers: Option<Vec<String>>,
    /// What its prompt says beside the general instructions.
    pub custom_instructions: String,
    /// How it iterates.
    pub iteration_strategy: Option<Strategy>,
    /// How often it may call its model.
    pub max_iterations: Option<u32>,
    /// Whether it comes with TARSy rather than from a file.
    pub builtin: bool,
}

/// A chain: the stages that alerts of some types go through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Its name.
    pub id: String,
    /// The alert types that it serves; never empty.
    pub alert_types: Vec<String>,
    /// What it is good for.
    pub description: String,
    /// Its stages, in order; never empty.
    pub stages: Vec<Stage>,
    /// The provider of its agents.
    pub llm_provider: Option<String>,
    /// Providers that take over in turn.
    pub fallback_providers: Option<Vec<String>>,
    /// The limit of its agents.
    pub max_iterations: Option<u32>,
    /// The strategy of its agents.
    pub iteration_strategy: Option<Strategy>,
    /// The provider of the executive summary.
    pub executive_summary_provider: Option<String>,
    /// The servers of its agents.
    pub mcp_servers: Option<Vec<String>>,
    /// Chats about its sessions; without it there are none.
    pub chat: Option<Chat>,
    /// What one session of it may use up.
    pub budget: BudgetOverride,
    /// Whether it comes with TARSy rather than from a file.
    pub builtin: bool,
}

/// Chats about the sessions of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chat {
    /// Whether there are any.
    pub enabled: bool,
    /// The agent that answers.
    pub agent: Option<String>,
    /// How it iterates.
    pub iteration_strategy: Option<Strategy>,
    /// Its provider.
    pub llm_provider: Option<String>,
    /// Providers that take over in turn.
    pub fallback_providers: Option<Vec<String>>,
    /// Its servers.
    pub mcp_servers: Option<Vec<String>>,
    /// Its limit.
    pub max_iterations: Option<u32>,
}

/// A stage: one agent, several different ones, or replicas of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Its agents; never empty.
    pub agents: Vec<StageAgent>,
    /// How many of its one agent run side by side.
    pub replicas: u32,
    /// When it counts as successful.
    pub success_policy: Option<SuccessPolicy>,
    /// The limit of its agents.
    pub max_iterations: Option<u32>,
    /// The servers of its agents.
    pub mcp_servers: Option<Vec<String>>,
    /// Providers that take over in turn.
    pub fallback_providers: Option<Vec<String>>,
    /// How the findings of several agents are joined.
    pub synthesis: Option<Synthesis>,
}

/// An agent in a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageAgent {
    /// The agent's name.
    pub name: String,
    /// Its provider here.
    pub llm_provider: Option<String>,
    /// Providers that take over in turn.
    pub fallback_providers: Option<Vec<String>>,
    /// How it iterates here.
    pub iteration_strategy: Option<Strategy>,
    /// Its limit here.
    pub max_iterations: Option<u32>,
    /// Its servers here.
    pub mcp_servers: Option<Vec<String>>,
}

/// How the findings of several agents are joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synthesis {
    /// The agent that joins them.
    pub agent: Option<String>,
    /// Its strategy: one of the two without tools.
    pub iteration_strategy: Option<Strategy>,
    /// Its provider.
    pub llm_provider: Option<String>,
    /// Providers that take over in turn.
    pub fallback_providers: Option<Vec<String>>,
}
