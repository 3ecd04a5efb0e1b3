//! What a session may use, and how long its models may be idle.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::check::Check;
use crate::duration;
use crate::path::Path;
use crate::rule::{AnswerTime, As, AtLeast, Money};

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
    /// US dollars for calls of models; without it, no limit
    #[serde(default, skip_serializing_if = "Option::is_none", with = "As::<Money>")]
    pub cost_usd: Option<u64>,
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
    /// US dollars that the calls of models may cost; `defaults.budget`
    #[serde(with = "As::<Money>")]
    pub cost_usd: Option<u64>,
}

impl BudgetOverride {
    /// The budget with the parts that are set here replaced.
    pub fn applied_to(self, budget: Budget) -> Budget {
        Budget {
            llm_calls: self.llm_calls.unwrap_or(budget.llm_calls),
            tokens: self.tokens.unwrap_or(budget.tokens),
            tool_calls: self.tool_calls.unwrap_or(budget.tool_calls),
            cost_usd: self.cost_usd.or(budget.cost_usd),
        }
    }
}

/// A word for all three limits of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimeoutPreset {
    /// Of a model on processors of one's own.
    Slow,
}

/// How long one call of a model may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct LlmTimeouts {
    /// 10m, 2m and 30m, where not written
    pub preset: Option<TimeoutPreset>,
    /// Before the first token; less than `answer`
    #[default(Duration::from_secs(90))]
    #[serde(with = "As::<AnswerTime>")]
    pub first_token: Duration,
    /// Between two chunks; less than `answer`
    #[default(Duration::from_mins(1))]
    #[serde(with = "As::<AnswerTime>")]
    pub stall: Duration,
    /// From the request to the end of its answer
    #[default(Duration::from_mins(2))]
    #[serde(with = "As::<AnswerTime>")]
    pub answer: Duration,
}

/// The limits that a provider sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderTimeouts {
    /// 10m, 2m and 30m, where not written
    pub preset: Option<TimeoutPreset>,
    /// Before the first token; less than `answer`; `defaults.llm_timeouts`
    #[serde(with = "As::<AnswerTime>")]
    pub first_token: Option<Duration>,
    /// Between two chunks; less than `answer`; `defaults.llm_timeouts`
    #[serde(with = "As::<AnswerTime>")]
    pub stall: Option<Duration>,
    /// From the request to the end of its answer; `defaults.llm_timeouts`
    #[serde(with = "As::<AnswerTime>")]
    pub answer: Option<Duration>,
}

/// The limits of a provider's calls, where it sets any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedTimeouts {
    /// Before the first token.
    pub first_token_ms: u64,
    /// Between two chunks.
    pub stall_ms: u64,
    /// From the request to the end of its answer.
    pub answer_ms: u64,
}

impl LlmTimeouts {
    /// Checks the parts that are written against the whole; the others end with it.
    pub(crate) fn check(self, at: &Path, check: &mut Check<'_>) {
        for (key, part) in [("first_token", self.first_token), ("stall", self.stall)] {
            let path = at.key(key);
            if part >= self.answer && check.has_text(&path) {
                let message =
                    format!("must be less than {}, which `answer` is", duration::show(self.answer));
                check.problem(&path, message, "make it shorter, or `answer` beside it longer");
            }
        }
    }
}

impl ProviderTimeouts {
    /// The limits with those that are set here replaced.
    pub(crate) fn applied_to(self, defaults: LlmTimeouts) -> LlmTimeouts {
        LlmTimeouts {
            preset: self.preset.or(defaults.preset),
            first_token: self.first_token.unwrap_or(defaults.first_token),
            stall: self.stall.unwrap_or(defaults.stall),
            answer: self.answer.unwrap_or(defaults.answer),
        }
    }

    /// None if nothing is set: the chain's limits apply.
    pub(crate) fn resolve(self, defaults: LlmTimeouts) -> Option<ResolvedTimeouts> {
        if self == Self::default() {
            return None;
        }
        let limits = self.applied_to(defaults);
        Some(ResolvedTimeouts {
            first_token_ms: millis(limits.first_token),
            stall_ms: millis(limits.stall),
            answer_ms: millis(limits.answer),
        })
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
