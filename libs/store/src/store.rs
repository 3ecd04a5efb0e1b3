//! The connection pool, migrations and health checks.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Connection, Row};

use crate::error::Error;

/// The schema of this program.
static MIGRATOR: Migrator = sqlx::migrate!("../../migrations");

/// The most time that a caller waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);
/// A connection that was idle longer is tested before it is used.
const MAX_IDLE: Duration = Duration::from_secs(5);

/// A pool of connections to PostgreSQL; cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: PgPool,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Store {
    /// Dials the database once; an unreachable one is an [`Error::Unavailable`] for the caller to
    /// wait out.
    #[tracing::instrument(name = "db.store.connect", skip_all)]
    pub async fn connect(url: &str, max_connections: u32) -> Result<Self, Error> {
        let options = PgConnectOptions::from_str(url)?.application_name("tarsy").options([
            ("statement_timeout", "15s"),
            ("idle_in_transaction_session_timeout", "30s"),
        ]);
        let pool = PgPoolOptions::new()
            .max_connections(max_connections.max(1))
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .test_before_acquire(false)
            .before_acquire(|connection, rest| {
                Box::pin(async move {
                    if rest.idle_for > MAX_IDLE {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_with(options)
            .await?;
        Ok(Self { pool })
    }

    /// Applies what is missing of the schema, one program at a time, forward only.
    #[tracing::instrument(name = "db.schema.migrate", skip_all)]
    pub async fn migrate(&self) -> Result<(), Error> {
        // A migration may rightly take longer than a statement of the product, and so may waiting
        // for the program that applies it.
        let unlimited = PgConnectOptions::clone(&self.pool.connect_options())
            .options([("statement_timeout", "0"), ("idle_in_transaction_session_timeout", "0")]);
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_with(unlimited)
            .await?;
        let applied = MIGRATOR.run(&pool).await;
        pool.close().await;
        match applied {
            Ok(()) => Ok(()),
            Err(MigrateError::VersionMissing(found)) => {
                Err(Error::Schema { found, expected: newest() })
            }
            Err(MigrateError::Execute(error)) => Err(error.into()),
            Err(error) => Err(Error::Migrate(error)),
        }
    }

    /// Whether the database has exactly the schema that this program was built for.
    #[tracing::instrument(name = "db.schema.check", skip_all)]
    pub async fn schema_check(&self) -> Result<(), Error> {
        let expected = newest();
        let noted = sqlx::query("select to_regclass('_sqlx_migrations') is not null as noted")
            .fetch_one(&self.pool)
            .await?;
        let applied = if noted.try_get("noted")? {
            sqlx::query("select version, checksum, success from _sqlx_migrations order by version")
                .fetch_all(&self.pool)
                .await?
        } else {
            Vec::new()
        };
        let mut versions = Vec::with_capacity(applied.len());
        for row in &applied {
            let version: i64 = row.try_get("version")?;
            let known = MIGRATOR.iter().find(|migration| migration.version == version);
            let checksum: &[u8] = row.try_get("checksum")?;
            let whole: bool = row.try_get("success")?;
            if known.is_some_and(|known| !whole || *known.checksum != *checksum) {
                return Err(Error::Foreign { version });
            }
            versions.push(version);
        }
        if versions.iter().copied().eq(ours()) {
            return Ok(());
        }
        // With a gap, what comes before it; `tarsy migrate` fills it.
        let whole = ours().take_while(|version| versions.contains(version)).last().unwrap_or(0);
        let found = if whole == expected { versions.last().copied().unwrap_or(0) } else { whole };
        Err(Error::Schema { found, expected })
    }

    /// Whether the database answers.
    #[tracing::instrument(name = "db.store.ping", skip_all)]
    pub async fn ping(&self) -> Result<(), Error> {
        sqlx::query("select 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Closes all connections; every later call answers [`Error::Unavailable`].
    #[tracing::instrument(name = "db.store.close", skip_all)]
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// The migrations that this program knows, in their order.
fn ours() -> impl Iterator<Item = i64> {
    MIGRATOR.iter().map(|migration| migration.version)
}

/// The newest of them.
fn newest() -> i64 {
    ours().max().unwrap_or(0)
}
