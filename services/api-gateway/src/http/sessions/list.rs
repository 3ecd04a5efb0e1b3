//! Sessions as the API lists them.

use jiff::Timestamp;
use serde::Serialize;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{ActiveSession, ActiveSessions, FilterOptions, QueuedSession, SessionItem};
use tarsy_web::Pagination;
use utoipa::ToSchema;
use uuid::Uuid;

/// A session in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Item {
    /// Its id.
    id: Uuid,
    /// The alert's type.
    alert_type: Option<String>,
    /// The chain that investigates it.
    chain_id: String,
    /// How far it has come.
    #[schema(example = "in_progress")]
    status: &'static str,
    /// Who submitted it.
    author: Option<String>,
    /// When it was submitted.
    created_at: Timestamp,
    /// When a worker began.
    started_at: Option<Timestamp>,
    /// When it ended.
    completed_at: Option<Timestamp>,
    /// From its begin to its end.
    duration_ms: Option<i64>,
    /// Why it failed.
    error_message: Option<String>,
    /// What was found, in short.
    executive_summary: Option<String>,
    /// How often a model was called.
    llm_interaction_count: i64,
    /// How often a tool was called.
    mcp_interaction_count: i64,
    /// Tokens that models read.
    input_tokens: i64,
    /// Tokens that models wrote.
    output_tokens: i64,
    /// Tokens in all.
    total_tokens: i64,
    /// Stages of its chain.
    total_stages: i64,
    /// Stages that completed.
    completed_stages: i64,
    /// Whether agents worked side by side.
    has_parallel_stages: bool,
    /// Questions in its chat.
    chat_message_count: i64,
    /// The stage it is in, from 0.
    current_stage_index: Option<i32>,
    /// The same stage's id.
    current_stage_id: Option<Uuid>,
}

impl From<SessionItem> for Item {
    fn from(item: SessionItem) -> Self {
        Self {
            id: item.id.uuid(),
            alert_type: item.alert_type,
            chain_id: item.chain_id,
            status: item.status.as_str(),
            author: item.author,
            created_at: item.created_at,
            started_at: item.started_at,
            completed_at: item.completed_at,
            duration_ms: item.duration_ms,
            error_message: item.error_message,
            executive_summary: item.executive_summary,
            llm_interaction_count: item.llm_interaction_count,
            mcp_interaction_count: item.mcp_interaction_count,
            input_tokens: item.tokens.input,
            output_tokens: item.tokens.output,
            total_tokens: item.tokens.total,
            total_stages: item.total_stages,
            completed_stages: item.completed_stages,
            has_parallel_stages: item.has_parallel_stages,
            chat_message_count: item.chat_message_count,
            current_stage_index: item.current_stage_index,
            current_stage_id: item.current_stage_id.map(Uuid::from),
        }
    }
}

/// A page of sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Page {
    /// The sessions.
    pub(super) sessions: Vec<Item>,
    /// Where the page stands.
    pub(super) pagination: Pagination,
}

/// A session that runs.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ActiveItem {
    /// Its id.
    id: Uuid,
    /// The alert's type.
    alert_type: Option<String>,
    /// The chain that investigates it.
    chain_id: String,
    /// How far it has come.
    status: &'static str,
    /// Who submitted it.
    author: Option<String>,
    /// When it was submitted.
    created_at: Timestamp,
    /// When a worker began.
    started_at: Option<Timestamp>,
    /// The stage it is in, from 0.
    current_stage_index: Option<i32>,
    /// The same stage's id.
    current_stage_id: Option<Uuid>,
}

impl From<ActiveSession> for ActiveItem {
    fn from(item: ActiveSession) -> Self {
        Self {
            id: item.id.uuid(),
            alert_type: item.alert_type,
            chain_id: item.chain_id,
            status: item.status.as_str(),
            author: item.author,
            created_at: item.created_at,
            started_at: item.started_at,
            current_stage_index: item.current_stage_index,
            current_stage_id: item.current_stage_id.map(Uuid::from),
        }
    }
}

/// A session that waits.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct QueuedItem {
    /// Its id.
    id: Uuid,
    /// The alert's type.
    alert_type: Option<String>,
    /// The chain that will investigate it.
    chain_id: String,
    /// Always `pending`.
    status: &'static str,
    /// Who submitted it.
    author: Option<String>,
    /// When it was submitted.
    created_at: Timestamp,
    /// Its place in the queue, from 1.
    queue_position: i64,
}

impl From<QueuedSession> for QueuedItem {
    fn from(item: QueuedSession) -> Self {
        Self {
            id: item.id.uuid(),
            alert_type: item.alert_type,
            chain_id: item.chain_id,
            status: item.status.as_str(),
            author: item.author,
            created_at: item.created_at,
            queue_position: item.queue_position,
        }
    }
}

/// What runs and what waits.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Active {
    /// What runs, the newest first.
    active: Vec<ActiveItem>,
    /// What waits, the next first.
    queued: Vec<QueuedItem>,
}

impl From<ActiveSessions> for Active {
    fn from(found: ActiveSessions) -> Self {
        Self {
            active: found.active.into_iter().map(Into::into).collect(),
            queued: found.queued.into_iter().map(Into::into).collect(),
        }
    }
}

/// The values that sessions have.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Filters {
    /// Alert types.
    alert_types: Vec<String>,
    /// Chains.
    chain_ids: Vec<String>,
    /// States.
    statuses: Vec<&'static str>,
}

impl From<FilterOptions> for Filters {
    fn from(found: FilterOptions) -> Self {
        Self {
            alert_types: found.alert_types,
            chain_ids: found.chain_ids,
            statuses: found.statuses.into_iter().map(SessionStatus::as_str).collect(),
        }
    }
}
