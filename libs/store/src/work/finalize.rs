//! The one end of a session.

use serde_json::json;
use sqlx::postgres::PgRow;
use tarsy_contracts::event::{Body, Committed};
use tarsy_contracts::failure::Failure;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::{IllegalTransition, SessionStatus, TimelineStatus, WorkStatus};
use tarsy_domain::verdict::VerdictFailure;

use crate::database::cells::Cells;
use crate::database::numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::{Conflict, Error};
use crate::finding::claims::roll_up;
use crate::finding::scores::request;
use crate::record::events;
use crate::record::timeline::ended;
use crate::work::actions;
use crate::work::fence::Fence;
use crate::work::summaries::owner;

/// How a session ends. A text that is absent leaves what was written before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// Its end; terminal.
    pub status: SessionStatus,
    /// What was found, also when the end is not a good one.
    pub final_analysis: Option<String>,
    pub executive_summary: Option<String>,
    pub executive_summary_error: Option<String>,
    /// Why there is no verdict; ignored if there is one.
    pub verdict_failure: Option<VerdictFailure>,
    pub error_message: Option<String>,
    /// Why it failed, as facts.
    pub failure: Option<Failure>,
}

impl Store {
    /// Ends a session: status, texts, everything that is still open, the events that tell of it,
    /// and the lease, in one transaction. Afterwards the fence is worthless: a second end, or any
    /// late write, answers [`Error::Fenced`]. A session whose cancel was accepted ends as cancelled, whatever `end` says.
    #[tracing::instrument(name = "db.session.finalize", skip_all)]
    pub async fn finish_session(
        &self,
        fence: Fence,
        mut end: SessionEnd,
    ) -> Result<Vec<Committed>, Error> {
        for text in [
            &mut end.final_analysis,
            &mut end.executive_summary,
            &mut end.executive_summary_error,
            &mut end.error_message,
        ] {
            encode::clean_maybe(text);
        }
        encode::clean_failure(&mut end.failure);
        retrying!(Box::pin(self.finalize_once(fence, &end)))
    }

    async fn finalize_once(&self, fence: Fence, end: &SessionEnd) -> Result<Vec<Committed>, Error> {
        let session = fence.session_id;
        let mut tx = self.pool.begin().await?;
        numbers::take(&mut tx, fence, numbers::Wanted::default()).await?;
        let (status, error) = step(&mut tx, session, end).await?;
        let (events_end, work_end) = leftovers(status);
        let mut bodies = close_events(&mut tx, session, events_end).await?;
        actions::close(&mut tx, session).await?;
        close_executions(&mut tx, session, work_end, error).await?;
        bodies.extend(close_stages(&mut tx, session, work_end, error).await?);
        bodies.push(Body::SessionStatus { status });
        roll_up::set(&mut tx, session).await?;
        request::at_end(&mut tx, session).await?;
        let committed =
            events::number(session, &bodies, numbers::take_more(&mut tx, session, &bodies).await?)?;
        events::insert(&mut tx, session, &committed).await?;
        sqlx::query(
            "update session_control
             set owner_id = null, lease_expires_at = null, lease_epoch = lease_epoch + 1
             where session_id = $1",
        )
        .bind(session.uuid())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(committed)
    }
}

/// What becomes of the things that are still open. A session that completed leaves nothing open; if
/// it did, that broke off.
const fn leftovers(status: SessionStatus) -> (TimelineStatus, WorkStatus) {
    match status {
        SessionStatus::Cancelled => (TimelineStatus::Cancelled, WorkStatus::Cancelled),
        SessionStatus::TimedOut => (TimelineStatus::TimedOut, WorkStatus::TimedOut),
        SessionStatus::Pending
        | SessionStatus::InProgress
        | SessionStatus::Cancelling
        | SessionStatus::Completed
        | SessionStatus::Failed => (TimelineStatus::Failed, WorkStatus::Failed),
    }
}

/// Takes the session's last step; returns the status that it ends with, and its error.
async fn step<'a>(
    tx: &mut Connection,
    session: SessionId,
    end: &'a SessionEnd,
) -> Result<(SessionStatus, Option<&'a str>), Error> {
    let row = sqlx::query("select status from alert_sessions where id = $1 for no key update")
        .bind(session.uuid())
        .fetch_one(&mut *tx)
        .await?;
    let from: SessionStatus = Cells::new(&row, "alert_sessions").word("status")?;
    let (wanted, error, failure) = match from {
        // Whoever asked was answered that it will be cancelled.
        SessionStatus::Cancelling => (SessionStatus::Cancelled, None, None),
        _ => (end.status, end.error_message.as_deref(), end.failure.as_ref()),
    };
    let to = from.transition(wanted).map_err(Conflict::from)?;
    if !to.is_terminal() {
        let step = IllegalTransition { from: from.as_str(), to: to.as_str() };
        return Err(Conflict::Transition(step).into());
    }
    sqlx::query(
        "update alert_sessions
         set status = $2, completed_at = now(),
            final_analysis = coalesce($3, final_analysis),
            executive_summary = coalesce($4, executive_summary),
            executive_summary_error = coalesce($5, executive_summary_error),
            error_message = coalesce($6, error_message),
            verdict_failure = case when verdict_id is null then $7 end,
            failure = $8
         where id = $1",
    )
    .bind(session.uuid())
    .bind(to.as_str())
    .bind(&end.final_analysis)
    .bind(&end.executive_summary)
    .bind(&end.executive_summary_error)
    .bind(error)
    .bind(end.verdict_failure.map(VerdictFailure::as_str))
    .bind(failure.map(|failure| json!(failure)))
    .execute(tx)
    .await?;
    Ok((to, error))
}

pub(crate) async fn close_events(
    tx: &mut Connection,
    session: SessionId,
    status: TimelineStatus,
) -> Result<Vec<Body>, Error> {
    owner::end_all(tx, session).await?;
    sqlx::query(
        "with closed as (
            update timeline_events
            set status = $2, updated_at = now(), metadata = coalesce(metadata, '{}'::jsonb) || $3
            where session_id = $1 and status = 'streaming'
            returning id, event_type, content, metadata, sequence_number
         )
         select id, event_type, content, metadata from closed order by sequence_number",
    )
    .bind(session.uuid())
    .bind(status.as_str())
    .bind(json!({"interrupted": true}))
    .fetch_all(tx)
    .await?
    .iter()
    .map(|row| ended(row, status))
    .collect()
}

pub(crate) async fn close_executions(
    tx: &mut Connection,
    session: SessionId,
    status: WorkStatus,
    error: Option<&str>,
) -> Result<(), Error> {
    sqlx::query(
        "update agent_executions
         set status = $2, completed_at = now(), error_message = coalesce(error_message, $3)
         where session_id = $1 and status in ('pending', 'active')",
    )
    .bind(session.uuid())
    .bind(status.as_str())
    .bind(error)
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn close_stages(
    tx: &mut Connection,
    session: SessionId,
    status: WorkStatus,
    error: Option<&str>,
) -> Result<Vec<Body>, Error> {
    sqlx::query(
        "with closed as (
            update stages
            set status = $2, completed_at = now(), error_message = coalesce(error_message, $3)
            where session_id = $1 and status in ('pending', 'active')
            returning id, stage_name, stage_index
         )
         select id, stage_name, stage_index from closed order by stage_index",
    )
    .bind(session.uuid())
    .bind(status.as_str())
    .bind(error)
    .fetch_all(tx)
    .await?
    .iter()
    .map(|row| stage_ended(row, status))
    .collect()
}

fn stage_ended(row: &PgRow, status: WorkStatus) -> Result<Body, Error> {
    let cells = Cells::new(row, "stages");
    let (name, index) = (cells.text("stage_name")?, cells.get("stage_index")?);
    Ok(Body::stage(cells.id("id")?, &name, index, status))
}
