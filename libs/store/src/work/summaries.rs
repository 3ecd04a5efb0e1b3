//! Summaries of large tool results: asked for by a session's owner, made by a summarizer that holds
//! a lease of its own.
//!
//! Whoever writes an event of the session locks `session_control` first and the summary second.

pub(crate) mod owner;
pub(crate) mod work;

use serde_json::json;
use tarsy_contracts::event::Committed;
use tarsy_contracts::timeline::EndTimelineEvent;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{SessionId, SummaryId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;

use crate::database::cells::Cells;
use crate::database::numbers;
use crate::database::pool::Connection;
use crate::error::Error;
use crate::record::batch::op::Op;
use crate::record::batch::plan::Plan;
use crate::record::events;

/// What the calls of models for a summary used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SummaryUsage {
    pub llm_calls: i64,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub total_tokens: i64,
    /// In millionths of a US dollar; calls without a price count as nothing.
    pub cost_micro_usd: i64,
}

impl SummaryUsage {
    /// What the calls among these operations used; a call whose provider counts no tokens is counted, too.
    pub(crate) fn of(ops: &[Op]) -> Self {
        let mut sum = Self::default();
        for op in ops {
            let Op::LlmInteraction(call) = op else { continue };
            sum.llm_calls += 1;
            sum.input_tokens += i64::from(call.input_tokens.unwrap_or_default());
            sum.output_tokens += i64::from(call.output_tokens.unwrap_or_default());
            sum.total_tokens += i64::from(call.total_tokens.unwrap_or_default());
            sum.cost_micro_usd += call.cost_micro_usd.unwrap_or_default();
        }
        sum
    }
}

/// Writes operations of a session whose control row is locked.
pub(crate) async fn write(
    tx: &mut Connection,
    session: SessionId,
    ops: &[Op],
) -> Result<Vec<Committed>, Error> {
    if ops.is_empty() {
        return Ok(Vec::new());
    }
    for op in ops {
        op.check()?;
    }
    let plan = Plan::of(session, ops)?;
    let numbers = numbers::take_unfenced(tx, session, plan.events(), plan.places()).await?;
    let committed = plan.write(tx, session, numbers).await?;
    events::insert(tx, session, &committed).await?;
    Ok(committed)
}

/// What ends the event that an attempt left streaming, if one did.
async fn left_of(tx: &mut Connection, id: SummaryId) -> Result<Vec<Op>, Error> {
    let row = sqlx::query(
        "select t.id, t.content
         from summaries u join timeline_events t on t.id = u.timeline_event_id
         where u.id = $1 and t.status = 'streaming'",
    )
    .bind(id.uuid())
    .fetch_optional(tx)
    .await?;
    let Some(row) = row else { return Ok(Vec::new()) };
    let cells = Cells::new(&row, "timeline_events");
    Ok(vec![Op::CloseEvent(EndTimelineEvent {
        id: cells.id::<TimelineEventId>("id")?,
        kind: TimelineKind::McpToolSummary,
        status: TimelineStatus::Failed,
        content: cells.text("content")?,
        metadata: Some(json!({"interrupted": true})),
    })])
}
