//! Credentials that the database knows, remembered for a while: most requests of a sender carry the same one.

use std::time::Duration;

use moka::future::Cache;
use tarsy_store::{Digest, Error};
use tokio::time::Instant;

/// The most credentials that are remembered, unknown ones included.
const MAX_REMEMBERED: u64 = 10_000;
/// How long an answer of the database is used without asking again: a revoked credential works for so long.
const FRESH_FOR: Duration = Duration::from_secs(5);
/// How long a known credential is accepted while the database is unavailable, so that alerts still arrive.
const USABLE_WITHOUT_DATABASE: Duration = Duration::from_hours(1);

/// What the database last answered, by the hash of the credential.
pub(super) struct Remembered<T>(Cache<Digest, Answer<T>>);

#[derive(Clone, Debug)]
struct Answer<T> {
    found: Option<T>,
    at: Instant,
}

impl<T: Clone + Send + Sync + 'static> Remembered<T> {
    pub(super) fn new() -> Self {
        let cache = Cache::builder()
            .max_capacity(MAX_REMEMBERED)
            .time_to_live(USABLE_WITHOUT_DATABASE)
            .build();
        Self(cache)
    }

    /// What the database knows of a credential; `look_up` asks it.
    pub(super) async fn find(
        &self,
        hash: Digest,
        look_up: impl Future<Output = Result<Option<T>, Error>>,
    ) -> Result<Option<T>, Error> {
        match self.0.get(&hash).await {
            Some(known) if known.at.elapsed() < FRESH_FOR => Ok(known.found),
            known => match look_up.await {
                Ok(found) => {
                    let answer = Answer { found: found.clone(), at: Instant::now() };
                    self.0.insert(hash, answer).await;
                    Ok(found)
                }
                Err(error) if error.is_unavailable() => known.map(|known| known.found).ok_or(error),
                Err(error) => Err(error),
            },
        }
    }

    /// Asks the database again next time.
    pub(super) async fn forget(&self, hash: &Digest) {
        self.0.invalidate(hash).await;
    }
}
