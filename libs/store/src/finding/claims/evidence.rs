//! What a text can rest on: the whole results of the calls that its author can know.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sqlx::postgres::PgRow;
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::{ExecutionId, SessionId};

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// What an agent can know: its own calls and events, those of agents that it dispatched, and those of the stages before its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredEvidence {
    /// Calls that have ended, in the order of their numbers.
    pub calls: Vec<CallResult>,
    /// What the provider's own tools returned.
    pub native_results: Vec<String>,
    /// Why tool servers offered no tools.
    pub unavailable: Vec<String>,
    /// Conclusions, summaries, questions and errors of the stages before the agent's own.
    pub record: Vec<String>,
}

/// A call with its whole stored result.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// Its number in the session, from 1.
    pub number: i64,
    pub server_name: String,
    pub tool_name: Option<String>,
    pub arguments: Option<Value>,
    pub status: CallStatus,
    /// The result, or the error.
    pub text: String,
    /// When it answered, if that is known.
    pub answered_at: Option<Timestamp>,
}

/// The tables that calls are read from; `$2` is the execution whose text is checked.
macro_rules! known_calls {
    () => {
        " from mcp_interactions m join stages s on s.id = m.stage_id
            left join tool_results r on r.interaction_id = m.id
          where m.session_id = $1 and (m.execution_id = $2
             or m.execution_id in (with recursive below as (
                    select d.id from agent_executions d where d.parent_execution_id = $2
                    union all
                    select d.id from agent_executions d join below b on d.parent_execution_id = b.id
                ) select id from below)
             or s.stage_index < (
                select own.stage_index from agent_executions e join stages own on own.id = e.stage_id
                where e.id = $2))"
    };
}

impl Store {
    /// What the author of a text can know; none if it has more bytes in all than a check may read.
    #[tracing::instrument(name = "db.claims.find_evidence", skip_all)]
    pub async fn find_evidence(
        &self,
        session: SessionId,
        execution: ExecutionId,
        max_bytes: i64,
    ) -> Result<Option<StoredEvidence>, Error> {
        let mut connection = self.pool.acquire().await?;
        let bytes: i64 = sqlx::query_scalar(concat!(
            "select coalesce(sum(octet_length(coalesce(r.content, m.tool_result))), 0)::bigint",
            known_calls!()
        ))
        .bind(session.uuid())
        .bind(execution.uuid())
        .fetch_one(&mut connection)
        .await?;
        if bytes > max_bytes {
            return Ok(None);
        }
        let calls = calls(&mut connection, session, execution).await?;
        let unavailable = unavailable(&mut connection, session, execution).await?;
        let mut evidence = StoredEvidence { calls, unavailable, ..StoredEvidence::default() };
        for row in &events(&mut connection, session, execution).await? {
            let columns = Cells::new(row, "timeline_events");
            let texts = if columns.get("native")? {
                &mut evidence.native_results
            } else {
                &mut evidence.record
            };
            texts.push(columns.text("content")?);
        }
        Ok(Some(evidence))
    }

    /// The results of these calls of a session's investigation, in the order of their numbers; none if they have more bytes in all.
    #[tracing::instrument(name = "db.claims.list_call_results", skip_all)]
    pub async fn list_call_results(
        &self,
        session: SessionId,
        numbers: &[i64],
        max_bytes: i64,
    ) -> Result<Vec<CallResult>, Error> {
        let rows = sqlx::query(
            "select call_number, server_name, tool_name, tool_arguments, status, created_at, duration_ms, text
             from (
                select m.call_number, m.server_name, m.tool_name, m.tool_arguments, m.status, m.created_at, m.duration_ms,
                    coalesce(r.content, m.tool_result, '') as text,
                    sum(octet_length(coalesce(r.content, m.tool_result, ''))) over () as bytes
                from mcp_interactions m join stages s on s.id = m.stage_id
                    left join tool_results r on r.interaction_id = m.id
                where m.session_id = $1 and s.chat_id is null and m.interaction_type = 'tool_call'
                    and m.status = 'completed' and m.call_number = any($2)
             ) c where c.bytes <= $3 order by c.call_number",
        );
        let rows = rows.bind(session.uuid()).bind(numbers).bind(max_bytes);
        rows.fetch_all(&self.pool).await?.iter().map(call).collect()
    }

    /// How many tool calls of a session's investigation have a result. Skills that TARSy itself gives are none.
    #[tracing::instrument(name = "db.claims.count_successful_calls", skip_all)]
    pub async fn count_successful_calls(&self, session: SessionId) -> Result<usize, Error> {
        let count: i64 = sqlx::query_scalar(
            "select count(*) from mcp_interactions m join stages s on s.id = m.stage_id
             where m.session_id = $1 and s.chat_id is null
                and m.interaction_type = 'tool_call' and m.status = 'completed' and m.server_name <> 'tarsy'",
        )
        .bind(session.uuid())
        .fetch_one(&self.pool)
        .await?;
        Ok(usize::try_from(count).unwrap_or_default())
    }
}

async fn calls(
    connection: &mut Connection,
    session: SessionId,
    execution: ExecutionId,
) -> Result<Vec<CallResult>, Error> {
    sqlx::query(concat!(
        "select m.call_number, m.server_name, m.tool_name, m.tool_arguments, m.status, m.created_at,
            m.duration_ms, coalesce(r.content, nullif(m.tool_result, ''), m.error_message, '') as text",
        known_calls!(),
        " and m.interaction_type = 'tool_call' and m.status <> 'started' order by m.call_number"
    ))
    .bind(session.uuid())
    .bind(execution.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(call)
    .collect()
}

fn call(row: &PgRow) -> Result<CallResult, Error> {
    let cells = Cells::new(row, "mcp_interactions");
    let (begun, took) = (cells.time("created_at")?, cells.get::<Option<i64>>("duration_ms")?);
    Ok(CallResult {
        number: cells.get("call_number")?,
        server_name: cells.text("server_name")?,
        tool_name: cells.maybe_text("tool_name")?,
        arguments: cells.maybe_json("tool_arguments")?,
        status: cells.word("status")?,
        text: cells.text("text")?,
        answered_at: took.and_then(|ms| begun.checked_add(SignedDuration::from_millis(ms)).ok()),
    })
}

async fn unavailable(
    connection: &mut Connection,
    session: SessionId,
    execution: ExecutionId,
) -> Result<Vec<String>, Error> {
    let texts = sqlx::query_scalar(concat!(
        "select m.server_name || ': ' || coalesce(m.error_message, '')",
        known_calls!(),
        " and m.interaction_type = 'tool_list' and m.status = 'failed' order by m.created_at, m.id"
    ));
    Ok(texts.bind(session.uuid()).bind(execution.uuid()).fetch_all(connection).await?)
}

/// What provider's tools returned to the author or before its stage, and what stands on the timeline of earlier
/// stages and of the session.
async fn events(
    connection: &mut Connection,
    session: SessionId,
    execution: ExecutionId,
) -> Result<Vec<PgRow>, Error> {
    let rows = sqlx::query(
        "with recursive below as (
            select d.id from agent_executions d where d.parent_execution_id = $2
            union all
            select d.id from agent_executions d join below b on d.parent_execution_id = b.id
         ), own as (
            select s.id, s.stage_index from agent_executions e join stages s on s.id = e.stage_id
            where e.id = $2
         ), event as (
            select t.*, t.event_type in ('code_execution', 'google_search_result', 'url_context_result')
                as native, s.stage_index
            from timeline_events t left join stages s on s.id = t.stage_id
            where t.session_id = $1
         )
         select event.native, event.content from event, own
         where event.native and (event.execution_id = $2 or event.stage_index < own.stage_index
                or event.execution_id in (select id from below))
            or event.event_type in
                ('final_analysis', 'executive_summary', 'user_question', 'error', 'tool_approval',
                 'provider_fallback', 'budget_reached')
                and (event.stage_index is null or event.stage_index < own.stage_index)
         order by event.sequence_number",
    );
    Ok(rows.bind(session.uuid()).bind(execution.uuid()).fetch_all(connection).await?)
}
