//! How the database and the queue are, for operators.

use sqlx::postgres::PgRow;
use tarsy_contracts::system::{
    DatabaseState, ProviderCalls, ProviderFailure, QueueState, SchemaState, SessionLease,
    StandbyState,
};

use crate::database::cells::Cells;
use crate::database::migrations::newest;
use crate::database::store::Store;
use crate::error::Error;

/// How many leases are listed at most: more than workers of a large installation have.
const LEASES: i64 = 100;
/// How many standbys are listed at most: more than PostgreSQL accepts by default.
const STANDBYS: i64 = 16;
/// How many calls of models are counted at most.
const CALLS: i64 = 5_000;
/// Characters of the message of a failed call.
const MESSAGE: i32 = 500;

impl Store {
    /// The server and the database.
    #[tracing::instrument(name = "db.system.database", skip_all)]
    pub async fn find_database_state(&self) -> Result<DatabaseState, Error> {
        let row = sqlx::query(
            "select current_setting('server_version') as version,
                pg_database_size(current_database()) as size_bytes,
                (select count(*) from pg_stat_activity where datname = current_database()) as connections,
                current_setting('max_connections')::bigint as max_connections,
                current_setting('superuser_reserved_connections')::bigint
                    + coalesce(current_setting('reserved_connections', true), '0')::bigint as reserved_connections,
                (select count(*) from pg_stat_activity where datname is not null) as server_connections,
                current_setting('transaction_read_only') = 'on' as read_only,
                current_user::text as role,
                current_setting('synchronous_standby_names') <> '' as synchronous",
        )
        .fetch_one(&self.pool)
        .await?;
        let cells = Cells::new(&row, "pg_stat_activity");
        Ok(DatabaseState {
            version: cells.text("version")?,
            size_bytes: cells.get("size_bytes")?,
            connections: cells.get("connections")?,
            max_connections: cells.get("max_connections")?,
            reserved_connections: cells.get("reserved_connections")?,
            server_connections: cells.get("server_connections")?,
            read_only: cells.get("read_only")?,
            role: cells.text("role")?,
            schema: self.find_schema_state().await?,
            synchronous: cells.get("synchronous")?,
            standbys: self.list_standbys().await?,
        })
    }

    async fn find_schema_state(&self) -> Result<SchemaState, Error> {
        let problem = match self.schema_check().await {
            Ok(()) => None,
            Err(
                error @ (Error::Schema { .. }
                | Error::BeforeBaseline
                | Error::Foreign { .. }
                | Error::Encoding { .. }
                | Error::Pooler { .. }),
            ) => Some(error.to_string()),
            Err(error) => return Err(error),
        };
        Ok(SchemaState { expected: newest(), problem })
    }

    /// Those whose details the role may not see, too.
    async fn list_standbys(&self) -> Result<Vec<StandbyState>, Error> {
        let rows = sqlx::query(
            "select coalesce(nullif(application_name, ''), 'pid ' || pid) as name, state,
                sync_state in ('sync', 'quorum') as is_synchronous,
                pg_wal_lsn_diff(
                    case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
                    replay_lsn)::bigint as lag_bytes
             from pg_stat_replication where application_name not like 'pg\\_basebackup%'
             order by application_name, pid limit $1",
        )
        .bind(STANDBYS)
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "pg_stat_replication");
                Ok(StandbyState {
                    name: cells.text("name")?,
                    state: cells.maybe_text("state")?,
                    is_synchronous: cells.get("is_synchronous")?,
                    lag_bytes: cells.get("lag_bytes")?,
                })
            })
            .collect()
    }

    /// What waits, and who works on what.
    #[tracing::instrument(name = "db.system.queue", skip_all)]
    pub async fn find_queue_state(&self) -> Result<QueueState, Error> {
        let row = sqlx::query(
            "select count(*) filter (where status = 'pending') as pending,
                min(created_at) filter (where status = 'pending') as oldest_pending_at,
                count(*) filter (where status <> 'pending' and not exists (
                    select from session_control c where c.session_id = s.id and c.suspended_at is not null
                )) as in_progress,
                (select count(*) from session_control where suspended_at is not null) as waiting_for_approval,
                (select count(*) from dead_letters where retried_at is null) as dead_letters
             from alert_sessions s where status in ('pending', 'in_progress', 'cancelling')",
        )
        .fetch_one(&self.pool)
        .await?;
        let cells = Cells::new(&row, "alert_sessions");
        Ok(QueueState {
            pending: cells.get("pending")?,
            oldest_pending_at: cells.maybe_time("oldest_pending_at")?,
            in_progress: cells.get("in_progress")?,
            waiting_for_approval: cells.get("waiting_for_approval")?,
            dead_letters: cells.get("dead_letters")?,
            leases: self.list_leases().await?,
        })
    }

    async fn list_leases(&self) -> Result<Vec<SessionLease>, Error> {
        let rows = sqlx::query(
            "select c.session_id, c.owner_id, c.lease_expires_at, c.attempts,
                c.lease_expires_at <= statement_timestamp() as is_expired
             from alert_sessions s join session_control c on c.session_id = s.id
             where s.status in ('in_progress', 'cancelling') and c.owner_id is not null
                and c.lease_expires_at is not null
             order by c.lease_expires_at, c.session_id limit $1",
        )
        .bind(LEASES)
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "session_control");
                Ok(SessionLease {
                    session_id: cells.id("session_id")?,
                    owner: cells.text("owner_id")?,
                    expires_at: cells.time("lease_expires_at")?,
                    is_expired: cells.get("is_expired")?,
                    attempts: cells.get("attempts")?,
                })
            })
            .collect()
    }
}

impl Store {
    /// The calls of each provider within the last hour, by name.
    #[tracing::instrument(name = "db.system.providers", skip_all)]
    pub async fn list_provider_calls(&self) -> Result<Vec<ProviderCalls>, Error> {
        let rows = sqlx::query(
            "with newest as materialized (
                select provider, created_at from llm_interactions
                where created_at > now() - interval '1 hour' order by created_at desc limit $1
             ), calls as (
                select provider, count(*) as calls, max(created_at) as last_call_at
                from newest where provider is not null group by provider
             ), failed as materialized (
                select provider, session_id, created_at, left(error_message, $2) as message from llm_interactions
                where error_message is not null and created_at > now() - interval '1 hour'
                    and created_at >= (select min(created_at) from newest)
                order by created_at desc limit $1
             ), failures as (
                select provider, count(*) as failed from failed group by provider
             ), last_failures as (
                select distinct on (provider) provider, session_id, created_at, message
                from failed order by provider, created_at desc
             )
             select c.provider, c.calls, c.last_call_at, coalesce(f.failed, 0) as failed, l.session_id,
                l.created_at as failed_at, l.message
             from calls c left join failures f using (provider) left join last_failures l using (provider)
             order by c.provider",
        )
        .bind(CALLS)
        .bind(MESSAGE)
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(provider_calls).collect()
    }
}

fn provider_calls(row: &PgRow) -> Result<ProviderCalls, Error> {
    let cells = Cells::new(row, "llm_interactions");
    let last_failure = match (cells.maybe_id("session_id")?, cells.maybe_time("failed_at")?) {
        (Some(session_id), Some(at)) => {
            Some(ProviderFailure { session_id, at, message: cells.text("message")? })
        }
        _ => None,
    };
    Ok(ProviderCalls {
        provider: cells.text("provider")?,
        calls: cells.get("calls")?,
        failed: cells.get("failed")?,
        last_call_at: cells.time("last_call_at")?,
        last_failure,
    })
}
