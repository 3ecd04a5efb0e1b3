//! The tools of which every call failed.

use tarsy_contracts::session::FailingTool;
use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::error::Error;

/// The tools of the investigation of a session of which every call failed: what follows `select …` of columns of the calls. Calls
/// that were refused, and those of questions, do not count.
macro_rules! failed_tools {
    ($session:literal) => {
        concat!(
            "from mcp_interactions m join stages s on s.id = m.stage_id
             where m.session_id = ",
            $session,
            " and s.chat_id is null and m.interaction_type = 'tool_call' and not m.refused_by_policy
             group by m.server_name, m.tool_name
             having bool_and(m.status in ('failed', 'unknown'))"
        )
    };
}

pub(crate) use failed_tools;

/// Those of a session, by name.
pub(crate) async fn of_session(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<FailingTool>, Error> {
    sqlx::query(concat!(
        "select m.server_name || '.' || m.tool_name as tool, count(*) as calls ",
        failed_tools!("$1"),
        " order by tool"
    ))
    .bind(session.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let cells = Cells::new(row, "mcp_interactions");
        Ok(FailingTool { tool: cells.get("tool")?, calls: cells.get("calls")? })
    })
    .collect()
}
