//! Configurations that sessions share: each is stored once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::access::secret::hex_hash;
use crate::database::pool::Connection;
use crate::error::Error;

/// The configuration of the session `s`: its own, or the shared one.
macro_rules! config_snapshot {
    () => {
        "coalesce(s.config_snapshot, (select k.snapshot from config_snapshots k where k.digest = s.config_digest))"
    };
}

/// How long a configuration counts as stored after it was used. Retention waits a day longer.
const FRESH: Duration = Duration::from_mins(15);

/// Digests of configurations that were found stored; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredSnapshots(Arc<Mutex<HashMap<String, Instant>>>);

impl StoredSnapshots {
    /// The most that are remembered; a catalog has one a chain.
    const MOST: usize = 1_024;

    fn is_fresh(&self, digest: &str) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(digest).is_some_and(|since| since.elapsed() < FRESH)
    }

    fn add(&self, digest: &str, since: Instant) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(digest.to_owned(), since);
    }

    /// Forgets one that a statement did not find.
    pub(crate) fn remove(&self, digest: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(digest);
    }

    /// The digest under which a configuration is stored for all its sessions; none if a text was removed from it. What it
    /// remembers may be rolled back or deleted: whoever inserts a session looks whether it is there.
    pub(crate) async fn share(
        &self,
        connection: &mut Connection,
        snapshot: &Value,
    ) -> Result<Option<String>, Error> {
        let digest = hex_hash(&snapshot.to_string());
        if self.is_fresh(&digest) {
            return Ok(Some(digest));
        }
        let since = Instant::now();
        let shared: Option<bool> = sqlx::query_scalar(
            "insert into config_snapshots (digest, snapshot) values ($1, $2)
             on conflict (digest) do update set used_at = now() returning shared",
        )
        .bind(&digest)
        .bind(snapshot)
        .fetch_one(connection)
        .await?;
        if shared.is_none() {
            return Ok(None);
        }
        self.add(&digest, since);
        Ok(Some(digest))
    }
}
