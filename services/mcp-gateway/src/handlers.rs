//! Routes the subjects of the bus to their handlers.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_bus::Bus;
use tarsy_contracts::reply::Refusal;
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_domain::backoff::Backoff;
use tokio_util::sync::CancellationToken;

use crate::call_service::CallService;
use crate::lease_service::LeaseService;
use crate::lifecycle::Lifecycle;
use crate::limits;
use crate::logins::LoginService;
use crate::probes::ProbeService;
use crate::trials::TrialService;

/// The delays before a failed subscription is opened again.
const RESUBSCRIBE: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(10));

/// Subscribes to the requests of a gateway.
pub(crate) struct Router {
    pub(crate) bus: Bus,
    pub(crate) lifecycle: Lifecycle,
}

/// A subject and how its requests are received.
struct Route {
    subject: String,
    queue: Option<&'static str>,
    concurrency: usize,
    stop: CancellationToken,
}

impl Router {
    pub(crate) fn route_calls(&self, calls: &CallService) {
        self.answer(self.own(McpVerb::Call, limits::CALLS), calls, CallService::call);
        let status = limits::STATUS_REQUESTS;
        self.answer(self.own(McpVerb::Outcome, status), calls, CallService::outcome);
        self.answer(self.own(McpVerb::Cancel, limits::OTHER_REQUESTS), calls, CallService::cancel);
    }

    pub(crate) fn route_leases(&self, leases: &LeaseService) {
        let status = limits::STATUS_REQUESTS;
        self.answer(self.own(McpVerb::Renew, status), leases, LeaseService::renew);
        self.answer(self.own(McpVerb::List, limits::OTHER_REQUESTS), leases, LeaseService::list);
        self.answer(self.own(McpVerb::Close, status), leases, LeaseService::close);
        let stop = self.lifecycle.draining.clone();
        let open = Route { stop, ..self.own(McpVerb::Open, status) };
        self.answer(open, leases, LeaseService::open_here);
        let router = Self { bus: self.bus.clone(), lifecycle: self.lifecycle.clone() };
        self.lifecycle.tasks.spawn(router.route_shared_opens(leases.clone()));
    }

    pub(crate) fn route_logins(&self, logins: &LoginService) {
        let concurrency = limits::OTHER_REQUESTS;
        self.answer(self.shared(subject::MCP_LOGIN, concurrency), logins, LoginService::start);
        self.answer(self.own(McpVerb::Login, concurrency), logins, LoginService::finish);
    }

    pub(crate) fn route_probes(&self, probes: &ProbeService) {
        let route = self.shared(subject::MCP_PROBE, limits::OTHER_REQUESTS);
        self.answer(route, probes, ProbeService::probe);
    }

    pub(crate) fn route_trials(&self, trials: &TrialService) {
        let route = self.shared(subject::MCP_TRIAL, limits::TRIALS);
        self.answer(route, trials, TrialService::try_address);
    }

    /// Answers opens while capacity is available; a full gateway leaves the queue group.
    async fn route_shared_opens(self, leases: LeaseService) {
        let draining = self.lifecycle.draining.clone();
        while !draining.is_cancelled() {
            tokio::select! {
                () = leases.capacity.wait_until_available() => {}
                () = draining.cancelled() => return,
            }
            let stop = draining.child_token();
            let route = Route {
                stop: stop.clone(),
                ..self.shared(subject::MCP_OPEN, limits::STATUS_REQUESTS)
            };
            self.answer(route, &leases, LeaseService::open);
            tokio::select! {
                () = leases.capacity.wait_until_full() => {}
                () = draining.cancelled() => {}
            }
            stop.cancel();
        }
    }

    /// A subject of this instance, which is answered until the gateway has stopped.
    fn own(&self, verb: McpVerb, concurrency: usize) -> Route {
        let subject = subject::mcp_instance(self.bus.instance(), verb);
        Route { subject, queue: None, concurrency, stop: self.lifecycle.stopped.clone() }
    }

    /// A subject of the queue group, which is answered until the gateway drains.
    fn shared(&self, subject: &str, concurrency: usize) -> Route {
        Route {
            subject: subject.to_owned(),
            queue: Some(subject::MCP_QUEUE),
            concurrency,
            stop: self.lifecycle.draining.clone(),
        }
    }

    /// Answers a route until its stop; a failed subscription is opened again.
    fn answer<S, Req, Rep, F, Fut>(&self, route: Route, service: &S, handler: F)
    where
        S: Clone + Send + Sync + 'static,
        Req: DeserializeOwned + Send + 'static,
        Rep: Serialize + Send + 'static,
        F: Fn(S, Req) -> Fut + Copy + Send + Sync + 'static,
        Fut: Future<Output = Result<Rep, Refusal>> + Send + 'static,
    {
        let (bus, service) = (self.bus.clone(), service.clone());
        self.lifecycle.tasks.spawn(async move {
            let Route { subject, queue, concurrency, stop } = route;
            let mut failures = 0;
            while !stop.is_cancelled() {
                let service = service.clone();
                let handle = move |request: Req| handler(service.clone(), request);
                let answered =
                    bus.respond(subject.as_str(), queue, concurrency, stop.clone(), handle).await;
                if let Err(error) = answered {
                    tracing::warn!(subject, %error, "could not subscribe to requests; retrying");
                }
                failures += 1;
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = tokio::time::sleep(RESUBSCRIBE.pause(failures)) => {}
                }
            }
        });
    }
}
