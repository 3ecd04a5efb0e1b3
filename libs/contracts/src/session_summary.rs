//! What REST answers about a whole session in short.

use serde::{Deserialize, Serialize};
use tarsy_domain::id::SessionId;
use utoipa::ToSchema;

/// A session in numbers, and what it found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Summary)]
pub struct SessionSummary {
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
    /// How often anything was called.
    pub total_interactions: i64,
    /// How often a model was called; turns of the offline analyst are no calls.
    pub llm_interactions: i64,
    /// How often a tool was called.
    pub mcp_interactions: i64,
    /// Tokens that models read.
    pub input_tokens: i64,
    /// Tokens that models wrote.
    pub output_tokens: i64,
    pub total_tokens: i64,
    /// Whether providers left a part of the tokens out, which is estimated.
    pub tokens_estimated: bool,
    /// What the calls of models cost, in millionths of a US dollar; none if none of them has a price.
    pub cost_micro_usd: Option<i64>,
    /// Calls of models that used tokens and have no price: the cost is without them.
    pub unpriced_llm_calls: i64,
    /// From its begin to its end, or to now.
    pub total_duration_ms: Option<i64>,
    /// Its chain in numbers.
    pub chain_statistics: ChainStatistics,
    pub final_analysis: Option<String>,
    /// What was found, in short.
    pub executive_summary: Option<String>,
}

/// A session's chain in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Statistics)]
pub struct ChainStatistics {
    /// Stages of its chain, or more if more have begun.
    pub total_stages: i64,
    pub completed_stages: i64,
    /// Stages that failed or ran out of time.
    pub failed_stages: i64,
    /// The stage it is in, from 0.
    pub current_stage_index: Option<i32>,
}
