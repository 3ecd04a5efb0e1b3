//! Runs of schedules. Their rows are the timer, so that it outlives every process; of several instances the first one that writes
//! the row of a time begins its session.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tarsy_contracts::event::Committed;
use tarsy_contracts::schedule::ScheduleRun;
use tarsy_domain::schedule::ScheduleRunOutcome;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::session::new_sessions::{self, insert_pending};
use crate::session::sessions::NewSession;

/// The most runs of a schedule that are listed.
const LISTED: i64 = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownSchedule {
    pub name: String,
    pub cron: String,
    pub time_zone: String,
    pub is_suspended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleState {
    pub name: String,
    /// The database's time.
    pub now: Timestamp,
    /// Times before this were not missed.
    pub since: Timestamp,
    /// The newest time with a row.
    pub last_due: Option<Timestamp>,
    /// The session of the newest run that started has not ended.
    pub is_running: bool,
}

/// A time of a schedule that has passed, or a run that a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewScheduleRun {
    pub schedule: String,
    /// None is now.
    pub due_at: Option<Timestamp>,
    pub outcome: ScheduleRunOutcome,
    pub requested_by: Option<String>,
    /// Which results are sent, as the configuration has it.
    pub notify: &'static str,
}

const REGISTER: &str = "
    with gone as (
        update schedules set removed_at = now() where removed_at is null and name <> all($1)
    )
    insert into schedules as s (name, cron, time_zone, suspended)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::bool[])
    on conflict (name) do update
    set cron = excluded.cron, time_zone = excluded.time_zone, suspended = excluded.suspended, removed_at = null,
        since = case
            when (s.cron, s.time_zone, s.suspended)
                    is distinct from (excluded.cron, excluded.time_zone, excluded.suspended)
                or s.removed_at < now() - interval '1 hour' then now()
            else s.since
        end
    where s.removed_at is not null
        or (s.cron, s.time_zone, s.suspended)
            is distinct from (excluded.cron, excluded.time_zone, excluded.suspended)";

const STATES: &str = "
    select s.name, now() as now, s.since,
        (select max(r.due_at) from schedule_runs r where r.schedule = s.name and r.requested_by is null) as last_due,
        exists (
            select from (
                select r.session_id from schedule_runs r
                where r.schedule = s.name and r.outcome = 'started'
                order by r.due_at desc limit 1
            ) l join alert_sessions a on a.id = l.session_id
            where a.completed_at is null and a.deleted_at is null
        ) as is_running
    from schedules s where s.name = any($1)";

const RUNS: &str = "
    select n.name, r.due_at, r.outcome, r.requested_by, s.id as session_id, s.status, v.outcome as verdict, v.cause
    from unnest($1::text[]) as n (name)
        cross join lateral (
            select * from schedule_runs where schedule = n.name order by due_at desc limit $2
        ) r
        left join alert_sessions s on s.id = r.session_id and s.deleted_at is null
        left join verdicts v on v.id = s.verdict_id
    order by n.name, r.due_at desc";

impl Store {
    /// Notes which schedules the configuration has. One with another expression begins anew, and so does one that is resumed,
    /// or that was gone for an hour.
    #[tracing::instrument(name = "db.schedule.register", skip_all)]
    pub async fn register_schedules(&self, known: &[KnownSchedule]) -> Result<(), Error> {
        let of = |part: fn(&KnownSchedule) -> &str| known.iter().map(part).collect::<Vec<_>>();
        sqlx::query(REGISTER)
            .bind(of(|one| &one.name))
            .bind(of(|one| &one.cron))
            .bind(of(|one| &one.time_zone))
            .bind(known.iter().map(|one| one.is_suspended).collect::<Vec<_>>())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// What is known of these schedules; nothing of one that is not registered.
    #[tracing::instrument(name = "db.schedule.states", skip_all)]
    pub async fn schedule_states(&self, names: &[String]) -> Result<Vec<ScheduleState>, Error> {
        let rows = sqlx::query(STATES).bind(names).fetch_all(&self.pool).await?;
        let read = |row| {
            let cells = Cells::new(row, "schedules");
            Ok(ScheduleState {
                name: cells.text("name")?,
                now: cells.time("now")?,
                since: cells.time("since")?,
                last_due: cells.maybe_time("last_due")?,
                is_running: cells.get("is_running")?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// Writes down what became of a time, with the session that begins; none if another instance did it before.
    #[tracing::instrument(name = "db.schedule.add_run", skip_all)]
    pub async fn add_schedule_run(
        &self,
        mut run: NewScheduleRun,
        mut session: Option<NewSession>,
    ) -> Result<Option<Vec<Committed>>, Error> {
        encode::clean(&mut run.schedule);
        encode::clean_maybe(&mut run.requested_by);
        session.iter_mut().for_each(new_sessions::clean);
        retrying!(Box::pin(self.add_schedule_run_once(&run, session.as_ref())))
    }

    async fn add_schedule_run_once(
        &self,
        run: &NewScheduleRun,
        session: Option<&NewSession>,
    ) -> Result<Option<Vec<Committed>>, Error> {
        let mut tx = self.pool.begin().await?;
        let due_at: Option<jiff_sqlx::Timestamp> = sqlx::query_scalar(
            "insert into schedule_runs (schedule, due_at, outcome, requested_by, notify)
             values ($1, coalesce($2, clock_timestamp()), $3, $4, $5)
             on conflict (schedule, due_at) do nothing returning due_at",
        )
        .bind(&run.schedule)
        .bind(run.due_at.map(jiff_sqlx::Timestamp::from))
        .bind(run.outcome.as_str())
        .bind(&run.requested_by)
        .bind(run.notify)
        .fetch_optional(&mut *tx)
        .await?;
        let Some(due_at) = due_at else { return Ok(None) };
        let Some(session) = session else {
            tx.commit().await?;
            return Ok(Some(Vec::new()));
        };
        let events = insert_pending(&mut tx, &self.snapshots, session).await?;
        sqlx::query("update schedule_runs set session_id = $3 where schedule = $1 and due_at = $2")
            .bind(&run.schedule)
            .bind(due_at)
            .bind(session.id.uuid())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(Some(events.unwrap_or_default()))
    }

    /// The newest runs of these schedules.
    #[tracing::instrument(name = "db.schedule.list_runs", skip_all)]
    pub async fn list_schedule_runs(
        &self,
        names: &[String],
    ) -> Result<BTreeMap<String, Vec<ScheduleRun>>, Error> {
        let rows = sqlx::query(RUNS).bind(names).bind(LISTED).fetch_all(&self.pool).await?;
        let mut runs = BTreeMap::<String, Vec<ScheduleRun>>::new();
        for row in &rows {
            let cells = Cells::new(row, "schedule_runs");
            runs.entry(cells.text("name")?).or_default().push(ScheduleRun {
                due_at: cells.time("due_at")?,
                outcome: cells.word("outcome")?,
                requested_by: cells.maybe_text("requested_by")?,
                session_id: cells.maybe_id("session_id")?,
                status: cells.maybe_word("status")?,
                verdict: cells.maybe_text("verdict")?,
                cause: cells.maybe_text("cause")?,
            });
        }
        Ok(runs)
    }
}
