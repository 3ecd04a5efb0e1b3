//! Sessions as such: taking one in, looking at it, asking it to stop.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Postgres;
use sqlx::postgres::{PgArguments, PgRow};
use tarsy_catalog::Budget;
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::event::{Body, Committed};
use tarsy_contracts::review::SeenBefore;
use tarsy_contracts::session::SessionStatusRow;
use tarsy_contracts::work::IdempotencyKey;
use tarsy_domain::id::{SessionId, StageId};
use tarsy_domain::status::{SessionOrigin, SessionStatus};

use crate::alert_fields;
use crate::aliases::insert_alias;
use crate::cells::Cells;
use crate::encode::{self, Tail, event_payload};
use crate::error::Error;
use crate::idempotency::{KeyUse, take_key};
use crate::pool::Connection;
use crate::quotas::{
    Admission, AlertQuota, SUBMIT_ALERT, admission, admitted, read_admission, take_one, taken,
};
use crate::store::Store;

/// A session as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    pub id: SessionId,
    /// The alert, masked.
    pub alert_data: String,
    /// The alert type.
    pub alert_type: Option<String>,
    /// The chain that investigates it.
    pub chain_id: String,
    /// Its status.
    pub status: SessionStatus,
    pub origin: SessionOrigin,
    /// The session that it replays; none if that was deleted.
    pub replay_of: Option<SessionId>,
    /// When the alert was received; a replay has that of its original.
    pub received_at: Timestamp,
    /// The author.
    pub author: Option<String>,
    /// The URL of its runbook.
    pub runbook_url: Option<String>,
    /// The text of that runbook, masked, once it was fetched.
    pub runbook: Option<String>,
    /// Why it could not be fetched.
    pub runbook_error: Option<String>,
    /// The tools it is restricted to.
    pub mcp_selection: Option<Value>,
    /// The Slack message it came from.
    pub slack_message_fingerprint: Option<String>,
    /// What its sender states about it.
    pub fields: AlertFields,
    /// The reviewed sessions that its investigation was given; none before it began.
    pub seen_before: Option<Vec<SeenBefore>>,
    pub settings: SessionSettings,
    /// The provider that writes the executive summary after a switch; none before one.
    pub executive_summary_provider: Option<String>,
    /// The resolved configuration it keeps.
    pub config_snapshot: Value,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// When a worker claimed it first.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// When a model or a tool was last called.
    pub last_interaction_at: Option<Timestamp>,
    /// The stage it is in, from 0.
    pub current_stage_index: Option<i32>,
    /// The same stage's name.
    pub current_stage_id: Option<StageId>,
    /// The final analysis.
    pub final_analysis: Option<String>,
    /// The executive summary.
    pub executive_summary: Option<String>,
    /// Why there is no summary.
    pub executive_summary_error: Option<String>,
    /// Why it failed.
    pub error_message: Option<String>,
}

/// Settings of the resolved chain that the services read as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionSettings {
    /// The most time that the investigation, or one question about it, may take; none for the queue's default.
    pub timeout: Option<Duration>,
    /// Whether questions can be asked.
    pub chat_enabled: bool,
    /// What the investigation, or one question about it, may use.
    pub budget: Budget,
    /// How many stages the chain has, each synthesis counted; none if unknown.
    pub planned_stages: Option<i32>,
}

/// The columns of a [`Session`].
macro_rules! session_columns {
    () => {
        "s.id, s.alert_data, s.alert_type, s.chain_id, s.status, s.author, s.runbook_url, \
         s.runbook, s.runbook_error, s.mcp_selection, s.slack_message_fingerprint, s.config_snapshot, s.created_at, \
         s.started_at, s.completed_at, s.last_interaction_at, s.current_stage_index, \
         s.current_stage_id, s.final_analysis, s.executive_summary, s.executive_summary_error, \
         s.error_message, s.timeout_ms, s.chat_enabled, \
         s.budget_llm_calls, s.budget_tokens, s.budget_tool_calls, s.planned_stages, \
         s.executive_summary_provider, s.title, s.severity, s.service, s.namespace, s.cluster, s.links, s.labels, \
         s.fingerprint, s.seen_before, s.origin, s.replay_of, s.received_at"
    };
}

/// An alert that becomes a session.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSession {
    pub id: SessionId,
    /// The alert, masked.
    pub alert_data: String,
    /// The alert type.
    pub alert_type: Option<String>,
    /// The chain that will investigate it.
    pub chain_id: String,
    /// The author.
    pub author: Option<String>,
    /// Who pays for it: a user or an API token.
    pub principal: Option<String>,
    /// The URL of its runbook.
    pub runbook_url: Option<String>,
    /// The tools it is restricted to.
    pub mcp_selection: Option<Value>,
    /// The Slack message it came from.
    pub slack_message_fingerprint: Option<String>,
    /// What its sender states about it.
    pub fields: AlertFields,
    /// The same key within 24 hours answers the first session.
    pub idempotency: Option<IdempotencyKey>,
    pub settings: SessionSettings,
    /// The resolved configuration it keeps.
    pub config_snapshot: Value,
}

/// What became of an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Created {
    /// It is a new session.
    New {
        session_id: SessionId,
        /// The events to publish.
        events: Vec<Committed>,
    },
    /// It was taken in before, under the same idempotency key or the same id.
    Existing {
        /// The first session.
        session_id: SessionId,
    },
    /// Another alert has its idempotency key; nothing was written.
    KeyReused,
}

pub(crate) fn read(row: &PgRow) -> Result<Session, Error> {
    let cells = Cells::new(row, "alert_sessions");
    Ok(Session {
        id: cells.id("id")?,
        alert_data: cells.text("alert_data")?,
        alert_type: cells.maybe_text("alert_type")?,
        chain_id: cells.text("chain_id")?,
        status: cells.word("status")?,
        origin: cells.word("origin")?,
        replay_of: cells.maybe_id("replay_of")?,
        received_at: cells.time("received_at")?,
        author: cells.maybe_text("author")?,
        runbook_url: cells.maybe_text("runbook_url")?,
        runbook: cells.maybe_text("runbook")?,
        runbook_error: cells.maybe_text("runbook_error")?,
        mcp_selection: cells.maybe_json("mcp_selection")?,
        slack_message_fingerprint: cells.maybe_text("slack_message_fingerprint")?,
        fields: alert_fields::read(&cells)?,
        seen_before: cells.maybe_decoded("seen_before")?,
        settings: settings(&cells)?,
        executive_summary_provider: cells.maybe_text("executive_summary_provider")?,
        config_snapshot: cells.get("config_snapshot")?,
        created_at: cells.time("created_at")?,
        started_at: cells.maybe_time("started_at")?,
        completed_at: cells.maybe_time("completed_at")?,
        last_interaction_at: cells.maybe_time("last_interaction_at")?,
        current_stage_index: cells.get("current_stage_index")?,
        current_stage_id: cells.maybe_id("current_stage_id")?,
        final_analysis: cells.maybe_text("final_analysis")?,
        executive_summary: cells.maybe_text("executive_summary")?,
        executive_summary_error: cells.maybe_text("executive_summary_error")?,
        error_message: cells.maybe_text("error_message")?,
    })
}

fn settings(cells: &Cells<'_>) -> Result<SessionSettings, Error> {
    let timeout: Option<i64> = cells.get("timeout_ms")?;
    Ok(SessionSettings {
        timeout: timeout.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis),
        chat_enabled: cells.get("chat_enabled")?,
        budget: Budget {
            llm_calls: limit(cells.get("budget_llm_calls")?),
            tokens: limit(cells.get("budget_tokens")?),
            tool_calls: limit(cells.get("budget_tool_calls")?),
        },
        planned_stages: cells.get("planned_stages")?,
    })
}

/// A limit that configurations of today cannot name is the highest that they can.
fn limit(stored: i64) -> u32 {
    u32::try_from(stored).unwrap_or(u32::MAX)
}

/// Finds a session that is not deleted.
pub(crate) async fn find(
    connection: &mut Connection,
    id: SessionId,
) -> Result<Option<Session>, Error> {
    let row = sqlx::query(concat!(
        "select ",
        session_columns!(),
        " from alert_sessions s where s.id = $1 and s.deleted_at is null"
    ))
    .bind(id.uuid())
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(read).transpose()
}

/// How far a session has come; it cannot change until the transaction ends.
pub(crate) async fn lock(
    tx: &mut Connection,
    id: SessionId,
) -> Result<Option<SessionStatus>, Error> {
    // The control row first, as everywhere: who holds it decides about the session.
    sqlx::query("select 1 from session_control where session_id = $1 for no key update")
        .bind(id.uuid())
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "select status from alert_sessions where id = $1 and deleted_at is null
         for no key update",
    )
    .bind(id.uuid())
    .fetch_optional(tx)
    .await?
    .map(|row| Cells::new(&row, "alert_sessions").word("status"))
    .transpose()
}

/// Who knows the id of a session that is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdUse {
    /// Nobody yet.
    New,
    /// The sender of the alert.
    Accepted,
}

fn created(session_id: SessionId, events: Option<Vec<Committed>>) -> Created {
    match events {
        Some(events) => Created::New { session_id, events },
        None => Created::Existing { session_id },
    }
}

/// Takes out what PostgreSQL has no place for.
pub(crate) fn clean(new: &mut NewSession) {
    encode::clean(&mut new.alert_data);
    for text in [
        &mut new.alert_type,
        &mut new.author,
        &mut new.principal,
        &mut new.runbook_url,
        &mut new.slack_message_fingerprint,
    ] {
        encode::clean_maybe(text);
    }
    if let Some(key) = &mut new.idempotency {
        encode::clean(&mut key.key);
        encode::clean(&mut key.principal);
    }
    alert_fields::clean(&mut new.fields);
    encode::clean_maybe_json(&mut new.mcp_selection);
    encode::clean_json(&mut new.config_snapshot);
}

/// `created` is a session with its control row and its first event. Parameter: from which rows it is made.
macro_rules! insert_session {
    ($from:literal) => {
        concat!(
            "created as (
                insert into alert_sessions
                    (id, alert_data, alert_type, chain_id, status, author, runbook_url, mcp_selection,
                     slack_message_fingerprint, idempotency_key, config_snapshot,
                     timeout_ms, chat_enabled, budget_llm_calls, budget_tokens, budget_tool_calls,
                     planned_stages, principal,
                     title, severity, service, namespace, cluster, links, labels, fingerprint)
                select $1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                     $18, $19, $20, $21, $22, $23, $24, $25",
            $from,
            "
                on conflict (id) do nothing
                returning id, created_at
             ), controlled as (
                insert into session_control (session_id, event_seq) select id, 1 from created
             ), committed as (
                insert into events (session_id, seq, type, payload)
                select id, 1, $26, ",
            event_payload!("1", "created_at", "$27"),
            " from created
             )"
        )
    };
}

const INSERT: &str =
    concat!("with ", insert_session!(""), " select (select created_at from created) as created_at");

/// The same for an alert that is within its quotas.
const INSERT_ADMITTED: &str = concat!(
    "with ",
    admission!("$28", "$29", "$30", "$31", "$32"),
    ", admitted as (
        select 1 where not (select is_full from queue) and ($30 is null or exists (select from taken))
     ), ",
    insert_session!(" from admitted"),
    " select (select created_at from created) as created_at, ",
    admitted!("$30")
);

type Query<'q> = sqlx::query::Query<'q, Postgres, PgArguments>;

fn bind<'q>(sql: &'static str, new: &'q NewSession, tail: &'q Tail) -> Query<'q> {
    let timeout = new.settings.timeout.map(|timeout| timeout.as_millis().max(1));
    let query = sqlx::query(sql)
        .bind(new.id.uuid())
        .bind(&new.alert_data)
        .bind(&new.alert_type)
        .bind(&new.chain_id)
        .bind(&new.author)
        .bind(&new.runbook_url)
        .bind(&new.mcp_selection)
        .bind(&new.slack_message_fingerprint)
        .bind(new.idempotency.as_ref().map(|key| &key.key))
        .bind(&new.config_snapshot)
        .bind(timeout.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX)))
        .bind(new.settings.chat_enabled)
        .bind(i64::from(new.settings.budget.llm_calls))
        .bind(i64::from(new.settings.budget.tokens))
        .bind(i64::from(new.settings.budget.tool_calls))
        .bind(new.settings.planned_stages)
        .bind(&new.principal);
    let of_message = new.slack_message_fingerprint.as_ref();
    alert_fields::bind(query, &new.fields, of_message).bind(tail.kind).bind(&tail.text)
}

fn first_event(new: &NewSession) -> Result<Tail, Error> {
    Tail::new(new.id, &Body::SessionStatus { status: SessionStatus::Pending })
}

/// The first event of a session if it was inserted.
fn inserted(new: &NewSession, tail: &Tail, row: &PgRow) -> Result<Option<Vec<Committed>>, Error> {
    let at = Cells::new(row, "alert_sessions").maybe_time("created_at")?;
    Ok(at.map(|at| vec![tail.committed(new.id, 1, None, at)]))
}

/// Inserts a pending session with its first event, without a transaction of its own; nothing if its id is taken.
pub(crate) async fn insert_pending(
    connection: &mut Connection,
    new: &NewSession,
) -> Result<Option<Vec<Committed>>, Error> {
    let tail = first_event(new)?;
    let row = bind(INSERT, new, &tail).fetch_one(connection).await?;
    inserted(new, &tail, &row)
}

impl Store {
    /// Takes in an alert as a pending session, once: the same idempotency key within 24 hours, or
    /// the same id, answers the session that is there.
    #[tracing::instrument(name = "db.session.insert", skip_all)]
    pub async fn insert_session(&self, new: NewSession) -> Result<Created, Error> {
        Box::pin(self.insert(new, IdUse::New)).await
    }

    /// [`Store::insert_session`] for a session whose id its sender has already: if the key has another session, the id
    /// becomes an alias of that one.
    #[tracing::instrument(name = "db.session.insert_accepted", skip_all)]
    pub async fn insert_accepted_session(&self, new: NewSession) -> Result<Created, Error> {
        Box::pin(self.insert(new, IdUse::Accepted)).await
    }

    /// [`Store::insert_session`] for an alert without an idempotency key, if it is within its quotas; then it is counted.
    #[tracing::instrument(name = "db.session.insert_admitted", skip_all)]
    pub async fn insert_admitted_session(
        &self,
        mut new: NewSession,
        mut quota: AlertQuota,
    ) -> Result<Result<Created, Admission>, Error> {
        clean(&mut new);
        encode::clean(&mut quota.principal);
        retrying!(Box::pin(self.create_admitted(&new, &quota)))
    }

    async fn create_admitted(
        &self,
        new: &NewSession,
        quota: &AlertQuota,
    ) -> Result<Result<Created, Admission>, Error> {
        let tail = first_event(new)?;
        let mut connection = self.pool.acquire().await?;
        let row = bind(INSERT_ADMITTED, new, &tail)
            .bind(&quota.principal)
            .bind(SUBMIT_ALERT)
            .bind(quota.per_minute.map(i64::from))
            .bind(None::<String>)
            .bind(quota.pending_sessions.map(i64::from))
            .fetch_one(&mut connection)
            .await
            .map_err(|error| Error::from(error).unconfirmed())?;
        match read_admission(&row)? {
            Admission::Admitted => Ok(Ok(created(new.id, inserted(new, &tail, &row)?))),
            refused => Ok(Err(refused)),
        }
    }

    async fn insert(&self, mut new: NewSession, id_use: IdUse) -> Result<Created, Error> {
        clean(&mut new);
        retrying!(Box::pin(self.create_once(&new, id_use)))
    }

    async fn create_once(&self, new: &NewSession, id_use: IdUse) -> Result<Created, Error> {
        let Some(key) = &new.idempotency else {
            let mut connection = self.pool.acquire().await?;
            let inserted = insert_pending(&mut connection, new).await;
            return Ok(created(new.id, inserted.map_err(Error::unconfirmed)?));
        };
        let mut tx = self.pool.begin().await?;
        match take_key(&mut tx, key, new.id).await? {
            KeyUse::Same(first) => {
                if id_use == IdUse::Accepted && first != new.id {
                    insert_alias(&mut tx, new.id, first).await?;
                }
                tx.commit().await?;
                return Ok(Created::Existing { session_id: first });
            }
            KeyUse::Other if id_use == IdUse::New => return Ok(Created::KeyReused),
            // The sender of one that is not new has its id already: it becomes a session of its own.
            KeyUse::New | KeyUse::Other => {}
        }
        let Some(events) = insert_pending(&mut tx, new).await? else {
            return Ok(created(new.id, None));
        };
        tx.commit().await?;
        Ok(created(new.id, Some(events)))
    }

    /// A session, whole.
    #[tracing::instrument(name = "db.session.find", skip_all)]
    pub async fn find_session(&self, id: SessionId) -> Result<Option<Session>, Error> {
        find(&mut self.pool.acquire().await?, id).await
    }

    /// The little of a session that polling needs.
    #[tracing::instrument(name = "db.session.find_status", skip_all)]
    pub async fn find_session_status(
        &self,
        id: SessionId,
    ) -> Result<Option<SessionStatusRow>, Error> {
        let row = sqlx::query(
            "select id, status, final_analysis, executive_summary, error_message
             from alert_sessions where id = $1 and deleted_at is null",
        )
        .bind(id.uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| {
            let cells = Cells::new(&row, "alert_sessions");
            Ok(SessionStatusRow {
                id: cells.id("id")?,
                status: cells.word("status")?,
                final_analysis: cells.maybe_text("final_analysis")?,
                executive_summary: cells.maybe_text("executive_summary")?,
                error_message: cells.maybe_text("error_message")?,
            })
        })
        .transpose()
    }
}
