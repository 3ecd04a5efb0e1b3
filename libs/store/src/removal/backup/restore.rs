//! A backup's rows into an empty database, in one transaction: until its end nobody sees any of it.

use std::fmt;

use bytes::Bytes;
use jiff::Timestamp;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnection, PgCopyIn, PgPoolOptions};
use sqlx::{AssertSqlSafe, Postgres, Row as _, Transaction};
use thiserror::Error;
use tokio::time::timeout;

use super::{
    AppliedMigration, DIAL_DEADLINE, IdentityValue, PART_DEADLINE, SERVER_SETTINGS,
    STATEMENT_DEADLINE, TableColumns, no_answer, quoted, schema, within,
};
use crate::access::roles;
use crate::access::secret::hexadecimal;
use crate::database::migrations::{MIGRATOR, after_baseline, newest};
use crate::database::servers::Servers;
use crate::error::Error;

/// Everything that the current schema has, views before the tables that they read.
const DROP_ALL: &str = "do $$
declare one record;
begin
    for one in
        select format('drop %s if exists %s cascade',
            case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
                else 'table' end, c.oid::regclass) as statement
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = current_schema() and c.relkind in ('r', 'p', 'v', 'm', 'f')
            and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
        order by c.relkind <> 'v'
    loop
        execute one.statement;
    end loop;
    for one in
        select format('drop routine if exists %s cascade', p.oid::regprocedure) as statement
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = current_schema()
            and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    loop
        execute one.statement;
    end loop;
end
$$";

/// Leases, claims and attempts of the time before the loss. Whoever still holds a lease of the lost database is fenced: its
/// epoch may be beyond that of the backup. What was not reported as sent may have been sent.
const AFTER_LOSS: &str = "
    update session_control
    set lease_epoch = lease_epoch + 1000000, lease_expires_at = least(lease_expires_at, now());
    update summaries
    set lease_epoch = lease_epoch + 1000000, lease_expires_at = least(lease_expires_at, now())
    where status in ('pending', 'in_progress');
    update notifications n
    set claim = claim + 1000000, due_at = least(due_at, now()), attempted_at = coalesce(attempted_at, created_at),
        thread_ref = coalesce(thread_ref, (
            select b.thread_ref from notifications b
            where b.session_id = n.session_id and b.destination = n.destination and b.kind = 'started' and b.id <> n.id
        ))
    where status = 'pending'";

/// What may become of rows that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreTarget {
    /// They are an error.
    Empty,
    /// They are deleted, with every table of the schema.
    Replaced,
}

/// Why a backup was not restored; the database is as it was.
#[derive(Debug, Error)]
pub enum RestoreError {
    /// The database refused, or could not be reached.
    #[error(transparent)]
    Store(#[from] Error),
    /// The database has rows.
    #[error("the database is not empty: table {table} has rows")]
    NotEmpty { table: String },
    /// Processes of TARSy use the database.
    #[error("{connections} connections of TARSy use the database; stop all services first")]
    InUse { connections: i64 },
    /// The backup has a migration that this program does not know.
    #[error(
        "the backup has schema {found}, and this program knows schemas up to {known}; restore it with the version that \
         took it, or a newer one"
    )]
    Newer { found: i64, known: i64 },
    /// A version before 0.1.0 took the backup, and not the last of them.
    #[error(
        "a version of TARSy before 0.1.0 took the backup, and it is not of the last schema of that time: restore it with \
         the version that took it, migrate with the last one before 0.1.0 (`tarsy migrate`), and take another: \
         docs/install/upkeep.md#from-before-010"
    )]
    BeforeBaseline,
    /// The backup has a migration in another form.
    #[error("migration {version} of the backup is not the one that this program knows")]
    Foreign { version: i64 },
    /// The backup has a table or a column that its schema does not have.
    #[error("table {table} of the backup does not fit its schema")]
    Table { table: String },
}

impl From<sqlx::Error> for RestoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// A transaction in which the schema of the backup exists, and takes rows. Dropped without [`Restore::finish`], it leaves
/// nothing.
pub struct Restore {
    transaction: Transaction<'static, Postgres>,
    tables: Vec<TableColumns>,
    /// Statements that add the foreign keys again.
    foreign_keys: Vec<String>,
}

impl fmt::Debug for Restore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restore").finish_non_exhaustive()
    }
}

/// Takes the rows of one table.
pub struct TableWriter<'r> {
    copy: PgCopyIn<&'r mut PgConnection>,
}

impl fmt::Debug for TableWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableWriter").finish_non_exhaustive()
    }
}

impl Restore {
    /// Connects to the database, and makes the schema that these migrations made.
    #[tracing::instrument(name = "db.restore.begin", skip_all)]
    pub async fn begin(
        url: &str,
        migrations: &[AppliedMigration],
        target: RestoreTarget,
    ) -> Result<Self, RestoreError> {
        let of_backup = known(migrations)?;
        let servers = Servers::parse(url)?.with_settings(&SERVER_SETTINGS);
        let options = within(DIAL_DEADLINE, servers.find()).await?;
        let one = PgPoolOptions::new().max_connections(1).acquire_timeout(DIAL_DEADLINE);
        let pool = one.connect_with(options).await?;
        let mut transaction = within(DIAL_DEADLINE, Box::pin(pool.begin())).await?;
        let (there, used) = within(STATEMENT_DEADLINE, schema::contents(&mut transaction)).await?;
        if let Some(table) = used.filter(|_| target == RestoreTarget::Empty) {
            return Err(RestoreError::NotEmpty { table });
        }
        if !there.is_empty() {
            nobody_uses(&mut transaction).await?;
            run(&mut transaction, DROP_ALL).await?;
        }
        migrate(&mut transaction, &of_backup).await?;
        let tables = within(STATEMENT_DEADLINE, schema::tables(&mut transaction)).await?;
        let foreign_keys = take_foreign_keys(&mut transaction).await?;
        for table in &tables {
            let name = quoted(&table.name);
            // Searched texts and the like travel as rows. Migrations have written rows, too.
            run(&mut transaction, &format!("alter table {name} disable trigger user")).await?;
        }
        let names: Vec<String> = tables.iter().map(|table| quoted(&table.name)).collect();
        if !names.is_empty() {
            run(&mut transaction, &format!("truncate {}", names.join(", "))).await?;
        }
        Ok(Self { transaction, tables, foreign_keys })
    }

    /// Begins to take the rows of a table.
    #[tracing::instrument(name = "db.restore.copy_in", skip_all)]
    pub async fn copy_in(&mut self, table: &TableColumns) -> Result<TableWriter<'_>, RestoreError> {
        let there = self.tables.iter().find(|one| one.name == table.name);
        if there.is_none_or(|there| !table.columns.iter().all(|one| there.columns.contains(one))) {
            return Err(RestoreError::Table { table: table.name.clone() });
        }
        let statement = format!("{} from stdin", table.copy());
        let copy = within(PART_DEADLINE, self.transaction.copy_in_raw(&statement)).await?;
        Ok(TableWriter { copy })
    }

    /// Checks the foreign keys, migrates to the schema of this program, and commits. From then on owners of the time before
    /// are fenced, and their work is taken over.
    #[tracing::instrument(name = "db.restore.finish", skip_all)]
    pub async fn finish(
        mut self,
        taken_at: Timestamp,
        version: &str,
        identities: &[IdentityValue],
    ) -> Result<(), RestoreError> {
        let open = &mut self.transaction;
        for statement in &self.foreign_keys {
            run(open, statement).await?;
        }
        for table in &self.tables {
            let name = quoted(&table.name);
            run(open, &format!("alter table {name} enable trigger user")).await?;
        }
        for identity in identities {
            set_identity(open, identity).await?;
        }
        migrate(open, &MIGRATOR).await?;
        run(open, AFTER_LOSS).await?;
        let note =
            sqlx::query("insert into restores (backup_taken_at, backup_version) values ($1, $2)")
                .bind(jiff_sqlx::Timestamp::from(taken_at))
                .bind(version)
                .execute(&mut **open);
        within(STATEMENT_DEADLINE, note).await?;
        if roles_exist(open).await? {
            run(open, &roles::role_grants()).await?;
        }
        run(open, "analyze").await?;
        let committed = timeout(STATEMENT_DEADLINE, self.transaction.commit()).await;
        match committed {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error @ sqlx::Error::Database(_))) => Err(error.into()),
            Ok(Err(lost)) => Err(Error::Uncertain(lost).into()),
            Err(_) => Err(no_answer().into()),
        }
    }
}

impl TableWriter<'_> {
    /// Takes a part of the rows, which need not end with a row.
    pub async fn send(&mut self, part: Bytes) -> Result<(), RestoreError> {
        within(PART_DEADLINE, async { self.copy.send(part).await.map(drop) }).await?;
        Ok(())
    }

    /// Ends the table; how many rows it has.
    pub async fn finish(self) -> Result<u64, RestoreError> {
        Ok(within(STATEMENT_DEADLINE, self.copy.finish()).await?)
    }
}

/// The migrations of a backup as this program knows them, or those that make the same tables.
fn known(migrations: &[AppliedMigration]) -> Result<Migrator, RestoreError> {
    let of_before = after_baseline(migrations.iter().map(|one| one.checksum.clone()));
    if let Some(of_before) = of_before {
        return Ok(of_before);
    }
    let mut of_backup = Vec::with_capacity(migrations.len());
    for AppliedMigration { version, checksum } in migrations {
        let known = MIGRATOR.iter().find(|known| known.version == *version);
        let newer = RestoreError::Newer { found: *version, known: newest() };
        let known = known.ok_or(newer)?;
        if hexadecimal(&known.checksum) != *checksum {
            let is_first = of_backup.is_empty();
            let foreign = RestoreError::Foreign { version: *version };
            return Err(if is_first { RestoreError::BeforeBaseline } else { foreign });
        }
        of_backup.push(known.clone());
    }
    Ok(Migrator::with_migrations(of_backup))
}

async fn migrate(connection: &mut PgConnection, migrator: &Migrator) -> Result<(), RestoreError> {
    let migrated = Box::pin(migrator.run_direct(None, connection, false));
    match timeout(STATEMENT_DEADLINE, migrated).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(MigrateError::Execute(error))) => Err(error.into()),
        Ok(Err(error)) => Err(Error::Migrate(error).into()),
        Err(_) => Err(no_answer().into()),
    }
}

/// Refuses while other processes of TARSy have connections.
async fn nobody_uses(connection: &mut PgConnection) -> Result<(), RestoreError> {
    let others = sqlx::query_scalar(
        "select count(*) from pg_stat_activity
         where datname = current_database() and application_name = 'tarsy' and pid <> pg_backend_pid()",
    );
    let connections: i64 = within(STATEMENT_DEADLINE, others.fetch_one(connection)).await?;
    if connections > 0 {
        return Err(RestoreError::InUse { connections });
    }
    Ok(())
}

/// Drops the foreign keys, so that tables may come in any order; answers the statements that add them again.
async fn take_foreign_keys(connection: &mut PgConnection) -> Result<Vec<String>, RestoreError> {
    let listed = sqlx::query(
        "select k.conrelid::regclass::text as table_name, quote_ident(k.conname) as name,
            pg_get_constraintdef(k.oid) as definition
         from pg_constraint k join pg_namespace n on n.oid = k.connamespace
         where n.nspname = current_schema() and k.contype = 'f' and k.conparentid = 0
         order by 1, 2",
    );
    let rows = within(STATEMENT_DEADLINE, listed.fetch_all(&mut *connection)).await?;
    let mut added = Vec::with_capacity(rows.len());
    for row in &rows {
        let (table, name): (String, String) = (row.try_get("table_name")?, row.try_get("name")?);
        let definition: String = row.try_get("definition")?;
        run(connection, &format!("alter table {table} drop constraint {name}")).await?;
        added.push(format!("alter table {table} add constraint {name} {definition}"));
    }
    Ok(added)
}

async fn set_identity(
    connection: &mut PgConnection,
    identity: &IdentityValue,
) -> Result<(), RestoreError> {
    let set = sqlx::query("select setval(pg_get_serial_sequence(quote_ident($1), $2), $3)")
        .bind(&identity.table)
        .bind(&identity.column)
        .bind(identity.value)
        .execute(connection);
    within(STATEMENT_DEADLINE, set).await?;
    Ok(())
}

async fn roles_exist(connection: &mut PgConnection) -> Result<bool, RestoreError> {
    let known = sqlx::query_scalar("select count(*) from pg_roles where rolname = any($1)")
        .bind(roles::names())
        .fetch_one(connection);
    let known: i64 = within(STATEMENT_DEADLINE, known).await?;
    Ok(usize::try_from(known).unwrap_or_default() == roles::names().len())
}

async fn run(connection: &mut PgConnection, statement: &str) -> Result<(), RestoreError> {
    // Of our own words, and of names and definitions of the catalog.
    let statement = sqlx::raw_sql(AssertSqlSafe(statement.to_owned()));
    within(STATEMENT_DEADLINE, async { statement.execute(connection).await.map(drop) }).await?;
    Ok(())
}
