//! What came again and again in a week. Findings are read from the sessions themselves, so that reviews, deletions and removed
//! texts count at once; calls of tools are those of the hours of the overview.

use jiff::{SignedDuration, Timestamp};
use sqlx::postgres::PgRow;
use tarsy_contracts::prevention::{NeedlessAlert, UnreadSource};
use tarsy_domain::id::SessionId;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;
use crate::figures::overview;

/// Rows of a table of the answer.
const MAX_ROWS: i64 = 20;
/// Groups of causes before those of the pods of a workload become one: as many as there are sessions at most.
const MAX_GROUPS: i64 = 40_000;
/// How far the clock that gave a session its id may be from that of the database.
const CLOCK_SLACK: SignedDuration = SignedDuration::from_hours(1);

/// Whole hours. The time before it is as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreventionPeriod {
    pub before: Timestamp,
    pub from: Timestamp,
    pub to: Timestamp,
}

/// What came again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreventionRows {
    pub totals: SessionTotals,
    /// The most frequent first.
    pub causes: Vec<CauseRow>,
    /// The most frequent first.
    pub alerts: Vec<NeedlessAlert>,
    /// The most failed calls first.
    pub tools: Vec<ToolRow>,
    /// The most requests first.
    pub sources: Vec<UnreadSource>,
}

/// Sessions of alerts that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionTotals {
    pub now: i64,
    pub before: i64,
    /// Further ones are not looked at.
    pub is_cut: bool,
}

/// Sessions with one kind of cause in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseRow {
    pub category: String,
    pub object_kind: String,
    pub object: String,
    pub namespace: Option<String>,
    /// That of the newest session.
    pub cause: String,
    pub now: i64,
    pub before: i64,
    pub reviewed: i64,
    pub actions: i64,
    pub actions_worked: i64,
    pub last_at: Timestamp,
    pub last_session_id: SessionId,
}

/// The calls of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRow {
    pub server: String,
    pub tool: String,
    pub calls: i64,
    pub failed: i64,
    pub calls_before: i64,
    pub failed_before: i64,
    pub last: Option<LastError>,
}

/// The last call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    pub session_id: SessionId,
    pub message: String,
}

/// The newest sessions of alerts of the period from `$2` to `$3` and of that from `$1`: 20,000 of each, so that the statement has an
/// end. Of these, `found` has the cause that counts: what a reviewer wrote stands above the verdict, and a finding that is wrong has
/// none but that.
macro_rules! sessions {
    () => {
        "with week as materialized (
            (select s.id, s.created_at, s.verdict_id, s.review_id, s.fingerprint, s.alert_type, s.title, true as is_now
             from alert_sessions s
             where s.created_at >= $2 and s.created_at < $3 and s.deleted_at is null and s.origin = 'alert'
                and s.completed_at is not null
             order by s.created_at desc limit 20000)
            union all
            (select s.id, s.created_at, s.verdict_id, s.review_id, s.fingerprint, s.alert_type, s.title, false
             from alert_sessions s
             where s.created_at >= $1 and s.created_at < $2 and s.deleted_at is null and s.origin = 'alert'
                and s.completed_at is not null
             order by s.created_at desc limit 20000)
         )"
    };
}

const TOTALS: &str = concat!(
    sessions!(),
    " select count(*) filter (where is_now) as now, count(*) filter (where not is_now) as before from week"
);

const CAUSES: &str = concat!(
    sessions!(),
    ", found as (
        select w.id, w.created_at, w.is_now, r.id is not null as is_reviewed,
            case when r.review = 'wrong' then coalesce(r.category, 'other') when r.review = 'partly'
                then coalesce(r.category, v.category, 'other') else v.category end as category,
            case when r.review = 'wrong' or r.review = 'partly' and r.object is not null then ''
                else coalesce(v.object_kind, '') end as object_kind,
            case when r.review = 'wrong' then coalesce(r.object, '') when r.review = 'partly'
                then coalesce(r.object, v.object_name, '') else v.object_name end as object,
            case when r.review = 'wrong' or r.review = 'partly' and r.object is not null then null
                else v.object_namespace end as namespace,
            case when r.review = 'wrong' then coalesce(r.actual_cause, '')
                when r.review = 'partly' then coalesce(r.actual_cause, v.cause, '') else v.cause end as cause
        from week w
        left join verdicts v on v.id = w.verdict_id
        left join session_reviews r on r.id = w.review_id
        where case when r.review = 'wrong' then num_nonnulls(r.actual_cause, r.object, r.category) > 0
            when r.review = 'partly' then num_nonnulls(r.actual_cause, r.object, r.category) > 0 or v.outcome = 'cause_found'
            else v.outcome = 'cause_found' end
     ), made as (
        select a.session_id, count(*) as actions, count(*) filter (where a.outcome = 'worked') as worked
        from actions a
        where a.planned_at >= $1 and a.rolls_back is null and a.outcome is not null
        group by a.session_id
     )
     select replace(lower(trim(f.category)), ' ', '_') as category, f.object_kind, f.object, f.namespace,
        count(*) filter (where f.is_now) as now, count(*) filter (where not f.is_now) as before,
        count(*) filter (where f.is_reviewed) as reviewed, coalesce(sum(m.actions), 0)::bigint as actions,
        coalesce(sum(m.worked), 0)::bigint as actions_worked, max(f.created_at) as last_at,
        (array_agg(f.id order by f.created_at desc))[1] as last_session_id,
        left((array_agg(f.cause order by f.created_at desc))[1], 300) as cause
     from found f left join made m on m.session_id = f.id
     group by 1, 2, 3, 4 order by count(*) desc, max(f.created_at) desc limit $4"
);

/// An alert is needless if every session of it found no fault and did not see what the alert states, and no reviewer says
/// otherwise; or if a reviewer calls it noise.
const ALERTS: &str = concat!(
    sessions!(),
    " select w.fingerprint, (array_agg(w.alert_type order by w.created_at desc))[1] as alert_type,
        (array_agg(w.title order by w.created_at desc))[1] as title,
        count(*) filter (where w.is_now) as now, count(*) filter (where not w.is_now) as before, count(r.id) as reviewed,
        max(w.created_at) as last_at, (array_agg(w.id order by w.created_at desc))[1] as last_session_id
     from week w
     left join verdicts v on v.id = w.verdict_id
     left join session_reviews r on r.id = w.review_id
     group by w.fingerprint, case when w.fingerprint is null then w.alert_type end,
        case when w.fingerprint is null then w.title end
     having count(*) filter (where w.is_now) >= 2 and bool_and(coalesce(
        v.outcome = 'no_fault_found' and v.alert_statement = 'not_confirmed' and coalesce(r.review = 'accurate', true)
        or lower(trim(r.category)) in ('noise', 'false alarm'), false))
     order by 4 desc, 7 desc limit $4"
);

const TOOLS: &str = "
    select t.*, e.session_id, e.error_message
    from (
        select server_name, tool_name, coalesce(sum(calls) filter (where hour >= $2), 0)::bigint as calls,
            coalesce(sum(failed) filter (where hour >= $2), 0)::bigint as failed,
            coalesce(sum(calls) filter (where hour < $2), 0)::bigint as calls_before,
            coalesce(sum(failed) filter (where hour < $2), 0)::bigint as failed_before
        from overview_tools where hour >= $1 and hour < $3
        group by server_name, tool_name having sum(failed) filter (where hour >= $2) > 0
        order by 4 desc, 3, 1, 2 limit $4
    ) t
    left join lateral (
        select m.session_id, m.error_message
        from mcp_interactions m join alert_sessions s on s.id = m.session_id
        where m.server_name = t.server_name and m.tool_name = t.tool_name and m.interaction_type = 'tool_call'
            and m.status = 'failed' and m.session_id >= $5 and m.session_id < $6
            and s.created_at >= $2 and s.created_at < $3 and s.deleted_at is null
        order by m.session_id desc, m.created_at desc limit 1
    ) e on true
    order by t.failed desc, t.calls, t.server_name, t.tool_name";

const SOURCES: &str = "
    with requests as materialized (
        select a.source, null::text as reason, a.repeats + 1 as many, a.last_received_at as at
        from intake_alerts a
        where a.content = 'not_understood' and a.last_received_at >= $1 and a.last_received_at < $3
        union all
        select r.source, r.reason, r.requests, r.minute from intake_refusals r where r.minute >= $1 and r.minute < $3
    )
    select q.source,
        coalesce(sum(q.many) filter (where q.reason is null and q.at >= $2), 0)::bigint as not_understood,
        coalesce(sum(q.many) filter (where q.reason is null and q.at < $2), 0)::bigint as not_understood_before,
        coalesce(sum(q.many) filter (where q.reason is not null and q.at >= $2), 0)::bigint as refused,
        coalesce(sum(q.many) filter (where q.reason is not null and q.at < $2), 0)::bigint as refused_before,
        max(q.at) as last_at,
        array(select x.reason from requests x where x.source = q.source and x.reason is not null
            group by x.reason order by sum(x.many) desc, x.reason) as reasons
    from requests q group by q.source having bool_or(q.at >= $2)
    order by sum(q.many) filter (where q.at >= $2) desc, q.source limit $4";

impl Store {
    /// What came again and again in a week, and how often it came in the week before.
    #[tracing::instrument(name = "db.prevention.find", skip_all)]
    pub async fn find_prevention(&self, period: PreventionPeriod) -> Result<PreventionRows, Error> {
        let mut connection = self.pool.acquire().await?;
        overview::count_for_reader(&mut connection).await?;
        Ok(PreventionRows {
            totals: totals(&mut connection, period).await?,
            causes: rows(&mut connection, CAUSES, period, MAX_GROUPS, cause).await?,
            alerts: rows(&mut connection, ALERTS, period, MAX_ROWS, needless).await?,
            tools: tools(&mut connection, period).await?,
            sources: rows(&mut connection, SOURCES, period, MAX_ROWS, source).await?,
        })
    }
}

async fn totals(
    connection: &mut Connection,
    period: PreventionPeriod,
) -> Result<SessionTotals, Error> {
    /// As the statement has it.
    const MOST: i64 = 20_000;
    let row = bound(TOTALS, period).fetch_one(connection).await?;
    let cells = Cells::new(&row, "alert_sessions");
    let (now, before) = (cells.get("now")?, cells.get("before")?);
    Ok(SessionTotals { now, before, is_cut: now >= MOST || before >= MOST })
}

type Query = sqlx::query::Query<'static, sqlx::Postgres, sqlx::postgres::PgArguments>;

fn bound(statement: &'static str, period: PreventionPeriod) -> Query {
    sqlx::query(statement)
        .bind(jiff_sqlx::Timestamp::from(period.before))
        .bind(jiff_sqlx::Timestamp::from(period.from))
        .bind(jiff_sqlx::Timestamp::from(period.to))
}

async fn rows<T>(
    connection: &mut Connection,
    statement: &'static str,
    period: PreventionPeriod,
    most: i64,
    read: fn(&PgRow) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    bound(statement, period).bind(most).fetch_all(connection).await?.iter().map(read).collect()
}

async fn tools(
    connection: &mut Connection,
    period: PreventionPeriod,
) -> Result<Vec<ToolRow>, Error> {
    bound(TOOLS, period)
        .bind(MAX_ROWS)
        .bind(first_id(period.from, -CLOCK_SLACK))
        .bind(first_id(period.to, CLOCK_SLACK))
        .fetch_all(connection)
        .await?
        .iter()
        .map(tool)
        .collect()
}

/// The smallest id of version 7 that could be given then.
fn first_id(time: Timestamp, later: SignedDuration) -> Uuid {
    let millis = time.saturating_add(later).map_or(0, Timestamp::as_millisecond);
    Uuid::from_u128(u128::try_from(millis).unwrap_or_default() << 80)
}

fn cause(row: &PgRow) -> Result<CauseRow, Error> {
    let cells = Cells::new(row, "verdicts");
    Ok(CauseRow {
        category: cells.text("category")?,
        object_kind: cells.text("object_kind")?,
        object: cells.text("object")?,
        namespace: cells.maybe_text("namespace")?,
        cause: cells.text("cause")?,
        now: cells.get("now")?,
        before: cells.get("before")?,
        reviewed: cells.get("reviewed")?,
        actions: cells.get("actions")?,
        actions_worked: cells.get("actions_worked")?,
        last_at: cells.time("last_at")?,
        last_session_id: cells.id("last_session_id")?,
    })
}

fn needless(row: &PgRow) -> Result<NeedlessAlert, Error> {
    let cells = Cells::new(row, "alert_sessions");
    Ok(NeedlessAlert {
        fingerprint: cells.maybe_text("fingerprint")?,
        alert_type: cells.maybe_text("alert_type")?,
        title: cells.maybe_text("title")?,
        sessions: cells.get("now")?,
        sessions_before: cells.get("before")?,
        reviewed: cells.get("reviewed")?,
        last_at: cells.time("last_at")?,
        last_session_id: cells.id("last_session_id")?,
    })
}

fn tool(row: &PgRow) -> Result<ToolRow, Error> {
    let cells = Cells::new(row, "overview_tools");
    let session: Option<SessionId> = cells.maybe_id("session_id")?;
    let message = cells.maybe_text("error_message")?.unwrap_or_default();
    Ok(ToolRow {
        server: cells.text("server_name")?,
        tool: cells.text("tool_name")?,
        calls: cells.get("calls")?,
        failed: cells.get("failed")?,
        calls_before: cells.get("calls_before")?,
        failed_before: cells.get("failed_before")?,
        last: session.map(|session_id| LastError { session_id, message }),
    })
}

fn source(row: &PgRow) -> Result<UnreadSource, Error> {
    let cells = Cells::new(row, "intake_alerts");
    Ok(UnreadSource {
        source: cells.text("source")?,
        not_understood: cells.get("not_understood")?,
        not_understood_before: cells.get("not_understood_before")?,
        refused: cells.get("refused")?,
        refused_before: cells.get("refused_before")?,
        refusal_reasons: cells.get("reasons")?,
        last_at: cells.time("last_at")?,
    })
}
