//! Chains: the section `agent_chains` of `tarsy.yaml`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::agent::check_name;
use crate::allowed_servers::AllowedServers;
use crate::check::Check;
use crate::delegation::{SubAgent, sub_agents};
use crate::fallback::{Fallback, or_names};
use crate::intake::IntakePolicy;
use crate::limits::BudgetOverride;
use crate::path::Path;
use crate::provider::NativeTool;
use crate::remediation::Remediation;
use crate::rule::{
    AgentName, As, Between, Each, FullToolName, ProviderName, ServerName, SkillName, at_least,
};
use crate::scoring::Scoring;
use crate::stage::Stage;
use crate::strategy::{LlmBackend, Strategy, named};

/// The agent that answers chats when none is named.
pub(crate) const CHAT_AGENT: &str = "ChatAgent";
/// The agent that joins findings when none is named.
pub(crate) const SYNTHESIS_AGENT: &str = "SynthesisAgent";

/// A chain: the stages that alerts of some types go through.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// The key in the file.
    #[serde(skip)]
    pub id: String,
    /// Alert types that it investigates, each of one chain
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
    #[serde(default)]
    #[schemars(schema_with = "or_names::<Fallback>")]
    pub fallback_providers: Option<Vec<Fallback>>,
    /// For all agents of the chain
    #[serde(default, with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
    /// For all agents of the chain, see *Strategies*
    pub iteration_strategy: Option<Strategy>,
    /// See *Strategies*
    pub llm_backend: Option<LlmBackend>,
    /// The provider of the executive summary
    #[serde(default, with = "As::<ProviderName>")]
    pub executive_summary_provider: Option<String>,
    /// For all agents of the chain
    #[serde(default, with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// Servers that an alert may request: `chain`, `registered` or a list, see *Tools of one alert*
    #[serde(default)]
    #[schemars(extend("x-default" = "`registered`, and `chain` for tokens of alert sources"))]
    pub allowed_mcp_servers: Option<AllowedServers>,
    /// The provider's own tools that an alert may turn on
    #[schemars(extend("x-default" = "all, and those that are on for its own agents for tokens of alert sources"))]
    pub allowed_native_tools: Option<Vec<NativeTool>>,
    /// Providers that an alert may choose, see *Provider of one alert*
    #[serde(default, with = "Each::<ProviderName>")]
    #[schemars(extend("x-default" = "all that can be called"))]
    pub allowed_providers: Option<Vec<String>>,
    /// Chats about its sessions; without this block there are none
    pub chat: Option<Chat>,
    /// Whether its investigations are given reviewed sessions and memories, see *Memory*
    #[default = true]
    #[serde(default = "enabled")]
    pub memory: bool,
    /// Whether the offline analyst looks first, see *Rules first*
    #[serde(default)]
    #[schemars(extend("x-default" = "`defaults.rules_first`"))]
    pub rules_first: Option<bool>,
    /// Whether its sessions end with a structured verdict, see *Verdict*
    #[default = true]
    #[serde(default = "enabled")]
    pub verdict: bool,
    /// What one session of it may use, see *Budgets*
    #[serde(default)]
    #[schemars(extend("x-as" = "defaults.budget"))]
    pub budget: BudgetOverride,
    /// Tools (`server.tool`) that an agent must have a result of; an empty list demands no look, see *No look, no finding*
    #[serde(default, with = "Each::<FullToolName>")]
    #[schemars(extend("x-default" = "`defaults.required_tools`"))]
    pub required_tools: Option<Vec<String>>,
    /// What happens to claims of its agents that no result shows, see *Claims*
    #[serde(default)]
    pub claims: Claims,
    /// What becomes of repeated alerts of its types, where it differs from `intake.policy`
    #[serde(default)]
    pub intake: IntakePolicy,
    /// What its agents of type `action` may change, see *Actions*
    #[serde(default)]
    pub remediation: Remediation,
    /// Skills that its agents may load; an empty list is none, see *Skills*
    #[serde(default, with = "Each::<SkillName>")]
    #[schemars(extend("x-default" = "those of each agent"))]
    pub skills: Option<Vec<String>>,
    /// How its sessions are scored; a key that is missing is that of `defaults`, except `enabled`
    pub scoring: Option<Scoring>,
    /// Agents that its agents may dispatch, see *Delegation*
    #[serde(default)]
    #[schemars(schema_with = "sub_agents")]
    pub sub_agents: Option<Vec<SubAgent>>,
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
    /// See *Strategies*
    pub llm_backend: Option<LlmBackend>,
    /// Its provider
    #[serde(with = "As::<ProviderName>")]
    pub llm_provider: Option<String>,
    /// See *Fallback*
    #[schemars(schema_with = "or_names::<Fallback>")]
    pub fallback_providers: Option<Vec<Fallback>>,
    /// Its servers
    #[serde(with = "Each::<ServerName>")]
    pub mcp_servers: Option<Vec<String>>,
    /// How often it may call its model
    #[serde(with = "As::<Between<1, 1000>>")]
    pub max_iterations: Option<u32>,
    /// See *Delegation*
    #[schemars(schema_with = "sub_agents", extend("x-default" = "those of the chain"))]
    pub sub_agents: Option<Vec<SubAgent>>,
}

impl Chat {
    /// The strategy, by itself or by its backend.
    pub(crate) fn strategy(&self) -> Option<Strategy> {
        named(self.iteration_strategy, self.llm_backend)
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

impl Chain {
    /// The strategy, by itself or by its backend.
    pub(crate) fn strategy(&self) -> Option<Strategy> {
        named(self.iteration_strategy, self.llm_backend)
    }

    fn check(&self, at: &Path, check: &mut Check<'_>) {
        check.fallbacks(at, self.fallback_providers.as_ref(), self.llm_provider.as_deref());
        self.intake.check(&at.key("intake"), check);
        check.required_tools(at, self.required_tools.as_deref());
        check.backend(at, self.iteration_strategy, self.llm_backend);
        if let Some(chat) = &self.chat {
            check.backend(&at.key("chat"), chat.iteration_strategy, chat.llm_backend);
            let first = chat.llm_provider.as_deref();
            check.fallbacks(&at.key("chat"), chat.fallback_providers.as_ref(), first);
        }
        for (index, stage) in self.stages.iter().enumerate() {
            stage.check(&at.key("stages").index(index), check);
        }
    }
}
