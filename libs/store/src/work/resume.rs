//! What a new owner reads and repairs before it goes on.

mod interrupt;
pub(crate) mod repeated;
pub(crate) mod rows;

use std::time::Duration;

use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{CallId, ExecutionId, SessionId};

use self::rows::{Call, Execution, Message, Stage, SubExecution, execution_columns};
use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

impl Store {
    /// A session's stages in order.
    #[tracing::instrument(name = "db.stage.list", skip_all)]
    pub async fn list_stages(&self, session: SessionId) -> Result<Vec<Stage>, Error> {
        list_stages(&mut self.pool.acquire().await?, session).await
    }

    /// A session's executions, in the order of their stages and agents, each before those that it dispatched.
    #[tracing::instrument(name = "db.execution.list", skip_all)]
    pub async fn list_executions(&self, session: SessionId) -> Result<Vec<Execution>, Error> {
        sqlx::query(concat!(
            "select ",
            execution_columns!(),
            "
             from agent_executions e join stages s on s.id = e.stage_id
                left join agent_executions p on p.id = e.parent_execution_id
                left join agent_executions g on g.id = p.parent_execution_id
                left join agent_executions r on r.id = g.parent_execution_id
             where e.session_id = $1
             order by s.stage_index, array_remove(array[r.agent_index, g.agent_index, p.agent_index, e.agent_index], null)"
        ))
        .bind(session.uuid())
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(rows::execution)
        .collect()
    }

    /// The executions that another one dispatched, in the order of their numbers.
    #[tracing::instrument(name = "db.execution.list_dispatched", skip_all)]
    pub async fn list_sub_executions(
        &self,
        parent: ExecutionId,
    ) -> Result<Vec<SubExecution>, Error> {
        let rows = sqlx::query(concat!(
            "select ",
            execution_columns!(),
            ", greatest(0, extract(epoch from (now() - e.started_at)))::float8 as elapsed
             from agent_executions e where e.parent_execution_id = $1 order by e.agent_index"
        ))
        .bind(parent.uuid())
        .fetch_all(&self.pool)
        .await?;
        let read = |row| {
            let elapsed: Option<f64> = Cells::new(row, "agent_executions").get("elapsed")?;
            let elapsed = Duration::try_from_secs_f64(elapsed.unwrap_or_default());
            let (execution, elapsed) = (rows::execution(row)?, elapsed.unwrap_or_default());
            Ok(SubExecution { execution, elapsed })
        };
        rows.iter().map(read).collect()
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
        row.as_ref().map(rows::execution).transpose()
    }

    /// The conclusion that an agent of the session's chain reached last.
    #[tracing::instrument(name = "db.execution.find_last_conclusion", skip_all)]
    pub async fn find_last_conclusion(&self, session: SessionId) -> Result<Option<String>, Error> {
        let row = sqlx::query(
            "select e.conclusion
             from agent_executions e join stages s on s.id = e.stage_id
             where e.session_id = $1 and e.conclusion is not null and s.chat_id is null
                and e.parent_execution_id is null
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
                call_number, provider_state, alerts_until, continues, sub_execution_id
             from messages where execution_id = $1 order by sequence_number",
        )
        .bind(execution.uuid())
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(rows::message)
        .collect()
    }

    /// An execution's tool calls, the oldest first.
    #[tracing::instrument(name = "db.call.list", skip_all)]
    pub async fn list_calls(&self, execution: ExecutionId) -> Result<Vec<Call>, Error> {
        sqlx::query(
            "select id, call_id, status, gateway_instance, server_name, tool_name, tool_call_id,
                tool_arguments, tool_result, timeline_event_id, call_number, injected_instructions,
                error_message, answered_from
             from mcp_interactions
             where execution_id = $1 and interaction_type = 'tool_call' order by call_number",
        )
        .bind(execution.uuid())
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(rows::call)
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

    /// Whether a tool was called in a session, also for an answer about it.
    #[tracing::instrument(name = "db.calls.exist", skip_all)]
    pub async fn has_tool_calls(&self, session: SessionId) -> Result<bool, Error> {
        let found = sqlx::query_scalar(
            "select exists (select 1 from mcp_interactions
                where session_id = $1 and interaction_type = 'tool_call')",
        );
        Ok(found.bind(session.uuid()).fetch_one(&self.pool).await?)
    }

    /// The number of the first call of a session whose result addresses a model.
    #[tracing::instrument(name = "db.calls.injected", skip_all)]
    pub async fn find_injected_call(&self, session: SessionId) -> Result<Option<i64>, Error> {
        let found = sqlx::query_scalar(
            "select call_number from mcp_interactions
             where session_id = $1 and injected_instructions > 0 order by call_number limit 1",
        );
        Ok(found.bind(session.uuid()).fetch_optional(&self.pool).await?)
    }

    /// Whether the timeline has an event of a kind that belongs to no stage.
    #[tracing::instrument(name = "db.timeline.has", skip_all)]
    pub async fn has_session_event(
        &self,
        session: SessionId,
        kind: TimelineKind,
    ) -> Result<bool, Error> {
        let found = sqlx::query_scalar(
            "select exists (select 1 from timeline_events
                where session_id = $1 and stage_id is null and event_type = $2)",
        );
        Ok(found.bind(session.uuid()).bind(kind.as_str()).fetch_one(&self.pool).await?)
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
}

/// A session's stages in order.
pub(crate) async fn list_stages(
    connection: &mut Connection,
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
    .map(rows::stage)
    .collect()
}
