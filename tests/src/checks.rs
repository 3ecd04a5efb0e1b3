//! What must hold after every session, whatever happened to it.

use anyhow::ensure;
use sqlx::Row as _;

use crate::stack::Stack;
use crate::viewer::Viewer;

/// Nothing is left open, no number is missing, and the viewer saw each event once and in order.
pub async fn record_is_whole(stack: &Stack, session: &str, viewer: &Viewer) -> anyhow::Result<()> {
    let mut sql = stack.sql().await?;
    let row = sqlx::query(
        "select (select count(*) from timeline_events where session_id = s.id \
                 and status = 'streaming') as streaming, \
         (select count(*) from stages where session_id = s.id \
                 and status in ('pending', 'active')) as stages, \
         (select count(*) from agent_executions where session_id = s.id \
                 and status in ('pending', 'active')) as executions, \
         (select count(*) from events where session_id = s.id) as events, \
         (select coalesce(max(seq), 0) from events where session_id = s.id) as last, \
         (select event_seq from session_control where session_id = s.id) as counter \
         from alert_sessions s where s.id = $1::uuid",
    )
    .bind(session)
    .fetch_one(&mut sql)
    .await?;
    ensure!(row.get::<i64, _>("streaming") == 0, "timeline events are left streaming");
    ensure!(row.get::<i64, _>("stages") == 0, "stages are left open");
    ensure!(row.get::<i64, _>("executions") == 0, "executions are left open");
    let (events, last): (i64, i64) = (row.get("events"), row.get("last"));
    ensure!(events == last, "{events} events, the last has number {last}: there is a gap");
    ensure!(row.get::<i64, _>("counter") == last, "the counter and the events differ");

    let seen = viewer.numbers();
    let all: Vec<i64> = (1..=last).collect();
    ensure!(seen == all, "of {last} events the viewer saw {seen:?}");
    Ok(())
}
