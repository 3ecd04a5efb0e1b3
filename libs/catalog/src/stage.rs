//! The stages of a chain, their agents, and how findings are joined.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::agent::{AgentType, check_type};
use crate::check::Check;
use crate::delegation::{Orchestrator, SubAgent, sub_agents};
use crate::fallback::{Fallback, or_names};
use crate::path::Path;
use crate::rule::{
    AgentName, As, Between, Each, NotBlank, ProviderName, ServerName, SkillName, at_least,
};
use crate::strategy::{LlmBackend, Strategy, SuccessPolicy, named};

/// A stage: one agent, several different ones, or replicas of one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Shown on the timeline
    #[serde(with = "As::<NotBlank>")]
    pub name: String,
    /// They run at the same time
    #[serde(deserialize_with = "at_least::<1, _, _>")]
    #[schemars(length(min = 1))]
    pub agents: Vec<StageAgent>,
    /// How many of its only agent run at the same time
    #[serde(default = "one", with = "As::<Between<1, 20>>")]
    pub replicas: u32,
    /// How many of its agents must succeed
    #[schemars(extend("x-default" = "`defaults.success_policy`"))]
    pub success_policy: Option<SuccessPolicy>,
    /// For all agents of the stage
    #[serde(default, with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
    /// For all agents of the stage
    #[serde(default, with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// For all agents of the stage, see *Fallback*
    #[serde(default)]
    #[schemars(schema_with = "or_names::<Fallback>")]
    pub fallback_providers: Option<Vec<Fallback>>,
    /// How findings are joined; used when more than one agent runs
    pub synthesis: Option<Synthesis>,
    /// Skills that its agents may load; an empty list is none, see *Skills*
    #[serde(default, with = "Each::<SkillName>")]
    #[schemars(extend("x-default" = "those of the chain"))]
    pub skills: Option<Vec<String>>,
    /// Agents that its agents may dispatch, see *Delegation*
    #[serde(default)]
    #[schemars(schema_with = "sub_agents")]
    pub sub_agents: Option<Vec<SubAgent>>,
}

const fn one() -> u32 {
    1
}

/// An agent in a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageAgent {
    /// One of `agents`, or a built-in one
    #[serde(with = "As::<AgentName>")]
    pub name: String,
    /// What it does here
    #[serde(rename = "type")]
    #[schemars(extend("x-default" = "that of the agent"))]
    pub agent_type: Option<AgentType>,
    /// Its provider here
    #[serde(default, with = "As::<ProviderName>")]
    pub llm_provider: Option<String>,
    /// See *Fallback*
    #[serde(default)]
    #[schemars(schema_with = "or_names::<Fallback>")]
    pub fallback_providers: Option<Vec<Fallback>>,
    /// See *Strategies*
    pub iteration_strategy: Option<Strategy>,
    /// See *Strategies*
    pub llm_backend: Option<LlmBackend>,
    /// How often it may call its model here
    #[serde(default, with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
    /// Its servers here
    #[serde(default, with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// What it may load, see *Skills*
    #[serde(default, with = "Each::<SkillName>")]
    #[schemars(extend("x-default" = "those of the stage"))]
    pub skills: Option<Vec<String>>,
    /// Skills that stand in its prompt, see *Skills*
    #[serde(default, with = "Each::<SkillName>")]
    #[schemars(extend("x-default" = "those of the agent"))]
    pub required_skills: Option<Vec<String>>,
    /// See *Delegation*
    #[serde(default)]
    #[schemars(schema_with = "sub_agents")]
    pub sub_agents: Option<Vec<SubAgent>>,
    /// Limits of the agents that it dispatches
    pub orchestrator: Option<Orchestrator>,
}

/// How the findings of several agents are joined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Synthesis {
    /// The agent that joins them
    #[serde(with = "As::<AgentName>")]
    #[schemars(extend("x-default" = "`SynthesisAgent`"))]
    pub agent: Option<String>,
    /// One of the two without tools
    pub iteration_strategy: Option<Strategy>,
    /// See *Strategies*
    pub llm_backend: Option<LlmBackend>,
    /// Its provider
    #[serde(with = "As::<ProviderName>")]
    pub llm_provider: Option<String>,
    /// See *Fallback*
    #[schemars(schema_with = "or_names::<Fallback>")]
    pub fallback_providers: Option<Vec<Fallback>>,
}

impl StageAgent {
    /// The strategy, by itself or by its backend.
    pub(crate) fn strategy(&self) -> Option<Strategy> {
        named(self.iteration_strategy, self.llm_backend)
    }
}

impl Stage {
    pub(crate) fn check(&self, at: &Path, check: &mut Check<'_>) {
        check.fallbacks(at, self.fallback_providers.as_ref(), None);
        if self.agents.len() > 1 && self.replicas > 1 {
            check.problem(
                &at.key("replicas"),
                format!("replicas do not mix with {} agents", self.agents.len()),
                "remove replicas, or keep one agent",
            );
        }
        for (index, agent) in self.agents.iter().enumerate() {
            let at = at.key("agents").index(index);
            let first = agent.llm_provider.as_deref();
            check.fallbacks(&at, agent.fallback_providers.as_ref(), first);
            check.backend(&at, agent.iteration_strategy, agent.llm_backend);
            check_type(&at, agent.agent_type, check);
        }
        if let Some(synthesis) = &self.synthesis {
            synthesis.check(&at.key("synthesis"), check);
        }
    }
}

impl Synthesis {
    /// The strategy, by itself or by its backend.
    pub(crate) fn strategy(&self) -> Option<Strategy> {
        let by_backend = || Some(Strategy::Synthesis.with_backend(self.llm_backend?));
        self.iteration_strategy.or_else(by_backend)
    }

    fn check(&self, at: &Path, check: &mut Check<'_>) {
        check.fallbacks(at, self.fallback_providers.as_ref(), self.llm_provider.as_deref());
        check.backend(at, self.iteration_strategy, self.llm_backend);
        if let Some(strategy) = self.iteration_strategy.filter(|strategy| strategy.uses_tools()) {
            check.problem(
                &at.key("iteration_strategy"),
                format!("a synthesis is one call without tools, which {strategy} is not"),
                format!("write {}", strategy.for_synthesis()),
            );
        }
    }
}
