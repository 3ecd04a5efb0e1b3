//! Agents and chains: the sections `agents` and `agent_chains` of `tarsy.yaml`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::allowed_servers::AllowedServers;
use crate::check::Check;
use crate::intake::IntakePolicy;
use crate::limits::BudgetOverride;
use crate::path::Path;
use crate::provider::NativeTool;
use crate::rule::{
    AgentName, As, Between, Each, FullToolName, NotBlank, ProviderName, ServerName, at_least,
};
use crate::strategy::{Strategy, SuccessPolicy};

/// The agent that answers chats when none is named.
pub(crate) const CHAT_AGENT: &str = "ChatAgent";
/// The agent that joins findings when none is named.
pub(crate) const SYNTHESIS_AGENT: &str = "SynthesisAgent";
/// The most characters of the name of an agent or a chain.
const LONGEST_NAME: usize = 128;

/// An agent: a role that stages refer to by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    /// The key in the file.
    #[serde(skip)]
    pub name: String,
    /// Servers whose tools it uses
    #[serde(with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// Added to the general instructions of the prompt
    pub custom_instructions: String,
    /// See *Strategies*
    pub iteration_strategy: Option<Strategy>,
    /// How often it may call its model
    #[serde(with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
    /// Whether it comes with TARSy rather than from a file.
    #[serde(skip)]
    pub builtin: bool,
}

/// A chain: the stages that alerts of some types go through.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// The key in the file.
    #[serde(skip)]
    pub id: String,
    /// Each alert type belongs to one chain
    #[serde(deserialize_with = "at_least::<1, _, _>")]
    #[schemars(length(min = 1))]
    pub alert_types: Vec<String>,
    /// What it is good for
    #[serde(default)]
    pub description: String,
    /// In this order
    #[serde(deserialize_with = "at_least::<1, _, _>")]
    #[schemars(length(min = 1))]
    pub stages: Vec<Stage>,
    /// The provider of its agents
    #[serde(default, with = "As::<ProviderName>")]
    pub llm_provider: Option<String>,
    /// For all agents of the chain, see *Fallback*
    #[serde(default, with = "Each::<ProviderName>")]
    pub fallback_providers: Option<Vec<String>>,
    /// For all agents of the chain
    #[serde(default, with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
    /// For all agents of the chain, see *Strategies*
    pub iteration_strategy: Option<Strategy>,
    /// The provider of the executive summary
    #[serde(default, with = "As::<ProviderName>")]
    pub executive_summary_provider: Option<String>,
    /// For all agents of the chain
    #[serde(default, with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// The servers that an alert may request: `chain` for those of its own agents, `registered` for all of `mcp_servers`, or a list; see *Tools of one alert*
    #[serde(default)]
    #[schemars(extend("x-default" = "`registered`, and `chain` for tokens of alert sources"))]
    pub allowed_mcp_servers: Option<AllowedServers>,
    /// The provider's own tools that an alert may turn on; it may turn off any
    #[schemars(extend("x-default" = "all, and those that are on for its own agents for tokens of alert sources"))]
    pub allowed_native_tools: Option<Vec<NativeTool>>,
    /// The providers that an alert may choose; see *Provider of one alert*
    #[serde(default, with = "Each::<ProviderName>")]
    #[schemars(extend("x-default" = "all that can be called"))]
    pub allowed_providers: Option<Vec<String>>,
    /// Chats about its sessions; without this block there are none
    pub chat: Option<Chat>,
    /// Whether its investigations are given reviewed sessions about the same problem, see *Memory*
    #[default = true]
    #[serde(default = "enabled")]
    pub memory: bool,
    /// Whether the offline analyst looks first, by rules and without a model, see *Rules first*
    #[serde(default)]
    #[schemars(extend("x-default" = "`defaults.rules_first`"))]
    pub rules_first: Option<bool>,
    /// Whether its sessions end with a structured verdict, see *Verdict*
    #[default = true]
    #[serde(default = "enabled")]
    pub verdict: bool,
    /// What one session of it may use, see *Budgets*
    #[serde(default)]
    pub budget: BudgetOverride,
    /// The tools, as `server.tool`, that an agent must have a result of before it concludes, beside any at all; an empty
    /// list demands no look, see *No look, no finding*
    #[serde(default, with = "Each::<FullToolName>")]
    #[schemars(extend("x-default" = "`defaults.required_tools`"))]
    pub required_tools: Option<Vec<String>>,
    /// What happens to claims of its agents that no result shows, see *Claims*
    #[serde(default)]
    pub claims: Claims,
    /// What becomes of repeated alerts of its types, where it differs from `intake.policy`
    #[serde(default)]
    pub intake: IntakePolicy,
    /// Whether it comes with TARSy rather than from a file.
    #[serde(skip)]
    pub builtin: bool,
}

const fn enabled() -> bool {
    true
}

/// Claims of conclusions that no result shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Claims {
    /// Whether an agent is asked once to correct its conclusion
    #[default = true]
    pub repair: bool,
    /// What happens to statements that remain wrong
    pub on_unverified: OnUnverified,
}

/// What becomes of the statements of a finding that no result shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnUnverified {
    /// The text stays as it is; each claim is marked.
    #[default]
    Mark,
    /// They stand at its end, apart from the findings, each with the reason.
    Demote,
    /// They are left out, and counted.
    Withhold,
}

/// Chats about the sessions of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Chat {
    /// Whether there are any
    #[default = true]
    pub enabled: bool,
    /// The agent that answers
    #[serde(with = "As::<AgentName>")]
    #[schemars(extend("x-default" = "`ChatAgent`"))]
    pub agent: Option<String>,
    /// See *Strategies*
    pub iteration_strategy: Option<Strategy>,
    /// Its provider
    #[serde(with = "As::<ProviderName>")]
    pub llm_provider: Option<String>,
    /// See *Fallback*
    #[serde(with = "Each::<ProviderName>")]
    pub fallback_providers: Option<Vec<String>>,
    /// Its servers
    #[serde(with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// How often it may call its model
    #[serde(with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
}

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
    /// How many of its one agent run at the same time; not together with more than one agent
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
    #[serde(default, with = "Each::<ProviderName>")]
    pub fallback_providers: Option<Vec<String>>,
    /// How findings are joined; used when more than one agent runs
    pub synthesis: Option<Synthesis>,
}

const fn one() -> u32 {
    1
}

/// An agent in a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageAgent {
    /// An agent
    #[serde(with = "As::<AgentName>")]
    pub name: String,
    /// Its provider here
    #[serde(default, with = "As::<ProviderName>")]
    pub llm_provider: Option<String>,
    /// See *Fallback*
    #[serde(default, with = "Each::<ProviderName>")]
    pub fallback_providers: Option<Vec<String>>,
    /// See *Strategies*
    pub iteration_strategy: Option<Strategy>,
    /// How often it may call its model here
    #[serde(default, with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
    /// Its servers here
    #[serde(default, with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
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
    /// Its provider
    #[serde(with = "As::<ProviderName>")]
    pub llm_provider: Option<String>,
    /// See *Fallback*
    #[serde(with = "Each::<ProviderName>")]
    pub fallback_providers: Option<Vec<String>>,
}

/// Checks the section `agents`.
pub(crate) fn check_agents(agents: &BTreeMap<String, Agent>, check: &mut Check<'_>) {
    for name in agents.keys() {
        check_name(name, &Path::of(["agents", name]), check);
    }
}

/// Checks the section `agent_chains`.
pub(crate) fn check_chains(chains: &BTreeMap<String, Chain>, check: &mut Check<'_>) {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    let mut in_file_order: Vec<_> =
        chains.iter().map(|(id, chain)| (id, chain, Path::of(["agent_chains", id]))).collect();
    in_file_order.sort_by_key(|(_, _, at)| check.doc.key_place(at));
    for (id, chain, at) in in_file_order {
        check_name(id, &at, check);
        for (index, alert_type) in chain.alert_types.iter().enumerate() {
            let path = at.key("alert_types").index(index);
            if check.has_text(&path) {
                let owner = owners.insert(alert_type, id);
                check_alert_type(&path, alert_type, [Some(id.as_str()), owner], check);
            }
        }
        chain.check(&at, check);
    }
}

/// Checks an alert type against its chain and the one that it belongs to already.
fn check_alert_type(
    path: &Path,
    alert_type: &str,
    [id, owner]: [Option<&str>; 2],
    check: &mut Check<'_>,
) {
    if alert_type.trim().is_empty() {
        check.problem(path, "is empty", "write the name of an alert type");
        return;
    }
    let Some(owner) = owner else { return };
    let suggestion = if id == Some(owner) {
        "remove one of the two".to_owned()
    } else {
        format!("remove it here or from agent_chains.{owner}")
    };
    let message = format!("the alert type \"{alert_type}\" already belongs to chain \"{owner}\"");
    check.problem(path, message, suggestion);
}

fn check_name(name: &str, at: &Path, check: &mut Check<'_>) {
    if name.trim().is_empty() || name.len() > LONGEST_NAME {
        let suggestion = "write a name of 1 to 128 characters";
        check.key_problem(at, "the name is empty or too long".to_owned(), suggestion);
    }
}

impl Chain {
    fn check(&self, at: &Path, check: &mut Check<'_>) {
        check.fallbacks(at, self.fallback_providers.as_ref(), self.llm_provider.as_deref());
        self.intake.check(&at.key("intake"), check);
        check.required_tools(at, self.required_tools.as_deref());
        if let Some(chat) = &self.chat {
            let first = chat.llm_provider.as_deref();
            check.fallbacks(&at.key("chat"), chat.fallback_providers.as_ref(), first);
        }
        for (index, stage) in self.stages.iter().enumerate() {
            stage.check(&at.key("stages").index(index), check);
        }
    }
}

impl Stage {
    fn check(&self, at: &Path, check: &mut Check<'_>) {
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
        }
        if let Some(synthesis) = &self.synthesis {
            synthesis.check(&at.key("synthesis"), check);
        }
    }
}

impl Synthesis {
    fn check(&self, at: &Path, check: &mut Check<'_>) {
        check.fallbacks(at, self.fallback_providers.as_ref(), self.llm_provider.as_deref());
        if let Some(strategy) = self.iteration_strategy.filter(|strategy| strategy.uses_tools()) {
            check.problem(
                &at.key("iteration_strategy"),
                format!("a synthesis is one call without tools, which {strategy} is not"),
                format!("write {}", strategy.for_synthesis()),
            );
        }
    }
}
