//! OAuth tokens of tool servers, encrypted by the caller.

use sqlx::Row as _;

use crate::database::pool::Transaction;
use crate::database::store::Store;
use crate::error::Error;

/// The token of one server under an advisory lock: no other process changes it meanwhile. Each method
/// that takes `self`, and a drop, releases the lock.
#[derive(Debug)]
pub struct LockedToken {
    transaction: Transaction,
    server: String,
}

impl Store {
    #[tracing::instrument(name = "db.oauth.read", skip(self))]
    pub async fn find_oauth_token(&self, server: &str) -> Result<Option<Vec<u8>>, Error> {
        let row = sqlx::query("select sealed from mcp_oauth_tokens where server_id = $1")
            .bind(server)
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(|row| row.try_get("sealed")).transpose()?)
    }

    /// Replaces the encrypted tokens of a server.
    #[tracing::instrument(name = "db.oauth.write", skip(self, sealed))]
    pub async fn set_oauth_token(&self, server: &str, sealed: &[u8]) -> Result<(), Error> {
        let held = self.lock_oauth_token(server).await?;
        held.replace(sealed).await
    }

    /// Waits for the lock on the tokens of a server.
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
    pub async fn sealed(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let row = sqlx::query("select sealed from mcp_oauth_tokens where server_id = $1")
            .bind(&self.server)
            .fetch_optional(&mut *self.transaction)
            .await?;
        Ok(row.map(|row| row.try_get("sealed")).transpose()?)
    }

    /// Replaces the tokens and releases the lock.
    pub async fn replace(mut self, sealed: &[u8]) -> Result<(), Error> {
        sqlx::query(
            "insert into mcp_oauth_tokens (server_id, sealed) values ($1, $2)
             on conflict (server_id) do update set sealed = excluded.sealed, updated_at = now()",
        )
        .bind(&self.server)
        .bind(sealed)
        .execute(&mut *self.transaction)
        .await?;
        self.transaction.commit().await
    }

    /// Deletes the tokens and releases the lock.
    pub async fn delete(mut self) -> Result<(), Error> {
        sqlx::query("delete from mcp_oauth_tokens where server_id = $1")
            .bind(&self.server)
            .execute(&mut *self.transaction)
            .await?;
        self.transaction.commit().await
    }

    /// Releases the lock without a change.
    pub async fn release(self) -> Result<(), Error> {
        Ok(self.transaction.rollback().await?)
    }
}
