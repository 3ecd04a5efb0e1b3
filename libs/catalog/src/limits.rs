//! What a session may use, and how long its models may be idle.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::rule::{As, AtLeast, IterationPart};

/// What all agents of a session may use together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Budget {
    /// Calls of models
    #[default = 300]
    #[serde(with = "As::<AtLeast<1>>")]
    pub llm_calls: u32,
    /// Tokens, read and written
    #[default = 10_000_000]
    #[serde(with = "As::<AtLeast<1>>")]
    pub tokens: u32,
    /// Calls of tools
    #[default = 1_000]
    #[serde(with = "As::<AtLeast<1>>")]
    pub tool_calls: u32,
}

/// The parts of a budget that a chain sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetOverride {
    /// Calls of models; `defaults.budget`
    #[serde(with = "As::<AtLeast<1>>")]
    pub llm_calls: Option<u32>,
    /// Tokens, read and written; `defaults.budget`
    #[serde(with = "As::<AtLeast<1>>")]
    pub tokens: Option<u32>,
    /// Calls of tools; `defaults.budget`
    #[serde(with = "As::<AtLeast<1>>")]
    pub tool_calls: Option<u32>,
}

impl BudgetOverride {
    /// The budget with the parts that are set here replaced.
    pub fn applied_to(self, budget: Budget) -> Budget {
        Budget {
            llm_calls: self.llm_calls.unwrap_or(budget.llm_calls),
            tokens: self.tokens.unwrap_or(budget.tokens),
            tool_calls: self.tool_calls.unwrap_or(budget.tool_calls),
        }
    }
}

/// How long a model may be idle within one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct LlmTimeouts {
    /// Before the first token
    #[default(Duration::from_secs(90))]
    #[serde(with = "As::<IterationPart>")]
    pub first_token: Duration,
    /// Between two chunks
    #[default(Duration::from_mins(1))]
    #[serde(with = "As::<IterationPart>")]
    pub stall: Duration,
}
