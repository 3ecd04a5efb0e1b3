//! The connection pool. Every wait for a connection and every statement has a deadline on this side: the server may be
//! gone without a word, and then neither its own time limits nor an error ever arrive.

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use deadpool::managed::{self, Manager, Metrics, Object, PoolError, QueueMode, RecycleResult};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _, TryFutureExt as _, TryStreamExt as _};
use sqlx::postgres::{
    PgConnection, PgDatabaseError, PgQueryResult, PgRow, PgSeverity, PgStatement, PgTypeInfo,
};
use sqlx::{Connection as _, Either, Error, Execute, Executor, Postgres, SqlStr};
use tokio::time::timeout;

use crate::database::servers::Servers;
use crate::error::Error as StoreError;

/// A connection that was idle longer is tested before it is used.
const MAX_IDLE: Duration = Duration::from_secs(5);
/// A connection is replaced after this time, so that a server that was moved or grew caches does not keep old ones.
const MAX_AGE: Duration = Duration::from_mins(30);

/// What each new connection asks for. Statements of the product find rows by keys, so that one plan serves all values, while the
/// usual setting makes six of each statement on each connection: an eighth of what a session took of PostgreSQL.
pub(crate) const KEPT_PLANS: (&str, &str) = ("plan_cache_mode", "force_generic_plan");

/// The bounds of a pool.
#[derive(Clone, Copy, Debug)]
pub struct PoolLimits {
    /// How many connections may be open.
    pub max_connections: u32,
    /// The most time that a caller waits for a connection, the dialling included.
    pub acquire: Duration,
    /// The most time that a caller waits for the answer to a statement. The server's `statement_timeout` should be
    /// shorter: its answer says more, and the connection can be used again.
    pub statement: Duration,
}

impl PoolLimits {
    /// For a process of the product: a connection within 3 s, an answer within 18 s.
    pub fn new(max_connections: u32) -> Self {
        Self {
            max_connections: max_connections.max(1),
            acquire: Duration::from_secs(3),
            statement: Duration::from_secs(18),
        }
    }
}

/// A pool of connections; cheap to clone. A single statement may be executed on `&Pool`.
#[derive(Clone)]
pub(crate) struct Pool {
    connections: managed::Pool<Connector>,
    limits: PoolLimits,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Pool {
    /// A pool without connections.
    pub(crate) fn new(servers: Servers, limits: PoolLimits) -> Self {
        let connections = managed::Pool::builder(Connector { servers })
            .max_size(limits.max_connections as usize)
            // The connection that was used last is the least likely to be lost.
            .queue_mode(QueueMode::Lifo)
            .build();
        // `build` only refuses time limits without a runtime, and none is given.
        let connections = connections.unwrap_or_else(|_| unreachable!("no time limits are set"));
        Self { connections, limits }
    }

    pub(crate) async fn acquire(&self) -> Result<Connection, Error> {
        let mut connection = self.take().await?;
        connection.plan(Plans::Kept).await?;
        Ok(connection)
    }

    async fn take(&self) -> Result<Connection, Error> {
        // On the heap, because dialling is large and every caller's future would carry it.
        let acquired = timeout(self.limits.acquire, self.connections.get().boxed()).await;
        let live = match acquired {
            Ok(Ok(live)) => live,
            Ok(Err(PoolError::Backend(error))) => return Err(error),
            Ok(Err(PoolError::Closed)) => return Err(Error::PoolClosed),
            Ok(Err(_)) | Err(_) => return Err(Error::PoolTimedOut),
        };
        Ok(Connection { live: Some(live), deadline: self.limits.statement })
    }

    /// Waits for a connection whose statements without a name are planned for their values: for filters that meet few rows or
    /// nearly all.
    pub(crate) async fn acquire_for_filters(&self) -> Result<Connection, Error> {
        let mut connection = self.take().await?;
        connection.plan(Plans::ForValues).await?;
        Ok(connection)
    }

    /// Opens a transaction on a connection of its own.
    pub(crate) async fn begin(&self) -> Result<Transaction, Error> {
        let mut connection = self.acquire().await?;
        connection.set_in_transaction(true);
        connection.execute("begin").await?;
        Ok(Transaction { connection })
    }

    /// Closes the idle connections now and the others when they are returned.
    pub(crate) fn close(&self) {
        self.connections.close();
    }
}

/// Opens and tests the connections of a pool.
#[derive(Debug)]
struct Connector {
    servers: Servers,
}

impl Manager for Connector {
    type Type = Live;
    type Error = Error;

    async fn create(&self) -> Result<Live, Error> {
        let raw = self.servers.connect().await?;
        Ok(Live { raw, waits: false, in_transaction: false, plans: Plans::Kept })
    }

    async fn recycle(&self, live: &mut Live, metrics: &Metrics) -> RecycleResult<Error> {
        if metrics.age() > MAX_AGE {
            return Err(managed::RecycleError::message("too old"));
        }
        if metrics.last_used() > MAX_IDLE {
            live.raw.ping().await?;
        }
        Ok(())
    }
}

/// An open connection and whether it may be used again.
#[derive(Debug)]
struct Live {
    raw: PgConnection,
    /// An answer is due. If nobody waits for it any more, what arrives next belongs to an abandoned statement.
    waits: bool,
    /// A transaction is open.
    in_transaction: bool,
    plans: Plans,
}

/// How PostgreSQL plans the statements of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plans {
    /// Once for all values, as a new connection does by [`KEPT_PLANS`].
    Kept,
    /// Those without a name each time, for the values at hand, and others as PostgreSQL decides.
    ForValues,
}

impl Plans {
    fn statement(self) -> &'static str {
        match self {
            Self::Kept => "set plan_cache_mode = force_generic_plan",
            Self::ForValues => "set plan_cache_mode = auto",
        }
    }
}

/// A connection that is closed unless its last statement was answered and no transaction is open: an abandoned statement
/// or transaction never reaches the next user.
pub(crate) struct Connection {
    /// Present until the drop.
    live: Option<Object<Connector>>,
    deadline: Duration,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    async fn plan(&mut self, wanted: Plans) -> Result<(), Error> {
        if self.live.as_ref().is_some_and(|live| live.plans != wanted) {
            self.execute(wanted.statement()).await?;
            if let Some(live) = self.live.as_mut() {
                live.plans = wanted;
            }
        }
        Ok(())
    }

    fn set_in_transaction(&mut self, open: bool) {
        if let Some(live) = self.live.as_mut() {
            live.in_transaction = open;
        }
    }

    /// Runs a statement until its deadline.
    async fn run<'e, T: 'e>(
        &'e mut self,
        statement: impl FnOnce(&'e mut PgConnection) -> BoxFuture<'e, Result<T, Error>>,
    ) -> Result<T, Error> {
        let Some(object) = self.live.as_mut() else { return Err(Error::PoolClosed) };
        let pool = Object::pool(object);
        let Live { raw, waits, .. } = &mut **object;
        *waits = true;
        match timeout(self.deadline, statement(raw)).await {
            Ok(Ok(value)) => {
                *waits = false;
                Ok(value)
            }
            Ok(Err(error)) => {
                let standby = is_of_a_standby(&error);
                *waits = standby || !leaves_connection_usable(&error);
                if standby {
                    close_idle(pool);
                }
                Err(error)
            }
            Err(_) => {
                close_idle(pool);
                Err(Error::Io(io::Error::new(io::ErrorKind::TimedOut, "no answer in time")))
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(object) = self.live.take()
            && (object.waits || object.in_transaction)
        {
            // Closes the socket, upon which the server rolls back and frees its locks.
            drop(Object::take(object));
        }
    }
}

/// What one connection lost, the idle ones have most likely lost too.
fn close_idle(pool: Option<managed::Pool<Connector>>) {
    if let Some(pool) = pool {
        pool.retain(|_, _| false);
    }
}

/// Whether the server takes no writes any more: another one is the primary now.
fn is_of_a_standby(error: &Error) -> bool {
    const READ_ONLY_TRANSACTION: &str = "25006";
    error
        .as_database_error()
        .is_some_and(|error| error.code().as_deref() == Some(READ_ONLY_TRANSACTION))
}

/// Whether the server refused the statement and goes on serving the connection.
fn leaves_connection_usable(error: &Error) -> bool {
    match error {
        Error::Database(error) => error
            .try_downcast_ref::<PgDatabaseError>()
            .is_some_and(|error| error.severity() == PgSeverity::Error),
        Error::RowNotFound => true,
        _ => false,
    }
}

impl<'c> Executor<'c> for &'c mut Connection {
    type Database = Postgres;

    /// Collects the whole answer before it yields the first item, so that the deadline holds for all of it.
    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        self.run(|raw| raw.fetch_many(query).try_collect::<Vec<_>>().boxed())
            .map_ok(|items| stream::iter(items.into_iter().map(Ok)))
            .try_flatten_stream()
            .boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        self.run(|raw| raw.fetch_optional(query)).boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'c: 'e,
    {
        self.run(|raw| raw.prepare_with(sql, parameters)).boxed()
    }
}

impl<'p> Executor<'p> for &'p Pool {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        async move {
            let items: Vec<_> = self.acquire().await?.fetch_many(query).try_collect().await?;
            Ok(stream::iter(items.into_iter().map(Ok)))
        }
        .try_flatten_stream()
        .boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        async move { self.acquire().await?.fetch_optional(query).await }.boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'p: 'e,
    {
        async move { self.acquire().await?.prepare_with(sql, parameters).await }.boxed()
    }
}

/// A transaction. Dropped without an end, it closes its connection, and the server rolls back.
#[derive(Debug)]
pub(crate) struct Transaction {
    connection: Connection,
}

impl Transaction {
    /// Commits; after [`StoreError::Uncertain`] it is unknown whether the transaction was committed.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        self.connection.execute("commit").await.map_err(|error| match error {
            Error::Database(_) => StoreError::from(error),
            lost => StoreError::Uncertain(lost),
        })?;
        self.connection.set_in_transaction(false);
        Ok(())
    }

    /// Rolls back and keeps the connection.
    pub(crate) async fn rollback(mut self) -> Result<(), Error> {
        self.connection.execute("rollback").await?;
        self.connection.set_in_transaction(false);
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}
