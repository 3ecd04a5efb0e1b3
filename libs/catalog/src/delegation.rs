//! Agents that other agents dispatch, as operators write them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fallback::or_names;
use crate::rule::{
    AgentName, As, AtLeast, Between, Each, Positive, ProviderName, ServerName, SkillName,
};
use crate::strategy::LlmBackend;

/// Sub-agents of one agent at once, unless it is configured.
pub(crate) const MAX_CONCURRENT_AGENTS: u32 = 5;
/// The most time that a sub-agent may take, unless it is configured.
pub(crate) const AGENT_TIMEOUT: Duration = Duration::from_mins(7);
/// The most time that all sub-agents of one agent may take, unless it is configured.
pub(crate) const MAX_BUDGET: Duration = Duration::from_mins(15);
/// How many levels of sub-agents there are below an agent, unless it is configured.
pub(crate) const MAX_DEPTH: u32 = 1;

/// An agent that another one may dispatch: its name, or its name with what differs there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename = "*name", deny_unknown_fields)]
#[schemars(rename = "SubAgent")]
pub struct SubAgent {
    /// An agent; an entry may be the name alone
    #[serde(with = "As::<AgentName>")]
    pub name: String,
    /// Its provider there
    #[serde(default, with = "As::<ProviderName>")]
    pub llm_provider: Option<String>,
    /// See *Strategies*
    pub llm_backend: Option<LlmBackend>,
    /// How often it may call its model there
    #[serde(default, with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
    /// Its servers there
    #[serde(default, with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// Skills in its prompt there
    #[serde(default, with = "Each::<SkillName>")]
    pub required_skills: Option<Vec<String>>,
    /// Skills that it may load there
    #[serde(default, with = "Each::<SkillName>")]
    pub skills: Option<Vec<String>>,
}

/// The schema of a list of sub-agents.
pub(crate) fn sub_agents(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    or_names::<SubAgent>(generator)
}

/// What the agents that another one dispatches may use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Orchestrator {
    /// Sub-agents of one agent at once
    #[serde(with = "As::<AtLeast<1>>")]
    #[schemars(extend("x-default" = 5))]
    pub max_concurrent_agents: Option<u32>,
    /// Time limit of one
    #[serde(with = "As::<Positive>")]
    #[schemars(extend("x-default" = "7m"))]
    pub agent_timeout: Option<Duration>,
    /// Time limit of all of one agent, from the first on
    #[serde(with = "As::<Positive>")]
    #[schemars(extend("x-default" = "15m"))]
    pub max_budget: Option<Duration>,
    /// Levels of sub-agents below the agent; from 2 on they dispatch the `sub_agents` of their own definitions
    #[serde(with = "As::<Between<1, 3>>")]
    #[schemars(extend("x-default" = 1))]
    pub max_depth: Option<u32>,
}

/// Where a dispatched agent stands in the tree.
#[derive(Clone, Debug)]
pub(crate) struct Below {
    /// How many levels there may be below it.
    pub(crate) levels: u32,
    /// The agents above it, which it does not dispatch: the tree would have no end.
    pub(crate) above: Vec<String>,
}
