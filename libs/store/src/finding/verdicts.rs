//! Verdicts: what investigations found, typed.

pub(crate) mod charts;
pub(crate) mod material;
pub(crate) mod new;
mod rows;
pub(crate) mod write;

use tarsy_domain::id::{ExecutionId, SessionId, VerdictId};
use tarsy_domain::verdict::{Verdict, VerdictFailure};

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// The verdict of an agent that follows rules.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentVerdict {
    pub id: VerdictId,
    pub execution_id: ExecutionId,
    pub verdict: Verdict,
}

/// Whether a session has its verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionVerdict {
    pub verdict: Option<Verdict>,
    /// Why a session that completed has none.
    pub failure: Option<VerdictFailure>,
}

impl Store {
    /// The verdict of a session, or why it has none; neither before its end.
    #[tracing::instrument(name = "db.verdict.find", skip_all)]
    pub async fn find_session_verdict(&self, session: SessionId) -> Result<SessionVerdict, Error> {
        of_session(&mut self.pool.acquire().await?, session).await
    }

    /// The verdicts of a session's agents, in the order of their stages and agents.
    #[tracing::instrument(name = "db.verdict.list", skip_all)]
    pub async fn list_agent_verdicts(
        &self,
        session: SessionId,
    ) -> Result<Vec<AgentVerdict>, Error> {
        let mut connection = self.pool.acquire().await?;
        let heads = sqlx::query(
            "select v.id, v.execution_id
             from verdicts v join agent_executions e on e.id = v.execution_id join stages s on s.id = e.stage_id
             where v.session_id = $1 and e.parent_execution_id is null
             order by s.stage_index, e.agent_index",
        )
        .bind(session.uuid())
        .fetch_all(&mut connection)
        .await?;
        let mut verdicts = Vec::with_capacity(heads.len());
        for head in &heads {
            let cells = Cells::new(head, "verdicts");
            let (id, execution_id) = (cells.id("id")?, cells.id("execution_id")?);
            if let Some(verdict) = rows::find(&mut connection, id).await? {
                verdicts.push(AgentVerdict { id, execution_id, verdict });
            }
        }
        Ok(verdicts)
    }
}

pub(crate) async fn of_session(
    connection: &mut Connection,
    session: SessionId,
) -> Result<SessionVerdict, Error> {
    let row = sqlx::query(concat!(
        "select s.verdict_failure, ",
        rows::columns!(),
        " from alert_sessions s left join verdicts v on v.id = s.verdict_id where s.id = $1"
    ))
    .bind(session.uuid())
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(SessionVerdict::default()) };
    let failure = Cells::new(&row, "alert_sessions").maybe_word("verdict_failure")?;
    let verdict = rows::read(connection, &row).await?;
    Ok(SessionVerdict { verdict, failure })
}
