//! What a new owner reads and repairs before it goes on.

use jiff::Timestamp;
use serde_json::{Value, json};
use sqlx::postgres::{PgConnection, PgRow};
use tarsy_contracts::event::{Body, Committed};
use tarsy_domain::event::{CallStatus, Role};
use tarsy_domain::id::{
    CallId, ChatId, ExecutionId, InteractionId, MessageId, SessionId, StageId, TimelineEventId,
};
use tarsy_domain::status::{TimelineStatus, WorkStatus};

use crate::cells::Cells;
use crate::encode::Tail;
use crate::error::Error;
use crate::events;
use crate::fence::Fence;
use crate::numbers;
use crate::store::Store;

/// A stage as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    pub id: StageId,
    /// Its name in the chain.
    pub stage_name: String,
    /// Its position in the chain, from 0.
    pub stage_index: i32,
    /// The chat whose question it answers.
    pub chat_id: Option<ChatId>,
    /// Its status.
    pub status: WorkStatus,
    /// How many agents work in it.
    pub expected_agent_count: i32,
    /// `multi_agent` or `replica`, if more than one agent works.
    pub parallel_type: Option<String>,
    /// `all` or `any`.
    pub success_policy: Option<String>,
    /// The stage whose findings it joins, if it is a synthesis.
    pub joins_stage_id: Option<StageId>,
    /// Why it failed.
    pub error_message: Option<String>,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
}

/// An agent's execution as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    pub id: ExecutionId,
    pub stage_id: StageId,
    pub agent_name: String,
    /// Its position in the stage, from 1.
    pub agent_index: i32,
    /// Its iteration strategy.
    pub iteration_strategy: String,
    /// The provider with which it started.
    pub llm_provider: Option<String>,
    /// The provider in use: a fallback after a switch.
    pub active_provider: Option<String>,
    /// The sequence number of the first message that belongs to the active provider.
    pub active_provider_since: i32,
    /// When its conclusion was requested because a limit was reached.
    pub closing_at: Option<Timestamp>,
    /// What it concluded.
    pub conclusion: Option<String>,
    /// Its status.
    pub status: WorkStatus,
    /// Why it failed.
    pub error_message: Option<String>,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub id: MessageId,
    /// Its position in the conversation, from 0.
    pub sequence_number: i32,
    /// Its author.
    pub role: Role,
    /// Its text.
    pub content: String,
    /// The tools it asks for.
    pub tool_calls: Option<Value>,
    /// The call it answers.
    pub tool_call_id: Option<String>,
    /// The tool that answers.
    pub tool_name: Option<String>,
    /// State of the provider that is sent back with it.
    pub provider_state: Option<Vec<u8>>,
}

/// A tool call as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name of its record.
    pub id: InteractionId,
    pub call_id: CallId,
    /// What became of it.
    pub status: CallStatus,
    /// The gateway that makes it.
    pub gateway_instance: Option<String>,
    pub server_name: String,
    pub tool_name: Option<String>,
    /// The model's name for the call.
    pub tool_call_id: Option<String>,
    pub tool_arguments: Option<Value>,
    /// Its result, cut to what is shown.
    pub tool_result: Option<String>,
    /// Its timeline event.
    pub timeline_event_id: Option<TimelineEventId>,
    /// Its number in the session, from 1.
    pub call_number: i64,
    /// Why it failed.
    pub error_message: Option<String>,
}

/// The columns of an [`Execution`].
macro_rules! execution_columns {
    () => {
        "e.id, e.stage_id, e.agent_name, e.agent_index, e.iteration_strategy, e.llm_provider, \
         e.active_provider, e.active_provider_since, e.closing_at, e.conclusion, e.status, \
         e.error_message, e.started_at, e.completed_at"
    };
}
pub(crate) use execution_columns;

fn stage(row: &PgRow) -> Result<Stage, Error> {
    let cells = Cells::new(row, "stages");
    Ok(Stage {
        id: cells.id("id")?,
        stage_name: cells.text("stage_name")?,
        stage_index: cells.get("stage_index")?,
        chat_id: cells.maybe_id("chat_id")?,
        status: cells.word("status")?,
        expected_agent_count: cells.get("expected_agent_count")?,
        parallel_type: cells.maybe_text("parallel_type")?,
        success_policy: cells.maybe_text("success_policy")?,
        joins_stage_id: cells.maybe_id("joins_stage_id")?,
        error_message: cells.maybe_text("error_message")?,
        started_at: cells.maybe_time("started_at")?,
        completed_at: cells.maybe_time("completed_at")?,
    })
}

/// Also reads rows that have more columns, as the detail's.
pub(crate) fn execution(row: &PgRow) -> Result<Execution, Error> {
    let cells = Cells::new(row, "agent_executions");
    Ok(Execution {
        id: cells.id("id")?,
        stage_id: cells.id("stage_id")?,
        agent_name: cells.text("agent_name")?,
        agent_index: cells.get("agent_index")?,
        iteration_strategy: cells.text("iteration_strategy")?,
        llm_provider: cells.maybe_text("llm_provider")?,
        active_provider: cells.maybe_text("active_provider")?,
        active_provider_since: cells.get("active_provider_since")?,
        closing_at: cells.maybe_time("closing_at")?,
        conclusion: cells.maybe_text("conclusion")?,
        status: cells.word("status")?,
        error_message: cells.maybe_text("error_message")?,
        started_at: cells.maybe_time("started_at")?,
        completed_at: cells.maybe_time("completed_at")?,
    })
}

pub(crate) fn message(row: &PgRow) -> Result<Message, Error> {
    let cells = Cells::new(row, "messages");
    Ok(Message {
        id: cells.id("id")?,
        sequence_number: cells.get("sequence_number")?,
        role: cells.word("role")?,
        content: cells.text("content")?,
        tool_calls: cells.maybe_json("tool_calls")?,
        tool_call_id: cells.maybe_text("tool_call_id")?,
        tool_name: cells.maybe_text("tool_name")?,
        provider_state: cells.get("provider_state")?,
    })
}

fn call(row: &PgRow) -> Result<Call, Error> {
    let cells = Cells::new(row, "mcp_interactions");
    Ok(Call {
        id: cells.id("id")?,
        call_id: cells.id("call_id")?,
        status: cells.word("status")?,
        gateway_instance: cells.maybe_text("gateway_instance")?,
        server_name: cells.text("server_name")?,
        tool_name: cells.maybe_text("tool_name")?,
        tool_call_id: cells.maybe_text("tool_call_id")?,
        tool_arguments: cells.maybe_json("tool_arguments")?,
        tool_result: cells.maybe_text("tool_result")?,
        timeline_event_id: cells.maybe_id("timeline_event_id")?,
        call_number: cells.get("call_number")?,
        error_message: cells.maybe_text("error_message")?,
    })
}

impl Store {
    /// A session's stages in order.
    #[tracing::instrument(name = "db.stage.list", skip_all)]
    pub async fn list_stages(&self, session: SessionId) -> Result<Vec<Stage>, Error> {
        list_stages(&mut *self.pool.acquire().await?, session).await
    }

    /// A session's executions, in the order of their stages and agents.
    #[tracing::instrument(name = "db.execution.list", skip_all)]
    pub async fn list_executions(&self, session: SessionId) -> Result<Vec<Execution>, Error> {
        sqlx::query(concat!(
            "select ",
            execution_columns!(),
            "
             from agent_executions e join stages s on s.id = e.stage_id
             where e.session_id = $1 order by s.stage_index, e.agent_index"
        ))
        .bind(session.uuid())
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(execution)
        .collect()
    }

    #[tracing::instrument(name = "db.execution.find", skip_all)]
    pub async fn find_execution(&self, id: ExecutionId) -> Result<Option<Execution>, Error> {
        let row = sqlx::query(concat!(
            "select ",
            execution_columns!(),
            " from agent_executions e where e.id = $1"
        ))
        .bind(id.uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(execution).transpose()
    }

    /// The conclusion that an agent of the session's chain reached last.
    #[tracing::instrument(name = "db.execution.find_last_conclusion", skip_all)]
    pub async fn find_last_conclusion(&self, session: SessionId) -> Result<Option<String>, Error> {
        let row = sqlx::query(
            "select e.conclusion
             from agent_executions e join stages s on s.id = e.stage_id
             where e.session_id = $1 and e.conclusion is not null and s.chat_id is null
             order by e.concluded_at desc limit 1",
        )
        .bind(session.uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| Cells::new(&row, "agent_executions").text("conclusion")).transpose()
    }

    /// An execution's conversation in order.
    #[tracing::instrument(name = "db.message.list", skip_all)]
    pub async fn list_messages(&self, execution: ExecutionId) -> Result<Vec<Message>, Error> {
        sqlx::query(
            "select id, sequence_number, role, content, tool_calls, tool_call_id, tool_name,
                provider_state
             from messages where execution_id = $1 order by sequence_number",
        )
        .bind(execution.uuid())
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(message)
        .collect()
    }

    /// An execution's tool calls, the oldest first.
    #[tracing::instrument(name = "db.call.list", skip_all)]
    pub async fn list_calls(&self, execution: ExecutionId) -> Result<Vec<Call>, Error> {
        sqlx::query(
            "select id, call_id, status, gateway_instance, server_name, tool_name, tool_call_id,
                tool_arguments, tool_result, timeline_event_id, call_number, error_message
             from mcp_interactions
             where execution_id = $1 and interaction_type = 'tool_call' order by call_number",
        )
        .bind(execution.uuid())
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(call)
        .collect()
    }

    /// The number of a tool call that is written down.
    #[tracing::instrument(name = "db.call.number", skip_all)]
    pub async fn find_call_number(&self, call: CallId) -> Result<i64, Error> {
        sqlx::query("select call_number from mcp_interactions where call_id = $1")
            .bind(call.uuid())
            .fetch_optional(&self.pool)
            .await?
            .map(|row| Cells::new(&row, "mcp_interactions").get("call_number"))
            .transpose()?
            .ok_or(Error::NotFound { what: "tool call" })
    }

    /// How often in a row a provider did not answer an execution in time: since the last turn that
    /// was kept, whoever was the owner.
    #[tracing::instrument(name = "db.llm.timeouts", skip_all)]
    pub async fn count_consecutive_timeouts(
        &self,
        execution: ExecutionId,
        provider: &str,
    ) -> Result<u32, Error> {
        let row = sqlx::query(
            "select count(*) as timeouts from llm_interactions
             where execution_id = $1 and timed_out and provider = $2
                and interaction_type <> 'summarization'
                and created_at > coalesce(
                    (select max(created_at) from llm_interactions
                     where execution_id = $1 and error_message is null
                        and interaction_type <> 'summarization'),
                    '-infinity')",
        )
        .bind(execution.uuid())
        .bind(provider)
        .fetch_one(&self.pool)
        .await?;
        let timeouts: i64 = Cells::new(&row, "llm_interactions").get("timeouts")?;
        Ok(u32::try_from(timeouts).unwrap_or(u32::MAX))
    }

    /// Closes what a dead owner left streaming as failed, with `{"interrupted": true}`; but not the
    /// event of a tool call whose outcome is still open, which the new owner finishes, nor that of a
    /// summary which a summarizer writes.
    #[tracing::instrument(name = "db.timeline.interrupt", skip_all)]
    pub async fn interrupt_streaming(&self, fence: Fence) -> Result<Vec<Committed>, Error> {
        retrying!(self.interrupt_once(fence))
    }

    async fn interrupt_once(&self, fence: Fence) -> Result<Vec<Committed>, Error> {
        let session = fence.session_id;
        let mut tx = self.pool.begin().await?;
        // The fence first, without numbers: how many are needed is known after the update.
        numbers::take(&mut tx, fence, numbers::Wanted::default()).await?;
        let rows = sqlx::query(
            "with interrupted as (
                update timeline_events t
                set status = $2, updated_at = now(), metadata = coalesce(t.metadata, '{}'::jsonb) || $3
                where t.session_id = $1 and t.status = 'streaming'
                    and not (t.event_type = 'llm_tool_call' and exists (
                        select 1 from mcp_interactions m
                        where m.timeline_event_id = t.id and m.status = 'started'))
                    and not (t.event_type = 'mcp_tool_summary' and exists (
                        select 1 from summaries u
                        where u.timeline_event_id = t.id and u.status = 'in_progress'))
                returning t.id, t.event_type, t.content, t.metadata, t.sequence_number
             )
             select id, event_type, content, metadata from interrupted order by sequence_number",
        )
        .bind(session.uuid())
        .bind(TimelineStatus::Failed.as_str())
        .bind(json!({"interrupted": true}))
        .fetch_all(&mut *tx)
        .await?;
        let bodies = rows
            .iter()
            .map(|row| ended(row, TimelineStatus::Failed))
            .collect::<Result<Vec<_>, _>>()?;
        let committed =
            number(session, &bodies, numbers::take_more(&mut tx, session, &bodies).await?)?;
        events::insert(&mut tx, session, &committed).await?;
        tx.commit().await?;
        Ok(committed)
    }
}

/// A session's stages in order.
pub(crate) async fn list_stages(
    connection: &mut PgConnection,
    session: SessionId,
) -> Result<Vec<Stage>, Error> {
    sqlx::query(
        "select id, stage_name, stage_index, chat_id, status, expected_agent_count, parallel_type,
            success_policy, joins_stage_id, error_message, started_at, completed_at
         from stages where session_id = $1 order by stage_index",
    )
    .bind(session.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(stage)
    .collect()
}

/// What the end of a timeline event tells, from its row.
pub(crate) fn ended(row: &PgRow, status: TimelineStatus) -> Result<Body, Error> {
    let cells = Cells::new(row, "timeline_events");
    Ok(Body::TimelineCompleted {
        event_id: cells.id("id")?,
        event_type: cells.word("event_type")?,
        status,
        content: cells.text("content")?,
        metadata: cells.maybe_json("metadata")?,
    })
}

/// Gives events their numbers.
pub(crate) fn number(
    session: SessionId,
    bodies: &[Body],
    numbers: numbers::Numbers,
) -> Result<Vec<Committed>, Error> {
    (numbers.seq..)
        .zip(bodies)
        .map(|(seq, body)| Ok(Tail::new(session, body)?.committed(session, seq, None, numbers.at)))
        .collect()
}
