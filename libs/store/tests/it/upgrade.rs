//! From the schema of every release to the one of today, with its rows; and the statements of a release on it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use tarsy_store::Store;
use tarsy_testkit::TestPg;

/// Dumps of databases of releases, made by `make release-schema`. That of the baseline comes before the first release: later
/// migrations are tested on it from the first one on.
fn dumps() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    let files = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let mut dumps: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|ending| ending == "sql")).collect();
    dumps.sort();
    assert!(!dumps.is_empty());
    dumps
}

/// A table whose rows are of the migrations: one that adds a text adds a row.
const LISTED_BY_MIGRATIONS: &str = "redacted_columns";

/// A database with what a dump has.
async fn loaded(dump: &Path) -> TestPg {
    let pg = TestPg::start().await.unwrap();
    let mut connection = PgConnection::connect(pg.url()).await.unwrap();
    let text = std::fs::read_to_string(dump).unwrap();
    sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut connection).await.unwrap();
    pg
}

/// What the catalogs say of a database, line by line; the order of a table's columns does not count.
async fn schema(url: &str) -> Vec<String> {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let rows = sqlx::query(
        "select format('column %s.%s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
            a.attnotnull, a.attidentity, coalesce(pg_get_expr(d.adbin, d.adrelid), '')) as line
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
            join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
         where n.nspname = 'public' and c.relkind in ('r', 'v')
         union all
         select format('index %s', indexdef) from pg_indexes where schemaname = 'public'
         union all
         select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(k.oid))
         from pg_constraint k join pg_namespace n on n.oid = k.connamespace where n.nspname = 'public' and contype <> 'n'
         union all
         select format('trigger %s', pg_get_triggerdef(t.oid)) from pg_trigger t where not tgisinternal
         union all
         select format('function %s', pg_get_functiondef(p.oid))
         from pg_proc p join pg_namespace n on n.oid = p.pronamespace
         where n.nspname = 'public' and not exists (
            select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
         )
         union all
         select format('view %s %s', viewname, definition) from pg_views where schemaname = 'public'
         union all
         select format('options %s %s %s', relname, reloptions, relpersistence)
         from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and relkind = 'r'
         order by 1",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    rows.iter().map(|row| row.get("line")).collect()
}

/// Of each table: its columns, how many rows it has, and a digest of these columns.
async fn rows(url: &str, of: &Columns) -> Rows {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let mut rows = Rows::new();
    for (table, columns) in of.clone() {
        let list = columns.join("\", \"");
        let digest = format!(
            "select count(*) || ' ' || coalesce(md5(string_agg(r::text, ',' order by r::text)), '')
             from (select \"{list}\" from {table}) r"
        );
        let digest: String =
            sqlx::query_scalar(AssertSqlSafe(digest)).fetch_one(&mut connection).await.unwrap();
        rows.insert(table, (columns, digest));
    }
    rows
}

type Rows = BTreeMap<String, (Vec<String>, String)>;
type Columns = BTreeMap<String, Vec<String>>;

/// The columns of each table but those that PostgreSQL computes, and the tables of the search, which are made of the others.
async fn columns(url: &str) -> Columns {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let rows = sqlx::query(
        "select table_name::text as name, array_agg(column_name::text order by ordinal_position) as columns
         from information_schema.columns
         where table_schema = 'public' and table_name not in ('_sqlx_migrations', 'search_backfill', 'search_documents', 'session_words')
            and is_generated = 'NEVER'
            and table_name in (select tablename from pg_tables where schemaname = 'public')
         group by table_name",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    rows.iter().map(|row| (row.get("name"), row.get("columns"))).collect()
}

/// The columns that both have: a later version may drop one, after it moved what it had.
fn common(one: &Columns, other: &Columns) -> Columns {
    let both = one.iter().filter_map(|(table, columns)| Some((table, columns, other.get(table)?)));
    both.map(|(table, columns, others)| {
        let columns = columns.iter().filter(|column| others.contains(column)).cloned().collect();
        (table.clone(), columns)
    })
    .collect()
}

#[tokio::test]
async fn the_schema_of_each_release_becomes_that_of_today_and_keeps_its_rows() {
    let installed = TestPg::start().await.unwrap();
    Store::connect(installed.url(), 1).await.unwrap().migrate().await.unwrap();
    let expected = schema(installed.url()).await;
    let of_today = columns(installed.url()).await;
    for dump in dumps() {
        let pg = loaded(&dump).await;
        let of_dump = columns(pg.url()).await;
        let kept = common(&of_dump, &of_today);
        assert!(kept.len() >= of_dump.len(), "{}: a table is gone", dump.display());
        let before = rows(pg.url(), &kept).await;
        let filled = before.values().filter(|(_, digest)| !digest.starts_with("0 ")).count();
        assert!(filled * 4 >= before.len() * 3, "{}: {filled} tables have rows", dump.display());
        let store = Store::connect(pg.url(), 2).await.unwrap();
        store.migrate().await.unwrap();
        store.schema_check().await.unwrap();
        let after = schema(pg.url()).await;
        let differ: Vec<_> = after
            .iter()
            .filter(|line| !expected.contains(line))
            .chain(expected.iter().filter(|line| !after.contains(line)))
            .collect();
        assert!(differ.is_empty(), "{}: {differ:#?}", dump.display());
        let after = rows(pg.url(), &kept).await;
        let mut changed: Vec<_> =
            before.iter().filter(|(table, row)| after.get(*table) != Some(row)).collect();
        changed.retain(|(table, _)| table.as_str() != LISTED_BY_MIGRATIONS);
        assert!(changed.is_empty(), "{}: {changed:#?}", dump.display());
    }
}

/// Old processes go on while a new version migrates, and are replaced one after the other.
#[tokio::test]
async fn the_statements_of_each_release_run_on_the_schema_of_today() {
    let pg = TestPg::start().await.unwrap();
    Store::connect(pg.url(), 1).await.unwrap().migrate().await.unwrap();
    let mut connection = PgConnection::connect(pg.url()).await.unwrap();
    for dump in dumps() {
        let recorded = dump.with_extension("statements.json");
        let recorded: Vec<String> =
            serde_json::from_str(&std::fs::read_to_string(&recorded).unwrap()).unwrap();
        assert!(recorded.len() > 100, "{}: {} statements", dump.display(), recorded.len());
        for statement in recorded {
            let prepare = format!("prepare recorded as {statement}");
            let prepared = sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await;
            assert!(prepared.is_ok(), "{}: {prepared:?}\n{statement}", dump.display());
            sqlx::raw_sql("deallocate recorded").execute(&mut connection).await.unwrap();
        }
    }
}

#[test]
fn every_released_version_has_its_dump() {
    let changelog = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CHANGELOG.md");
    let changelog = std::fs::read_to_string(changelog).unwrap();
    let released = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let released: Vec<&str> = released.filter(|version| *version != "Unreleased").collect();
    let dumps = dumps();
    for version in released {
        let there = dumps.iter().any(|dump| dump.ends_with(format!("{version}.sql")));
        assert!(
            there,
            "libs/store/tests/schemas/{version}.sql is missing: `make release-schema` writes it"
        );
    }
}
