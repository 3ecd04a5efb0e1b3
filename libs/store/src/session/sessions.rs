//! Sessions as such: taking one in, looking at it, asking it to stop.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::postgres::PgRow;
use tarsy_catalog::Budget;
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::change::GivenChanges;
use tarsy_contracts::dependency::GivenDependencies;
use tarsy_contracts::event::Committed;
use tarsy_contracts::memory::GivenMemory;
use tarsy_contracts::review::SeenBefore;
use tarsy_contracts::session::SessionStatusRow;
use tarsy_contracts::work::IdempotencyKey;
use tarsy_domain::id::{SessionId, StageId};
use tarsy_domain::status::{SessionOrigin, SessionStatus};

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;
use crate::session::alert_fields;
use crate::work::failures;

#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    pub id: SessionId,
    /// The alert, masked.
    pub alert_data: String,
    pub alert_type: Option<String>,
    pub chain_id: String,
    pub status: SessionStatus,
    pub origin: SessionOrigin,
    /// The session that it replays; none if that was deleted.
    pub replay_of: Option<SessionId>,
    /// When the alert was received; a replay has that of its original.
    pub received_at: Timestamp,
    pub author: Option<String>,
    pub runbook_url: Option<String>,
    /// The text of that runbook, masked, once it was fetched.
    pub runbook: Option<String>,
    /// Why it could not be fetched.
    pub runbook_error: Option<String>,
    /// The tools it is restricted to.
    pub mcp_selection: Option<Value>,
    /// The provider that its sender chose.
    pub requested_provider: Option<String>,
    /// The Slack message it came from.
    pub slack_message_fingerprint: Option<String>,
    /// What its sender states about it.
    pub fields: AlertFields,
    /// The reviewed sessions that its investigation was given; none before it began.
    pub seen_before: Option<Vec<SeenBefore>>,
    /// The memories that its investigation was given; none before it began, and while there were none at all.
    pub recalled: Option<Vec<GivenMemory>>,
    /// What its investigation was given of changes; none before it began.
    pub changes: Option<GivenChanges>,
    /// What its investigation was given of dependencies; none before it began.
    pub dependencies: Option<GivenDependencies>,
    pub settings: SessionSettings,
    /// The provider that writes the executive summary after a switch; none before one.
    pub executive_summary_provider: Option<String>,
    /// The resolved configuration it keeps.
    pub config_snapshot: Value,
    /// The trace context of the request that began it; none if spans were not exported.
    pub traceparent: Option<String>,
    pub created_at: Timestamp,
    /// When a worker claimed it first.
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// When a model or a tool was last called.
    pub last_interaction_at: Option<Timestamp>,
    /// The stage it is in, from 0.
    pub current_stage_index: Option<i32>,
    /// The same stage's name.
    pub current_stage_id: Option<StageId>,
    pub final_analysis: Option<String>,
    pub executive_summary: Option<String>,
    pub executive_summary_error: Option<String>,
    pub error_message: Option<String>,
}

/// Settings of the resolved chain that the services read as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionSettings {
    /// The most time that the investigation, or one question about it, may take; none for the queue's default.
    pub timeout: Option<Duration>,
    /// Whether questions can be asked.
    pub chat_enabled: bool,
    /// What the investigation, or one question about it, may use.
    pub budget: Budget,
    /// How many stages the chain has, each synthesis counted; none if unknown.
    pub planned_stages: Option<i32>,
}

macro_rules! session_columns {
    () => {
        concat!(config_snapshot!(), " as config_snapshot, \
         s.id, s.alert_data, s.alert_type, s.chain_id, s.status, s.author, s.runbook_url, \
         s.runbook, s.runbook_error, s.mcp_selection, s.requested_provider, s.slack_message_fingerprint, \
         s.created_at, \
         s.started_at, s.completed_at, s.last_interaction_at, s.current_stage_index, \
         s.current_stage_id, s.final_analysis, s.executive_summary, s.executive_summary_error, \
         s.error_message, s.timeout_ms, s.chat_enabled, \
         s.budget_llm_calls, s.budget_tokens, s.budget_tool_calls, s.planned_stages, \
         s.executive_summary_provider, s.title, s.severity, s.service, s.namespace, s.cluster, s.links, s.labels, \
         s.fingerprint, s.seen_before, s.recalled, s.changes, s.dependencies, s.origin, s.replay_of, s.received_at, s.traceparent")
    };
}

/// An alert that becomes a session.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSession {
    pub id: SessionId,
    /// The alert, masked.
    pub alert_data: String,
    pub alert_type: Option<String>,
    /// The chain that will investigate it.
    pub chain_id: String,
    pub author: Option<String>,
    /// Who pays for it: a user or an API token.
    pub principal: Option<String>,
    pub runbook_url: Option<String>,
    /// The tools it is restricted to.
    pub mcp_selection: Option<Value>,
    /// The provider that its sender chose.
    pub requested_provider: Option<String>,
    /// The Slack message it came from.
    pub slack_message_fingerprint: Option<String>,
    /// What its sender states about it.
    pub fields: AlertFields,
    /// The same key within 24 hours answers the first session.
    pub idempotency: Option<IdempotencyKey>,
    pub settings: SessionSettings,
    /// The resolved configuration it keeps.
    pub config_snapshot: Value,
    /// The trace context of the request, if spans are exported.
    pub traceparent: Option<String>,
}

/// What became of an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Created {
    New {
        session_id: SessionId,
        events: Vec<Committed>,
    },
    /// It was taken in before, under the same idempotency key or the same id.
    Existing {
        session_id: SessionId,
    },
    /// Another alert has its idempotency key; nothing was written.
    KeyReused,
}

pub(crate) fn read(row: &PgRow) -> Result<Session, Error> {
    let cells = Cells::new(row, "alert_sessions");
    Ok(Session {
        id: cells.id("id")?,
        alert_data: cells.text("alert_data")?,
        alert_type: cells.maybe_text("alert_type")?,
        chain_id: cells.text("chain_id")?,
        status: cells.word("status")?,
        origin: cells.word("origin")?,
        replay_of: cells.maybe_id("replay_of")?,
        received_at: cells.time("received_at")?,
        author: cells.maybe_text("author")?,
        runbook_url: cells.maybe_text("runbook_url")?,
        runbook: cells.maybe_text("runbook")?,
        runbook_error: cells.maybe_text("runbook_error")?,
        mcp_selection: cells.maybe_json("mcp_selection")?,
        requested_provider: cells.maybe_text("requested_provider")?,
        slack_message_fingerprint: cells.maybe_text("slack_message_fingerprint")?,
        fields: alert_fields::read(&cells)?,
        seen_before: cells.maybe_decoded("seen_before")?,
        recalled: cells.maybe_decoded("recalled")?,
        changes: cells.maybe_decoded("changes")?,
        dependencies: cells.maybe_decoded("dependencies")?,
        settings: settings(&cells)?,
        executive_summary_provider: cells.maybe_text("executive_summary_provider")?,
        config_snapshot: cells.get("config_snapshot")?,
        traceparent: cells.maybe_text("traceparent")?,
        created_at: cells.time("created_at")?,
        started_at: cells.maybe_time("started_at")?,
        completed_at: cells.maybe_time("completed_at")?,
        last_interaction_at: cells.maybe_time("last_interaction_at")?,
        current_stage_index: cells.get("current_stage_index")?,
        current_stage_id: cells.maybe_id("current_stage_id")?,
        final_analysis: cells.maybe_text("final_analysis")?,
        executive_summary: cells.maybe_text("executive_summary")?,
        executive_summary_error: cells.maybe_text("executive_summary_error")?,
        error_message: cells.maybe_text("error_message")?,
    })
}

fn settings(cells: &Cells<'_>) -> Result<SessionSettings, Error> {
    let timeout: Option<i64> = cells.get("timeout_ms")?;
    Ok(SessionSettings {
        timeout: timeout.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis),
        chat_enabled: cells.get("chat_enabled")?,
        budget: Budget {
            llm_calls: limit(cells.get("budget_llm_calls")?),
            tokens: limit(cells.get("budget_tokens")?),
            tool_calls: limit(cells.get("budget_tool_calls")?),
            cost_usd: None,
        },
        planned_stages: cells.get("planned_stages")?,
    })
}

/// A limit that configurations of today cannot name is the highest that they can.
fn limit(stored: i64) -> u32 {
    u32::try_from(stored).unwrap_or(u32::MAX)
}

/// Finds a session that is not deleted.
pub(crate) async fn find(
    connection: &mut Connection,
    id: SessionId,
) -> Result<Option<Session>, Error> {
    let row = sqlx::query(concat!(
        "select ",
        session_columns!(),
        " from alert_sessions s where s.id = $1 and s.deleted_at is null"
    ))
    .bind(id.uuid())
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(read).transpose()
}

/// How far a session has come; it cannot change until the transaction ends.
pub(crate) async fn lock(
    tx: &mut Connection,
    id: SessionId,
) -> Result<Option<SessionStatus>, Error> {
    // The control row first, as everywhere: who holds it decides about the session.
    sqlx::query("select 1 from session_control where session_id = $1 for no key update")
        .bind(id.uuid())
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "select status from alert_sessions where id = $1 and deleted_at is null
         for no key update",
    )
    .bind(id.uuid())
    .fetch_optional(tx)
    .await?
    .map(|row| Cells::new(&row, "alert_sessions").word("status"))
    .transpose()
}

impl Store {
    /// A session, whole.
    #[tracing::instrument(name = "db.session.find", skip_all)]
    pub async fn find_session(&self, id: SessionId) -> Result<Option<Session>, Error> {
        find(&mut self.pool.acquire().await?, id).await
    }

    /// The little of a session that polling needs.
    #[tracing::instrument(name = "db.session.find_status", skip_all)]
    pub async fn find_session_status(
        &self,
        id: SessionId,
    ) -> Result<Option<SessionStatusRow>, Error> {
        let row = sqlx::query(
            "select id, status, final_analysis, executive_summary, error_message, failure
             from alert_sessions where id = $1 and deleted_at is null",
        )
        .bind(id.uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| {
            let cells = Cells::new(&row, "alert_sessions");
            Ok(SessionStatusRow {
                id: cells.id("id")?,
                status: cells.word("status")?,
                final_analysis: cells.maybe_text("final_analysis")?,
                executive_summary: cells.maybe_text("executive_summary")?,
                error_message: cells.maybe_text("error_message")?,
                failure: failures::view(&cells)?,
            })
        })
        .transpose()
    }
}
