//! Calls that change something.

use tarsy_contracts::action::ReadingBefore;
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::id::{ActionId, CallId, SessionId};

use crate::database::pool::Connection;
use crate::error::Error;
use crate::record::batch::action::{ActionEnd, ActionStep, NewAction};
use crate::record::batch::write_timeline::all;

/// Stores the steps of actions in their order.
pub(super) async fn write(
    tx: &mut Connection,
    session: SessionId,
    steps: &[&ActionStep],
) -> Result<(), Error> {
    for step in steps {
        match step {
            ActionStep::Plan(new) => plan(tx, session, new).await?,
            ActionStep::Read(call, before) => read(tx, (session, *call), before).await?,
            ActionStep::Made(call) => made(tx, session, *call).await?,
            ActionStep::End(end) => self::end(tx, session, end).await?,
        }
    }
    Ok(())
}

async fn plan(tx: &mut Connection, session: SessionId, new: &NewAction) -> Result<(), Error> {
    let (check, rollback) = (new.plan.check.as_ref(), new.plan.rollback.as_ref());
    let expected = check.map(|check| &check.expected);
    let (read, back) = (check.map(|check| &check.call), rollback.map(|rollback| &rollback.call));
    let restored = rollback.and_then(|rollback| rollback.expected.as_ref());
    sqlx::query(
        "insert into actions
            (id, session_id, execution_id, call_id, effect, check_server, check_tool, check_arguments, expected_pointer,
             expected_kind, expected_value, rollback_server, rollback_tool, rollback_arguments, rollback_definition,
             rollback_pointer, rollback_kind, rollback_value, dry_run, dry_run_failed, rolls_back)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)",
    )
    .bind(new.id.uuid())
    .bind(session.uuid())
    .bind(new.execution_id.uuid())
    .bind(new.call_id.uuid())
    .bind(&new.plan.effect)
    .bind(read.map(|call| call.server_name.as_str()))
    .bind(read.map(|call| call.tool_name.as_str()))
    .bind(read.map(|call| &call.arguments))
    .bind(expected.and_then(|one| one.pointer.as_deref()))
    .bind(expected.map(|one| one.kind.as_str()))
    .bind(expected.map(|one| &one.value))
    .bind(back.map(|call| call.server_name.as_str()))
    .bind(back.map(|call| call.tool_name.as_str()))
    .bind(back.map(|call| &call.arguments))
    .bind(&new.rollback_definition)
    .bind(restored.and_then(|one| one.pointer.as_deref()))
    .bind(restored.map(|one| one.kind.as_str()))
    .bind(restored.map(|one| &one.value))
    .bind(new.dry_run.as_ref().map(|run| run.result.as_str()))
    .bind(new.dry_run.as_ref().map(|run| run.failed))
    .bind(new.rolls_back.map(ActionId::uuid))
    .execute(tx)
    .await?;
    Ok(())
}

async fn read(
    tx: &mut Connection,
    (session, call): (SessionId, CallId),
    before: &ReadingBefore,
) -> Result<(), Error> {
    let done = sqlx::query(
        "update actions set before_number = $3, before_observed = $4, before_shows_effect = $5
         where call_id = $2 and session_id = $1 and before_number is null and made_at is null and ended_at is null",
    )
    .bind(session.uuid())
    .bind(call.uuid())
    .bind(before.call_number)
    .bind(&before.observed)
    .bind(before.shows_effect)
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "action")
}

async fn made(tx: &mut Connection, session: SessionId, call: CallId) -> Result<(), Error> {
    let done = sqlx::query(
        "update actions set made_at = coalesce(made_at, now()) where call_id = $2 and session_id = $1 and ended_at is null",
    )
    .bind(session.uuid())
    .bind(call.uuid())
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "action")
}

async fn end(tx: &mut Connection, session: SessionId, end: &ActionEnd) -> Result<(), Error> {
    let (statement, answer) = end.statement.as_ref().map_or((None, None), |(statement, answer)| {
        (Some(statement.as_str()), Some(answer.as_str()))
    });
    let done = sqlx::query(
        "update actions
         set ended_at = now(), outcome = $3, reason = $4, observed = $5, check_number = $6, alert_statement = $7,
            alert_answer = $8
         where call_id = $2 and session_id = $1 and ended_at is null",
    )
    .bind(session.uuid())
    .bind(end.call_id.uuid())
    .bind(end.outcome.map(ActionOutcome::as_str))
    .bind(&end.reason)
    .bind(&end.observed)
    .bind(end.check_number)
    .bind(statement)
    .bind(answer)
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "action")
}
