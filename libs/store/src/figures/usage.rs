//! What a session has used up of its budget.

use tarsy_domain::id::{CallId, SessionId, StageId};
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// What was used: calls that are written down, and the tokens of those of models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Calls of models, those that failed too.
    pub llm_calls: i64,
    /// Tokens, read and written.
    pub tokens: i64,
    /// What these calls cost, in millionths of a US dollar; those without a price count as nothing.
    pub cost_micro_usd: i64,
    pub tool_calls: i64,
    /// Calls of tools whose summaries are still to be made: what these cost, tries that are over
    /// included, will come on top.
    pub pending_summaries: Vec<CallId>,
}

impl Store {
    /// What a session's investigation used, without the questions about it and its scores.
    #[tracing::instrument(name = "db.session.usage", skip_all)]
    pub async fn find_usage(&self, session: SessionId) -> Result<Usage, Error> {
        used(&mut self.pool.acquire().await?, session, None).await
    }

    /// What one stage of a session used: a question about it.
    #[tracing::instrument(name = "db.stage.usage", skip_all)]
    pub async fn find_stage_usage(
        &self,
        session: SessionId,
        stage: StageId,
    ) -> Result<Usage, Error> {
        used(&mut self.pool.acquire().await?, session, Some(stage)).await
    }
}

pub(crate) async fn used(
    connection: &mut Connection,
    session: SessionId,
    stage: Option<StageId>,
) -> Result<Usage, Error> {
    let row = sqlx::query(
        "with asked as (select id from stages where session_id = $1 and chat_id is not null),
         llm as (
            select count(*) as calls,
                sum(coalesce(total_tokens, coalesce(input_tokens, 0) + coalesce(output_tokens, 0)))::bigint
                    as tokens,
                coalesce(sum(cost_micro_usd), 0)::bigint as cost
            from llm_interactions
            where session_id = $1 and interaction_type <> 'postmortem' and case when $2::uuid is null
                then stage_id is null or stage_id not in (select id from asked)
                else stage_id = $2 end
         ),
         mcp as (
            select count(*) as calls from mcp_interactions
            where session_id = $1 and interaction_type = 'tool_call' and case when $2::uuid is null
                then stage_id is null or stage_id not in (select id from asked)
                else stage_id = $2 end
         ),
         begun as (
            select coalesce(sum(u.llm_calls), 0)::bigint as calls,
                coalesce(sum(u.total_tokens), 0)::bigint as tokens,
                coalesce(sum(u.cost_micro_usd), 0)::bigint as cost
            from summaries u join mcp_interactions m on m.id = u.mcp_interaction_id
            where u.session_id = $1 and u.status in ('pending', 'in_progress') and case when $2::uuid is null
                then m.stage_id is null or m.stage_id not in (select id from asked)
                else m.stage_id = $2 end
         ),
         judged as (
            select coalesce(sum(p.llm_calls), 0)::bigint as calls, coalesce(sum(p.total_tokens), 0)::bigint as tokens,
                coalesce(sum(p.cost_micro_usd), 0)::bigint as cost
            from scores p where p.session_id = $1 and $2::uuid is null
         )
         select llm.calls - begun.calls - judged.calls as llm_calls,
            coalesce(llm.tokens, 0) - begun.tokens - judged.tokens as tokens, llm.cost - begun.cost - judged.cost as cost, mcp.calls as tool_calls,
            array(
                select m.call_id from summaries u join mcp_interactions m on m.id = u.mcp_interaction_id
                where u.session_id = $1 and u.status in ('pending', 'in_progress')
            ) as pending_summaries
         from llm, mcp, begun, judged",
    )
    .bind(session.uuid())
    .bind(stage.map(StageId::uuid))
    .fetch_one(connection)
    .await?;
    let cells = Cells::new(&row, "llm_interactions");
    let pending_summaries: Vec<Uuid> = cells.get("pending_summaries")?;
    Ok(Usage {
        llm_calls: cells.get("llm_calls")?,
        tokens: cells.get("tokens")?,
        cost_micro_usd: cells.get("cost")?,
        tool_calls: cells.get("tool_calls")?,
        pending_summaries: pending_summaries.into_iter().map(CallId::from).collect(),
    })
}
