//! PostgreSQL, NATS, a migrated store and a connected bus.

use std::collections::BTreeMap;

use anyhow::Context as _;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_bus::Bus;
use tarsy_contracts::event::Committed;
use tarsy_store::Store;

use crate::{TestNats, TestPg};

/// Connections of a store in a test.
const POOL_SIZE: u32 = 4;

/// The servers of one test, and clients connected to them.
#[derive(Debug)]
pub struct TestStack {
    pub store: Store,
    pub bus: Bus,
    /// Reads and writes what no product code may, such as the end of a lease.
    pub raw: PgPool,
    pub pg: TestPg,
    pub nats: TestNats,
}

impl TestStack {
    /// An empty database and a bus with all its streams.
    pub async fn start() -> anyhow::Result<Self> {
        Self::with_nats(TestNats::start().await?).await
    }

    /// The same with a nats-server of the test.
    pub async fn with_nats(nats: TestNats) -> anyhow::Result<Self> {
        Self::connected(TestPg::granted().await?, nats).await
    }

    /// The same on embedded servers of this test alone, which it may stop, kill and restart.
    pub async fn dedicated() -> anyhow::Result<Self> {
        let pg = TestPg::dedicated_migrated().await?;
        Store::connect(pg.url(), 1).await?.create_roles().await?;
        Self::connected(pg, TestNats::dedicated().await?).await
    }

    /// Connects to servers of which PostgreSQL has the schema and the roles.
    async fn connected(pg: TestPg, nats: TestNats) -> anyhow::Result<Self> {
        let store = Store::connect(pg.url(), POOL_SIZE).await?;
        let bus = nats.connect("test", "test-1").await?;
        bus.provision().await?;
        let raw = PgPoolOptions::new().max_connections(2).connect_lazy(pg.url())?;
        Ok(Self { store, bus, raw, pg, nats })
    }

    /// Another pool of connections, as another process has.
    pub async fn new_store(&self) -> anyhow::Result<Store> {
        Ok(Store::connect(self.pg.url(), POOL_SIZE).await?)
    }

    /// Another connection to the bus, as another process has.
    pub async fn new_bus(&self, service: &'static str, instance: &str) -> anyhow::Result<Bus> {
        self.nats.connect(service, instance).await
    }

    /// The environment of an instance of a service on these servers. In the database it may do what its service may.
    pub fn environment(&self, service: &str, instance: &str) -> BTreeMap<String, String> {
        let variables = [
            ("DATABASE_URL", self.pg.url_as(service)),
            ("NATS_URL", self.nats.url().to_owned()),
            ("TARSY_INSTANCE", instance.to_owned()),
        ];
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Publishes committed events, as their writer does.
    pub async fn publish(&self, events: &[Committed]) -> anyhow::Result<()> {
        for event in events {
            self.bus.publish_event(event).await?;
        }
        Ok(())
    }

    /// The number that a statement returns.
    pub async fn count(&self, sql: &'static str) -> anyhow::Result<i64> {
        sqlx::query_scalar(sql).fetch_one(&self.raw).await.context(sql)
    }
}
