//! What a session uses up, counted for all its agents together.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tarsy_catalog::Budget;
use tarsy_domain::id::{CallId, StageId};
use tarsy_store::{Summary, Usage};

use crate::owner::{Owner, StopReason};

/// Counts against a budget; what earlier owners used is in the count.
#[derive(Debug)]
pub(crate) struct BudgetTracker {
    budget: Budget,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    llm_calls: u64,
    tokens: u64,
    tool_calls: u64,
    /// Calls of tools whose summaries are not in the count yet.
    pending_summaries: HashSet<CallId>,
}

/// What a budget limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Calls of models.
    LlmCalls,
    /// Tokens, read and written.
    Tokens,
    /// Calls of tools.
    ToolCalls,
}

/// A limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Which.
    pub(crate) limit: Limit,
    /// How much there was.
    pub(crate) maximum: u32,
    /// How much is used.
    pub(crate) used: u64,
}

impl Limit {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::LlmCalls, Self::Tokens, Self::ToolCalls];

    /// Its name in the configuration.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::LlmCalls => "llm_calls",
            Self::Tokens => "tokens",
            Self::ToolCalls => "tool_calls",
        }
    }

    /// What it counts, for a person.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::LlmCalls => "model calls",
            Self::Tokens => "tokens",
            Self::ToolCalls => "tool calls",
        }
    }

    /// How much a budget allows of it.
    pub(crate) const fn of(self, budget: Budget) -> u32 {
        match self {
            Self::LlmCalls => budget.llm_calls,
            Self::Tokens => budget.tokens,
            Self::ToolCalls => budget.tool_calls,
        }
    }
}

impl Reached {
    /// What the timeline says.
    pub(crate) fn told(self) -> String {
        let Self { limit, maximum, used } = self;
        let words = limit.words();
        format!("The budget of {maximum} {words} is used up ({used}). The agent concludes now.")
    }

    /// The same for programs.
    pub(crate) fn metadata(self) -> Value {
        json!({ "limit": self.limit.as_str(), "maximum": self.maximum, "used": self.used })
    }
}

impl BudgetTracker {
    /// Counts on from what is used.
    pub(crate) fn new(budget: Budget, usage: Usage) -> Self {
        let used = Used {
            llm_calls: count(usage.llm_calls),
            tokens: count(usage.tokens),
            tool_calls: count(usage.tool_calls),
            pending_summaries: usage.pending_summaries.into_iter().collect(),
        };
        Self { budget, used: Mutex::new(used) }
    }

    /// Counts on from what the store knows of a session's investigation, or of one question about it.
    pub(crate) async fn read(
        owner: &Owner,
        budget: Budget,
        question: Option<StageId>,
    ) -> Result<Self, StopReason> {
        let (store, session) = (&owner.app.store, owner.session());
        let usage = match question {
            Some(stage) => owner.read(|| store.find_stage_usage(session, stage)).await?,
            None => owner.read(|| store.find_usage(session)).await?,
        };
        Ok(Self::new(budget, usage))
    }

    /// What there is in all.
    pub(crate) fn limits(&self) -> Budget {
        self.budget
    }

    /// The first limit that is reached.
    pub(crate) fn reached(&self) -> Option<Reached> {
        let used = self.used();
        Limit::ALL.into_iter().find_map(|limit| {
            let (maximum, used) = (limit.of(self.budget), used.of(limit));
            (used >= u64::from(maximum)).then_some(Reached { limit, maximum, used })
        })
    }

    /// A model is called.
    pub(crate) fn begin_llm_call(&self) {
        self.used().llm_calls += 1;
    }

    /// It turned out that no model was called.
    pub(crate) fn take_back_llm_call(&self) {
        let mut used = self.used();
        used.llm_calls = used.llm_calls.saturating_sub(1);
    }

    /// A model read and wrote so much.
    pub(crate) fn add_tokens(&self, tokens: i32) {
        self.used().tokens += u64::try_from(tokens).unwrap_or_default();
    }

    /// Takes one call of a tool, if there is one left.
    pub(crate) fn take_tool_call(&self) -> bool {
        let mut used = self.used();
        let left = used.tool_calls < u64::from(self.budget.tool_calls);
        used.tool_calls += u64::from(left);
        left
    }

    /// The result of a tool will be summarized.
    pub(crate) fn expect_summary(&self, call: CallId) {
        self.used().pending_summaries.insert(call);
    }

    /// The summary of a result is over: what it cost is counted, once.
    pub(crate) fn end_summary(&self, call: CallId, summary: &Summary) {
        let mut used = self.used();
        if !used.pending_summaries.remove(&call) {
            return;
        }
        used.llm_calls += count(summary.usage.llm_calls);
        used.tokens += count(summary.usage.total_tokens);
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

impl Used {
    const fn of(&self, limit: Limit) -> u64 {
        match limit {
            Limit::LlmCalls => self.llm_calls,
            Limit::Tokens => self.tokens,
            Limit::ToolCalls => self.tool_calls,
        }
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::event::SummaryStatus;
    use tarsy_domain::id::SummaryId;

    use tarsy_store::SummaryUsage;

    use super::*;

    const BUDGET: Budget = Budget { llm_calls: 3, tokens: 100, tool_calls: 2 };

    #[test]
    fn a_limit_is_reached_when_nothing_is_left() {
        let budget =
            BudgetTracker::new(BUDGET, Usage { llm_calls: 2, tokens: 50, ..Usage::default() });
        assert_eq!(budget.reached(), None);
        budget.begin_llm_call();
        let reached = Reached { limit: Limit::LlmCalls, maximum: 3, used: 3 };
        assert_eq!(budget.reached(), Some(reached));
        assert_eq!(
            reached.told(),
            "The budget of 3 model calls is used up (3). The agent concludes now."
        );
        budget.take_back_llm_call();
        assert_eq!(budget.reached(), None);
        budget.add_tokens(60);
        budget.add_tokens(-5);
        assert_eq!(budget.reached().unwrap().metadata()["used"], 110);
    }

    #[test]
    fn no_more_tool_calls_are_taken_than_there_are() {
        let budget = BudgetTracker::new(BUDGET, Usage::default());
        assert!(budget.take_tool_call() && budget.take_tool_call());
        assert!(!budget.take_tool_call());
        assert_eq!(budget.reached().unwrap().used, 2);
    }
    #[test]
    fn a_summary_is_counted_once_and_only_if_it_is_not_in_the_count() {
        let (known, asked, other) = (CallId::new(), CallId::new(), CallId::new());
        let usage = Usage { pending_summaries: vec![known], ..Usage::default() };
        let budget =
            BudgetTracker::new(Budget { llm_calls: 100, tokens: 1_000, tool_calls: 2 }, usage);
        budget.expect_summary(asked);
        let summary = |usage| Summary {
            id: SummaryId::new(),
            status: SummaryStatus::Completed,
            summary: None,
            error: None,
            usage,
            event: None,
        };
        let costly =
            summary(SummaryUsage { llm_calls: 2, total_tokens: 40, ..SummaryUsage::default() });
        for call in [known, known, asked, other] {
            budget.end_summary(call, &costly);
        }
        let counted = || {
            let used = budget.used();
            (used.llm_calls, used.tokens)
        };
        assert_eq!(counted(), (4, 80));
        budget.expect_summary(other);
        budget.end_summary(other, &summary(SummaryUsage::default()));
        assert_eq!(counted(), (4, 80));
    }
}
