//! What the checks of a session come to.

use tarsy_domain::id::SessionId;

use crate::database::pool::Connection;
use crate::error::Error;
use crate::finding::claims::failed_tools::failed_tools;

/// Claims, verified ones and reasons of the session `$1`.
const ROLL_UP: &str = concat!(
    "with checked as (
            -- The newest check of an agent: the first conclusion may have been corrected.
            select distinct on (c.execution_id) c.claims, c.verified, c.failure, s.stage_index
            from claim_checks c
                left join agent_executions e on e.id = c.execution_id
                left join stages s on s.id = e.stage_id
            where c.session_id = $1 and c.text_kind <> 'chat_answer' and e.parent_execution_id is null
            order by c.execution_id, c.checked_at desc, c.id desc
         ), last as (
            select count(*) as texts, sum(claims)::integer as claims, sum(verified)::integer as verified,
                bool_or(failure is not null) as failed
            from checked
            where stage_index is null or stage_index = (select max(stage_index) from checked)
         ), looked as (
            select exists (
                    select 1 from mcp_interactions m join stages s on s.id = m.stage_id
                    where m.session_id = $1 and s.chat_id is null
                        and m.interaction_type = 'tool_call' and m.status = 'completed'
                ) or exists (
                    select 1 from timeline_events t join stages s on s.id = t.stage_id
                    where t.session_id = $1 and s.chat_id is null and t.event_type in
                        ('code_execution', 'google_search_result', 'url_context_result')
                ) as successful,
                exists (select 1 from agent_executions e join stages s on s.id = e.stage_id
                    where e.session_id = $1 and s.chat_id is null and e.unseen is not null) as unseen,
                exists (select 1 ",
    failed_tools!("$1"),
    ") as failed_tool,
                exists (select 1 from mcp_interactions m join stages s on s.id = m.stage_id
                    where m.session_id = $1 and s.chat_id is null
                        and m.interaction_type = 'tool_list' and m.status = 'failed') as unavailable,
                exists (
                    select 1 from timeline_events t left join stages s on s.id = t.stage_id
                    where t.session_id = $1 and s.chat_id is null and t.event_type = 'injected_instructions'
                ) as injected,
                exists (select 1 from agent_executions e join stages s on s.id = e.stage_id
                    where e.session_id = $1 and s.chat_id is null and e.conclusion_cause = 'iterations')
                    as without_iterations,
                exists (select 1 from agent_executions e join stages s on s.id = e.stage_id
                    where e.session_id = $1 and s.chat_id is null and e.conclusion_cause = 'budget')
                    as without_budget
         )
         update alert_sessions a
         set claims = last.claims, verified_claims = last.verified,
            degraded_reasons = array_remove(array[
                case when not looked.successful then 'no_successful_call' end,
                case when looked.unseen then 'no_tool_called' end,
                case when looked.successful and looked.failed_tool then 'tool_failed' end,
                case when looked.unavailable then 'tool_server_unavailable' end,
                case when last.verified < last.claims then 'unverified_claims' end,
                case when last.failed then 'not_checked' end,
                case when looked.injected then 'injected_instructions' end,
                case when looked.without_iterations then 'iterations_used_up' end,
                case when looked.without_budget then 'budget_used_up' end
            ], null)
         from last, looked where a.id = $1 and last.texts > 0"
);

/// Sets the session's claims, and why its findings need a second look: by the checks of its last stage with a
/// conclusion, and of the executive summary. Without any of them the session stays as it is.
pub(crate) async fn set(tx: &mut Connection, session: SessionId) -> Result<(), Error> {
    sqlx::query(ROLL_UP).bind(session.uuid()).execute(tx).await?;
    Ok(())
}
