//! The section `agents` of `tarsy.yaml`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::check::Check;
use crate::delegation::{Orchestrator, SubAgent, sub_agents};
use crate::path::Path;
use crate::rule::{As, Between, Each, ServerName, SkillName};
use crate::selection::NativeToolsChoice;
use crate::strategy::{LlmBackend, Strategy, named};

/// The most characters of the name of an agent or a chain.
const LONGEST_NAME: usize = 128;

/// An agent: a role that stages refer to by name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    /// The key in the file.
    #[serde(skip)]
    pub name: String,
    /// What it does; `synthesis` joins findings in one call without tools, `scoring` judges sessions, `action` changes something, see *Actions*
    #[serde(rename = "type")]
    pub agent_type: AgentType,
    /// What other agents may dispatch it for, see *Delegation*
    pub description: String,
    /// Servers whose tools it uses
    #[serde(with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// Added to the general instructions of the prompt
    pub custom_instructions: String,
    /// See *Strategies*
    pub iteration_strategy: Option<Strategy>,
    /// See *Strategies*
    pub llm_backend: Option<LlmBackend>,
    /// How often it may call its model
    #[serde(with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
    /// The provider's own tools, where they differ from the provider's `native_tools`
    pub native_tools: Option<NativeToolsChoice>,
    /// What it may load, see *Skills*
    #[serde(with = "Each::<SkillName>")]
    #[schemars(extend("x-default" = "all"))]
    pub skills: Option<Vec<String>>,
    /// Skills that stand in its prompt, see *Skills*
    #[serde(with = "Each::<SkillName>")]
    pub required_skills: Option<Vec<String>>,
    /// Whether its first message says what day and time it is, see *Calendar*
    #[default = true]
    pub calendar: bool,
    /// Limits of the agents that it dispatches
    pub orchestrator: Option<Orchestrator>,
    /// Agents that it may dispatch where no stage or chain names any, see *Delegation*
    #[schemars(schema_with = "sub_agents")]
    pub sub_agents: Option<Vec<SubAgent>>,
    /// Whether it comes with TARSy rather than from a file.
    #[serde(skip)]
    pub builtin: bool,
}

/// What an agent does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentType {
    /// It investigates.
    #[default]
    #[serde(rename = "")]
    Investigation,
    /// It joins what several agents found, in one call without tools.
    Synthesis,
    /// Without effect yet: it investigates.
    ExecSummary,
    /// It judges sessions where `scoring.agent` names it; in a stage it investigates.
    Scoring,
    /// It changes something, with the approval of people, where the chain's `remediation` is on.
    Action,
}

impl Agent {
    /// The strategy, by itself or by its backend.
    pub(crate) fn strategy(&self) -> Option<Strategy> {
        named(self.iteration_strategy, self.llm_backend)
    }
}

/// Checks the section `agents`.
pub(crate) fn check_agents(agents: &BTreeMap<String, Agent>, check: &mut Check<'_>) {
    for (name, agent) in agents {
        let at = Path::of(["agents", name]);
        check_name(name, &at, check);
        check.backend(&at, agent.iteration_strategy, agent.llm_backend);
        check_type(&at, Some(agent.agent_type), check);
    }
}

/// Warns of a type that changes nothing yet.
pub(crate) fn check_type(at: &Path, agent_type: Option<AgentType>, check: &mut Check<'_>) {
    if agent_type != Some(AgentType::ExecSummary) {
        return;
    }
    let message = "has no effect yet: the executive summary is written by TARSy's own words, and this agent investigates";
    check.warning(&at.key("type"), message, "remove it, or leave it for a version that has it");
}

pub(crate) fn check_name(name: &str, at: &Path, check: &mut Check<'_>) {
    if name.trim().is_empty() || name.len() > LONGEST_NAME {
        let suggestion = "write a name of 1 to 128 characters";
        check.key_problem(at, "the name is empty or too long".to_owned(), suggestion);
    }
}
