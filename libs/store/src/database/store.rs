//! The connection pool, migrations and health checks.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use sqlx::Row;
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgPoolOptions;
use tokio::time::timeout;

use crate::database::cells::Cells;
use crate::database::migrations::{MIGRATOR, VECTORS, is_before_baseline, newest, ours};
use crate::database::pool::{KEPT_PLANS, Pool, PoolLimits};
use crate::database::servers::Servers;
use crate::error::Error;
use crate::record::batch::write_tools::StoredSets;
use crate::session::snapshots::StoredSnapshots;

/// The most time that all migrations together may take, with waiting for another program that applies them.
const MIGRATION_DEADLINE: Duration = Duration::from_hours(1);
/// The most time that a migration waits for its connection.
const DIAL_DEADLINE: Duration = Duration::from_secs(3);
/// The most time that a health check waits.
const PING_DEADLINE: Duration = Duration::from_secs(3);

/// What every connection asks of the server. The keepalives let the server notice within half a minute that a client is
/// gone without a word, and free its locks. The planner counts a page that an index leads to as one of a disk without moving
/// parts, or of memory, and otherwise reads large tables from one end to the other; compiling a statement takes longer than a
/// list may. Hash tables of 32 MB, at the usual `work_mem`, hold the ids of a long list.
const SERVER_SETTINGS: [(&str, &str); 11] = [
    ("statement_timeout", "15s"),
    ("idle_in_transaction_session_timeout", "30s"),
    ("client_connection_check_interval", "5s"),
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "25s"),
    ("random_page_cost", "1.1"),
    ("jit", "off"),
    ("hash_mem_multiplier", "8"),
    KEPT_PLANS,
];

/// A migration that a database has.
struct Applied {
    version: i64,
    checksum: Vec<u8>,
    /// Whether it came to its end.
    is_whole: bool,
}

/// A pool of connections to PostgreSQL; cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: Pool,
    pub(crate) tool_sets: StoredSets,
    pub(crate) snapshots: StoredSnapshots,
    servers: Arc<Servers>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Store {
    /// Dials the database once; an unreachable one is an [`Error::Unavailable`] for the caller to
    /// wait out.
    pub async fn connect(url: &str, max_connections: u32) -> Result<Self, Error> {
        Self::connect_with(url, PoolLimits::new(max_connections)).await
    }

    /// [`Store::connect`] with other bounds.
    #[tracing::instrument(name = "db.store.connect", skip_all)]
    pub async fn connect_with(url: &str, limits: PoolLimits) -> Result<Self, Error> {
        let servers = Servers::parse(url)?;
        let pool = Pool::new(servers.with_settings(&SERVER_SETTINGS), limits);
        drop(pool.acquire().await?);
        Ok(Self {
            pool,
            tool_sets: StoredSets::default(),
            snapshots: StoredSnapshots::default(),
            servers: Arc::new(servers),
        })
    }

    /// Applies what is missing of the schema, one program at a time, forward only.
    #[tracing::instrument(name = "db.schema.migrate", skip_all)]
    pub async fn migrate(&self) -> Result<(), Error> {
        self.check_server().await?;
        self.list_applied().await?;
        // A migration may rightly take longer than a statement of the product, and so may waiting
        // for the program that applies it.
        let migrate = async {
            // The database may have a limit of its own, for connections through a pooler.
            let servers = self.servers.with_settings(&[("statement_timeout", "0")]);
            let found = timeout(DIAL_DEADLINE, servers.find()).await;
            let options = found.map_err(|_| sqlx::Error::PoolTimedOut)??;
            let one = PgPoolOptions::new().max_connections(1).acquire_timeout(DIAL_DEADLINE);
            let pool = one.connect_with(options).await?;
            let mut applied = MIGRATOR.run(&pool).await;
            if applied.is_ok() {
                let prepared = sqlx::raw_sql(VECTORS).execute(&pool).await;
                applied = prepared.map(drop).map_err(MigrateError::Execute);
            }
            pool.close().await;
            applied
        };
        match timeout(MIGRATION_DEADLINE, Box::pin(migrate)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(MigrateError::VersionMissing(found))) => {
                Err(Error::Schema { found, expected: newest() })
            }
            Ok(Err(MigrateError::VersionMismatch(version))) => Err(Error::Foreign { version }),
            Ok(Err(MigrateError::Execute(error))) => Err(error.into()),
            Ok(Err(error)) => Err(Error::Migrate(error)),
            Err(_) => Err(Error::Unavailable(sqlx::Error::PoolTimedOut)),
        }
    }

    /// Whether the database has exactly the schema that this program was built for.
    #[tracing::instrument(name = "db.schema.check", skip_all)]
    pub async fn schema_check(&self) -> Result<(), Error> {
        self.check_server().await?;
        let expected = newest();
        let applied = self.list_applied().await?;
        let mut versions = Vec::with_capacity(applied.len());
        for Applied { version, checksum, is_whole } in applied {
            let known = MIGRATOR.iter().find(|migration| migration.version == version);
            if known.is_some_and(|known| !is_whole || *known.checksum != *checksum) {
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

    /// The migrations that the database has, in their order; an error if a version before the baseline made it.
    async fn list_applied(&self) -> Result<Vec<Applied>, Error> {
        let noted = sqlx::query("select to_regclass('_sqlx_migrations') is not null as noted")
            .fetch_one(&self.pool)
            .await?;
        if !noted.try_get("noted")? {
            return Ok(Vec::new());
        }
        let rows =
            sqlx::query("select version, checksum, success from _sqlx_migrations order by version")
                .fetch_all(&self.pool)
                .await?;
        let mut applied = Vec::with_capacity(rows.len());
        for row in &rows {
            let version: i64 = row.try_get("version")?;
            let checksum: &[u8] = row.try_get("checksum")?;
            if is_before_baseline(version, checksum) {
                return Err(Error::BeforeBaseline);
            }
            let checksum = checksum.to_vec();
            applied.push(Applied { version, checksum, is_whole: row.try_get("success")? });
        }
        Ok(applied)
    }

    /// Whether the server is one that can be used, which else shows long after the start. Collations and text need the
    /// encoding: the first statement of a search would be refused. A pooler may drop the settings of a connection, without
    /// which a statement may take for ever; others at the database or the role are as good.
    async fn check_server(&self) -> Result<(), Error> {
        let row = sqlx::query(
            "select current_setting('server_encoding') as encoding,
                not exists (select from unnest(array['statement_timeout', 'idle_in_transaction_session_timeout']) name
                    where current_setting(name) = '0') as is_bounded",
        )
        .fetch_one(&self.pool)
        .await?;
        if !row.try_get::<bool, _>("is_bounded")? {
            return Err(Error::Pooler { fault: "drops the settings of a connection (options)" });
        }
        let found: String = row.try_get("encoding")?;
        if found == "UTF8" { Ok(()) } else { Err(Error::Encoding { found }) }
    }

    /// Whether the database answers.
    #[tracing::instrument(name = "db.store.ping", skip_all)]
    pub async fn ping(&self) -> Result<(), Error> {
        let answered = timeout(PING_DEADLINE, sqlx::query("select 1").execute(&self.pool)).await;
        answered.map_err(|_| sqlx::Error::PoolTimedOut)??;
        Ok(())
    }

    /// The database's clock.
    #[tracing::instrument(name = "db.store.read_time", skip_all)]
    pub async fn read_time(&self) -> Result<Timestamp, Error> {
        let read = sqlx::query("select clock_timestamp() as at").fetch_one(&self.pool);
        let row = timeout(PING_DEADLINE, read).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
        Cells::new(&row, "clock").time("at")
    }

    /// Closes all connections; every later call answers [`Error::Unavailable`].
    #[tracing::instrument(name = "db.store.close", skip_all)]
    pub fn close(&self) {
        self.pool.close();
    }
}
