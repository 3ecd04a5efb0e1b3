//! Deleting what is old: each kind for itself, some rows at a time, by one replica at a time.

mod kind;
mod sessions;
mod statements;

use std::time::Duration;

use crate::database::store::Store;
use crate::error::Error;

pub use kind::RetainedKind;
pub use sessions::SessionAges;

/// The lock by which one replica at a time cleans up. (`tarsyold` as a number.)
const TURN: i64 = 0x7461_7273_796f_6c64;

/// The most rows that one statement deletes or empties of each table: few enough for a second.
const AT_ONCE: i64 = 500;

impl Store {
    /// Deletes what is older than `age`: a bounded number of rows, so call it until it answers 0. Replicas that come second
    /// answer 0 at once. What is deleted together with its session is not counted.
    #[tracing::instrument(name = "db.retention.purge", skip(self))]
    pub async fn purge(&self, kind: RetainedKind, age: Duration) -> Result<u64, Error> {
        let rows: i64 = sqlx::query_scalar(statements::of(kind))
            .bind(TURN)
            .bind(age.as_secs_f64())
            .bind(AT_ONCE)
            .fetch_one(&self.pool)
            .await?;
        Ok(u64::try_from(rows).unwrap_or_default())
    }
}
