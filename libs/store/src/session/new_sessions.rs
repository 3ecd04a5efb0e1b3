//! Alerts that become sessions.

use sqlx::Postgres;
use sqlx::postgres::{PgArguments, PgRow};
use tarsy_contracts::event::{Body, Committed};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;

use crate::access::quotas::{
    Admission, AlertQuota, SUBMIT_ALERT, admission, admitted, read_admission, take_one, taken,
};
use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode::{self, Tail, event_payload};
use crate::error::Error;
use crate::session::alert_fields;
use crate::session::aliases::insert_alias;
use crate::session::idempotency::{KeyUse, take_key};
use crate::session::sessions::{Created, NewSession};
use crate::session::snapshots::StoredSnapshots;

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
        &mut new.requested_provider,
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

/// `created` is a session with its control row and its first event, if the shared configuration that it names is there.
/// Parameters: from which rows it is made, and the digest of that configuration.
macro_rules! insert_session {
    ($from:literal, $digest:literal) => {
        concat!(
            "created as (
                insert into alert_sessions
                    (id, alert_data, alert_type, chain_id, status, author, runbook_url, mcp_selection,
                     slack_message_fingerprint, idempotency_key, config_snapshot,
                     timeout_ms, chat_enabled, budget_llm_calls, budget_tokens, budget_tool_calls,
                     planned_stages, principal, traceparent,
                     title, severity, service, namespace, cluster, links, labels, fingerprint, requested_provider, config_digest)
                select $1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                     $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, ",
            $digest,
            $from,
            "
                where ",
            $digest,
            "::text is null or exists (select from config_snapshots k where k.digest = ",
            $digest,
            " and k.shared)
                on conflict (id) do nothing
                returning id, created_at
             ), controlled as (
                insert into session_control (session_id, event_seq) select id, 1 from created
             ), committed as (
                insert into events (session_id, seq, type, payload)
                select id, 1, $28, ",
            event_payload!("1", "created_at", "$29"),
            " from created
             )"
        )
    };
}

const INSERT: &str = concat!(
    "with ",
    insert_session!("", "$30"),
    " select (select created_at from created) as created_at"
);

/// The same for an alert that is within its quotas.
const INSERT_ADMITTED: &str = concat!(
    "with ",
    admission!("$30", "$31", "$32", "$33", "$34"),
    // The document of the search follows with the publication of the first event.
    ", later as materialized (
        select set_config('tarsy.search_later', 'on', true)
     ), admitted as (
        select 1 from later where not (select is_full from queue) and ($32 is null or exists (select from taken))
     ), ",
    insert_session!(" from admitted", "$35"),
    " select (select created_at from created) as created_at, ",
    admitted!("$32")
);

type Query<'q> = sqlx::query::Query<'q, Postgres, PgArguments>;

/// Parameters 1 to 29. With `digest` the session has a shared configuration, and none of its own.
fn bind<'q>(
    sql: &'static str,
    new: &'q NewSession,
    digest: Option<&str>,
    tail: &'q Tail,
) -> Query<'q> {
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
        .bind(digest.is_none().then_some(&new.config_snapshot))
        .bind(timeout.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX)))
        .bind(new.settings.chat_enabled)
        .bind(i64::from(new.settings.budget.llm_calls))
        .bind(i64::from(new.settings.budget.tokens))
        .bind(i64::from(new.settings.budget.tool_calls))
        .bind(new.settings.planned_stages)
        .bind(&new.principal)
        .bind(&new.traceparent);
    let of_message = new.slack_message_fingerprint.as_ref();
    alert_fields::bind(query, &new.fields, of_message)
        .bind(&new.requested_provider)
        .bind(tail.kind)
        .bind(&tail.text)
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
    snapshots: &StoredSnapshots,
    new: &NewSession,
) -> Result<Option<Vec<Committed>>, Error> {
    if let Some(digest) = snapshots.share(connection, &new.config_snapshot).await? {
        if let Some(events) = insert_with(connection, new, Some(&digest)).await? {
            return Ok(Some(events));
        }
        snapshots.remove(&digest);
    }
    insert_with(connection, new, None).await
}

/// With a digest, nothing also if the shared configuration is not there.
async fn insert_with(
    connection: &mut Connection,
    new: &NewSession,
    digest: Option<&str>,
) -> Result<Option<Vec<Committed>>, Error> {
    let tail = first_event(new)?;
    let row = bind(INSERT, new, digest, &tail).bind(digest).fetch_one(connection).await?;
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
        let digest = self.snapshots.share(&mut connection, &new.config_snapshot).await?;
        let digest = digest.as_deref();
        let row = bind(INSERT_ADMITTED, new, digest, &tail)
            .bind(&quota.principal)
            .bind(SUBMIT_ALERT)
            .bind(quota.per_minute.map(i64::from))
            .bind(None::<String>)
            .bind(quota.pending_sessions.map(i64::from))
            .bind(digest)
            .fetch_one(&mut connection)
            .await
            .map_err(|error| Error::from(error).unconfirmed())?;
        match read_admission(&row)? {
            Admission::Admitted => {}
            refused => return Ok(Err(refused)),
        }
        let mut events = inserted(new, &tail, &row)?;
        if let (None, Some(digest)) = (&events, digest) {
            // It is counted already.
            self.snapshots.remove(digest);
            let own = insert_with(&mut connection, new, None).await;
            events = own.map_err(Error::unconfirmed)?;
        }
        Ok(Ok(created(new.id, events)))
    }

    async fn insert(&self, mut new: NewSession, id_use: IdUse) -> Result<Created, Error> {
        clean(&mut new);
        retrying!(Box::pin(self.create_once(&new, id_use)))
    }

    async fn create_once(&self, new: &NewSession, id_use: IdUse) -> Result<Created, Error> {
        let Some(key) = &new.idempotency else {
            let mut connection = self.pool.acquire().await?;
            let inserted = insert_pending(&mut connection, &self.snapshots, new).await;
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
        let Some(events) = insert_pending(&mut tx, &self.snapshots, new).await? else {
            return Ok(created(new.id, None));
        };
        tx.commit().await?;
        Ok(created(new.id, Some(events)))
    }
}
