//! Lists and watches the events of the cluster.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{Stream, select_all};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::Event;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Error};
use kube::{Api, Client};
use tarsy_catalog::KubernetesEvents;
use tarsy_domain::clock::Clock;
use tarsy_outbound::obstacle;
use tarsy_service::Health;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::connection::watch_config;
use crate::filter;
use crate::metrics;

/// How an operator names the authorities of a cluster.
const AUTHORITIES: &str = "certificate-authority of the cluster in KUBECONFIG";
/// What the API server selects by itself.
const WARNINGS: &str = "type=Warning";
/// Events of one page of a list: each has about 1 KiB.
const PAGE: u32 = 250;
/// Without an error for so long, the watch works again: an attempt that fails takes at most 75 seconds, and the pause before it one minute.
const CALM: Duration = Duration::from_secs(150);
/// The name of the part in the readiness.
const PART: &str = "kubernetes";

type Events = Pin<Box<dyn Stream<Item = Result<watcher::Event<Event>, Error>> + Send>>;

/// What is watched, and where its events go.
pub(crate) struct Watch {
    pub(crate) client: Client,
    pub(crate) rules: KubernetesEvents,
    pub(crate) queue: mpsc::Sender<Event>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) health: Health,
    pub(crate) stopping: CancellationToken,
}

impl Watch {
    /// Queues events until the stop. After a list that is no longer valid (410) and after a lost connection, the library
    /// lists or watches again.
    pub(crate) async fn run(self) {
        self.health.set(PART, true, Err("the events are not listed yet".to_owned()));
        let mut events = self.events();
        loop {
            let next = tokio::select! {
                () = self.stopping.cancelled() => return,
                next = tokio::time::timeout(CALM, events.try_next()) => next,
            };
            match next {
                Ok(Ok(Some(event))) => {
                    // A list that begins may still fail.
                    if !matches!(event, watcher::Event::Init) {
                        self.health.set(PART, true, Ok(()));
                    }
                    if !self.enqueue(event).await {
                        return;
                    }
                }
                Ok(Ok(None)) => return,
                Ok(Err(error)) => self.report(&error),
                Err(_) => self.health.set(PART, true, Ok(())),
            }
        }
    }

    /// One watch, or one of each namespace: then a role of that namespace is all that it needs.
    fn events(&self) -> Events {
        let client = || self.client.clone();
        let named = self.rules.namespaces.iter().map(|name| Api::namespaced(client(), name));
        let mut apis: Vec<Api<Event>> = named.collect();
        if apis.is_empty() {
            apis.push(Api::all(client()));
        }
        let config = watch_config(PAGE).fields(WARNINGS);
        let watches = apis
            .into_iter()
            .map(|api| watcher::watcher(api, config.clone()).default_backoff().boxed());
        select_all(watches).boxed()
    }

    /// Queues the event of an added or changed object, and waits for a place; false at the stop.
    async fn enqueue(&self, event: watcher::Event<Event>) -> bool {
        let (watcher::Event::Apply(event) | watcher::Event::InitApply(event)) = event else {
            return true;
        };
        if let Err(why) = filter::check(&event, &self.rules, self.clock.now()) {
            metrics::seen(why.as_str());
            return true;
        }
        metrics::seen("queued");
        tokio::select! {
            () = self.stopping.cancelled() => false,
            sent = self.queue.send(event) => sent.is_ok(),
        }
    }

    fn report(&self, error: &Error) {
        metrics::watch_failed();
        let problem = match obstacle(error) {
            Some(found) => {
                format!("the API server cannot be asked: {}", found.explain(AUTHORITIES))
            }
            None => tarsy_telemetry::chain(error).to_string(),
        };
        match error {
            // The next attempt follows at once, and mostly succeeds.
            Error::WatchFailed(_) | Error::WatchError(_) => {
                tracing::info!(problem, "the watch ended, and begins again");
            }
            _ => {
                tracing::warn!(problem, "events of Kubernetes cannot be watched; trying again");
                self.health.set(PART, true, Err(problem));
            }
        }
    }
}
