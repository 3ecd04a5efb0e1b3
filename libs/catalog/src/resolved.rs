//! A chain with every question answered: what a session runs, and what is stored with it.

use serde::{Deserialize, Serialize};

use crate::calendar::ResolvedCalendar;
use crate::chain::Claims;
use crate::limits::{Budget, LlmTimeouts, millis};
use crate::memory::MAX_GIVEN;
use crate::near_changes::ResolvedChanges;
use crate::provider::{OFFLINE, ResolvedProvider};
use crate::remediation::ResolvedRemediation;
use crate::server::Summarization;
use crate::skill::ResolvedSkill;
use crate::strategy::{Backend, Strategy, SuccessPolicy};

/// A chain as one session runs it.
///
/// Sessions keep it as it was when their alert came, so that a later edit of the files changes nothing that
/// runs or is chatted with. Reading tolerates fields that a newer version wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedChain {
    /// The chain's name.
    pub chain_id: String,
    pub alert_type: String,
    /// What the chain is good for.
    #[serde(default)]
    pub description: String,
    pub stages: Vec<ResolvedStage>,
    pub executive_summary_provider: ResolvedProvider,
    /// Providers that take over in turn when that one cannot be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executive_summary_fallbacks: Vec<ResolvedProvider>,
    /// The agent that answers chats; without it there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat: Option<ResolvedAgent>,
    /// Whether the investigation is given reviewed sessions about the same problem.
    #[serde(default = "enabled")]
    pub memory: bool,
    /// How many memories the investigation is given at most; with 0 it has none, and no tools to search them.
    #[serde(default = "max_given")]
    pub max_memories: u32,
    /// Which changes near the alert the investigation is given.
    #[serde(default)]
    pub changes: ResolvedChanges,
    /// How many dependencies near the alert the investigation is given at most; with 0 it has none, and no tool to follow them.
    #[serde(default)]
    pub dependencies: u32,
    /// Whether the session ends with a structured verdict.
    #[serde(default = "enabled")]
    pub verdict: bool,
    /// The text of the default runbook, for alerts that name none.
    #[serde(default)]
    pub runbook: String,
    /// The most time that the session may take.
    pub session_timeout_ms: u64,
    /// The most time that one answer of a model may take.
    pub iteration_timeout_ms: u64,
    /// The most time before a model's first token.
    #[serde(default = "first_token_timeout_ms")]
    pub first_token_timeout_ms: u64,
    /// The most time between two chunks of a response.
    #[serde(default = "stall_timeout_ms")]
    pub stall_timeout_ms: u64,
    /// What the session may use up.
    #[serde(default)]
    pub budget: Budget,
    /// The tools that an agent must have a result of before it concludes, beside any at all; an empty list demands no look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_tools: Option<Vec<String>>,
    /// What happens to claims that no result shows.
    #[serde(default)]
    pub claims: Claims,
    /// The skills that its agents may use, by name, with their texts: a later edit of their files changes nothing here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<ResolvedSkill>,
    /// Who judges its sessions; none if they are not scored without a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring: Option<ResolvedScoring>,
    /// What its prompts say of the time; sessions of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<ResolvedCalendar>,
}

const fn enabled() -> bool {
    true
}

const fn max_given() -> u32 {
    MAX_GIVEN
}

fn first_token_timeout_ms() -> u64 {
    millis(LlmTimeouts::default().first_token)
}

fn stall_timeout_ms() -> u64 {
    millis(LlmTimeouts::default().stall)
}

/// A stage of a [`ResolvedChain`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedStage {
    pub name: String,
    /// Its agents, replicas spelled out; never empty.
    pub agents: Vec<ResolvedAgent>,
    /// `multi_agent`, `replica`, or nothing for one agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_type: Option<String>,
    /// When it counts as successful.
    pub success_policy: SuccessPolicy,
    /// The agent that joins the findings; there when more than one agent runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<ResolvedAgent>,
}

/// An agent of a [`ResolvedStage`], a synthesis, or a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedAgent {
    /// The name to show, unique in its stage: replicas are `Name-1`, `Name-2`.
    pub name: String,
    /// The agent's name in the catalog.
    pub agent: String,
    /// Added to the general instructions of its prompt.
    #[serde(default)]
    pub custom_instructions: String,
    /// How it iterates.
    pub strategy: Strategy,
    /// How often it may call its model.
    pub max_iterations: u32,
    pub provider: ResolvedProvider,
    /// Providers that take over in turn when that one cannot be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<ResolvedProvider>,
    /// The servers whose tools it uses, in order; empty when its strategy uses no tools.
    #[serde(default)]
    pub servers: Vec<ResolvedServer>,
    /// The names of the skills that it may load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// The names of the skills that its prompt has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_skills: Vec<String>,
    /// Whether its prompt leaves out what day and time it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_calendar: bool,
    /// The agents that it may dispatch; without any it has no tools for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation: Option<ResolvedDelegation>,
    /// How it changes something, if it is of type `action`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ResolvedRemediation>,
}

/// Who judges a session, and how long each answer may take. It is stored with the score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedScoring {
    pub agent: ResolvedAgent,
    /// The most time that one answer may take.
    pub iteration_timeout_ms: u64,
    /// The most time before the first token.
    pub first_token_timeout_ms: u64,
    /// The most time between two chunks.
    pub stall_timeout_ms: u64,
}

/// Who writes the prose of a postmortem, and how long each answer may take. It is stored with the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedWriter {
    /// The first one is asked, the others take over in turn; none of them is the offline analyst, and there is at least one.
    pub providers: Vec<ResolvedProvider>,
    /// The most time that one answer may take.
    pub iteration_timeout_ms: u64,
    /// The most time before the first token.
    pub first_token_timeout_ms: u64,
    /// The most time between two chunks.
    pub stall_timeout_ms: u64,
}

/// The agents that an agent of a session may dispatch, and what they may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedDelegation {
    /// Never empty, each name once.
    pub agents: Vec<ResolvedSubAgent>,
    /// How many may run at once.
    pub max_concurrent_agents: u32,
    /// The most time that one may take.
    pub agent_timeout_ms: u64,
    /// The most time that all may take, from the first on.
    pub max_budget_ms: u64,
}

/// An agent that another one may dispatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedSubAgent {
    /// What it is good for.
    pub description: String,
    pub agent: ResolvedAgent,
}

/// An MCP server as an agent uses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedServer {
    /// Its name in the catalog.
    pub id: String,
    /// Added to the prompt.
    #[serde(default)]
    pub instructions: String,
    /// The only tools that this session may call; absent means all that the server's policy allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// When its results are shortened.
    pub summarization: Summarization,
    /// The provider that shortens them; without one, that of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summarizer: Option<ResolvedProvider>,
}

impl ResolvedDelegation {
    pub fn agent(&self, name: &str) -> Option<&ResolvedAgent> {
        self.agents.iter().map(|one| &one.agent).find(|agent| agent.name == name)
    }
}

impl ResolvedAgent {
    /// The providers that it may call, or that shorten results for it.
    pub fn providers(&self) -> impl Iterator<Item = &ResolvedProvider> {
        let summarizers = self.servers.iter().filter_map(|server| server.summarizer.as_ref());
        std::iter::once(&self.provider).chain(&self.fallbacks).chain(summarizers)
    }

    pub(crate) fn for_each_provider(&mut self, change: &mut impl FnMut(&mut ResolvedProvider)) {
        let summarizers = self.servers.iter_mut().filter_map(|server| server.summarizer.as_mut());
        let own = std::iter::once(&mut self.provider).chain(&mut self.fallbacks);
        own.chain(summarizers).for_each(&mut *change);
        for sub_agent in self.delegation.iter_mut().flat_map(|one| &mut one.agents) {
            sub_agent.agent.for_each_provider(change);
        }
    }

    /// This agent, and those that it may dispatch.
    pub fn with_sub_agents(&self) -> Box<dyn Iterator<Item = &Self> + '_> {
        let delegation = self.delegation.iter().flat_map(|one| &one.agents);
        let below = delegation.flat_map(|one| one.agent.with_sub_agents());
        Box::new(std::iter::once(self).chain(below))
    }
}

impl ResolvedChain {
    pub fn skill(&self, name: &str) -> Option<&ResolvedSkill> {
        self.skills.iter().find(|skill| skill.name == name)
    }

    /// An agent of type `action`, by its name.
    pub fn acting(&self, name: &str) -> Option<&ResolvedAgent> {
        let stages = self.stages.iter().flat_map(|stage| &stage.agents);
        let mut agents = stages.flat_map(ResolvedAgent::with_sub_agents);
        agents.find(|agent| agent.name == name && agent.action.is_some())
    }

    /// A provider that some part of this chain, or who judges its sessions, may call, by its name.
    pub fn provider(&self, name: &str) -> Option<&ResolvedProvider> {
        let judge = self.scoring.iter().flat_map(|scoring| scoring.agent.providers());
        self.providers().chain(judge).find(|one| one.name == name)
    }

    /// Every provider that some part of an investigation may call.
    pub fn providers(&self) -> impl Iterator<Item = &ResolvedProvider> {
        let stages =
            self.stages.iter().flat_map(|stage| stage.agents.iter().chain(&stage.synthesis));
        let agents = stages.chain(&self.chat).flat_map(ResolvedAgent::with_sub_agents);
        let summary =
            self.executive_summary_fallbacks.iter().chain([&self.executive_summary_provider]);
        agents.flat_map(ResolvedAgent::providers).chain(summary)
    }

    pub(crate) fn for_each_provider(&mut self, mut change: impl FnMut(&mut ResolvedProvider)) {
        let stages = self.stages.iter_mut();
        let agents = stages.flat_map(|stage| stage.agents.iter_mut().chain(&mut stage.synthesis));
        let judge = self.scoring.iter_mut().map(|scoring| &mut scoring.agent);
        for agent in agents.chain(&mut self.chat).chain(judge) {
            agent.for_each_provider(&mut change);
        }
        self.executive_summary_fallbacks.iter_mut().for_each(&mut change);
        change(&mut self.executive_summary_provider);
    }

    /// Whether the offline analyst answers behind this name.
    pub fn is_by_rules(&self, provider: &str) -> bool {
        // One whose report stands for a model is of no chain.
        self.provider(provider).map_or(provider == OFFLINE, |one| one.backend == Backend::Offline)
    }

    /// Every server that some agent of this chain uses, once, in the order of first use.
    pub fn server_ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        let stages = self.stages.iter().flat_map(|stage| &stage.agents);
        let agents = stages.chain(&self.chat).flat_map(ResolvedAgent::with_sub_agents);
        for server in agents.flat_map(|agent| &agent.servers) {
            if !ids.contains(&server.id.as_str()) {
                ids.push(&server.id);
            }
        }
        ids
    }
}
