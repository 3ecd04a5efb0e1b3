//! The sums of scores of each day.

use tarsy_domain::id::SessionId;
use tarsy_domain::score::FAIR;

use crate::database::pool::Connection;
use crate::error::Error;

/// Counts a session's score on the day of the session, in place of the one before.
pub(super) async fn replace(
    tx: &mut Connection,
    session: SessionId,
    before: Option<i16>,
    score: i16,
) -> Result<(), Error> {
    let low = |score: i16| i64::from(score < i16::from(FAIR));
    // Rows are locked in one order, whoever comes at the same time.
    sqlx::query(
        "with counted as (
            select s.id, s.chain_id, (s.created_at at time zone 'utc')::date as day from alert_sessions s where s.id = $1
         ), took_part as (
            select e.agent_name, coalesce(e.active_provider, e.llm_provider) as provider
            from agent_executions e join stages g on g.id = e.stage_id
            where e.session_id = $1 and g.chat_id is null
         ), named as (
            select 'all' as dimension, '' as name
            union select 'chain', chain_id from counted
            union select 'agent', agent_name from took_part
            union select 'provider', provider from took_part where provider is not null
         )
         insert into score_days as d (day, dimension, name, sessions, total, low)
         select c.day, n.dimension, n.name, $2, $3, $4 from counted c cross join named n
         order by c.day, n.dimension, n.name
         on conflict (day, dimension, name) do update
         set sessions = d.sessions + excluded.sessions, total = d.total + excluded.total, low = d.low + excluded.low",
    )
    .bind(session.uuid())
    .bind(i64::from(before.is_none()))
    .bind(i64::from(score) - before.map_or(0, i64::from))
    .bind(low(score) - before.map_or(0, low))
    .execute(tx)
    .await?;
    Ok(())
}
