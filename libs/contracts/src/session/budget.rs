//! What a session has used of its budget.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a session may use up, and what it used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BudgetView)]
pub struct BudgetUse {
    pub llm_calls: LimitUse,
    /// Tokens, read and written.
    pub tokens: LimitUse,
    pub tool_calls: LimitUse,
    /// What the calls of models cost, in millionths of a US dollar; none without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<LimitUse>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LimitView)]
pub struct LimitUse {
    /// How much there is.
    pub limit: i64,
    /// How much is used; a little more than there is, when several agents were under way.
    pub used: i64,
}
