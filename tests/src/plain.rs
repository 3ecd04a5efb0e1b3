//! Plain SQL with nothing of the product around it, to measure the product beside.

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use uuid::Uuid;

const TABLES: &str = "
    create table plain_events (
        id bigint generated always as identity primary key,
        payload jsonb not null
    );
    create table plain_queue (
        id uuid primary key,
        payload text not null,
        status text not null default 'pending',
        created_at timestamptz not null default now()
    );
    create index plain_queue_pending on plain_queue (created_at) where status = 'pending';";

const CLAIM: &str = "
    update plain_queue set status = 'in_progress'
    where id = (
        select id from plain_queue where status = 'pending'
        order by created_at limit 1 for update skip locked
    )
    returning id";

/// Two small tables, and the plainest statements on them.
#[derive(Clone, Debug)]
pub struct Plain(PgPool);

impl Plain {
    /// Makes the tables in an empty database.
    pub async fn connect(url: &str, connections: u32) -> anyhow::Result<Self> {
        let pool = PgPoolOptions::new()
            .min_connections(connections)
            .max_connections(connections)
            .connect(url)
            .await?;
        sqlx::raw_sql(TABLES).execute(&pool).await?;
        Ok(Self(pool))
    }

    /// Puts one row with this JSON into a table.
    pub async fn insert(&self, payload: &str) -> anyhow::Result<()> {
        sqlx::query("insert into plain_events (payload) values ($1::jsonb)")
            .bind(payload)
            .execute(&self.0)
            .await?;
        Ok(())
    }

    /// How many bytes of write-ahead log the server has written in its life.
    pub async fn log_bytes(&self) -> anyhow::Result<i64> {
        let query = "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint";
        Ok(sqlx::query_scalar(query).fetch_one(&self.0).await?)
    }

    /// Puts a row into a queue and takes it out again.
    pub async fn insert_and_claim(&self, payload: &str) -> anyhow::Result<()> {
        let id = Uuid::now_v7();
        sqlx::query("insert into plain_queue (id, payload) values ($1, $2)")
            .bind(id)
            .bind(payload)
            .execute(&self.0)
            .await?;
        let claimed: Option<Uuid> = sqlx::query_scalar(CLAIM).fetch_optional(&self.0).await?;
        anyhow::ensure!(claimed == Some(id), "the queue gave out {claimed:?} instead of {id}");
        Ok(())
    }
}
