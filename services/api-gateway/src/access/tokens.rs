//! API tokens, remembered for a while: most requests of a source carry the same one.

use std::time::Duration;

use moka::future::Cache;
use tarsy_store::{ApiToken, Digest, Store, secret};
use tokio::time::Instant;

/// The most tokens that are remembered, unknown ones included.
const MAX_REMEMBERED: u64 = 10_000;
/// How long an answer of the database is used without asking again: a revoked token works for so long.
const FRESH_FOR: Duration = Duration::from_secs(5);
/// How long a known token is accepted while the database is unavailable, so that alerts still arrive.
const USABLE_WITHOUT_DATABASE: Duration = Duration::from_hours(1);

/// Looks up API tokens.
#[derive(Debug)]
pub(crate) struct ApiTokens {
    store: Store,
    known: Cache<Digest, Known>,
}

/// What the database last answered.
#[derive(Clone, Debug)]
struct Known {
    token: Option<ApiToken>,
    at: Instant,
}

impl ApiTokens {
    pub(crate) fn new(store: Store) -> Self {
        let known = Cache::builder()
            .max_capacity(MAX_REMEMBERED)
            .time_to_live(USABLE_WITHOUT_DATABASE)
            .build();
        Self { store, known }
    }

    /// The token with this text, if it is valid.
    pub(crate) async fn find(&self, text: &str) -> Result<Option<ApiToken>, tarsy_store::Error> {
        let hash = secret::hash(text);
        let known = self.known.get(&hash).await;
        match known {
            Some(known) if known.at.elapsed() < FRESH_FOR => Ok(known.token),
            known => match self.store.use_api_token(&hash).await {
                Ok(token) => {
                    let answer = Known { token: token.clone(), at: Instant::now() };
                    self.known.insert(hash, answer).await;
                    Ok(token)
                }
                Err(error) if error.is_unavailable() => known.map(|known| known.token).ok_or(error),
                Err(error) => Err(error),
            },
        }
    }
}
