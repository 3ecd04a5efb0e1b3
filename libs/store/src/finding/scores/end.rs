//! The end of a score: its number, or why there is none.

use tarsy_contracts::score::MissingTool;
use tarsy_domain::score::{ScoreFailure, combined};

use super::{ScoreFence, days, read};
use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::error::Error;

/// Gives a score its number, which is the session's from then on.
pub(super) async fn complete(
    tx: &mut Connection,
    fence: ScoreFence,
    tools: &Result<Vec<MissingTool>, ScoreFailure>,
) -> Result<u8, Error> {
    let row = sqlx::query(
        "select model_score, claims, unbacked_claims, calls, failed_calls, repeated_calls, budget_used_up, looked
         from scores where id = $1 and model_score is not null and checks_score is not null",
    )
    .bind(fence.score_id.uuid())
    .fetch_optional(&mut *tx)
    .await?
    .ok_or(Error::Inconsistent { table: "scores" })?;
    let model = u8::try_from(Cells::new(&row, "scores").get::<i16>("model_score")?);
    let model = model.map_err(|_| Error::Inconsistent { table: "scores" })?;
    let score = combined(model, &read::checks(&row)?);
    sqlx::query(
        "update scores
         set status = 'completed', score = $2, tools_failure = $3, finished_at = now(), owner_id = null, lease_expires_at = null
         where id = $1",
    )
    .bind(fence.score_id.uuid())
    .bind(i16::from(score))
    .bind(tools.as_ref().err().map(|failure| failure.as_str()))
    .execute(&mut *tx)
    .await?;
    if let Ok(tools) = tools {
        insert_tools(tx, fence, tools).await?;
    }
    set_current(tx, fence, score).await?;
    Ok(score)
}

async fn insert_tools(
    tx: &mut Connection,
    fence: ScoreFence,
    tools: &[MissingTool],
) -> Result<(), Error> {
    if tools.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let reasons: Vec<&str> = tools.iter().map(|tool| tool.why.as_str()).collect();
    sqlx::query(
        "insert into score_tools (score_id, ordinal, name, why)
         select $1, t.ordinal, t.name, t.why from unnest($2::text[], $3::text[]) with ordinality as t (name, why, ordinal)",
    )
    .bind(fence.score_id.uuid())
    .bind(names)
    .bind(reasons)
    .execute(tx)
    .await?;
    Ok(())
}

/// The session has this score, and the sums of its day.
async fn set_current(tx: &mut Connection, fence: ScoreFence, score: u8) -> Result<(), Error> {
    let session = fence.session_id;
    let before: Option<i16> =
        sqlx::query_scalar("select score from alert_sessions where id = $1 for no key update")
            .bind(session.uuid())
            .fetch_one(&mut *tx)
            .await?;
    sqlx::query("update alert_sessions set score = $2, score_id = $3 where id = $1")
        .bind(session.uuid())
        .bind(i16::from(score))
        .bind(fence.score_id.uuid())
        .execute(&mut *tx)
        .await?;
    days::replace(tx, session, before, i16::from(score)).await
}

/// Ends a score without a number.
pub(super) async fn fail(
    tx: &mut Connection,
    fence: ScoreFence,
    failure: ScoreFailure,
) -> Result<(), Error> {
    sqlx::query(
        "update scores
         set status = 'failed', failure = $2, finished_at = now(), owner_id = null, lease_expires_at = null
         where id = $1",
    )
    .bind(fence.score_id.uuid())
    .bind(failure.as_str())
    .execute(tx)
    .await?;
    Ok(())
}
