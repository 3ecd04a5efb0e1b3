//! The line of calls before a provider that answers so many at once.

use std::time::Duration;

use tarsy_domain::id::InteractionId;

use crate::database::store::Store;
use crate::error::Error;

impl Store {
    /// Takes a place behind the calls of this provider, or keeps the one that this call has, for the time of the lease.
    /// Returns how many calls stand before it, running ones included.
    #[tracing::instrument(name = "db.llm_queue.take", skip_all)]
    pub async fn take_llm_place(
        &self,
        call: InteractionId,
        provider: &str,
        lease: Duration,
    ) -> Result<u32, Error> {
        let before: i64 = sqlx::query_scalar("select take_llm_place($1, $2, $3)")
            .bind(call.uuid())
            .bind(provider)
            .bind(lease.as_secs_f64())
            .fetch_one(&self.pool)
            .await?;
        Ok(u32::try_from(before).unwrap_or(u32::MAX))
    }

    /// Gives a place back; one that is gone is no error.
    #[tracing::instrument(name = "db.llm_queue.leave", skip_all)]
    pub async fn leave_llm_queue(&self, call: InteractionId) -> Result<(), Error> {
        sqlx::query("delete from llm_queue where id = $1")
            .bind(call.uuid())
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}
