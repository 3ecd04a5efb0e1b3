//! Removal of a text from everything that is stored: table by table, in the order of their keys, some rows at a time.

use tarsy_domain::id::SessionId;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// The most rows that one statement reads, some of which may have megabytes.
const AT_ONCE: i32 = 200;

/// Where a removal goes on: after a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactionPosition {
    pub table: String,
    /// The key of the last row that was looked at; null before the first one.
    pub after: Option<Vec<String>>,
}

/// What is removed, and what stands in its place.
#[derive(Clone, Debug)]
pub struct Redaction {
    /// The text as it may be written: as it is, and as JSON and addresses have it. Each has at least 8 characters.
    pub spellings: Vec<String>,
    /// One line of at most 500 characters.
    pub reason: String,
    pub effect: RedactionEffect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedactionEffect {
    Remove,
    /// Counts the rows that have the text, and changes nothing.
    Count,
}

/// What a step of a removal did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactionStep {
    /// How many rows had the text.
    pub rows: u64,
    /// The key of the last row that was looked at; none at the end of the table.
    pub last_key: Option<Vec<String>>,
}

impl Store {
    /// The tables that may have texts of others, in the order in which they are gone through: those that are made of others
    /// come last.
    #[tracing::instrument(name = "db.redaction.tables", skip_all)]
    pub async fn redacted_tables(&self) -> Result<Vec<String>, Error> {
        Ok(sqlx::query_scalar(
            "select table_name from redacted_columns group by table_name
             order by table_name in ('search_documents', 'overview_alerts'), table_name",
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// Removes a text from some rows; none if no row can be at this position. It can be repeated without harm.
    #[tracing::instrument(name = "db.redaction.step", skip_all)]
    pub async fn redact_rows(
        &self,
        redaction: &Redaction,
        position: &RedactionPosition,
    ) -> Result<Option<RedactionStep>, Error> {
        retrying!(self.redact_once(redaction, position))
    }

    async fn redact_once(
        &self,
        redaction: &Redaction,
        position: &RedactionPosition,
    ) -> Result<Option<RedactionStep>, Error> {
        let row = sqlx::query("select last_key, changed from redact_rows($1, $2, $3, $4, $5, $6)")
            .bind(&position.table)
            .bind(&position.after)
            .bind(AT_ONCE)
            .bind(&redaction.spellings)
            .bind(&redaction.reason)
            .bind(redaction.effect == RedactionEffect::Remove)
            .fetch_one(&self.pool)
            .await;
        let row = match row {
            Err(error) if is_no_position(&error) => return Ok(None),
            row => row?,
        };
        let cells = Cells::new(&row, "redacted_columns");
        let rows: i64 = cells.get("changed")?;
        Ok(Some(RedactionStep {
            rows: u64::try_from(rows).unwrap_or_default(),
            last_key: cells.get("last_key")?,
        }))
    }

    /// What stands where a text was.
    #[tracing::instrument(name = "db.redaction.mark", skip_all)]
    pub async fn redaction_mark(&self, reason: &str) -> Result<String, Error> {
        Ok(sqlx::query_scalar("select redaction_mark($1)")
            .bind(reason)
            .fetch_one(&self.pool)
            .await?)
    }

    /// Sessions that are worked on and had a text that stands as this mark now: their owners remember it, and may write it
    /// again. At most 100.
    #[tracing::instrument(name = "db.redaction.remembering", skip_all)]
    pub async fn sessions_that_remember(&self, mark: &str) -> Result<Vec<SessionId>, Error> {
        let ids: Vec<Uuid> = sqlx::query_scalar(
            "select s.id from alert_sessions s
             where s.id in (
                    select r.id from alert_sessions r where r.status in ('in_progress', 'cancelling')
                    union all
                    select g.session_id from stages g where g.chat_id is not null and g.status in ('pending', 'active'))
                and (position($1 in s.alert_data) > 0 or position($1 in coalesce(s.runbook, '')) > 0
                    or exists (select from messages m where m.session_id = s.id and position($1 in m.content) > 0)
                    or exists (select from timeline_events e where e.session_id = s.id and position($1 in e.content) > 0)
                    or exists (select from chats c join chat_user_messages q on q.chat_id = c.id
                        where c.session_id = s.id and position($1 in q.content) > 0)
                    or exists (select from mcp_interactions i where i.session_id = s.id
                        and (position($1 in i.tool_result) > 0 or position($1 in i.tool_arguments::text) > 0)))
             order by s.id limit 100",
        )
        .bind(mark)
        .fetch_all(&self.pool)
        .await?;
        Ok(ids.into_iter().map(SessionId::from).collect())
    }
}

/// Whether the server could not read a key: it has the wrong number of parts, or one of the wrong type.
fn is_no_position(error: &sqlx::Error) -> bool {
    const WRONG_VALUE: [&str; 5] = ["22023", "22P02", "22003", "22007", "22008"];
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| WRONG_VALUE.contains(&code.as_ref()))
}
