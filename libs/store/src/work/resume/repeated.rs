//! Calls that repeat an earlier one.

use std::time::Duration;

use serde_json::Value;
use tarsy_domain::id::{ExecutionId, InteractionId};

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// What is called, and with what.
#[derive(Clone, Copy, Debug)]
pub struct CalledTool<'a> {
    pub server_name: &'a str,
    pub tool_name: &'a str,
    pub arguments: &'a Value,
}

/// The last run of the same call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierCall {
    pub id: InteractionId,
    /// Its number in the session, from 1.
    pub number: i64,
    /// Whether its result still stands: it is no older than the window. In a replay, whether its original ran the call no more often.
    pub is_recent: bool,
    /// How often it has answered a call that repeats it.
    pub answered: i64,
}

impl Store {
    /// The last run of the same call by an execution, unless it failed. Arguments are the same whatever the order of their keys.
    #[tracing::instrument(name = "db.call.find_earlier", skip_all)]
    pub async fn find_earlier_call(
        &self,
        execution: ExecutionId,
        call: CalledTool<'_>,
        window: Duration,
    ) -> Result<Option<EarlierCall>, Error> {
        let row = sqlx::query(
            "with same as (
                select m.id, m.session_id, m.call_number, m.status, m.created_at, m.answered_from
                from mcp_interactions m
                where m.execution_id = $1 and m.interaction_type = 'tool_call' and m.server_name = $2
                    and m.tool_name = $3 and canonical_arguments(m.tool_arguments) = canonical_arguments($4)
             )
             select s.id, s.call_number,
                (select count(*) from same a where a.answered_from = s.call_number) as answered,
                case when o.origin = 'replay' then (
                    select count(*) from mcp_interactions m
                    where m.session_id = o.replay_of and m.interaction_type = 'tool_call' and m.status <> 'started'
                        and m.server_name = $2 and m.tool_name = $3 and m.answered_from is null
                        and canonical_arguments(m.tool_arguments) = canonical_arguments($4)
                ) <= (
                    select count(*) from mcp_interactions m
                    where m.session_id = s.session_id and m.interaction_type = 'tool_call'
                        and m.server_name = $2 and m.tool_name = $3 and m.answered_from is null
                        and canonical_arguments(m.tool_arguments) = canonical_arguments($4)
                ) else s.created_at > now() - make_interval(secs => $5) end as is_recent
             from same s join alert_sessions o on o.id = s.session_id
             where s.answered_from is null and s.status in ('started', 'completed')
             order by s.call_number desc limit 1",
        )
        .bind(execution.uuid())
        .bind(call.server_name)
        .bind(call.tool_name)
        .bind(call.arguments)
        .bind(window.as_secs_f64())
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| {
            let cells = Cells::new(&row, "mcp_interactions");
            Ok(EarlierCall {
                id: cells.id("id")?,
                number: cells.get("call_number")?,
                is_recent: cells.get("is_recent")?,
                answered: cells.get("answered")?,
            })
        })
        .transpose()
    }
}
