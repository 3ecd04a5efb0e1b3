//! How the database and the queue are, for operators.

use tarsy_contracts::system::{DatabaseState, QueueState, SessionLease};

use crate::cells::Cells;
use crate::error::Error;
use crate::store::Store;

/// How many leases are listed at most: more than workers of a large installation have.
const LEASES: i64 = 100;

impl Store {
    /// The server and the database.
    #[tracing::instrument(name = "db.system.database", skip_all)]
    pub async fn find_database_state(&self) -> Result<DatabaseState, Error> {
        let row = sqlx::query(
            "select current_setting('server_version') as version,
                pg_database_size(current_database()) as size_bytes,
                (select count(*) from pg_stat_activity where datname = current_database()) as connections,
                current_setting('max_connections')::bigint as max_connections",
        )
        .fetch_one(&self.pool)
        .await?;
        let cells = Cells::new(&row, "pg_stat_activity");
        Ok(DatabaseState {
            version: cells.text("version")?,
            size_bytes: cells.get("size_bytes")?,
            connections: cells.get("connections")?,
            max_connections: cells.get("max_connections")?,
        })
    }

    /// What waits, and who works on what.
    #[tracing::instrument(name = "db.system.queue", skip_all)]
    pub async fn find_queue_state(&self) -> Result<QueueState, Error> {
        let row = sqlx::query(
            "select count(*) filter (where status = 'pending') as pending,
                min(created_at) filter (where status = 'pending') as oldest_pending_at,
                count(*) filter (where status <> 'pending') as in_progress,
                (select count(*) from dead_letters where retried_at is null) as dead_letters
             from alert_sessions where status in ('pending', 'in_progress', 'cancelling')",
        )
        .fetch_one(&self.pool)
        .await?;
        let cells = Cells::new(&row, "alert_sessions");
        Ok(QueueState {
            pending: cells.get("pending")?,
            oldest_pending_at: cells.maybe_time("oldest_pending_at")?,
            in_progress: cells.get("in_progress")?,
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
