//! One session, with all that a page about it shows.

use serde::Deserialize as _;
use sqlx::postgres::PgRow;
use tarsy_catalog::{Budget, OFFLINE, ResolvedChain};
use tarsy_contracts::failure::FailureView;
use tarsy_contracts::session::{
    BudgetUse, ExecutionDetail, LimitUse, ModelPrice, SessionDetail, StageDetail,
};
use tarsy_contracts::session_summary::{ChainStatistics, SessionSummary};
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::id::{SessionId, StageId};
use tarsy_domain::price::PriceSource;

use crate::access::triage;
use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;
use crate::figures::usage::{self, Usage};
use crate::finding::claims::failed_tools;
use crate::finding::scores;
use crate::finding::verdicts::{self, SessionVerdict};
use crate::record::events;
use crate::session::session_list::{Listed, is_of_model, items};
use crate::session::sessions;
use crate::work::actions;
use crate::work::resume;
use crate::work::resume::rows::{self, Stage, execution_columns};

impl Store {
    /// A session with its stages, executions and token sums.
    #[tracing::instrument(name = "db.session.find_detail", skip_all)]
    pub async fn find_session_detail(&self, id: SessionId) -> Result<Option<SessionDetail>, Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query("set transaction isolation level repeatable read read only")
            .execute(&mut *tx)
            .await?;
        let Some(session) = sessions::find(&mut tx, id).await? else { return Ok(None) };
        let Some(listed) = items(&mut tx, &[id.uuid()]).await?.pop() else { return Ok(None) };
        let mut stages = Vec::new();
        // A record of another system may have none.
        let chain = ResolvedChain::deserialize(&session.config_snapshot).ok();
        let mut executions = executions(&mut tx, id, chain.as_ref()).await?;
        for stage in resume::list_stages(&mut tx, id).await? {
            stages.push(detail(stage, &mut executions));
        }
        let most_cost = chain.as_ref().and_then(|chain| chain.budget.cost_usd);
        let usage = usage::used(&mut tx, id, None).await?;
        let prices = prices(&mut tx, id, chain.as_ref()).await?;
        let has_failed = listed.item.degraded_reasons.contains(&DegradedReason::ToolFailed);
        let failed_tools =
            if has_failed { failed_tools::of_session(&mut tx, id).await? } else { Vec::new() };
        let SessionVerdict { verdict, failure } = verdicts::of_session(&mut tx, id).await?;
        let triage_entries = triage::count(&mut tx, id).await?;
        let actions = actions::of_session(&mut tx, id).await?;
        let scoring = scores::read::last(&mut tx, id).await?;
        let last_event = events::last(&mut tx, id).await?.unwrap_or_default();
        tx.commit().await?;
        Ok(Some(SessionDetail {
            item: listed.item,
            replay_of: session.replay_of,
            alert_data: session.alert_data,
            final_analysis: session.final_analysis,
            executive_summary_error: session.executive_summary_error,
            verdict,
            verdict_failure: failure,
            runbook_url: session.runbook_url,
            slack_message_fingerprint: session.slack_message_fingerprint,
            labels: session.fields.labels,
            seen_before: session.seen_before.unwrap_or_default(),
            recalled: session.recalled.unwrap_or_default(),
            changes: session.changes.unwrap_or_default().near,
            dependencies: session.dependencies.unwrap_or_default().near,
            actions,
            mcp_selection: session.mcp_selection,
            requested_provider: session.requested_provider,
            chat_enabled: session.settings.chat_enabled,
            chat_id: listed.chat_id,
            failed_stages: listed.failed_stages,
            budget: budget(session.settings.budget, most_cost, &usage),
            triage_entries,
            last_event,
            failed_tools,
            scoring,
            prices,
            stages,
        }))
    }

    /// A session in numbers, and what it found.
    #[tracing::instrument(name = "db.session.find_summary", skip_all)]
    pub async fn find_session_summary(
        &self,
        id: SessionId,
    ) -> Result<Option<SessionSummary>, Error> {
        let mut connection = self.pool.acquire().await?;
        let row = sqlx::query(
            "select (extract(epoch from (coalesce(completed_at, now()) - started_at)) * 1000)::bigint
                as duration_ms,
                final_analysis, executive_summary
             from alert_sessions where id = $1 and deleted_at is null",
        )
        .bind(id.uuid())
        .fetch_optional(&mut connection)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let cells = Cells::new(&row, "alert_sessions");
        let total_duration_ms = cells.get("duration_ms")?;
        let listed = items(&mut connection, &[id.uuid()]).await?.pop();
        let Some(Listed { item, failed_stages, .. }) = listed else { return Ok(None) };
        Ok(Some(SessionSummary {
            session_id: id,
            total_interactions: item.llm_interaction_count + item.mcp_interaction_count,
            llm_interactions: item.llm_interaction_count,
            mcp_interactions: item.mcp_interaction_count,
            input_tokens: item.input_tokens,
            output_tokens: item.output_tokens,
            total_tokens: item.total_tokens,
            tokens_estimated: item.tokens_estimated,
            cost_micro_usd: item.cost_micro_usd,
            unpriced_llm_calls: item.unpriced_llm_calls,
            total_duration_ms,
            chain_statistics: ChainStatistics {
                total_stages: item.total_stages,
                completed_stages: item.completed_stages,
                failed_stages,
                current_stage_index: item.current_stage_index,
            },
            final_analysis: cells.get("final_analysis")?,
            executive_summary: cells.get("executive_summary")?,
        }))
    }
}

/// Where the prices of the models that a session called come from, as its configuration has it.
async fn prices(
    connection: &mut Connection,
    id: SessionId,
    chain: Option<&ResolvedChain>,
) -> Result<Vec<ModelPrice>, Error> {
    let called: Vec<String> = sqlx::query_scalar(concat!(
        "select distinct provider from llm_interactions
         where session_id = $1 and provider is not null and ",
        is_of_model!(),
        " order by provider"
    ))
    .bind(id.uuid())
    .fetch_all(connection)
    .await?;
    let price = |name: &str| chain?.provider(name)?.price;
    Ok(called
        .into_iter()
        .map(|provider| {
            let price = price(&provider);
            let source = price.map_or(PriceSource::None, |price| price.source());
            ModelPrice { provider, source, list_day: price.and_then(|price| price.listed) }
        })
        .collect())
}

/// How much of each part of a budget is used.
fn budget(limits: Budget, most_cost: Option<u64>, usage: &Usage) -> BudgetUse {
    let part = |limit: u32, used| LimitUse { limit: limit.into(), used };
    BudgetUse {
        llm_calls: part(limits.llm_calls, usage.llm_calls),
        tokens: part(limits.tokens, usage.tokens),
        tool_calls: part(limits.tool_calls, usage.tool_calls),
        cost_micro_usd: most_cost.map(|limit| LimitUse {
            limit: i64::try_from(limit).unwrap_or(i64::MAX),
            used: usage.cost_micro_usd,
        }),
    }
}

/// A stage with those of the executions that are its own.
fn detail(stage: Stage, executions: &mut Vec<(StageId, ExecutionDetail)>) -> StageDetail {
    let own = executions.extract_if(.., |(id, _)| *id == stage.id);
    let executions = own.map(|(_, execution)| execution).collect();
    StageDetail {
        id: stage.id,
        stage_name: stage.stage_name,
        stage_index: stage.stage_index,
        chat_id: stage.chat_id,
        joins_stage_id: stage.joins_stage_id,
        status: stage.status,
        parallel_type: stage.parallel_type,
        expected_agent_count: stage.expected_agent_count,
        started_at: stage.started_at,
        completed_at: stage.completed_at,
        executions,
    }
}

async fn executions(
    connection: &mut Connection,
    session: SessionId,
    chain: Option<&ResolvedChain>,
) -> Result<Vec<(StageId, ExecutionDetail)>, Error> {
    sqlx::query(concat!(
        "select ",
        execution_columns!(),
        ",
            (extract(epoch from (e.completed_at - e.started_at)) * 1000)::bigint as duration_ms,
            coalesce(l.input, 0) as input_tokens, coalesce(l.output, 0) as output_tokens,
            coalesce(l.total, 0) as total_tokens,
            exists (select from llm_interactions i where i.session_id = $1 and i.execution_id = e.id and i.tokens_estimated)
                as tokens_estimated
         from agent_executions e
         join stages s on s.id = e.stage_id
         left join (
            select execution_id, sum(input_tokens)::bigint as input,
                sum(output_tokens)::bigint as output, sum(total_tokens)::bigint as total
            from llm_interactions where session_id = $1 group by execution_id
         ) l on l.execution_id = e.id
         left join agent_executions p on p.id = e.parent_execution_id
         left join agent_executions g on g.id = p.parent_execution_id
         left join agent_executions r on r.id = g.parent_execution_id
         where e.session_id = $1
         order by s.stage_index, array_remove(array[r.agent_index, g.agent_index, p.agent_index, e.agent_index], null)"
    ))
    .bind(session.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| execution(row, chain))
    .collect()
}

/// An execution, and the stage that it belongs to.
fn execution(
    row: &PgRow,
    chain: Option<&ResolvedChain>,
) -> Result<(StageId, ExecutionDetail), Error> {
    let cells = Cells::new(row, "agent_executions");
    let execution = rows::execution(row)?;
    let provider = execution.active_provider.as_deref().or(execution.llm_provider.as_deref());
    let is_by_rules =
        |name| chain.map_or(name == OFFLINE, |chain: &ResolvedChain| chain.is_by_rules(name));
    let by_rules = provider.is_some_and(is_by_rules);
    let detail = ExecutionDetail {
        by_rules,
        execution_id: execution.id,
        agent_name: execution.agent_name,
        agent_index: execution.agent_index,
        parent_execution_id: execution.parent_execution_id,
        task: execution.task,
        status: execution.status,
        iteration_strategy: execution.iteration_strategy,
        llm_provider: execution.llm_provider,
        active_provider: execution.active_provider,
        started_at: execution.started_at,
        completed_at: execution.completed_at,
        duration_ms: cells.get("duration_ms")?,
        error_message: execution.error_message,
        failure: execution.failure.map(FailureView::from),
        input_tokens: cells.get("input_tokens")?,
        output_tokens: cells.get("output_tokens")?,
        total_tokens: cells.get("total_tokens")?,
        tokens_estimated: cells.get("tokens_estimated")?,
    };
    Ok((execution.stage_id, detail))
}
