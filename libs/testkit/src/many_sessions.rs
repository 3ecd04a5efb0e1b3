//! A database with as many sessions as an installation has, and what people ask of it.

mod filters;
mod requests;
mod seed;

use anyhow::Context as _;
use jiff::SignedDuration;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::id::SessionId;
use tarsy_store::{
    Meaning, MemoryQuery, OverviewQuery, PreventionPeriod, SearchQuery, SessionQuery, Store,
};

pub use crate::many_sessions::requests::{RequestGroup, list_requests};
pub use crate::many_sessions::seed::seed_sessions;

/// Something that pages of the dashboard ask the store for.
#[derive(Clone, Debug)]
pub enum ListRequest {
    Sessions(Box<SessionQuery>),
    FilterOptions,
    Active,
    Search(Box<SearchQuery>),
    /// The sessions of so many hours until now in numbers.
    Overview(i64),
    /// What came again in the last seven days.
    Prevention,
    /// The latest calls of each provider.
    Providers,
    Memories(Box<MemoryQuery>),
    /// Memories for an agent's words, and by meaning.
    Recall(&'static str, Option<Meaning>),
    /// Memories for the alert of the newest session.
    RecallForAlert(Option<Meaning>),
}

impl ListRequest {
    /// Asks for it, and answers how many rows came.
    pub async fn send(&self, store: &Store) -> anyhow::Result<usize> {
        Ok(match self {
            Self::Sessions(query) => store.list_sessions((**query).clone()).await?.items.len(),
            Self::FilterOptions => store.list_filter_options().await?.alert_types.len(),
            Self::Active => store.list_active_sessions().await?.queued.len(),
            Self::Search(query) => store.search(query).await?.hits.len(),
            Self::Memories(query) => store.list_memories(query).await?.memories.len(),
            Self::Recall(text, meaning) => {
                store.recall(SessionId::new(), text, meaning.as_ref(), 10).await?.len()
            }
            Self::RecallForAlert(meaning) => {
                let one = SessionQuery { page_size: 1, ..SessionQuery::default() };
                let newest = store.list_sessions(one).await?.items.into_iter().next();
                let id = newest.context("there is a session")?.id;
                let given = store.recall_for_session(id, meaning.as_ref(), 5).await?;
                given.unwrap_or_default().len()
            }
            Self::Providers => store.list_provider_calls().await?.len(),
            Self::Overview(hours) => {
                let to = SystemClock.now();
                let from = to.checked_sub(SignedDuration::from_hours(*hours))?;
                store.find_overview(OverviewQuery { from, to }).await?.buckets.len()
            }
            Self::Prevention => {
                let to = SystemClock.now();
                let week = SignedDuration::from_hours(7 * 24);
                let from = to.checked_sub(week)?;
                let period = PreventionPeriod { before: from.checked_sub(week)?, from, to };
                store.find_prevention(period).await?.alerts.len()
            }
        })
    }
}
