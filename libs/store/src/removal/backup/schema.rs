//! What the catalogs of PostgreSQL say of a database of ours.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Error, Row as _};

use super::{AppliedMigration, IdentityValue, LEFT_OUT, TableColumns, quoted};
use crate::access::secret::hexadecimal;

/// Tables whose rows do not make a database a used one: migrations write them.
const OF_MIGRATIONS: [&str; 3] = ["_sqlx_migrations", "audit_retention", "redacted_columns"];

/// The tables of a backup, in the order of their names. Not those that a crash of PostgreSQL may empty.
pub(super) async fn tables(connection: &mut PgConnection) -> Result<Vec<TableColumns>, Error> {
    let rows = sqlx::query(
        "select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
         from pg_class c
            join pg_namespace n on n.oid = c.relnamespace
            join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         where n.nspname = current_schema() and c.relkind = 'r' and c.relpersistence = 'p'
            and c.relname <> '_sqlx_migrations' and c.relname <> all($1)
         group by c.oid, c.relname order by c.relname::text collate \"C\"",
    )
    .bind(LEFT_OUT)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(TableColumns { name: row.try_get("name")?, columns: row.try_get("columns")? })
        })
        .collect()
}

/// The migrations that were applied, the first one first.
pub(super) async fn migrations(
    connection: &mut PgConnection,
) -> Result<Vec<AppliedMigration>, Error> {
    let noted: bool = sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null")
        .fetch_one(&mut *connection)
        .await?;
    if !noted {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "select version, checksum from _sqlx_migrations where success order by version",
    )
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            let checksum: &[u8] = row.try_get("checksum")?;
            Ok(AppliedMigration {
                version: row.try_get("version")?,
                checksum: hexadecimal(checksum),
            })
        })
        .collect()
}

/// What identity columns gave last.
pub(super) async fn identities(connection: &mut PgConnection) -> Result<Vec<IdentityValue>, Error> {
    let rows = sqlx::query(
        "select c.relname::text as table_name, a.attname::text as column_name, s.last_value
         from pg_class c
            join pg_namespace n on n.oid = c.relnamespace
            join pg_attribute a on a.attrelid = c.oid and a.attidentity <> '' and not a.attisdropped
            join pg_depend d on d.refobjid = c.oid and d.refobjsubid = a.attnum and d.deptype = 'i'
                and d.classid = 'pg_class'::regclass
            join pg_class q on q.oid = d.objid and q.relkind = 'S'
            join pg_namespace m on m.oid = q.relnamespace
            join pg_sequences s on s.schemaname = m.nspname and s.sequencename = q.relname
         where n.nspname = current_schema() and c.relkind = 'r' and s.last_value is not null
         order by 1, 2",
    )
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(IdentityValue {
                table: row.try_get("table_name")?,
                column: row.try_get("column_name")?,
                value: row.try_get("last_value")?,
            })
        })
        .collect()
}

/// The tables of the schema, and the first of them that has rows of its own.
pub(super) async fn contents(
    connection: &mut PgConnection,
) -> Result<(Vec<String>, Option<String>), Error> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = current_schema() and c.relkind in ('r', 'p', 'v', 'm', 'f')
            and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
         order by c.relname::text collate \"C\"",
    )
    .fetch_all(&mut *connection)
    .await?;
    for table in tables.iter().filter(|name| !OF_MIGRATIONS.contains(&name.as_str())) {
        // A name of the catalog, quoted.
        let has_rows = format!("select exists (select from {})", quoted(table));
        let has_rows: bool =
            sqlx::query_scalar(AssertSqlSafe(has_rows)).fetch_one(&mut *connection).await?;
        if has_rows {
            return Ok((tables.clone(), Some(table.clone())));
        }
    }
    Ok((tables, None))
}
