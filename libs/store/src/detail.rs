//! One session, with all that a page about it shows.

use sqlx::postgres::PgRow;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;

use crate::cells::Cells;
use crate::error::Error;
use crate::events;
use crate::pool::Connection;
use crate::resume;
use crate::resume::rows::{self, Execution, Stage, execution_columns};
use crate::session_list::{SessionItem, items};
use crate::sessions::{self, Session};
use crate::store::Store;
use crate::tokens::Tokens;
use crate::usage::{self, Usage};

/// A session with its stages.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionDetail {
    /// The session itself.
    pub session: Session,
    /// What a list shows of it.
    pub item: SessionItem,
    /// What its investigation used up.
    pub usage: Usage,
    /// The number of its last event: what is read later knows of all up to it.
    pub last_event: i64,
    /// Its stages in order.
    pub stages: Vec<StageDetail>,
}

/// A stage with its executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageDetail {
    /// The stage itself.
    pub stage: Stage,
    /// Its executions in order.
    pub executions: Vec<ExecutionDetail>,
}

/// An execution with what its models read and wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionDetail {
    /// The execution itself.
    pub execution: Execution,
    /// From its begin to its end.
    pub duration_ms: Option<i64>,
    /// What its models read and wrote.
    pub tokens: Tokens,
}

/// A session in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    pub session_id: SessionId,
    /// Its status.
    pub status: SessionStatus,
    /// How often anything was called.
    pub total_interactions: i64,
    /// How often a model was called.
    pub llm_interactions: i64,
    /// How often a tool was called.
    pub mcp_interactions: i64,
    /// What the models read and wrote.
    pub tokens: Tokens,
    /// From its begin to its end, or to now.
    pub total_duration_ms: Option<i64>,
    /// Its chain in numbers.
    pub chain_statistics: ChainStatistics,
}

/// A session's chain in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainStatistics {
    /// How many stages its chain has, or more if more have begun.
    pub total_stages: i64,
    /// How many of them completed.
    pub completed_stages: i64,
    /// How many of them failed or ran out of time.
    pub failed_stages: i64,
    /// The stage it is in, from 0.
    pub current_stage_index: Option<i32>,
}

impl Store {
    /// A session with its stages, executions and token sums.
    #[tracing::instrument(name = "db.session.find_detail", skip_all)]
    pub async fn find_session_detail(&self, id: SessionId) -> Result<Option<SessionDetail>, Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query("set transaction isolation level repeatable read read only")
            .execute(&mut *tx)
            .await?;
        let Some(session) = sessions::find(&mut tx, id).await? else { return Ok(None) };
        let Some(item) = items(&mut tx, &[id.uuid()]).await?.pop() else { return Ok(None) };
        let mut stages: Vec<StageDetail> = resume::list_stages(&mut tx, id)
            .await?
            .into_iter()
            .map(|stage| StageDetail { stage, executions: Vec::new() })
            .collect();
        for detail in executions(&mut tx, id).await? {
            let home = stages.iter_mut().find(|home| home.stage.id == detail.execution.stage_id);
            if let Some(home) = home {
                home.executions.push(detail);
            }
        }
        let usage = usage::used(&mut tx, id, None).await?;
        let last_event = events::last(&mut tx, id).await?.unwrap_or_default();
        tx.commit().await?;
        Ok(Some(SessionDetail { session, item, usage, last_event, stages }))
    }

    /// A session in numbers.
    #[tracing::instrument(name = "db.session.find_summary", skip_all)]
    pub async fn find_session_summary(
        &self,
        id: SessionId,
    ) -> Result<Option<SessionSummary>, Error> {
        let mut connection = self.pool.acquire().await?;
        let row = sqlx::query(
            "select (extract(epoch from (coalesce(completed_at, now()) - started_at)) * 1000)::bigint
                as duration_ms
             from alert_sessions where id = $1 and deleted_at is null",
        )
        .bind(id.uuid())
        .fetch_optional(&mut connection)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let total_duration_ms = Cells::new(&row, "alert_sessions").get("duration_ms")?;
        let Some(item) = items(&mut connection, &[id.uuid()]).await?.pop() else { return Ok(None) };
        Ok(Some(SessionSummary {
            session_id: id,
            status: item.status,
            total_interactions: item.llm_interaction_count + item.mcp_interaction_count,
            llm_interactions: item.llm_interaction_count,
            mcp_interactions: item.mcp_interaction_count,
            tokens: item.tokens,
            total_duration_ms,
            chain_statistics: ChainStatistics {
                total_stages: item.total_stages,
                completed_stages: item.completed_stages,
                failed_stages: item.failed_stages,
                current_stage_index: item.current_stage_index,
            },
        }))
    }
}

async fn executions(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<ExecutionDetail>, Error> {
    sqlx::query(concat!(
        "select ",
        execution_columns!(),
        ",
            (extract(epoch from (e.completed_at - e.started_at)) * 1000)::bigint as duration_ms,
            coalesce(l.input, 0) as input_tokens, coalesce(l.output, 0) as output_tokens,
            coalesce(l.total, 0) as total_tokens
         from agent_executions e
         join stages s on s.id = e.stage_id
         left join (
            select execution_id, sum(input_tokens)::bigint as input,
                sum(output_tokens)::bigint as output, sum(total_tokens)::bigint as total
            from llm_interactions where session_id = $1 group by execution_id
         ) l on l.execution_id = e.id
         where e.session_id = $1
         order by s.stage_index, e.agent_index"
    ))
    .bind(session.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(detail)
    .collect()
}

fn detail(row: &PgRow) -> Result<ExecutionDetail, Error> {
    let cells = Cells::new(row, "agent_executions");
    Ok(ExecutionDetail {
        execution: rows::execution(row)?,
        duration_ms: cells.get("duration_ms")?,
        tokens: Tokens::read(&cells)?,
    })
}
