//! What the engine works with: the session's journal, models, tools, prompts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tarsy_bus::Bus;
use tarsy_llm::Llm;
use tarsy_service::{LiveStreams, ModelQueue};
use tarsy_store::{Meaning, Store};
use tarsy_tools::Toolbox;
use tokio::sync::Semaphore;

use crate::engine::activity::Activity;
use crate::engine::claims::Checker;
use crate::engine::daily_limits::DailyBudget;
use crate::journal::{Journal, StopReason};
use crate::meaning::Meanings;
use crate::prompts::Prompts;
use crate::runbook::RunbookLoader;

/// What all sessions of this process share; cheap to clone.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) llm: Arc<dyn Llm>,
    /// Where calls wait for providers that answer only so many at once.
    pub(crate) queue: ModelQueue,
    pub(crate) toolbox: Arc<dyn Toolbox>,
    pub(crate) prompts: Arc<Prompts>,
    pub(crate) runbooks: RunbookLoader,
    /// What finds memories by meaning.
    pub(crate) meanings: Option<Meanings>,
    pub(crate) live: LiveStreams,
    /// Reaches the summarizers.
    pub(crate) bus: Bus,
    pub(crate) checker: Checker,
    pub(crate) limits: Limits,
    /// Places for sessions that are not suspended, because this process alone has what a call is made with.
    pub(crate) kept: Arc<Semaphore>,
}

/// Time limits from the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long a requested summary may wait for a summarizer: as long as a dead summarizer keeps
    /// its lease.
    pub(crate) summary_claim: Duration,
    /// How long a person may take to approve a tool call.
    pub(crate) approval: Duration,
    /// How many sessions of a source may wait for approvals.
    pub(crate) waiting_for_approval: u32,
    pub(crate) daily: DailyBudget,
}

/// What the engine needs to work on one session; cheap to clone.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) journal: Journal,
    pub(crate) services: Services,
    pub(crate) pending_summaries: PendingSummaries,
    pub(crate) activity: Activity,
}

impl Context {
    pub(crate) fn new(journal: Journal, services: Services) -> Self {
        let (pending_summaries, activity) = (PendingSummaries::default(), Activity::default());
        Self { journal, services, pending_summaries, activity }
    }

    /// What memories are compared with for a text; no provider is asked as long as none can have a vector.
    pub(crate) async fn meaning_of(&self, text: &str) -> Result<Option<Meaning>, StopReason> {
        let Some(meanings) = &self.services.meanings else { return Ok(None) };
        let has_any = match meanings.name() {
            Some(name) => self.journal.read(|store| store.has_vectors_of(&name)).await?,
            None => self.journal.read(Store::has_comparable_memories).await?,
        };
        Ok(if has_any { meanings.of(text).await } else { None })
    }
}

/// How many summaries of tool results a session waits for. Summarizers stream them, so they answer
/// requests for snapshots, too.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingSummaries(Arc<AtomicU32>);

/// One summary is waited for until this is dropped.
pub(crate) struct PendingSummary(Arc<AtomicU32>);

impl PendingSummaries {
    pub(crate) fn add(&self) -> PendingSummary {
        self.0.fetch_add(1, Ordering::Relaxed);
        PendingSummary(Arc::clone(&self.0))
    }

    pub(crate) fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for PendingSummary {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
