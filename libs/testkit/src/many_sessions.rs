//! A database with as many sessions as an installation has, and what people ask of it.

mod filters;
mod requests;
mod seed;

use anyhow::Context as _;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan as _};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::id::SessionId;
use tarsy_store::{
    Meaning, MemoryQuery, OverviewQuery, PreventionPeriod, ScoreDays, SearchQuery, SessionQuery,
    Store,
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
    /// The scores of the sessions of today and so many days before.
    Scores(i64),
    /// The latest calls of each provider.
    Providers,
    Memories(Box<MemoryQuery>),
    /// What the session confirms that the newest memory is of.
    MemoriesOfSession,
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
            Self::MemoriesOfSession => {
                let one = MemoryQuery { limit: 1, ..MemoryQuery::default() };
                let newest = store.list_memories(&one).await?.memories.into_iter().next();
                let sources = newest.context("there is a memory")?.sources;
                let source = sources.first().context("the memory has a source")?;
                let session = Some(source.session_id);
                let query = MemoryQuery { session, limit: 50, ..MemoryQuery::default() };
                store.list_memories(&query).await?.memories.len()
            }
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
            Self::Scores(days) => {
                let to = SystemClock.now().to_zoned(TimeZone::UTC).date();
                let from = to.checked_sub(days.days())?;
                store.find_score_overview(ScoreDays { from, to }).await?.groups.len()
            }
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
