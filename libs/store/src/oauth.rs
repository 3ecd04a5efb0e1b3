//! Tokens of tool servers, sealed by whoever keeps them here.

use sqlx::{Postgres, Row as _, Transaction};

use crate::error::Error;
use crate::store::Store;

/// What is kept for one server, held so that no other process changes it meanwhile. It is let go by
/// one of its methods, or when it is dropped.
#[derive(Debug)]
pub struct LockedToken {
    transaction: Transaction<'static, Postgres>,
    server: String,
}

impl Store {
    /// The sealed tokens of a server.
    #[tracing::instrument(name = "db.oauth.read", skip(self))]
    pub async fn find_oauth_token(&self, server: &str) -> Result<Option<Vec<u8>>, Error> {
        let row = sqlx::query("select sealed from mcp_oauth_tokens where server_id = $1")
            .bind(server)
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(|row| row.try_get("sealed")).transpose()?)
    }

    /// Keeps the sealed tokens of a server instead of those that were kept.
    #[tracing::instrument(name = "db.oauth.write", skip(self, sealed))]
    pub async fn set_oauth_token(&self, server: &str, sealed: &[u8]) -> Result<(), Error> {
        let held = self.lock_oauth_token(server).await?;
        held.replace(sealed).await
    }

    /// Waits until nobody else changes the tokens of a server, and holds them.
    #[tracing::instrument(name = "db.oauth.lock", skip(self))]
    pub async fn lock_oauth_token(&self, server: &str) -> Result<LockedToken, Error> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query("select pg_advisory_xact_lock(hashtextextended('mcp_oauth ' || $1, 0))")
            .bind(server)
            .execute(&mut *transaction)
            .await?;
        Ok(LockedToken { transaction, server: server.to_owned() })
    }
}

impl LockedToken {
    /// The sealed tokens.
    pub async fn sealed(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let row = sqlx::query("select sealed from mcp_oauth_tokens where server_id = $1")
            .bind(&self.server)
            .fetch_optional(&mut *self.transaction)
            .await?;
        Ok(row.map(|row| row.try_get("sealed")).transpose()?)
    }

    /// Keeps others in their place, and lets go.
    pub async fn replace(mut self, sealed: &[u8]) -> Result<(), Error> {
        sqlx::query(
            "insert into mcp_oauth_tokens (server_id, sealed) values ($1, $2)
             on conflict (server_id) do update set sealed = excluded.sealed, updated_at = now()",
        )
        .bind(&self.server)
        .bind(sealed)
        .execute(&mut *self.transaction)
        .await?;
        Ok(self.transaction.commit().await?)
    }

    /// Forgets them, and lets go.
    pub async fn delete(mut self) -> Result<(), Error> {
        sqlx::query("delete from mcp_oauth_tokens where server_id = $1")
            .bind(&self.server)
            .execute(&mut *self.transaction)
            .await?;
        Ok(self.transaction.commit().await?)
    }

    /// Lets go of them as they are.
    pub async fn release(self) -> Result<(), Error> {
        Ok(self.transaction.rollback().await?)
    }
}
