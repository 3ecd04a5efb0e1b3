//! Databases that others are copied from, with the schema, and with what services may do there; and a server's data that
//! already has the schema: a copy takes a fraction of what `initdb` and all migrations take.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::Context as _;
use aws_lc_rs::digest::{SHA256, digest};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tarsy_embedded::{Postgres, PostgresOptions};
use tarsy_store::{Error as StoreError, Store, role_creation, role_grants, schema_digest};
use tokio::sync::OnceCell;

/// The name of the database that others are copied from: that of another schema has another name.
static TEMPLATE: LazyLock<String> =
    LazyLock::new(|| format!("tarsy_template_{:.16}", schema_digest()));
/// The name of one that has the grants, too: they change without the schema.
static GRANTED: LazyLock<String> = LazyLock::new(|| {
    let grants = digest(&SHA256, (role_creation() + &role_grants()).as_bytes());
    let grants = grants.as_ref().iter().take(8).map(|byte| format!("{byte:02x}"));
    format!("tarsy_granted_{:.16}_{}", schema_digest(), grants.collect::<String>())
});
/// The database of PostgreSQL that a new one is a copy of.
pub(crate) const EMPTY: &str = "template1";
/// Programs that make the template at the same time wait for each other.
const LOCK: &str = "select pg_advisory_lock(hashtext('tarsy_template'))";
/// The data of a stopped server, made once for this checkout and schema.
static SEED: OnceCell<PathBuf> = OnceCell::const_new();
/// The server's folder within the seed's: it is there when it is whole.
const SERVER: &str = "server";

/// The database on this server that has the schema and no rows; makes it if there is none.
pub(crate) async fn template_on(admin: &str) -> anyhow::Result<&'static str> {
    make_once(admin, &TEMPLATE, EMPTY, async |store| store.migrate().await).await
}

/// The same with the roles of services and their grants.
pub(crate) async fn granted_on(admin: &str) -> anyhow::Result<&'static str> {
    let schema = template_on(admin).await?;
    make_once(admin, &GRANTED, schema, async |store| store.create_roles().await).await
}

async fn make_once(
    admin: &str,
    name: &'static str,
    origin: &str,
    fill: impl AsyncFnOnce(&Store) -> Result<(), StoreError>,
) -> anyhow::Result<&'static str> {
    let mut connection = PgConnection::connect(admin).await.context("the test server refused")?;
    if !is_whole(&mut connection, name).await? {
        sqlx::raw_sql(LOCK).execute(&mut connection).await?;
        if !is_whole(&mut connection, name).await? {
            let (server, _) = admin.rsplit_once('/').context("the server's URL has no path")?;
            // One that an earlier program left unfinished.
            execute(&mut connection, format!("drop database if exists {name} with (force)"))
                .await?;
            execute(&mut connection, copy_of(name, origin)).await?;
            let store = Store::connect(&format!("{server}/{name}"), 1).await?;
            fill(&store).await?;
            store.close();
            close(&mut connection, name).await?;
        }
    }
    // Closing the connection gives the lock back.
    connection.close().await?;
    Ok(name)
}

/// Whether a template is there. It is called a template once it has everything.
async fn is_whole(connection: &mut PgConnection, name: &str) -> anyhow::Result<bool> {
    let found = "select exists (select from pg_database where datname = $1 and datistemplate)";
    Ok(sqlx::query_scalar(found).bind(name).fetch_one(connection).await?)
}

/// Makes a database a template. It is copied only while nobody is connected to it.
async fn close(connection: &mut PgConnection, name: &str) -> anyhow::Result<()> {
    execute(connection, format!("alter database {name} with allow_connections false")).await?;
    let others = "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname";
    execute(connection, format!("{others} = '{name}'")).await?;
    execute(connection, format!("alter database {name} with is_template true")).await
}

fn copy_of(name: &str, origin: &str) -> String {
    format!("create database {name} template {origin} strategy file_copy")
}

/// Creates a database on this server, as a copy of a template.
pub(crate) async fn create(admin: &str, name: &str, template: &str) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(admin).await.context("the test server refused")?;
    // Both names are made of letters and digits.
    execute(&mut connection, copy_of(name, template)).await?;
    Ok(connection.close().await?)
}

/// Replaces the empty database `postgres` of a server by one with the schema. Nobody may be connected to it.
pub async fn migrate_by_copy(server: &Postgres) -> anyhow::Result<()> {
    let template = template_on(&server.url("template1")).await?;
    let mut connection = PgConnection::connect(&server.url("template1")).await?;
    execute(&mut connection, "drop database postgres".to_owned()).await?;
    execute(&mut connection, copy_of("postgres", template)).await?;
    Ok(connection.close().await?)
}

async fn execute(connection: &mut PgConnection, statement: String) -> anyhow::Result<()> {
    let done = sqlx::raw_sql(AssertSqlSafe(statement.clone())).execute(connection).await;
    done.map(drop).context(statement)
}

/// The folder of a stopped server that has the template, to begin others with.
pub async fn postgres_seed() -> anyhow::Result<PathBuf> {
    SEED.get_or_try_init(find_or_make).await.cloned()
}

async fn find_or_make() -> anyhow::Result<PathBuf> {
    let bin = crate::programs()?.postgres_bin;
    let seeds = crate::workspace().join(".tarsy/postgres-seeds");
    let place = seeds.join(format!("{}-{:.16}", version(&bin).await?, schema_digest()));
    if place.join(SERVER).exists() {
        return Ok(place.join(SERVER));
    }
    fs::create_dir_all(&seeds)?;
    let file = File::create(seeds.join("lock"))?;
    // Another program may make it at this moment.
    let locked = tokio::task::spawn_blocking(move || file.lock().map(|()| file)).await??;
    if !place.join(SERVER).exists() {
        make_seed(bin, &place).await?;
    }
    drop(locked);
    Ok(place.join(SERVER))
}

/// The version of the server, such as `17.6`.
async fn version(bin: &Path) -> anyhow::Result<String> {
    let output = tokio::process::Command::new(bin.join("postgres")).arg("--version").output();
    let text = String::from_utf8(output.await?.stdout)?;
    Ok(text.split_whitespace().last().context("PostgreSQL has no version")?.to_owned())
}

async fn make_seed(bin: PathBuf, place: &Path) -> anyhow::Result<()> {
    let folder = crate::scratch::scratch_folder("tarsy-seed-")?;
    let mut server = Postgres::start(PostgresOptions {
        bin,
        folder: folder.path().to_owned(),
        port: None,
        durable: false,
        temporary: false,
        seed: None,
    })
    .await?;
    template_on(&server.url("postgres")).await?;
    hash_once(&server.url("postgres")).await?;
    server.stop().await;
    fs::remove_file(server.folder().join("postgres.log"))?;
    // What an earlier program left unfinished.
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    let unfinished = place.join("unfinished");
    fs::create_dir_all(&unfinished)?;
    tarsy_embedded::copy_owned(server.folder(), &unfinished).await?;
    Ok(fs::rename(unfinished, place.join(SERVER))?)
}

/// Stores the password of the server as the hash of one iteration. Each connection repeats them, 4,096 by default, which
/// unoptimized takes longer than a short test; they protect passwords that can be guessed, and this one is random.
async fn hash_once(url: &str) -> anyhow::Result<()> {
    let credentials = url.split_once("//").and_then(|(_, rest)| rest.split_once('@'));
    let password = credentials.and_then(|(credentials, _)| credentials.split_once(':'));
    let (_, password) = password.context("the URL has no password")?;
    let mut connection = PgConnection::connect(url).await?;
    execute(&mut connection, "set scram_iterations = 1".to_owned()).await?;
    // It is made of letters and digits.
    execute(&mut connection, format!("alter role postgres password '{password}'")).await?;
    Ok(connection.close().await?)
}
