//! All sessions of some time in numbers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::price::CostDimension;
use utoipa::ToSchema;

/// The sessions that were submitted in some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Overview {
    /// The beginning of the first hour.
    pub from: Timestamp,
    /// The end of the last hour.
    pub to: Timestamp,
    /// Seconds of each bucket.
    pub bucket_seconds: i64,
    /// One after the other; those without sessions are left out.
    pub buckets: Vec<OverviewBucket>,
    /// Half of the sessions that ended took no longer, within 5 percent.
    pub duration_p50_ms: Option<i64>,
    /// 95 percent of them took no longer.
    pub duration_p95_ms: Option<i64>,
    /// Tools with the most failed calls, at most 20.
    pub tools: Vec<OverviewTool>,
    /// The alerts with the most sessions, at most 20: of those that were among the 40 most frequent of an hour.
    pub alerts: Vec<OverviewAlert>,
    /// What models cost, by what they were called for, at most 20 of each dimension; hours of older versions have none.
    pub costs: Vec<OverviewCost>,
    /// Sessions that wait now.
    pub pending: i64,
    /// Sessions that run now.
    pub running: i64,
}

/// The sessions of one bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OverviewBucket {
    /// Its beginning.
    pub start: Timestamp,
    /// Sessions that are not over.
    pub open: i64,
    /// Sessions that completed.
    pub completed: i64,
    /// Sessions that failed.
    pub failed: i64,
    /// Sessions that ran out of time.
    pub timed_out: i64,
    /// Sessions that were cancelled.
    pub cancelled: i64,
    /// Sessions whose findings need a second look.
    pub degraded: i64,
    /// Tokens of their calls of models.
    pub total_tokens: i64,
    /// What these calls cost, in millionths of a US dollar; none if none of them has a price.
    pub cost_micro_usd: Option<i64>,
}

/// The calls of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OverviewTool {
    /// Its server.
    pub server: String,
    /// Its name.
    pub tool: String,
    /// All its calls.
    pub calls: i64,
    /// Those that failed.
    pub failed: i64,
}

/// The calls of models for one chain, type of alert or agent, or of one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OverviewCost {
    /// What is summed up.
    #[schema(value_type = String)]
    pub dimension: CostDimension,
    /// Its name.
    pub name: String,
    /// Sessions with such calls.
    pub sessions: i64,
    /// Tokens of the calls.
    pub total_tokens: i64,
    /// What they cost, in millionths of a US dollar; none if none of them has a price.
    pub cost_micro_usd: Option<i64>,
    /// Calls without a price.
    pub unpriced_calls: i64,
}

/// The sessions of an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OverviewAlert {
    /// Alerts with the same fingerprint report the same problem.
    pub fingerprint: String,
    /// The alert in one line.
    pub title: Option<String>,
    /// Its sessions.
    pub sessions: i64,
}
