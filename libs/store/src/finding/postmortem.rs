//! What a postmortem needs of a session beside its detail: alerts, decisions, failures, questions, and other sessions of the
//! same incident. Each statement reads one session, and a bounded part of it.

use jiff::Timestamp;
use sqlx::postgres::PgRow;
use tarsy_contracts::postmortem::RelatedSession;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// The rows of a session's alerts that are looked at, the oldest first.
const MAX_ALERT_ROWS: i64 = 10_000;
/// How many different alerts of a session are listed.
const MAX_ALERTS: i64 = 50;
const MAX_DECISIONS: i64 = 100;
/// More than a session may make by default.
const MAX_CALLS: i64 = 10_000;
const MAX_TOOLS: i64 = 30;
const MAX_QUESTIONS: i64 = 20;
/// How many other sessions of the same incident are named.
const MAX_RELATED: i64 = 10;
/// How far from a session others of the same incident begin at most.
const RELATED_HOURS: i32 = 24;

/// What a postmortem needs of a session beside its detail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncidentFacts {
    /// In the order in which they first came.
    pub alerts: Vec<AlertRun>,
    /// Different alerts, those included that are left out.
    pub alert_count: i64,
    /// In the order of time.
    pub decisions: Vec<CallDecision>,
    /// All calls, by their numbers: at most as many as a session may make.
    pub calls: Vec<NumberedCall>,
    /// Tools with calls that failed or were refused, the most failures first.
    pub failures: Vec<ToolFailures>,
    /// Servers that offered no tools, with what they answered.
    pub missing_servers: Vec<(String, String)>,
    /// Tools that an agent had to look with and did not, as `server.tool`; empty of one that saw nothing at all.
    pub unseen: Vec<Vec<String>>,
    /// In the order in which they were asked.
    pub questions: Vec<AskedQuestion>,
}

/// An alert of a source, from its first to its last notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertRun {
    pub source: String,
    pub title: String,
    /// When it began, as its source states it.
    pub starts_at: Option<Timestamp>,
    pub first_seen_at: Timestamp,
    /// Of those that say it fires.
    pub last_seen_at: Option<Timestamp>,
    /// How often it was sent as firing.
    pub notifications: i64,
    /// When it was resolved, if it did not fire again.
    pub resolved_at: Option<Timestamp>,
}

/// What was decided about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallDecision {
    pub tool: String,
    pub call_number: Option<i64>,
    pub decision: ApprovalDecision,
    /// None if nobody decided in time.
    pub decided_by: Option<String>,
    pub decided_at: Timestamp,
}

/// A call, and when it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedCall {
    pub number: i64,
    /// `server.tool`.
    pub tool: String,
    pub at: Timestamp,
}

/// The calls of a tool of which some failed or were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFailures {
    /// `server.tool`.
    pub tool: String,
    pub calls: i64,
    pub failed: i64,
    /// By policy, or by a person.
    pub refused: i64,
    /// Of the last one that failed.
    pub error: Option<String>,
}

/// A question about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedQuestion {
    pub question: String,
    pub author: String,
    pub asked_at: Timestamp,
    /// None while it is not answered.
    pub answer: Option<String>,
}

impl Store {
    /// What a postmortem needs of a session beside its detail.
    #[tracing::instrument(name = "db.postmortem.find", skip_all)]
    pub async fn find_incident_facts(&self, session: SessionId) -> Result<IncidentFacts, Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query("set transaction isolation level repeatable read read only")
            .execute(&mut *tx)
            .await?;
        let (alerts, alert_count) = alerts(&mut tx, session).await?;
        let facts = IncidentFacts {
            alerts,
            alert_count,
            decisions: decisions(&mut tx, session).await?,
            calls: calls(&mut tx, session).await?,
            failures: failures(&mut tx, session).await?,
            missing_servers: missing_servers(&mut tx, session).await?,
            unseen: unseen(&mut tx, session).await?,
            questions: questions(&mut tx, session).await?,
        };
        tx.commit().await?;
        Ok(facts)
    }

    /// Other sessions near these in time whose alert is the same, or of the same group.
    #[tracing::instrument(name = "db.postmortem.list_related", skip_all)]
    pub async fn list_related_sessions(
        &self,
        sessions: &[SessionId],
    ) -> Result<Vec<RelatedSession>, Error> {
        let ids: Vec<_> = sessions.iter().map(|id| id.uuid()).collect();
        sqlx::query(
            "with own as (
                select fingerprint, min(created_at) as since, max(created_at) as until
                from alert_sessions where id = any($1) and deleted_at is null group by fingerprint
             ), groups as (
                select distinct a.group_key from intake_alerts a
                where a.session_id = any($1) and a.group_key is not null limit 20
             ), near as (
                select s.id, 'same_alert' as because from own o
                join alert_sessions s on s.fingerprint = o.fingerprint and s.deleted_at is null
                    and s.created_at between o.since - make_interval(hours => $2) and o.until + make_interval(hours => $2)
                union all
                (select a.session_id, 'same_group' from groups g
                join intake_alerts a on a.group_key = g.group_key and a.session_id is not null
                order by a.seq desc limit 1000)
             )
             select s.id, s.title, s.created_at, min(n.because) as because
             from near n join alert_sessions s on s.id = n.id
             where s.deleted_at is null and s.origin = 'alert' and s.id <> all($1)
                and s.created_at between (select min(since) from own) - make_interval(hours => $2)
                    and (select max(until) from own) + make_interval(hours => $2)
             group by s.id order by s.created_at, s.id limit $3",
        )
        .bind(ids)
        .bind(RELATED_HOURS)
        .bind(MAX_RELATED)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(|row| {
            let cells = Cells::new(row, "alert_sessions");
            Ok(RelatedSession {
                id: cells.id("id")?,
                title: cells.maybe_text("title")?,
                created_at: cells.time("created_at")?,
                because: cells.text("because")?,
            })
        })
        .collect()
    }
}

async fn alerts(
    connection: &mut Connection,
    session: SessionId,
) -> Result<(Vec<AlertRun>, i64), Error> {
    let rows = sqlx::query(
        "select a.source, (array_agg(a.title order by a.seq desc))[1] as title, min(a.starts_at) as starts_at,
            min(a.received_at) as first_seen_at,
            max(a.last_received_at) filter (where a.status <> 'resolved') as last_seen_at,
            coalesce(sum(a.repeats + 1) filter (where a.status <> 'resolved'), 0)::bigint as notifications,
            case when (array_agg(a.status order by a.seq desc))[1] = 'resolved'
                then (array_agg(coalesce(a.ends_at, a.received_at) order by a.seq desc))[1] end as resolved_at,
            count(*) over () as alerts
         from (
            select * from intake_alerts where session_id = $1 and content = 'problem' order by seq limit $2
         ) a
         group by a.source, a.fingerprint order by first_seen_at, a.source, a.fingerprint limit $3",
    )
    .bind(session.uuid())
    .bind(MAX_ALERT_ROWS)
    .bind(MAX_ALERTS)
    .fetch_all(connection)
    .await?;
    let count = rows.first().map(|row| Cells::new(row, "intake_alerts").get("alerts"));
    Ok((rows.iter().map(alert).collect::<Result<_, _>>()?, count.transpose()?.unwrap_or_default()))
}

fn alert(row: &PgRow) -> Result<AlertRun, Error> {
    let cells = Cells::new(row, "intake_alerts");
    Ok(AlertRun {
        source: cells.text("source")?,
        title: cells.text("title")?,
        starts_at: cells.maybe_time("starts_at")?,
        first_seen_at: cells.time("first_seen_at")?,
        last_seen_at: cells.maybe_time("last_seen_at")?,
        notifications: cells.get("notifications")?,
        resolved_at: cells.maybe_time("resolved_at")?,
    })
}

async fn decisions(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<CallDecision>, Error> {
    sqlx::query(
        "select a.server_name || '.' || a.tool_name as tool, m.call_number, a.decision, a.decided_by, a.decided_at
         from tool_approvals a left join mcp_interactions m on m.call_id = a.call_id
         where a.session_id = $1 and a.decision is not null order by a.decided_at, a.id limit $2",
    )
    .bind(session.uuid())
    .bind(MAX_DECISIONS)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let cells = Cells::new(row, "tool_approvals");
        Ok(CallDecision {
            tool: cells.text("tool")?,
            call_number: cells.get("call_number")?,
            decision: cells.word("decision")?,
            decided_by: cells.maybe_text("decided_by")?,
            decided_at: cells.time("decided_at")?,
        })
    })
    .collect()
}

async fn calls(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<NumberedCall>, Error> {
    sqlx::query(
        "select call_number, server_name || '.' || coalesce(tool_name, '') as tool, created_at
         from mcp_interactions where session_id = $1 and interaction_type = 'tool_call'
         order by call_number limit $2",
    )
    .bind(session.uuid())
    .bind(MAX_CALLS)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let cells = Cells::new(row, "mcp_interactions");
        Ok(NumberedCall {
            number: cells.get("call_number")?,
            tool: cells.text("tool")?,
            at: cells.time("created_at")?,
        })
    })
    .collect()
}

async fn failures(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<ToolFailures>, Error> {
    sqlx::query(
        "select server_name || '.' || coalesce(tool_name, '') as tool, count(*) as calls,
            count(*) filter (where status in ('failed', 'unknown') and not refused_by_policy) as failed,
            count(*) filter (where refused_by_policy) as refused,
            (array_agg(error_message order by created_at desc) filter (
                where status = 'failed' and not refused_by_policy and error_message is not null))[1] as error
         from mcp_interactions where session_id = $1 and interaction_type = 'tool_call'
         group by server_name, tool_name
         having count(*) filter (where status in ('failed', 'unknown') or refused_by_policy) > 0
         order by 3 desc, 4 desc, 1 limit $2",
    )
    .bind(session.uuid())
    .bind(MAX_TOOLS)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let cells = Cells::new(row, "mcp_interactions");
        Ok(ToolFailures {
            tool: cells.text("tool")?,
            calls: cells.get("calls")?,
            failed: cells.get("failed")?,
            refused: cells.get("refused")?,
            error: cells.maybe_text("error")?,
        })
    })
    .collect()
}

/// Servers that failed to list their tools each time.
async fn missing_servers(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<(String, String)>, Error> {
    sqlx::query(
        "select server_name, coalesce(max(error_message), '') as error
         from mcp_interactions where session_id = $1 and interaction_type = 'tool_list'
         group by server_name having bool_and(error_message is not null)
         order by server_name limit $2",
    )
    .bind(session.uuid())
    .bind(MAX_TOOLS)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let cells = Cells::new(row, "mcp_interactions");
        Ok((cells.text("server_name")?, cells.text("error")?))
    })
    .collect()
}

async fn unseen(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<Vec<String>>, Error> {
    Ok(sqlx::query_scalar(
        "select distinct unseen from agent_executions where session_id = $1 and unseen is not null
         order by unseen limit $2",
    )
    .bind(session.uuid())
    .bind(MAX_TOOLS)
    .fetch_all(connection)
    .await?)
}

async fn questions(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<AskedQuestion>, Error> {
    sqlx::query(
        "select m.content as question, m.author, m.created_at, (
            select t.content from stages g join timeline_events t on t.stage_id = g.id
            where g.chat_user_message_id = m.id and t.event_type = 'final_analysis' and t.status = 'completed'
            order by t.sequence_number desc limit 1) as answer
         from chats c join chat_user_messages m on m.chat_id = c.id
         where c.session_id = $1 order by m.created_at, m.id limit $2",
    )
    .bind(session.uuid())
    .bind(MAX_QUESTIONS)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let cells = Cells::new(row, "chat_user_messages");
        Ok(AskedQuestion {
            question: cells.text("question")?,
            author: cells.text("author")?,
            asked_at: cells.time("created_at")?,
            answer: cells.maybe_text("answer")?,
        })
    })
    .collect()
}
