//! A database for one test.

use anyhow::Context as _;
use sqlx::{Connection as _, PgConnection};
use tarsy_embedded::{Postgres, PostgresOptions};
use tarsy_store::ROLES;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::selection::{ServerSource, source};
use crate::template::{EMPTY, create, granted_on, migrate_by_copy, postgres_seed, template_on};

/// A database that this test has for itself.
#[derive(Debug)]
pub struct TestPg {
    url: String,
    server: Option<Postgres>,
    folder: Option<TempDir>,
}

/// The embedded server that the tests of one binary share.
static SHARED: OnceCell<Postgres> = OnceCell::const_new();
/// The one in Docker.
#[cfg(feature = "containers")]
static SHARED_CONTAINER: OnceCell<crate::containers::ContainerServer> = OnceCell::const_new();
/// The database on that server which those with the schema are copied from.
static TEMPLATE: OnceCell<&'static str> = OnceCell::const_new();
/// The one with the roles of services, too.
static GRANTED: OnceCell<&'static str> = OnceCell::const_new();

impl TestPg {
    /// Creates an empty database on the server of the environment, or on one that the tests of this binary share.
    pub async fn start() -> anyhow::Result<Self> {
        Self::database_on(&shared_server().await?, EMPTY).await
    }

    /// The same with the schema of the product, without roles of services.
    pub async fn migrated() -> anyhow::Result<Self> {
        let admin = shared_server().await?;
        let template = TEMPLATE.get_or_try_init(|| template_on(&admin)).await?;
        Self::database_on(&admin, template).await
    }

    /// The same with the roles of services, and what each may do.
    pub async fn granted() -> anyhow::Result<Self> {
        let admin = shared_server().await?;
        let template = GRANTED.get_or_try_init(|| granted_on(&admin)).await?;
        Self::database_on(&admin, template).await
    }

    /// Starts an embedded server, which the test may stop and restart. Its database is empty.
    pub async fn dedicated() -> anyhow::Result<Self> {
        let (server, folder) = launch().await?;
        Ok(Self { url: server.url("postgres"), server: Some(server), folder: Some(folder) })
    }

    /// The same with the schema of the product, without roles of services.
    pub async fn dedicated_migrated() -> anyhow::Result<Self> {
        let mut pg = Self::dedicated().await?;
        migrate_by_copy(pg.server()?).await?;
        Ok(pg)
    }

    /// Starts a streaming replica of a dedicated server. From now on a commit waits until the replica has it.
    pub async fn replicate(&mut self) -> anyhow::Result<Self> {
        let folder = new_folder()?;
        let server = self.server()?.replicate(options(&folder)?).await?;
        for statement in [
            "alter database postgres set synchronous_commit = on",
            "alter system set synchronous_standby_names = '*'",
            "select pg_reload_conf()",
        ] {
            self.execute(statement).await?;
        }
        Ok(Self { url: server.url("postgres"), server: Some(server), folder: Some(folder) })
    }

    /// Makes a replica the primary.
    pub async fn promote(&self) -> anyhow::Result<()> {
        self.execute("select pg_promote()").await
    }

    /// One URL of this server and another one.
    pub fn url_with(&self, other: &Self) -> anyhow::Result<String> {
        other.url_behind(&self.url)
    }

    /// One URL of another server and this one.
    pub fn url_behind(&self, first: &str) -> anyhow::Result<String> {
        let (first, database) = first.rsplit_once('/').context("the server's URL has no path")?;
        let (_, host) = self.url.rsplit_once('@').context("the server's URL has no user")?;
        let (host, _) = host.split_once('/').context("the server's URL has no path")?;
        Ok(format!("{first},{host}/{database}"))
    }

    /// Executes a statement as the administrator, on a connection of its own.
    pub async fn execute(&self, statement: &'static str) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect(&self.url).await?;
        sqlx::raw_sql(statement).execute(&mut connection).await.context(statement)?;
        connection.close().await?;
        Ok(())
    }

    async fn database_on(admin: &str, template: &str) -> anyhow::Result<Self> {
        let name = format!("test_{}", uuid::Uuid::now_v7().simple());
        create(admin, &name, template).await?;
        let (server, _) = admin.rsplit_once('/').context("the server's URL has no path")?;
        Ok(Self { url: format!("{server}/{name}"), server: None, folder: None })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// The database with the rights of a service only, once [`tarsy_store::Store::create_roles`] has made its role; with
    /// those of the owner for what has no role.
    pub fn url_as(&self, service: &str) -> String {
        let Some(role) = ROLES.iter().find(|role| role.service == service) else {
            return self.url.clone();
        };
        let separator = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{separator}options=-c%20role%3D{}", self.url, role.name)
    }

    /// The server itself; only a dedicated one may be stopped.
    pub fn server(&mut self) -> anyhow::Result<&mut Postgres> {
        self.server.as_mut().context("only `TestPg::dedicated` may be stopped")
    }
}

impl Drop for TestPg {
    fn drop(&mut self) {
        let runs = self.server.as_ref().is_some_and(|server| server.pid().is_some());
        crate::remove_folder(self.folder.take(), runs);
    }
}

/// The URL of the server that the tests of this binary share.
async fn shared_server() -> anyhow::Result<String> {
    Ok(match source("TARSY_TEST_DATABASE_URL").await {
        ServerSource::Url(admin) => admin,
        #[cfg(feature = "containers")]
        ServerSource::Container => {
            let start = || Box::pin(crate::containers::postgres());
            SHARED_CONTAINER.get_or_try_init(start).await?.url.clone()
        }
        _ => SHARED.get_or_try_init(launch_shared).await?.url("postgres"),
    })
}

async fn launch() -> anyhow::Result<(Postgres, TempDir)> {
    let folder = new_folder()?;
    let seed = Some(postgres_seed().await?);
    let server = Postgres::start(PostgresOptions { seed, ..options(&folder)? }).await?;
    Ok((server, folder))
}

fn new_folder() -> std::io::Result<TempDir> {
    crate::scratch::scratch_folder("tarsy-pg-")
}

fn options(folder: &TempDir) -> anyhow::Result<PostgresOptions> {
    Ok(PostgresOptions {
        bin: crate::programs()?.postgres_bin,
        folder: folder.path().to_owned(),
        port: None,
        durable: false,
        temporary: true,
        seed: None,
    })
}

async fn launch_shared() -> anyhow::Result<Postgres> {
    let (server, folder) = launch().await?;
    // With a database for each test there would be workers all the time, one database after the other.
    let mut connection = PgConnection::connect(&server.url("postgres")).await?;
    for statement in ["alter system set autovacuum = off", "select pg_reload_conf()"] {
        sqlx::raw_sql(statement).execute(&mut connection).await?;
    }
    connection.close().await?;
    // A static is never dropped: the server's wrapper removes the folder.
    crate::remove_folder(Some(folder), true);
    Ok(server)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use tokio::time::{Instant, sleep};

    use super::*;
    use crate::TestNats;

    #[tokio::test]
    async fn every_test_has_an_empty_database_of_its_own() {
        let (one, two) = (TestPg::start().await.unwrap(), TestPg::start().await.unwrap());
        assert_ne!(one.url(), two.url());
        let mut connection = PgConnection::connect(one.url()).await.unwrap();
        let tables: i64 =
            sqlx::query_scalar("select count(*) from pg_tables where schemaname = 'public'")
                .fetch_one(&mut connection)
                .await
                .unwrap();
        assert_eq!(tables, 0);
    }

    #[tokio::test]
    async fn a_migrated_database_has_the_schema_of_the_product_and_no_session() {
        let pg = TestPg::migrated().await.unwrap();
        let store = tarsy_store::Store::connect(pg.url(), 1).await.unwrap();
        store.schema_check().await.unwrap();
        let mut connection = PgConnection::connect(pg.url()).await.unwrap();
        let sessions: i64 = sqlx::query_scalar("select count(*) from alert_sessions")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(sessions, 0);
    }

    #[tokio::test]
    async fn a_service_may_do_in_a_granted_database_what_its_role_may() {
        let pg = TestPg::granted().await.unwrap();
        let mut relay = PgConnection::connect(&pg.url_as("stream-relay")).await.unwrap();
        sqlx::raw_sql("select from events").execute(&mut relay).await.unwrap();
        let refused = sqlx::raw_sql("delete from events").execute(&mut relay).await;
        let code = refused.unwrap_err().into_database_error().unwrap().code().map(String::from);
        assert_eq!(code.as_deref(), Some("42501"), "insufficient_privilege");
    }

    #[tokio::test]
    async fn a_dedicated_server_comes_back_with_its_data() {
        let mut pg = TestPg::dedicated().await.unwrap();
        let mut connection = PgConnection::connect(pg.url()).await.unwrap();
        sqlx::raw_sql("create table kept ()").execute(&mut connection).await.unwrap();
        // Without fsync only an orderly stop keeps what was written.
        pg.server().unwrap().stop().await;
        assert!(PgConnection::connect(pg.url()).await.is_err());
        pg.server().unwrap().launch().await.unwrap();
        let mut connection = PgConnection::connect(pg.url()).await.unwrap();
        sqlx::raw_sql("select * from kept").execute(&mut connection).await.unwrap();
    }

    #[tokio::test]
    async fn a_nats_server_starts_and_stops() {
        let mut nats = TestNats::dedicated().await.unwrap();
        assert!(nats.url().contains("127.0.0.1"));
        nats.server().unwrap().stop().await;
        nats.server().unwrap().launch().await.unwrap();
    }

    #[tokio::test]
    async fn a_dropped_server_removes_its_files() {
        let mut pg = TestPg::dedicated().await.unwrap();
        let mut nats = TestNats::dedicated().await.unwrap();
        let folders =
            [pg.server().unwrap().folder().to_owned(), nats.server().unwrap().folder().to_owned()];
        assert!(folders.iter().all(|folder| folder.exists()));
        drop((pg, nats));
        for folder in folders {
            removed(&folder).await;
        }
    }

    #[tokio::test]
    async fn a_stopped_server_removes_its_files_when_dropped() {
        let mut pg = TestPg::dedicated().await.unwrap();
        let folder = pg.server().unwrap().folder().to_owned();
        pg.server().unwrap().stop().await;
        assert!(folder.exists());
        drop(pg);
        removed(&folder).await;
    }

    /// Run by the test after it, in a process that ends in order and in one that is killed.
    #[tokio::test]
    async fn the_shared_server_has_a_folder_of_its_own() {
        let pg = TestPg::start().await.unwrap();
        let Some(shared) = SHARED.get() else { return assert!(!pg.url().is_empty()) };
        assert!(shared.folder().exists());
        let Some(note) = crate::variable("TARSY_TESTKIT_NOTE") else { return };
        std::fs::write(&note, shared.folder().display().to_string()).unwrap();
        if note.ends_with("killed") {
            let ours = Pid::from_raw(std::process::id().cast_signed());
            kill(ours, Signal::SIGKILL).unwrap();
        }
    }

    #[tokio::test]
    async fn the_shared_server_removes_its_files_after_the_test_binary() {
        let notes = tempfile::tempdir().unwrap();
        for end in ["ended", "killed"] {
            let note = notes.path().join(end);
            let ended = tokio::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "postgres::tests::the_shared_server_has_a_folder_of_its_own"])
                .env("TARSY_TESTKIT_NOTE", &note)
                .env_remove("TARSY_TEST_DATABASE_URL")
                .output()
                .await
                .unwrap();
            assert_eq!(ended.status.success(), end == "ended", "{ended:?}");
            removed(Path::new(&std::fs::read_to_string(&note).unwrap())).await;
        }
    }

    /// Waits until a folder is removed.
    async fn removed(folder: &Path) {
        let deadline = Instant::now() + Duration::from_mins(1);
        while folder.exists() {
            assert!(Instant::now() < deadline, "{} is still there", folder.display());
            sleep(Duration::from_millis(50)).await;
        }
    }
}
