//! What a session uses of its budget, counted for all its agents together.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tarsy_catalog::Budget;
use tarsy_domain::id::{CallId, StageId};
use tarsy_store::{Summary, Usage};

use crate::journal::{Journal, StopReason};

/// Counts usage against a budget, that of earlier owners included.
#[derive(Debug)]
pub(crate) struct BudgetTracker {
    budget: Budget,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    llm_calls: u64,
    tokens: u64,
    /// In millionths of a US dollar.
    cost: u64,
    tool_calls: u64,
    /// Tool calls whose summaries are requested and not counted yet.
    pending_summaries: HashSet<CallId>,
    /// The budget of the day that is used up.
    daily: Option<Reached>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    LlmCalls,
    /// Input and output tokens.
    Tokens,
    ToolCalls,
    /// What models cost, in millionths of a US dollar.
    Cost,
    /// Tokens of one day, of all sessions.
    DailyTokens,
    /// Tokens of one day, of the sessions and questions of one sender.
    DailyTokensOfSender,
}

/// A limit that is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) limit: Limit,
    pub(crate) maximum: u64,
    pub(crate) used: u64,
}

impl Limit {
    /// Its key in the configuration.
    const fn as_str(self) -> &'static str {
        match self {
            Self::LlmCalls => "llm_calls",
            Self::Tokens => "tokens",
            Self::ToolCalls => "tool_calls",
            Self::Cost => "cost_usd",
            Self::DailyTokens => "daily_tokens",
            Self::DailyTokensOfSender => "daily_tokens_per_sender",
        }
    }

    /// What it counts, for people.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Self::LlmCalls => "model calls",
            Self::Tokens => "tokens",
            Self::ToolCalls => "tool calls",
            Self::Cost => "US dollars",
            Self::DailyTokens => "tokens a day",
            Self::DailyTokensOfSender => "tokens a day for one sender",
        }
    }
}

impl Limit {
    /// An amount of it, for people.
    fn shown(self, amount: u64) -> String {
        match self {
            Self::Cost => dollars(amount),
            _ => amount.to_string(),
        }
    }
}

/// Dollars of millionths, without zeros at the end.
fn dollars(millionths: u64) -> String {
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Reached {
    /// The text of the timeline event.
    pub(crate) fn describe(self) -> String {
        let (limit, key) = (self.amount(), self.limit.as_str());
        let used = self.limit.shown(self.used);
        match self.limit {
            Limit::Cost => format!(
                "The budget of {limit} (`budget.{key}`) is used up ({used}). The agent concludes now."
            ),
            _ => format!("The budget of {limit} is used up ({used}). The agent concludes now."),
        }
    }

    /// What there was, with its unit.
    pub(crate) fn amount(self) -> String {
        format!("{} {}", self.limit.shown(self.maximum), self.limit.unit())
    }

    /// Why a session is not begun.
    pub(crate) fn describe_refusal(self) -> String {
        let (limit, used) = (self.amount(), self.limit.shown(self.used));
        format!(
            "The budget of {limit} is used up ({used}). Submit the alert again after 00:00 UTC."
        )
    }

    /// The metadata of the timeline event.
    pub(crate) fn metadata(self) -> Value {
        let number = |amount: u64| match self.limit {
            Limit::Cost => json!(dollars(amount).parse::<f64>().unwrap_or_default()),
            _ => json!(amount),
        };
        json!({
            "limit": self.limit.as_str(),
            "maximum": number(self.maximum),
            "used": number(self.used),
        })
    }
}

impl BudgetTracker {
    /// Continues from this usage.
    pub(crate) fn new(budget: Budget, usage: Usage) -> Self {
        let used = Used {
            llm_calls: count(usage.llm_calls),
            tokens: count(usage.tokens),
            cost: count(usage.cost_micro_usd),
            tool_calls: count(usage.tool_calls),
            pending_summaries: usage.pending_summaries.into_iter().collect(),
            daily: None,
        };
        Self { budget, used: Mutex::new(used) }
    }

    /// Continues from the stored usage of an investigation that is resumed; a new one has used nothing.
    pub(crate) async fn of_investigation(
        journal: &Journal,
        budget: Budget,
        resumed: bool,
    ) -> Result<Self, StopReason> {
        if !resumed {
            return Ok(Self::new(budget, Usage::default()));
        }
        let session = journal.session();
        Ok(Self::new(budget, journal.read(|store| store.find_usage(session)).await?))
    }

    /// Continues from the stored usage of one stage: each question about a session has a whole budget.
    pub(crate) async fn of_stage(
        journal: &Journal,
        budget: Budget,
        stage: StageId,
    ) -> Result<Self, StopReason> {
        let session = journal.session();
        let usage = journal.read(|store| store.find_stage_usage(session, stage)).await?;
        Ok(Self::new(budget, usage))
    }

    pub(crate) fn budget(&self) -> Budget {
        self.budget
    }

    /// The first limit that is used up.
    pub(crate) fn reached(&self) -> Option<Reached> {
        let used = self.used();
        let limits = [
            (Limit::LlmCalls, Some(self.budget.llm_calls.into()), used.llm_calls),
            (Limit::Tokens, Some(self.budget.tokens.into()), used.tokens),
            (Limit::ToolCalls, Some(self.budget.tool_calls.into()), used.tool_calls),
            (Limit::Cost, self.budget.cost_usd, used.cost),
        ];
        let reached = limits.into_iter().find_map(|(limit, maximum, used)| {
            let maximum = maximum.filter(|maximum| used >= *maximum)?;
            Some(Reached { limit, maximum, used })
        });
        reached.or(used.daily)
    }

    /// Sets the budget of the day that is used up.
    pub(crate) fn set_daily(&self, reached: Option<Reached>) {
        self.used().daily = reached;
    }

    pub(crate) fn add_llm_call(&self) {
        self.used().llm_calls += 1;
    }

    /// Takes an `add_llm_call` back that reached no model.
    pub(crate) fn remove_llm_call(&self) {
        let mut used = self.used();
        used.llm_calls = used.llm_calls.saturating_sub(1);
    }

    pub(crate) fn add_tokens(&self, tokens: i32) {
        self.used().tokens += u64::try_from(tokens).unwrap_or_default();
    }

    /// What a call cost, in millionths of a US dollar; none without a price.
    pub(crate) fn add_cost(&self, micro_usd: Option<i64>) {
        self.used().cost += micro_usd.map_or(0, count);
    }

    /// Counts one tool call; false if none is left.
    pub(crate) fn try_add_tool_call(&self) -> bool {
        let mut used = self.used();
        let left = used.tool_calls < u64::from(self.budget.tool_calls);
        used.tool_calls += u64::from(left);
        left
    }

    /// The summary of a call's result is requested.
    pub(crate) fn expect_summary(&self, call: CallId) {
        self.used().pending_summaries.insert(call);
    }

    /// Counts the usage of a summary that has ended, once.
    pub(crate) fn add_summary(&self, call: CallId, summary: &Summary) {
        let mut used = self.used();
        if !used.pending_summaries.remove(&call) {
            return;
        }
        used.llm_calls += count(summary.usage.llm_calls);
        used.tokens += count(summary.usage.total_tokens);
        used.cost += count(summary.usage.cost_micro_usd);
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tarsy_domain::event::SummaryStatus;
    use tarsy_domain::id::SummaryId;
    use tarsy_store::SummaryUsage;

    use super::*;

    const BUDGET: Budget = Budget { llm_calls: 3, tokens: 100, tool_calls: 2, cost_usd: None };

    #[test]
    fn a_limit_is_reached_when_it_is_used_up() {
        let tracker =
            BudgetTracker::new(BUDGET, Usage { llm_calls: 2, tokens: 50, ..Usage::default() });
        assert_eq!(tracker.reached(), None);
        tracker.add_llm_call();
        let reached = Reached { limit: Limit::LlmCalls, maximum: 3, used: 3 };
        assert_eq!(tracker.reached(), Some(reached));
        assert_eq!(
            reached.describe(),
            "The budget of 3 model calls is used up (3). The agent concludes now."
        );
        tracker.remove_llm_call();
        assert_eq!(tracker.reached(), None);
        tracker.add_tokens(60);
        tracker.add_tokens(-5);
        assert_eq!(tracker.reached().unwrap().metadata()["used"], 110);
    }

    #[test]
    fn a_budget_in_money_counts_what_calls_cost_and_names_its_key() {
        let budget = Budget { cost_usd: Some(500_000), ..BUDGET };
        let usage = Usage { cost_micro_usd: 499_990, ..Usage::default() };
        let tracker = BudgetTracker::new(budget, usage);
        tracker.add_cost(None);
        assert_eq!(tracker.reached(), None);
        tracker.add_cost(Some(20));
        let reached = tracker.reached().unwrap();
        assert_eq!(
            reached.describe(),
            "The budget of 0.5 US dollars (`budget.cost_usd`) is used up (0.50001). The agent concludes now."
        );
        let metadata = json!({"limit": "cost_usd", "maximum": 0.5, "used": 0.50001});
        assert_eq!(reached.metadata(), metadata);
    }

    #[test]
    fn no_more_tool_calls_are_counted_than_the_budget_has() {
        let tracker = BudgetTracker::new(BUDGET, Usage::default());
        assert!(tracker.try_add_tool_call() && tracker.try_add_tool_call());
        assert!(!tracker.try_add_tool_call());
        assert_eq!(tracker.reached().unwrap().used, 2);
    }
    #[test]
    fn a_summary_is_counted_once_and_only_if_it_is_not_in_the_count() {
        let (known, requested, other) = (CallId::new(), CallId::new(), CallId::new());
        let usage = Usage { pending_summaries: vec![known], ..Usage::default() };
        let budget = Budget { llm_calls: 100, tokens: 1_000, ..BUDGET };
        let tracker = BudgetTracker::new(budget, usage);
        tracker.expect_summary(requested);
        let summary = |usage| Summary {
            id: SummaryId::new(),
            status: SummaryStatus::Completed,
            summary: None,
            error: None,
            usage,
            event: None,
        };
        let costly = summary(SummaryUsage {
            llm_calls: 2,
            total_tokens: 40,
            cost_micro_usd: 7,
            ..SummaryUsage::default()
        });
        for call in [known, known, requested, other] {
            tracker.add_summary(call, &costly);
        }
        let counted = || {
            let used = tracker.used();
            (used.llm_calls, used.tokens, used.cost)
        };
        assert_eq!(counted(), (4, 80, 14));
        tracker.expect_summary(other);
        tracker.add_summary(other, &summary(SummaryUsage::default()));
        assert_eq!(counted(), (4, 80, 14));
    }
}
