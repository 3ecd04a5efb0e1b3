//! The configuration, with what llm-service reports of its providers: the keys are in its environment, not here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tarsy_catalog::{Catalog, ProviderState};
use tarsy_domain::code::Code;
use tarsy_llm::{Error, GrpcLlm};
use tarsy_service::{ServiceContext, Settings};
use tarsy_web::Problem;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// How often llm-service is asked: a key that is set or removed shows up so late.
const INTERVAL: Duration = Duration::from_secs(15);
/// Between two questions before the first report.
const RETRY: Duration = Duration::from_millis(500);
/// How long a start waits for the first report, when both start at once.
const START: Duration = Duration::from_secs(10);
/// How long llm-service may not answer before a warning is raised; a restart takes less.
const NO_ANSWER: Duration = Duration::from_mins(1);

/// The configuration as it is now; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    state: watch::Receiver<State>,
    /// None if the variables of this process decide which providers are usable.
    llm: Option<GrpcLlm>,
}

#[derive(Clone, Debug)]
struct State {
    catalog: Arc<Catalog>,
    /// Whether the catalog knows which providers are usable.
    is_known: bool,
    /// When llm-service last reported.
    answered: Option<Instant>,
    failure: Option<Failure>,
}

/// llm-service as this process reaches it.
#[derive(Clone, Debug)]
pub(crate) struct LlmServiceReport {
    pub(crate) replicas: usize,
    pub(crate) connected_replicas: usize,
    /// How long ago it last reported.
    pub(crate) answered: Option<Duration>,
    /// Why it did not when it was asked last.
    pub(crate) problem: Option<String>,
}

/// Why llm-service does not report.
#[derive(Clone, Debug)]
struct Failure {
    since: Instant,
    reason: String,
}

impl Configuration {
    /// Whether llm-service is asked which providers are usable. Otherwise the variables of this process decide.
    pub(crate) fn asks_llm_service(settings: &Settings) -> bool {
        settings.environment().get("LLM_SERVICE_ADDR").is_some_and(|text| !text.trim().is_empty())
    }

    /// Asks llm-service now and from time to time. A start does not depend on the answer.
    pub(crate) async fn start(
        catalog: Catalog,
        settings: &Settings,
        service: &ServiceContext,
    ) -> anyhow::Result<Self> {
        let asks = Self::asks_llm_service(settings);
        let state =
            State { catalog: Arc::new(catalog), is_known: !asks, answered: None, failure: None };
        let (sender, mut receiver) = watch::channel(state);
        if !asks {
            return Ok(Self { state: receiver, llm: None });
        }
        let llm = GrpcLlm::new(&settings.llm_service)?;
        service.spawn_aux("llm.providers", ask(llm.clone(), sender, service.stopping()));
        let chooses_provider = receiver.borrow().catalog.chooses_provider();
        if chooses_provider {
            let reported = timeout(START, receiver.wait_for(|state| state.is_known)).await;
            if !reported.is_ok_and(|state| state.is_ok()) {
                tracing::warn!(
                    "alerts are refused until llm-service reports which providers are usable, because \
                     defaults.llm_provider names none"
                );
            }
        }
        Ok(Self { state: receiver, llm: Some(llm) })
    }

    /// The configuration as it is now.
    pub(crate) fn get(&self) -> Arc<Catalog> {
        Arc::clone(&self.state.borrow().catalog)
    }

    /// The configuration for a new alert. Without a report it is not known which provider is the default, and an
    /// alert must not go to the offline analyst because llm-service is late.
    pub(crate) fn for_alerts(&self) -> Result<Arc<Catalog>, Problem> {
        let chooses_provider = self.state.borrow().catalog.chooses_provider();
        if chooses_provider { self.reported() } else { Ok(self.get()) }
    }

    /// The configuration for an alert that names its provider: without a report it is not known whether that can be called.
    pub(crate) fn reported(&self) -> Result<Arc<Catalog>, Problem> {
        let state = self.state.borrow();
        if state.is_known {
            return Ok(Arc::clone(&state.catalog));
        }
        let detail =
            "it is not known which model can investigate: llm-service has not answered yet";
        Err(Problem::new(Code::Unavailable, detail))
    }

    /// Every provider, once it is known which are usable.
    pub(crate) fn providers(&self) -> Option<Vec<ProviderState>> {
        let state = self.state.borrow();
        state.is_known.then(|| state.catalog.provider_states())
    }

    /// What calls the models; none if llm-service is not asked.
    pub(crate) fn models(&self) -> Option<&GrpcLlm> {
        self.llm.as_ref()
    }

    /// How llm-service is; none if it is not asked.
    pub(crate) fn llm_service(&self) -> Option<LlmServiceReport> {
        let (replicas, connected_replicas) = self.llm.as_ref()?.replicas();
        let state = self.state.borrow();
        Some(LlmServiceReport {
            replicas,
            connected_replicas,
            answered: state.answered.map(|at| at.elapsed()),
            problem: state.failure.as_ref().map(|failure| failure.reason.clone()),
        })
    }

    /// Why llm-service does not report, if it has not answered for long.
    pub(crate) fn no_answer(&self) -> Option<String> {
        let state = self.state.borrow();
        let failure =
            state.failure.as_ref().filter(|failure| failure.since.elapsed() > NO_ANSWER)?;
        Some(failure.reason.clone())
    }
}

async fn ask(llm: GrpcLlm, state: watch::Sender<State>, stopping: CancellationToken) {
    loop {
        let Some(report) = stopping.run_until_cancelled(llm.list_providers()).await else { return };
        note(&state, report);
        let pause = if state.borrow().is_known { INTERVAL } else { RETRY };
        if stopping.run_until_cancelled(sleep(pause)).await.is_none() {
            return;
        }
    }
}

fn note(state: &watch::Sender<State>, report: Result<BTreeMap<String, Vec<String>>, Error>) {
    match report {
        Ok(missing) => state.send_modify(|state| {
            state.catalog = Arc::new(state.catalog.with_missing(missing));
            state.is_known = true;
            state.answered = Some(Instant::now());
            if state.failure.take().is_some() {
                tracing::info!("llm-service reports its providers");
            }
        }),
        Err(error) => state.send_modify(|state| {
            if state.failure.is_none() {
                tracing::warn!(%error, "llm-service does not report which providers are usable");
            }
            let since = state.failure.as_ref().map_or_else(Instant::now, |failure| failure.since);
            state.failure = Some(Failure { since, reason: error.to_string() });
        }),
    }
}
