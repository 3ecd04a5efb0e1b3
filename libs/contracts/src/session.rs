//! Sessions as the API shows them, and the store reads them for it.

mod budget;
mod price;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::id::{ChatId, ExecutionId, SessionId, StageId};
use tarsy_domain::review::Review;
use tarsy_domain::status::{SessionOrigin, SessionStatus, WorkStatus};
use tarsy_domain::triage::Triage;
use tarsy_domain::verdict::{Verdict, VerdictFailure};
use utoipa::ToSchema;

use crate::action::Action;
use crate::alert::{AlertLink, AlertSummary};
use crate::change::Change;
use crate::claim::ClaimCounts;
use crate::dependency::Dependency;
use crate::failure::FailureView;
use crate::finding::FindingSummary;
use crate::memory::GivenMemory;
use crate::review::{EarlierSessions, SeenBefore};
use crate::score::Score;

pub use budget::{BudgetUse, LimitUse};
pub use price::ModelPrice;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Item)]
#[expect(clippy::struct_excessive_bools, reason = "members of the API, each of its own meaning")]
pub struct SessionItem {
    #[schema(value_type = Uuid)]
    pub id: SessionId,
    pub alert_type: Option<String>,
    pub chain_id: String,
    /// How far it has come.
    #[schema(value_type = String, example = "in_progress")]
    pub status: SessionStatus,
    /// How it came to be: `alert`, `replay` or `recording`.
    #[schema(value_type = String, example = "alert")]
    pub origin: SessionOrigin,
    /// Whether all that is left waits for people to approve tool calls; no worker has it meanwhile.
    pub waiting_for_approval: bool,
    pub author: Option<String>,
    pub created_at: Timestamp,
    /// When a worker began.
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// From its begin to its end.
    pub duration_ms: Option<i64>,
    pub error_message: Option<String>,
    /// Why it failed, with what to do; none of what did not fail, and of records from before 0.1.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureView>,
    /// What was found, in short.
    pub executive_summary: Option<String>,
    /// Its verdict in a line; none before the end, and of a session that has none.
    pub finding: Option<FindingSummary>,
    /// The claims of its last conclusions and of its executive summary; none while it runs, and if nothing was checked.
    pub claims: Option<ClaimCounts>,
    /// Whether its findings need a second look.
    pub degraded: bool,
    /// Why: `no_successful_call`, `no_tool_called`, `tool_failed`, `tool_server_unavailable`, `unverified_claims`, `not_checked`, `injected_instructions`, `iterations_used_up`, `budget_used_up`.
    #[schema(value_type = Vec<String>)]
    pub degraded_reasons: Vec<DegradedReason>,
    /// How often a model was called; turns of the offline analyst are no calls.
    pub llm_interaction_count: i64,
    /// How often a tool was called.
    pub mcp_interaction_count: i64,
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
    /// Stages of its chain, or more if more have begun.
    pub total_stages: i64,
    pub completed_stages: i64,
    /// Whether agents worked side by side.
    pub has_parallel_stages: bool,
    pub chat_message_count: i64,
    /// The stage it is in, from 0.
    pub current_stage_index: Option<i32>,
    /// The same stage's id.
    #[schema(value_type = Option<Uuid>)]
    pub current_stage_id: Option<StageId>,
    /// The alert in one line.
    pub title: Option<String>,
    /// How severe the alert is, as its sender wrote it, in lower case.
    pub severity: Option<String>,
    /// The service that the alert is about.
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    /// Pages about the alert.
    pub links: Vec<AlertLink>,
    /// Alerts with the same fingerprint report the same problem.
    pub fingerprint: Option<String>,
    /// The sessions before it whose alert has the same fingerprint.
    pub earlier_sessions: EarlierSessions,
    /// What a person thinks of its finding: `accurate`, `partly` or `wrong`; none before somebody reviewed it.
    #[schema(value_type = Option<String>)]
    pub review: Option<Review>,
    /// How well it was investigated, from 0 to 100; none before it was scored.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 100)]
    pub score: Option<i16>,
    /// The state of work on it: `new`, `taken` or `done`.
    #[schema(value_type = String, example = "taken")]
    pub triage: Triage,
    /// Who works on it, or did; none of a new one.
    pub assignee: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ActiveItem)]
pub struct ActiveSession {
    #[schema(value_type = Uuid)]
    pub id: SessionId,
    pub alert_type: Option<String>,
    pub chain_id: String,
    /// How far it has come.
    #[schema(value_type = String)]
    pub status: SessionStatus,
    /// Whether all that is left waits for people to approve tool calls; no worker has it meanwhile.
    pub waiting_for_approval: bool,
    pub author: Option<String>,
    pub created_at: Timestamp,
    /// When a worker began.
    pub started_at: Option<Timestamp>,
    /// The stage it is in, from 0.
    pub current_stage_index: Option<i32>,
    /// The same stage's id.
    #[schema(value_type = Option<Uuid>)]
    pub current_stage_id: Option<StageId>,
    #[serde(flatten)]
    pub alert: AlertSummary,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = QueuedItem)]
pub struct QueuedSession {
    #[schema(value_type = Uuid)]
    pub id: SessionId,
    pub alert_type: Option<String>,
    /// The chain that will investigate it.
    pub chain_id: String,
    /// Always `pending`.
    #[schema(value_type = String)]
    pub status: SessionStatus,
    pub author: Option<String>,
    pub created_at: Timestamp,
    /// Its place in the queue, from 1.
    pub queue_position: i64,
    #[serde(flatten)]
    pub alert: AlertSummary,
}

/// What runs and what waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Active)]
pub struct ActiveSessions {
    /// What runs, the newest first.
    pub active: Vec<ActiveSession>,
    /// What waits, the next first.
    pub queued: Vec<QueuedSession>,
}

/// The values that sessions have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Filters)]
pub struct FilterOptions {
    pub alert_types: Vec<String>,
    pub chain_ids: Vec<String>,
    /// States.
    #[schema(value_type = Vec<String>)]
    pub statuses: Vec<SessionStatus>,
    /// Who has taken or done sessions.
    pub assignees: Vec<String>,
}

/// How far a session has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = StatusView)]
pub struct SessionStatusRow {
    #[schema(value_type = Uuid)]
    pub id: SessionId,
    /// How far it has come.
    #[schema(value_type = String)]
    pub status: SessionStatus,
    pub final_analysis: Option<String>,
    /// What was found, in short.
    pub executive_summary: Option<String>,
    pub error_message: Option<String>,
    /// Why it failed, with what to do; none of what did not fail, and of records from before 0.1.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureView>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Detail)]
pub struct SessionDetail {
    /// What a list shows of it.
    #[serde(flatten)]
    pub item: SessionItem,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Uuid>)]
    pub replay_of: Option<SessionId>,
    /// The alert, masked.
    pub alert_data: String,
    pub final_analysis: Option<String>,
    pub executive_summary_error: Option<String>,
    /// What was found, typed; none before the end, and where `verdict_failure` has the reason.
    pub verdict: Option<Verdict>,
    /// Why a session that completed has no verdict: `switched_off`, `nothing_found`, `no_model`, `failed`, `timed_out` or
    /// `invalid`.
    #[schema(value_type = Option<String>)]
    pub verdict_failure: Option<VerdictFailure>,
    pub runbook_url: Option<String>,
    /// The Slack message it came from.
    pub slack_message_fingerprint: Option<String>,
    pub labels: BTreeMap<String, String>,
    /// Reviewed sessions about the same problem that this investigation was given; empty before it began, without any,
    /// and if its chain uses none.
    pub seen_before: Vec<SeenBefore>,
    /// The memories that this investigation was given, as they were; empty before it began, and without any.
    pub recalled: Vec<GivenMemory>,
    /// Changes near the alert that this investigation was given, in their order; empty before it began, and without any.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// What depends on what near the alert, as this investigation was given it: what its objects depend on first.
    #[serde(default)]
    pub dependencies: Vec<Dependency>,
    /// Its calls that change something, the oldest first.
    #[serde(default)]
    pub actions: Vec<Action>,
    /// The tools it is restricted to.
    #[schema(value_type = Option<Object>)]
    pub mcp_selection: Option<Value>,
    /// The provider that its sender chose; none leaves it to the chain.
    pub requested_provider: Option<String>,
    pub chat_enabled: bool,
    /// Its chat, if one was opened.
    #[schema(value_type = Option<Uuid>)]
    pub chat_id: Option<ChatId>,
    /// Stages that failed or ran out of time.
    pub failed_stages: i64,
    /// What its investigation may use up, and what it used; a question in its chat has a budget of its own.
    pub budget: BudgetUse,
    /// How often people took, finished, assigned or annotated it, from 0: what its work has to read.
    #[serde(default)]
    pub triage_entries: i64,
    /// The number of its last event: a timeline that is read after this has all up to it, so that a watch
    /// may begin behind it.
    #[serde(rename = "last_event_id")]
    pub last_event: i64,
    /// The tools of which every call failed, where `degraded_reasons` has `tool_failed`.
    #[serde(default)]
    pub failed_tools: Vec<FailingTool>,
    /// Its last scoring, which may be under way or have failed; none before it was scored.
    #[serde(default)]
    pub scoring: Option<Score>,
    /// Where the prices of the models that were called come from.
    #[serde(default)]
    pub prices: Vec<ModelPrice>,
    pub stages: Vec<StageDetail>,
}

/// A tool of which every call failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FailingToolView)]
pub struct FailingTool {
    /// `server.tool`.
    pub tool: String,
    pub calls: i64,
}

/// A stage with its agents' executions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = StageView)]
pub struct StageDetail {
    #[schema(value_type = Uuid)]
    pub id: StageId,
    /// Its name in the chain.
    pub stage_name: String,
    /// Its place, from 0.
    pub stage_index: i32,
    /// The chat whose question it answers; none for a stage of the chain.
    #[schema(value_type = Option<Uuid>)]
    pub chat_id: Option<ChatId>,
    /// The stage whose findings it joins; none if it is no synthesis.
    #[schema(value_type = Option<Uuid>)]
    pub joins_stage_id: Option<StageId>,
    /// How far it has come.
    #[schema(value_type = String)]
    pub status: WorkStatus,
    /// `multi_agent` or `replica` when agents work side by side.
    pub parallel_type: Option<String>,
    /// How many agents work.
    pub expected_agent_count: i32,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// Its agents' executions, in order.
    pub executions: Vec<ExecutionDetail>,
}

/// One agent's work in a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ExecutionView)]
pub struct ExecutionDetail {
    #[schema(value_type = Uuid)]
    pub execution_id: ExecutionId,
    pub agent_name: String,
    /// Its place in the stage, or among those that its parent dispatched, from 1.
    pub agent_index: i32,
    /// The execution of the agent that dispatched it; none for an agent of the stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    pub parent_execution_id: Option<ExecutionId>,
    /// What it was dispatched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// How far it has come.
    #[schema(value_type = String)]
    pub status: WorkStatus,
    /// How the agent talks to its model.
    pub iteration_strategy: String,
    /// The provider with which it started.
    pub llm_provider: Option<String>,
    /// The provider in use: another one after a fallback.
    pub active_provider: Option<String>,
    /// Whether that provider is the offline analyst: rules write the texts, and no model does.
    #[serde(default)]
    pub by_rules: bool,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// From its begin to its end.
    pub duration_ms: Option<i64>,
    pub error_message: Option<String>,
    /// Why it failed, with what to do; none of what did not fail, and of records from before 0.1.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureView>,
    /// Tokens that its models read.
    pub input_tokens: i64,
    /// Tokens that its models wrote.
    pub output_tokens: i64,
    pub total_tokens: i64,
    /// Whether providers left a part of the tokens out, which is estimated.
    pub tokens_estimated: bool,
}
