//! The whole database as it was at one moment.

use std::fmt;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use jiff::Timestamp;
use sqlx::AssertSqlSafe;
use sqlx::postgres::PgConnection;
use tokio::time::timeout;

use super::{
    AppliedMigration, DIAL_DEADLINE, IdentityValue, PART_DEADLINE, SERVER_SETTINGS,
    STATEMENT_DEADLINE, TableColumns, no_answer, quoted, schema, within,
};
use crate::database::cells::Cells;
use crate::database::migrations::newest;
use crate::database::servers::Servers;
use crate::error::Error;

/// An open transaction that reads everything as it was at its beginning, while others go on writing.
pub struct Snapshot {
    connection: PgConnection,
    tables: Vec<TableColumns>,
    migrations: Vec<AppliedMigration>,
    identities: Vec<IdentityValue>,
    taken_at: Timestamp,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("taken_at", &self.taken_at).finish_non_exhaustive()
    }
}

impl Snapshot {
    /// Connects to the database and takes a snapshot. The tables cannot be changed by a migration until it is dropped.
    #[tracing::instrument(name = "db.backup.snapshot", skip_all)]
    pub async fn begin(url: &str) -> Result<Self, Error> {
        let servers = Servers::parse(url)?.with_settings(&SERVER_SETTINGS);
        let mut connection = within(DIAL_DEADLINE, servers.connect()).await?;
        let open = &mut connection;
        let tables = within(STATEMENT_DEADLINE, schema::tables(open)).await?;
        // The locks come before the first statement that reads: that one takes the snapshot, and no migration is between.
        run(open, "begin isolation level repeatable read read only").await?;
        if !tables.is_empty() {
            let names: Vec<String> = tables.iter().map(|table| quoted(&table.name)).collect();
            run(open, &format!("lock table {} in access share mode", names.join(", "))).await?;
        }
        let read = async {
            let row = sqlx::query("select clock_timestamp() as at").fetch_one(&mut *open).await?;
            let seen = schema::tables(open).await?;
            let migrations = schema::migrations(open).await?;
            let identities = schema::identities(open).await?;
            Ok((row, seen, migrations, identities))
        };
        let (row, seen, migrations, identities) = within(STATEMENT_DEADLINE, read).await?;
        let found = migrations.last().map_or(0, |one| one.version);
        if found == 0 || seen != tables {
            // No schema at all, or a migration was faster.
            return Err(Error::Schema { found, expected: newest() });
        }
        let taken_at = Cells::new(&row, "clock").time("at")?;
        tracing::debug!(schema = found, tables = tables.len(), "took a snapshot");
        Ok(Self { connection, tables, migrations, identities, taken_at })
    }

    pub fn tables(&self) -> &[TableColumns] {
        &self.tables
    }

    /// The migrations that the database has, the first one first.
    pub fn migrations(&self) -> &[AppliedMigration] {
        &self.migrations
    }

    /// What identity columns gave last; not less than in any row of the snapshot.
    pub fn identities(&self) -> &[IdentityValue] {
        &self.identities
    }

    /// When it was taken, by the database's clock.
    pub fn taken_at(&self) -> Timestamp {
        self.taken_at
    }

    /// The rows of a table in the text format of `COPY`, in parts that do not end with rows. Each row is one line.
    #[tracing::instrument(name = "db.backup.copy_out", skip_all)]
    pub async fn copy_out<'s>(
        &'s mut self,
        table: &TableColumns,
    ) -> Result<BoxStream<'s, Result<Bytes, Error>>, Error> {
        let statement = format!("{} to stdout", table.copy());
        let parts = within(PART_DEADLINE, self.connection.copy_out_raw(&statement)).await?;
        Ok(stream::unfold(Some(parts), next_part).boxed())
    }
}

type Parts<'s> = BoxStream<'s, Result<Bytes, sqlx::Error>>;

/// The next part and what is behind it; nothing is behind an error.
async fn next_part(parts: Option<Parts<'_>>) -> Option<(Result<Bytes, Error>, Option<Parts<'_>>)> {
    let mut parts = parts?;
    match timeout(PART_DEADLINE, parts.next()).await {
        Ok(None) => None,
        Ok(Some(Ok(part))) => Some((Ok(part), Some(parts))),
        Ok(Some(Err(error))) => Some((Err(error.into()), None)),
        Err(_) => Some((Err(no_answer()), None)),
    }
}

async fn run(connection: &mut PgConnection, statement: &str) -> Result<(), Error> {
    // Of our own words and quoted names.
    let statement = sqlx::raw_sql(AssertSqlSafe(statement.to_owned()));
    within(STATEMENT_DEADLINE, async { statement.execute(connection).await.map(drop) }).await
}
