//! The vocabulary of the engine: what a stage and an agent are to do, and what came of it.

use jiff::Timestamp;
use tarsy_catalog::{ResolvedAgent, ResolvedChain, ResolvedProvider, ResolvedStage, Strategy};
use tarsy_domain::id::{ExecutionId, StageId};
use tarsy_store::{Op, RollbackTurn, Session};

use crate::engine::budget::BudgetTracker;
pub(crate) use crate::engine::outcome::Outcome;
use crate::engine::team::Team;
use crate::engine::timeline::Scope;
use crate::prompts::{self, Finding};

/// The least that a first prompt may contain, in tokens, also for an agent whose tool results are
/// limited to less.
const MIN_PROMPT_TOKENS: usize = 6_000;

/// A stage of a session, in context.
pub(crate) struct StagePlan<'a> {
    pub(crate) chain: &'a ResolvedChain,
    pub(crate) spec: &'a ResolvedStage,
    /// Its number in the session, from 0; syntheses count.
    pub(crate) index: i32,
    pub(crate) session: &'a Session,
    /// Of the stages before it.
    pub(crate) findings: &'a [Finding],
    pub(crate) purpose: Purpose<'a>,
    pub(crate) budget: &'a BudgetTracker,
    /// When the session, or the question, was taken up, as it is stored: every owner gives the same time.
    pub(crate) now: Option<Timestamp>,
    /// What it takes back, instead of anything else.
    pub(crate) rollback: Option<&'a RollbackTurn>,
    /// What is stored with its beginning.
    pub(crate) opening: Vec<Op>,
}

/// What the agents of a stage do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose<'a> {
    Investigate,
    /// Answer this question about a finished session.
    Answer(&'a str),
    /// Join what the agents of this stage found.
    Synthesize(StageId),
}

impl<'a> Purpose<'a> {
    pub(crate) fn question(self) -> Option<&'a str> {
        match self {
            Self::Answer(question) => Some(question),
            Self::Investigate | Self::Synthesize(_) => None,
        }
    }
}

pub(crate) struct AgentTask<'a> {
    pub(crate) plan: &'a StagePlan<'a>,
    pub(crate) stage: StageId,
    pub(crate) execution: ExecutionId,
    /// Its number in the stage, from 1.
    pub(crate) index: i32,
    pub(crate) spec: &'a ResolvedAgent,
    /// Whether an earlier owner began it: what is stored of its work must be read.
    pub(crate) is_resumed: bool,
    /// The agents that it dispatches; none for one that may dispatch none.
    pub(crate) team: Option<&'a Team>,
    /// What another agent dispatched it for.
    pub(crate) assignment: Option<&'a str>,
}

impl AgentTask<'_> {
    /// Whether the model calls tools by text.
    pub(crate) fn is_react(&self) -> bool {
        self.spec.strategy == Strategy::React
    }

    /// The day and the time in its prompt; none for an agent with `calendar: false`.
    pub(crate) fn calendar(&self) -> Option<String> {
        let known = self.plan.chain.calendar.as_ref().filter(|_| !self.spec.without_calendar);
        Some(prompts::calendar(self.plan.now?, known?))
    }

    /// Where the agent's timeline events belong.
    pub(crate) fn scope(&self) -> Scope {
        Scope { stage: Some(self.stage), execution: Some(self.execution) }
    }

    /// The most that the first prompt may contain, in tokens: each fallback gets the same prompt, so
    /// the provider that accepts least decides.
    pub(crate) fn max_prompt_tokens(&self) -> usize {
        let providers = std::iter::once(&self.spec.provider).chain(&self.spec.fallbacks);
        let smallest = providers.map(ResolvedProvider::tool_result_tokens).min();
        smallest.unwrap_or_default().max(MIN_PROMPT_TOKENS)
    }
}
