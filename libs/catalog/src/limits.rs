//! What a session may use up, and how long its models may be silent.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The most time that one iteration of an agent may take.
pub(crate) const ITERATION_TIMEOUT: Duration = Duration::from_mins(2);

/// What one session may use up, all its agents together; then they conclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// Calls of models.
    pub llm_calls: u32,
    /// Tokens, read and written.
    pub tokens: u32,
    /// Calls of tools.
    pub tool_calls: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { llm_calls: 300, tokens: 10_000_000, tool_calls: 1_000 }
    }
}

/// A budget of which only some fields are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetOverride {
    /// Calls of models.
    pub llm_calls: Option<u32>,
    /// Tokens, read and written.
    pub tokens: Option<u32>,
    /// Calls of tools.
    pub tool_calls: Option<u32>,
}

impl BudgetOverride {
    /// The budget with what is set here in the place of what was.
    pub fn applied_to(self, budget: Budget) -> Budget {
        Budget {
            llm_calls: self.llm_calls.unwrap_or(budget.llm_calls),
            tokens: self.tokens.unwrap_or(budget.tokens),
            tool_calls: self.tool_calls.unwrap_or(budget.tool_calls),
        }
    }
}

/// How long a model may be silent within one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlmTimeouts {
    /// Before it says anything.
    pub first_token: Duration,
    /// Between two pieces of what it says.
    pub stall: Duration,
}

impl Default for LlmTimeouts {
    fn default() -> Self {
        Self { first_token: Duration::from_secs(90), stall: Duration::from_mins(1) }
    }
}
