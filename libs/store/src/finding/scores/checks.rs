//! What code counts of an investigation, without the questions about it.

use tarsy_domain::id::SessionId;
use tarsy_domain::score::{Part, ScoreChecks};

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

impl Store {
    /// What is counted of a session for its score.
    #[tracing::instrument(name = "db.score.checks", skip_all)]
    pub async fn find_score_checks(&self, session: SessionId) -> Result<ScoreChecks, Error> {
        let row = sqlx::query(
            "select coalesce(s.claims, 0) as claims, coalesce(s.claims, 0) - coalesce(s.verified_claims, 0) as unbacked,
                s.degraded_reasons && array['budget_used_up'] as budget_used_up, m.calls, m.failed, m.repeated,
                m.seen > 0 or exists (
                    select from timeline_events t join stages g on g.id = t.stage_id
                    where t.session_id = s.id and g.chat_id is null
                        and t.event_type in ('code_execution', 'google_search_result', 'url_context_result')
                ) as looked
             from alert_sessions s cross join lateral (
                select count(*)::integer as calls, count(*) filter (where c.status = 'failed')::integer as failed,
                    count(*) filter (where c.answered_from is not null)::integer as repeated,
                    -- What TARSy answers itself is from memory, skills and reports of others.
                    count(*) filter (where c.status = 'completed' and c.server_name <> 'tarsy') as seen
                from mcp_interactions c left join stages g on g.id = c.stage_id
                where c.session_id = s.id and c.interaction_type = 'tool_call' and g.chat_id is null
             ) m where s.id = $1",
        )
        .bind(session.uuid())
        .fetch_optional(&self.pool)
        .await?
        .ok_or(Error::NotFound { what: "session" })?;
        let cells = Cells::new(&row, "alert_sessions");
        let count = |column: &str| -> Result<u32, Error> {
            Ok(u32::try_from(cells.get::<i32>(column)?).unwrap_or_default())
        };
        let made = count("calls")?;
        Ok(ScoreChecks {
            claims: Part { count: count("unbacked")?, of: count("claims")? },
            failed: Part { count: count("failed")?, of: made },
            repeated: Part { count: count("repeated")?, of: made },
            budget_used_up: cells.get("budget_used_up")?,
            looked: cells.get("looked")?,
        })
    }
}
