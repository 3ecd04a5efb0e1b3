//! The audit log: rows are added and read, never changed.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::postgres::PgRow;
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::event::ApprovalDecision;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;

/// How many entries one statement deletes.
const AT_ONCE: i64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAuditEntry {
    /// Of version 7: entries are listed in the order of what they are about, however late they are stored.
    pub id: Uuid,
    /// Who acted; `anonymous` where nobody was identified.
    pub principal: String,
    /// How they were identified, such as `token:ID`.
    pub credential: String,
    pub client_address: Option<String>,
    /// What was done, such as `submit_alert`.
    pub action: String,
    /// What it was done to, such as the path of a session.
    pub object: Option<String>,
    /// `allowed`, `denied` or `failed`.
    pub outcome: &'static str,
    /// The HTTP status of the response.
    pub status: i16,
    /// The request's id in the logs.
    pub request_id: Option<String>,
    /// How many requests it stands for; the first of them is described.
    pub count: i64,
    pub session_id: Option<Uuid>,
    /// The decision about a tool call, if it counts.
    pub decided: Option<DecidedCall>,
}

/// What somebody decided about a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedCall {
    pub approval_id: Uuid,
    /// `server.tool`.
    pub tool: String,
    pub decision: ApprovalDecision,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: Uuid,
    pub created_at: Timestamp,
    pub principal: String,
    pub credential: String,
    pub client_address: Option<String>,
    pub action: String,
    pub object: Option<String>,
    pub outcome: String,
    pub status: i16,
    pub request_id: Option<String>,
    /// How many requests it stands for.
    pub count: i64,
    pub session_id: Option<Uuid>,
    /// Title of that session, or its alert type; none once it is deleted.
    pub session_title: Option<String>,
    pub decided: Option<DecidedCall>,
    /// What became of an action; `object` is its tool.
    pub action_outcome: Option<ActionOutcome>,
    /// What was read before and after it; none once the session is deleted.
    pub action_values: Option<ActionValues>,
    /// What the tool was to be called with; none once the session is deleted.
    pub arguments: Option<Value>,
    /// The timeline event that shows the call; none once the session is deleted.
    pub event_id: Option<Uuid>,
}

/// The values that the check of an action found, those that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionValues {
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Which entries to read, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    pub principal: Option<String>,
    pub action: Option<String>,
    pub outcome: Option<String>,
    /// Added then or later.
    pub start_date: Option<Timestamp>,
    /// Added then or earlier.
    pub end_date: Option<Timestamp>,
    /// Only entries older than this one.
    pub before: Option<Uuid>,
    /// The most entries.
    pub limit: i64,
}

/// None of an entry about anything else.
fn decided(cells: &Cells<'_>) -> Result<Option<DecidedCall>, Error> {
    let Some(approval_id) = cells.get("approval_id")? else { return Ok(None) };
    let (tool, decision) = (cells.text("tool")?, cells.word("decision")?);
    Ok(Some(DecidedCall { approval_id, tool, decision }))
}

/// None of an entry about anything else, and where nothing could be read.
fn action_values(cells: &Cells<'_>) -> Result<Option<ActionValues>, Error> {
    let (before, after) = (cells.maybe_text("before_observed")?, cells.maybe_text("observed")?);
    let is_known = before.is_some() || after.is_some();
    Ok(is_known.then_some(ActionValues { before, after }))
}

fn read(row: &PgRow) -> Result<AuditEntry, Error> {
    let cells = Cells::new(row, "audit_log");
    Ok(AuditEntry {
        id: cells.get("id")?,
        created_at: cells.time("created_at")?,
        principal: cells.text("principal")?,
        credential: cells.text("credential")?,
        client_address: cells.maybe_text("client_address")?,
        action: cells.text("action")?,
        object: cells.maybe_text("object")?,
        outcome: cells.text("outcome")?,
        status: cells.get("status")?,
        request_id: cells.maybe_text("request_id")?,
        count: cells.get("count")?,
        session_id: cells.get("session_id")?,
        session_title: cells.maybe_text("session_title")?,
        decided: decided(&cells)?,
        action_outcome: cells.maybe_word("action_outcome")?,
        action_values: action_values(&cells)?,
        arguments: cells.maybe_json("tool_arguments")?,
        event_id: cells.get("timeline_event_id")?,
    })
}

impl Store {
    /// Adds entries in one statement.
    #[tracing::instrument(name = "db.audit.insert", skip_all)]
    pub async fn insert_audit_entries(&self, new: &[NewAuditEntry]) -> Result<(), Error> {
        let clean = |text: &str| {
            let mut text = text.to_owned();
            encode::clean(&mut text);
            text
        };
        let column = |of: fn(&NewAuditEntry) -> &str| -> Vec<String> {
            new.iter().map(|entry| clean(of(entry))).collect()
        };
        let optional = |of: fn(&NewAuditEntry) -> Option<&str>| -> Vec<Option<String>> {
            new.iter().map(|entry| of(entry).map(clean)).collect()
        };
        let ids: Vec<Uuid> = new.iter().map(|entry| entry.id).collect();
        let status: Vec<i16> = new.iter().map(|entry| entry.status).collect();
        sqlx::query(
            "insert into audit_log
                (id, principal, credential, client_address, action, object, outcome, status, request_id, count,
                 session_id, approval_id, tool, decision)
             select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[],
                $6::text[], $7::text[], $8::smallint[], $9::text[], $10::bigint[], $11::uuid[], $12::uuid[], $13::text[], $14::text[])",
        )
        .bind(ids)
        .bind(column(|entry| &entry.principal))
        .bind(column(|entry| &entry.credential))
        .bind(optional(|entry| entry.client_address.as_deref()))
        .bind(column(|entry| &entry.action))
        .bind(optional(|entry| entry.object.as_deref()))
        .bind(column(|entry| entry.outcome))
        .bind(status)
        .bind(optional(|entry| entry.request_id.as_deref()))
        .bind(new.iter().map(|entry| entry.count).collect::<Vec<_>>())
        .bind(new.iter().map(|entry| entry.session_id).collect::<Vec<_>>())
        .bind(new.iter().map(|entry| Some(entry.decided.as_ref()?.approval_id)).collect::<Vec<_>>())
        .bind(optional(|entry| Some(entry.decided.as_ref()?.tool.as_str())))
        .bind(optional(|entry| Some(entry.decided.as_ref()?.decision.as_str())))
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Entries, the newest first.
    #[tracing::instrument(name = "db.audit.list", skip_all)]
    pub async fn list_audit_entries(&self, query: &AuditQuery) -> Result<Vec<AuditEntry>, Error> {
        sqlx::query(
            "select l.*, coalesce(s.title, s.alert_type) as session_title, a.tool_arguments, a.timeline_event_id,
                x.before_observed, x.observed
             from (
                select id, created_at, principal, credential, client_address, action, object, outcome,
                    status, request_id, count, session_id, approval_id, tool, decision, action_outcome, action_id
                from audit_log
                where ($1::text is null or principal = $1) and ($2::text is null or action = $2)
                    and ($3::text is null or outcome = $3) and ($4::uuid is null or id < $4)
                    and ($5::timestamptz is null or created_at >= $5)
                    and ($6::timestamptz is null or created_at <= $6)
                order by id desc limit $7
             ) l
                left join alert_sessions s on s.id = l.session_id and s.deleted_at is null
                left join tool_approvals a on a.id = l.approval_id and a.session_id = s.id
                left join actions x on x.id = l.action_id and x.session_id = s.id
             order by l.id desc",
        )
        .bind(&query.principal)
        .bind(&query.action)
        .bind(&query.outcome)
        .bind(query.before)
        .bind(query.start_date.map(jiff_sqlx::Timestamp::from))
        .bind(query.end_date.map(jiff_sqlx::Timestamp::from))
        .bind(query.limit)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(read)
        .collect()
    }

    /// Deletes a bounded number of entries older than so many days, and than [`Store::audit_retention`]; how many were
    /// deleted.
    #[tracing::instrument(name = "db.audit.delete_old", skip_all)]
    pub async fn delete_audit_entries(&self, days: u32) -> Result<u64, Error> {
        let deleted: i64 = sqlx::query_scalar(
            // A function of the owner: no role of a service may delete from the table.
            "select delete_old_audit_entries($1, $2)",
        )
        .bind(i32::try_from(days).unwrap_or(i32::MAX))
        .bind(AT_ONCE)
        .fetch_one(&self.pool)
        .await?;
        Ok(u64::try_from(deleted).unwrap_or_default())
    }

    /// For how many days an entry stays, whatever a service asks for.
    #[tracing::instrument(name = "db.audit.retention", skip_all)]
    pub async fn audit_retention(&self) -> Result<u32, Error> {
        let days: i32 =
            sqlx::query_scalar("select days from audit_retention").fetch_one(&self.pool).await?;
        Ok(u32::try_from(days).unwrap_or_default())
    }

    /// Sets that, from 1 to 36500. Only the owner of the tables may.
    #[tracing::instrument(name = "db.audit.set_retention", skip_all)]
    pub async fn set_audit_retention(&self, days: u32) -> Result<(), Error> {
        sqlx::query("update audit_retention set days = $1")
            .bind(i32::try_from(days).unwrap_or(i32::MAX))
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}
