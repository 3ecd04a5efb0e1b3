//! Calls that change something: their plans, their outcomes, and their rollbacks, which people begin.

mod rollback;
mod taken;

use std::time::Duration;

use serde::Deserialize;
use sqlx::postgres::PgRow;
use tarsy_contracts::action::{
    Action, ActionCheck, ActionPlan, DryRun, Expectation, PlannedCall, ReadingBefore, Rollback,
};
use tarsy_domain::action::{ActionOutcome, ActionState, ExpectationKind};
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::{ActionId, CallId, ExecutionId, SessionId};

pub use self::rollback::{RollbackOutcome, RollbackTurn};
pub(crate) use self::taken::NewRollback;
pub(crate) use self::taken::rollback_began;
use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// The columns of a plan and of its dry run, of a table with this name in a statement.
macro_rules! plan_columns {
    ($of:literal) => {
        concat!(
            $of,
            ".effect, ",
            $of,
            ".check_server, ",
            $of,
            ".check_tool, ",
            $of,
            ".check_arguments, ",
            $of,
            ".expected_pointer, ",
            $of,
            ".expected_kind, ",
            $of,
            ".expected_value, ",
            $of,
            ".rollback_server, ",
            $of,
            ".rollback_tool, ",
            $of,
            ".rollback_arguments, ",
            $of,
            ".rollback_pointer, ",
            $of,
            ".rollback_kind, ",
            $of,
            ".rollback_value, ",
            $of,
            ".dry_run, ",
            $of,
            ".dry_run_failed"
        )
    };
}

macro_rules! columns {
    () => {
        concat!(
            "x.id, x.call_id, ",
            plan_columns!("x"),
            ", x.rolls_back, x.planned_at, x.made_at, x.ended_at, x.outcome, x.reason, x.observed, x.check_number,
                x.before_number, x.before_observed, x.before_shows_effect,
                x.alert_statement, x.alert_answer, case when ",
            rollback_began!("x"),
            " then x.rollback_by end as rollback_by"
        )
    };
}

pub(crate) use plan_columns;

/// What became of the actions of a session, of a table with this name in a statement, for a message.
macro_rules! results {
    ($of:literal) => {
        concat!(
            "(select jsonb_agg(jsonb_build_object(
                'tool', concat(m.server_name, '.', m.tool_name), 'outcome', r.outcome, 'before', r.before_observed,
                'after', r.observed, 'is_rollback', r.rolls_back is not null,
                'rollback', case when r.outcome = 'did_not_work' and r.rollback_tool is not null and m.status <> 'started'
                    and ",
            $of,
            ".status in ('completed', 'failed', 'timed_out') and ",
            $of,
            ".origin = 'alert' and not ",
            rollback_began!("r"),
            " then jsonb_build_object('action_id', r.id, 'call', jsonb_build_object(
                    'server_name', r.rollback_server, 'tool_name', r.rollback_tool, 'arguments', r.rollback_arguments)) end
                ) order by r.planned_at, r.id)
             from actions r join mcp_interactions m using (call_id)
             where r.session_id = ",
            $of,
            ".id and r.outcome is not null)"
        )
    };
}

pub(crate) use results;

/// What became of an action, for a message.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ActionResult {
    /// `server.tool`.
    pub tool: String,
    pub outcome: ActionOutcome,
    /// The values that its check found before and after, as much as is kept.
    pub before: Option<String>,
    pub after: Option<String>,
    pub is_rollback: bool,
    /// Its rollback, if it did not work and a person may begin it.
    pub rollback: Option<OfferedRollback>,
}

/// The call by which a person may have an action taken back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OfferedRollback {
    pub action_id: ActionId,
    pub call: PlannedCall,
}

/// An action that has no outcome yet, as its owner continues it.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenAction {
    pub action: Action,
    /// Since the end of its call was stored; none before.
    pub since_made: Option<Duration>,
}

impl Store {
    /// The actions of a session, the oldest first.
    #[tracing::instrument(name = "db.action.list", skip_all)]
    pub async fn list_actions(&self, session: SessionId) -> Result<Vec<Action>, Error> {
        of_session(&mut self.pool.acquire().await?, session).await
    }

    /// The action of a call; none of a call that was not planned as one.
    #[tracing::instrument(name = "db.action.find", skip_all)]
    pub async fn find_action(&self, call: CallId) -> Result<Option<OpenAction>, Error> {
        let row = sqlx::query(concat!(
            "select ",
            columns!(),
            ", m.server_name, m.tool_name, m.tool_arguments, m.call_number, m.status as call_status, a.id as approval_id,
                s.status in ('completed', 'failed', 'timed_out') and s.origin = 'alert' as is_terminal,
                extract(epoch from (now() - x.made_at))::float8 as since_made
             from actions x
                join alert_sessions s on s.id = x.session_id
                join mcp_interactions m on m.call_id = x.call_id
                left join tool_approvals a on a.call_id = x.call_id
             where x.call_id = $1"
        ))
        .bind(call.uuid())
        .fetch_optional(&self.pool)
        .await?;
        let read = |row: &PgRow| {
            let since: Option<f64> = Cells::new(row, "actions").get("since_made")?;
            let since_made =
                since.map(|since| Duration::try_from_secs_f64(since).unwrap_or_default());
            Ok(OpenAction { action: read(row)?, since_made })
        };
        row.as_ref().map(read).transpose()
    }

    #[tracing::instrument(name = "db.action.list_calls", skip_all)]
    pub async fn list_action_calls(&self, execution: ExecutionId) -> Result<Vec<CallId>, Error> {
        let ids: Vec<uuid::Uuid> =
            sqlx::query_scalar("select call_id from actions where execution_id = $1")
                .bind(execution.uuid())
                .fetch_all(&self.pool)
                .await?;
        Ok(ids.into_iter().map(CallId::from).collect())
    }
}

/// The actions of a session, the oldest first.
pub(crate) async fn of_session(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<Action>, Error> {
    sqlx::query(concat!(
        "select ",
        columns!(),
        ", m.server_name, m.tool_name, m.tool_arguments, m.call_number, m.status as call_status, a.id as approval_id,
            s.status in ('completed', 'failed', 'timed_out') and s.origin = 'alert' as is_terminal
         from actions x
            join alert_sessions s on s.id = x.session_id
            join mcp_interactions m on m.call_id = x.call_id
            left join tool_approvals a on a.call_id = x.call_id
         where x.session_id = $1 order by x.planned_at, x.id"
    ))
    .bind(session.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

/// Ends the actions of a session that ends: of a call that may have been made the outcome is unknown.
pub(crate) async fn close(tx: &mut Connection, session: SessionId) -> Result<(), Error> {
    sqlx::query(
        "update actions x
         set ended_at = now(),
            outcome = case when x.made_at is not null or a.decision = 'approved' and a.closed_at is not null
                then 'unknown' end,
            reason = case when x.made_at is not null or a.decision = 'approved' and a.closed_at is not null
                then 'the session ended before its effect was checked' else 'the session ended before it was made' end
         from actions o left join tool_approvals a on a.call_id = o.call_id
         where o.id = x.id and x.session_id = $1 and x.ended_at is null",
    )
    .bind(session.uuid())
    .execute(tx)
    .await?;
    Ok(())
}

/// The plan of a call; none of one that is no action.
pub(crate) fn maybe_plan(cells: &Cells<'_>) -> Result<Option<ActionPlan>, Error> {
    let has_plan = cells.maybe_text("effect")?.is_some();
    has_plan.then(|| plan(cells)).transpose()
}

fn plan(cells: &Cells<'_>) -> Result<ActionPlan, Error> {
    let check = match call(cells, ["check_server", "check_tool", "check_arguments"])? {
        Some(call) => {
            let of = ["expected_pointer", "expected_kind", "expected_value"];
            expectation(cells, of)?.map(|expected| ActionCheck { call, expected })
        }
        None => None,
    };
    let rollback = match call(cells, ["rollback_server", "rollback_tool", "rollback_arguments"])? {
        Some(call) => {
            let of = ["rollback_pointer", "rollback_kind", "rollback_value"];
            Some(Rollback { call, expected: expectation(cells, of)? })
        }
        None => None,
    };
    Ok(ActionPlan { effect: cells.text("effect")?, check, rollback })
}

fn call(cells: &Cells<'_>, of: [&str; 3]) -> Result<Option<PlannedCall>, Error> {
    let [server, tool, arguments] = of;
    let Some(server_name) = cells.maybe_text(server)? else { return Ok(None) };
    let (tool_name, arguments) = (cells.text(tool)?, cells.get(arguments)?);
    Ok(Some(PlannedCall { server_name, tool_name, arguments }))
}

fn expectation(cells: &Cells<'_>, of: [&str; 3]) -> Result<Option<Expectation>, Error> {
    let [pointer, kind, value] = of;
    let Some(kind) = cells.maybe_word::<ExpectationKind>(kind)? else { return Ok(None) };
    Ok(Some(Expectation { pointer: cells.maybe_text(pointer)?, kind, value: cells.get(value)? }))
}

pub(crate) fn dry_run(cells: &Cells<'_>) -> Result<Option<DryRun>, Error> {
    let Some(result) = cells.maybe_text("dry_run")? else { return Ok(None) };
    let failed: Option<bool> = cells.get("dry_run_failed")?;
    Ok(Some(DryRun { result, failed: failed.unwrap_or_default() }))
}

fn before(cells: &Cells<'_>) -> Result<Option<ReadingBefore>, Error> {
    let Some(call_number) = cells.get("before_number")? else { return Ok(None) };
    Ok(Some(ReadingBefore {
        call_number,
        observed: cells.maybe_text("before_observed")?,
        shows_effect: cells.get("before_shows_effect")?,
    }))
}

fn read(row: &PgRow) -> Result<Action, Error> {
    let cells = Cells::new(row, "actions");
    let outcome: Option<ActionOutcome> = cells.maybe_word("outcome")?;
    let ended_at = cells.maybe_time("ended_at")?;
    let state = match (ended_at, outcome) {
        (None, _) => ActionState::Open,
        (Some(_), None) => ActionState::NotMade,
        (Some(_), Some(_)) => ActionState::Ended,
    };
    let plan = plan(&cells)?;
    let rollback_by = cells.maybe_text("rollback_by")?;
    let is_terminal: bool = cells.get("is_terminal")?;
    let status: CallStatus = cells.word("call_status")?;
    let may_roll_back = is_terminal
        && plan.rollback.is_some()
        && rollback_by.is_none()
        && state == ActionState::Ended
        && status != CallStatus::Started;
    let call = PlannedCall {
        server_name: cells.text("server_name")?,
        tool_name: cells.maybe_text("tool_name")?.unwrap_or_default(),
        arguments: cells.maybe_json("tool_arguments")?.unwrap_or_default(),
    };
    Ok(Action {
        id: cells.id("id")?,
        call_id: cells.id("call_id")?,
        call_number: cells.get("call_number")?,
        approval_id: cells.maybe_id("approval_id")?,
        call,
        plan,
        dry_run: dry_run(&cells)?,
        state,
        outcome,
        reason: cells.maybe_text("reason")?,
        before: before(&cells)?,
        observed: cells.maybe_text("observed")?,
        check_number: cells.get("check_number")?,
        alert_statement: cells.maybe_word("alert_statement")?,
        alert_answer: cells.maybe_text("alert_answer")?,
        rolls_back: cells.maybe_id("rolls_back")?,
        rollback_by,
        may_roll_back,
        planned_at: cells.time("planned_at")?,
        made_at: cells.maybe_time("made_at")?,
        ended_at,
    })
}
