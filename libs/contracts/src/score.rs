//! Scores of sessions, as the API shows them and the store reads them for it.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::ScoreId;
use tarsy_domain::score::{FailureTag, ScoreDimension, ScoreFailure, ScoreStatus};
use utoipa::ToSchema;

/// How well a session was investigated, as a model judges it and code counts it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Score {
    #[schema(value_type = Uuid)]
    pub id: ScoreId,
    /// Its number among those of the session, from 1.
    pub number: i32,
    /// `pending`, `in_progress`, `completed` or `failed`.
    #[schema(value_type = String, example = "completed")]
    pub status: ScoreStatus,
    /// From 0 to 100: the lower of `model_score` and the score of `checks`; none before the end, and of one that failed.
    #[schema(minimum = 0, maximum = 100)]
    pub score: Option<i16>,
    /// What the model judges, from 0 to 100.
    #[schema(minimum = 0, maximum = 100)]
    pub model_score: Option<i16>,
    /// Why the model judges so.
    pub analysis: Option<String>,
    /// What went wrong, as the model names it: `premature_conclusion`, `missed_available_tool`, `unsupported_confidence`,
    /// `incomplete_evidence`, `hallucinated_evidence`, `wrong_conclusion`.
    #[schema(value_type = Vec<String>)]
    pub failure_tags: Vec<FailureTag>,
    /// What code counts; none before it began.
    pub checks: Option<ScoreChecksView>,
    /// Tools that the investigation lacked, as the model names them.
    pub missing_tools: Vec<MissingTool>,
    /// Why there is no score: `no_model`, `invalid`, `failed`, `timed_out`, `budget_used_up`, `attempts_used_up` or
    /// `unreadable`.
    #[schema(value_type = Option<String>)]
    pub failure: Option<ScoreFailure>,
    /// Why there is no answer about missing tools.
    #[schema(value_type = Option<String>)]
    pub tools_failure: Option<ScoreFailure>,
    /// Who requested it; none if its chain is scored without a request.
    pub requested_by: Option<String>,
    /// The provider and the model that answered.
    pub provider: Option<String>,
    pub model: Option<String>,
    /// The digest of the prompt templates: only scores with the same one can be compared.
    pub prompt_version: Option<String>,
    /// What its calls of the model used, those that failed too.
    pub llm_calls: i64,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub total_tokens: i64,
    /// In millionths of a US dollar; calls without a price count as nothing.
    pub cost_micro_usd: i64,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// What code counts of an investigation, whatever a model says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ScoreChecks)]
pub struct ScoreChecksView {
    /// From 0 to 100: 100, less up to 40 for claims that are not backed, up to 20 for calls that failed, up to 10 for calls
    /// that repeat others, and 10 if the budget was used up; at most 20 without a look.
    #[schema(minimum = 0, maximum = 100)]
    pub score: i16,
    /// Claims of its last conclusions; 0 if nothing was checked.
    pub claims: i32,
    pub unbacked_claims: i32,
    pub calls: i32,
    pub failed_calls: i32,
    pub repeated_calls: i32,
    pub budget_used_up: bool,
    /// Whether a tool showed it something.
    pub looked: bool,
}

/// A tool that an investigation lacked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MissingTool {
    pub name: String,
    /// What it would have shown.
    pub why: String,
}

/// A score that was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestedScore {
    #[schema(value_type = Uuid)]
    pub score_id: ScoreId,
}

/// Scores of the sessions of some days.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScoreOverview {
    /// The first and the last day (UTC) on which the sessions were submitted.
    #[schema(value_type = String, format = Date)]
    pub from: Date,
    #[schema(value_type = String, format = Date)]
    pub to: Date,
    /// All sessions, then those of each chain, agent and provider: of each dimension the 10 with the most sessions.
    pub groups: Vec<ScoreGroup>,
    pub agreement: ScoreAgreement,
}

/// The scores of all sessions, or of those with one chain, agent or provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScoreGroup {
    /// `all`, `chain`, `agent` or `provider`.
    #[schema(value_type = String)]
    pub dimension: ScoreDimension,
    /// Its name; empty for all.
    pub name: String,
    pub sessions: i64,
    /// The mean, rounded.
    pub mean: i64,
    /// Sessions whose score is below 60.
    pub low: i64,
    /// Those with sessions, in their order.
    pub days: Vec<ScoreDay>,
}

/// The scores of one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScoreDay {
    #[schema(value_type = String, format = Date)]
    pub day: Date,
    pub sessions: i64,
    /// The mean, rounded.
    pub mean: i64,
}

/// How far scores and the reviews of people say the same: 80 and more as `accurate`, 60 and more as `partly`, less as
/// `wrong`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScoreAgreement {
    /// Sessions of these days that have both, the newest 5,000.
    pub sessions: u32,
    /// Those whose score says what the review says.
    pub agreeing: u32,
    /// Cohen's kappa: 1 if they always say the same, 0 if they agree as often as chance has it. None of fewer than
    /// `needed` sessions, and if either says the same of all.
    pub kappa: Option<f64>,
    /// So few sessions are too few for kappa.
    pub needed: u32,
}
