//! One session as the API shows it.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tarsy_store::{ExecutionDetail, SessionDetail, SessionStatusRow, SessionSummary, StageDetail};
use utoipa::ToSchema;
use uuid::Uuid;

use super::list::Item;

/// How far a session has come.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StatusView {
    /// Its id.
    id: Uuid,
    /// How far it has come.
    status: &'static str,
    /// What was found.
    final_analysis: Option<String>,
    /// What was found, in short.
    executive_summary: Option<String>,
    /// Why it failed.
    error_message: Option<String>,
}

impl From<SessionStatusRow> for StatusView {
    fn from(row: SessionStatusRow) -> Self {
        Self {
            id: row.id.uuid(),
            status: row.status.as_str(),
            final_analysis: row.final_analysis,
            executive_summary: row.executive_summary,
            error_message: row.error_message,
        }
    }
}

/// A session in numbers.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Summary {
    /// The session.
    session_id: Uuid,
    /// How often anything was called.
    total_interactions: i64,
    /// How often a model was called.
    llm_interactions: i64,
    /// How often a tool was called.
    mcp_interactions: i64,
    /// Tokens that models read.
    input_tokens: i64,
    /// Tokens that models wrote.
    output_tokens: i64,
    /// Tokens in all.
    total_tokens: i64,
    /// From its begin to its end, or to now.
    total_duration_ms: Option<i64>,
    /// Its chain in numbers.
    chain_statistics: Statistics,
}

/// A session's chain in numbers.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Statistics {
    /// Stages of its chain.
    total_stages: i64,
    /// Stages that completed.
    completed_stages: i64,
    /// Stages that failed or ran out of time.
    failed_stages: i64,
    /// The stage it is in, from 0.
    current_stage_index: Option<i32>,
}

impl From<SessionSummary> for Summary {
    fn from(found: SessionSummary) -> Self {
        let chain = found.chain_statistics;
        Self {
            session_id: found.session_id.uuid(),
            total_interactions: found.total_interactions,
            llm_interactions: found.llm_interactions,
            mcp_interactions: found.mcp_interactions,
            input_tokens: found.tokens.input,
            output_tokens: found.tokens.output,
            total_tokens: found.tokens.total,
            total_duration_ms: found.total_duration_ms,
            chain_statistics: Statistics {
                total_stages: chain.total_stages,
                completed_stages: chain.completed_stages,
                failed_stages: chain.failed_stages,
                current_stage_index: chain.current_stage_index,
            },
        }
    }
}

/// One session, whole.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Detail {
    /// What a list shows of it.
    #[serde(flatten)]
    item: Item,
    /// The alert, masked.
    alert_data: String,
    /// What was found.
    final_analysis: Option<String>,
    /// Why there is no summary.
    executive_summary_error: Option<String>,
    /// Where its runbook is.
    runbook_url: Option<String>,
    /// The Slack message it came from.
    slack_message_fingerprint: Option<String>,
    /// The tools it is restricted to.
    #[schema(value_type = Option<Object>)]
    mcp_selection: Option<Value>,
    /// Whether its chain has a chat.
    chat_enabled: bool,
    /// Its chat, if one was opened.
    chat_id: Option<Uuid>,
    /// Stages that failed or ran out of time.
    failed_stages: i64,
    /// What its investigation may use up, and what it used; a question in its chat has a budget of its own.
    budget: BudgetView,
    /// The number of its last event: a timeline that is read after this has all up to it, so that a watch
    /// may begin behind it.
    last_event_id: i64,
    /// Its stages, in order.
    stages: Vec<StageView>,
}

impl From<SessionDetail> for Detail {
    fn from(found: SessionDetail) -> Self {
        let SessionDetail { session, item, usage, last_event, stages } = found;
        let limits = session.settings.budget;
        Self {
            alert_data: session.alert_data,
            final_analysis: session.final_analysis,
            executive_summary_error: session.executive_summary_error,
            runbook_url: session.runbook_url,
            slack_message_fingerprint: session.slack_message_fingerprint,
            mcp_selection: session.mcp_selection,
            chat_enabled: session.settings.chat_enabled,
            chat_id: item.chat_id.map(Uuid::from),
            failed_stages: item.failed_stages,
            budget: BudgetView {
                llm_calls: LimitView { limit: limits.llm_calls, used: usage.llm_calls },
                tokens: LimitView { limit: limits.tokens, used: usage.tokens },
                tool_calls: LimitView { limit: limits.tool_calls, used: usage.tool_calls },
            },
            last_event_id: last_event,
            stages: stages.into_iter().map(Into::into).collect(),
            item: item.into(),
        }
    }
}

/// What a session may use up, and what it used.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BudgetView {
    /// Calls of models.
    llm_calls: LimitView,
    /// Tokens, read and written.
    tokens: LimitView,
    /// Calls of tools.
    tool_calls: LimitView,
}

/// One limit of a budget.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LimitView {
    /// How much there is.
    limit: i64,
    /// How much is used; a little more than there is, when several agents were under way.
    used: i64,
}

/// A stage with its agents' executions.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StageView {
    /// Its id.
    id: Uuid,
    /// Its name in the chain.
    stage_name: String,
    /// Its place, from 0.
    stage_index: i32,
    /// The chat whose question it answers; none for a stage of the chain.
    chat_id: Option<Uuid>,
    /// The stage whose findings it joins; none if it is no synthesis.
    joins_stage_id: Option<Uuid>,
    /// How far it has come.
    status: &'static str,
    /// `multi_agent` or `replica` when agents work side by side.
    parallel_type: Option<String>,
    /// How many agents work.
    expected_agent_count: i32,
    /// When it began.
    started_at: Option<Timestamp>,
    /// When it ended.
    completed_at: Option<Timestamp>,
    /// Its agents' executions, in order.
    executions: Vec<ExecutionView>,
}

impl From<StageDetail> for StageView {
    fn from(found: StageDetail) -> Self {
        let stage = found.stage;
        Self {
            id: stage.id.uuid(),
            stage_name: stage.stage_name,
            stage_index: stage.stage_index,
            chat_id: stage.chat_id.map(Uuid::from),
            joins_stage_id: stage.joins_stage_id.map(Uuid::from),
            status: stage.status.as_str(),
            parallel_type: stage.parallel_type,
            expected_agent_count: stage.expected_agent_count,
            started_at: stage.started_at,
            completed_at: stage.completed_at,
            executions: found.executions.into_iter().map(Into::into).collect(),
        }
    }
}

/// One agent's work in a stage.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ExecutionView {
    /// Its id.
    execution_id: Uuid,
    /// The agent.
    agent_name: String,
    /// Its place in the stage, from 1.
    agent_index: i32,
    /// How far it has come.
    status: &'static str,
    /// How the agent talks to its model.
    iteration_strategy: String,
    /// The provider with which it started.
    llm_provider: Option<String>,
    /// The provider in use: another one after a fallback.
    active_provider: Option<String>,
    /// When it began.
    started_at: Option<Timestamp>,
    /// When it ended.
    completed_at: Option<Timestamp>,
    /// From its begin to its end.
    duration_ms: Option<i64>,
    /// Why it failed.
    error_message: Option<String>,
    /// Tokens that its models read.
    input_tokens: i64,
    /// Tokens that its models wrote.
    output_tokens: i64,
    /// Tokens in all.
    total_tokens: i64,
}

impl From<ExecutionDetail> for ExecutionView {
    fn from(found: ExecutionDetail) -> Self {
        let execution = found.execution;
        Self {
            execution_id: execution.id.uuid(),
            agent_name: execution.agent_name,
            agent_index: execution.agent_index,
            status: execution.status.as_str(),
            iteration_strategy: execution.iteration_strategy,
            llm_provider: execution.llm_provider,
            active_provider: execution.active_provider,
            started_at: execution.started_at,
            completed_at: execution.completed_at,
            duration_ms: found.duration_ms,
            error_message: execution.error_message,
            input_tokens: found.tokens.input,
            output_tokens: found.tokens.output,
            total_tokens: found.tokens.total,
        }
    }
}
