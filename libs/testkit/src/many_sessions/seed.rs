//! Fills a database. Triggers and foreign keys are off, indexes are made at the end, and what takes processors is done by
//! several connections, so that a million sessions take minutes.

use anyhow::Context as _;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

const PREPARE: &str = include_str!("prepare.sql");
const ROWS: &str = include_str!("rows.sql");
const MEMORIES: &str = include_str!("memories.sql");
const DOCUMENTS: &str = include_str!("documents.sql");
const CLEAN: &str = "drop table seed_indexes;
    drop function seed_draw(bigint, bigint);
    drop function seed_time(bigint);
    drop function seed_id(timestamptz, text);
    vacuum analyze";
const SETTINGS: &str = "set session_replication_role = replica;
    set synchronous_commit = off;
    set statement_timeout = 0;
    set maintenance_work_mem = '256MB'";

/// Fills a migrated, empty database with sessions of the last 90 days, their steps, the documents of the search, and
/// memories. It takes
/// about 5 kB of disk for each session.
pub async fn seed_sessions(url: &str, sessions: u32) -> anyhow::Result<()> {
    let at_once = std::thread::available_parallelism()?.get();
    let mut connection = connect(url, &format!("set seed.sessions = '{sessions}'")).await?;
    sqlx::raw_sql(PREPARE).execute(&mut connection).await.context("the preparation")?;
    let indexes: Vec<String> = sqlx::query_scalar("select definition from seed_indexes")
        .fetch_all(&mut connection)
        .await?;
    sqlx::raw_sql(ROWS).execute(&mut connection).await.context("the sessions")?;
    sqlx::raw_sql(MEMORIES).execute(&mut connection).await.context("the memories")?;
    let parts = (0..at_once)
        .map(|part| format!("set seed.parts = {at_once}; set seed.part = {part}; {DOCUMENTS}"));
    execute(url, parts.collect(), at_once).await.context("the documents")?;
    execute(url, indexes, at_once).await.context("the indexes")?;
    for statement in CLEAN.split(';') {
        sqlx::raw_sql(statement).execute(&mut connection).await.context(statement)?;
    }
    connection.close().await?;
    Ok(())
}

/// Executes statements of this module, so many at once.
async fn execute(url: &str, statements: Vec<String>, at_once: usize) -> anyhow::Result<()> {
    stream::iter(statements)
        .map(|statement| async move {
            let connection = connect(url, &statement).await?;
            connection.close().await?;
            anyhow::Ok(())
        })
        .buffer_unordered(at_once)
        .try_collect()
        .await
}

/// A connection that has executed a statement of this module, which has no parameters.
async fn connect(url: &str, statement: &str) -> anyhow::Result<PgConnection> {
    let mut connection = PgConnection::connect(url).await?;
    sqlx::raw_sql(SETTINGS).execute(&mut connection).await?;
    let statement = AssertSqlSafe(statement.to_owned());
    sqlx::raw_sql(statement).execute(&mut connection).await?;
    Ok(connection)
}
