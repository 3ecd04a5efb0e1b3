//! A database for one test.

use std::sync::Arc;

use anyhow::Context as _;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tarsy_embedded::{Postgres, PostgresOptions};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// An empty database that this test has for itself.
#[derive(Debug)]
pub struct TestPg {
    url: String,
    server: Option<Postgres>,
    _folder: Option<TempDir>,
}

/// The server that the tests of one binary share.
static SHARED: OnceCell<Arc<Shared>> = OnceCell::const_new();

#[derive(Debug)]
struct Shared {
    server: Postgres,
    _folder: TempDir,
}

impl TestPg {
    /// Makes an empty database on the server of the environment, or on one that this test binary
    /// shares.
    pub async fn start() -> anyhow::Result<Self> {
        let name = format!("test_{}", uuid::Uuid::now_v7().simple());
        if let Some(admin) = crate::variable("TARSY_TEST_DATABASE_URL") {
            create(&admin, &name).await?;
            let (server, _) =
                admin.rsplit_once('/').context("TARSY_TEST_DATABASE_URL has no path")?;
            return Ok(Self { url: format!("{server}/{name}"), server: None, _folder: None });
        }
        let shared = SHARED
            .get_or_try_init(async || {
                let (server, folder) = launch(true).await?;
                anyhow::Ok(Arc::new(Shared { server, _folder: folder }))
            })
            .await?;
        create(&shared.server.url("postgres"), &name).await?;
        Ok(Self { url: shared.server.url(&name), server: None, _folder: None })
    }

    /// Starts a server for this test alone, to stop and restart it.
    pub async fn dedicated() -> anyhow::Result<Self> {
        let (server, folder) = launch(false).await?;
        Ok(Self { url: server.url("postgres"), server: Some(server), _folder: Some(folder) })
    }

    /// Where clients find the database.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The server itself; only a dedicated one may be stopped.
    pub fn server(&mut self) -> anyhow::Result<&mut Postgres> {
        self.server.as_mut().context("only `TestPg::dedicated` may be stopped")
    }
}

async fn launch(temporary: bool) -> anyhow::Result<(Postgres, TempDir)> {
    let folder = tempfile::Builder::new().prefix("tarsy-pg-").tempdir_in("/tmp")?;
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let server = Postgres::start(PostgresOptions {
        bin: crate::programs()?.postgres_bin,
        folder: folder.path().join("pg"),
        port: None,
        durable: false,
        temporary,
    })
    .await?;
    Ok((server, folder))
}

async fn create(admin: &str, name: &str) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(admin).await.context("the test server refused")?;
    // The name is made of a UUID's digits.
    sqlx::raw_sql(AssertSqlSafe(format!("create database {name}")))
        .execute(&mut connection)
        .await?;
    connection.close().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
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
        let mut nats = TestNats::start().await.unwrap();
        assert!(nats.url().contains("127.0.0.1"));
        nats.server().unwrap().stop().await;
        nats.server().unwrap().launch().await.unwrap();
    }
}
