//! Sends queued events and changes to api-gateway.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::Event;
use reqwest::header::RETRY_AFTER;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tarsy_domain::backoff::Backoff;
use tarsy_outbound::{AUTHORITIES, Proxies, describe};
use tarsy_service::Health;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::metrics;
use crate::outcome::{self, Outcome};

/// Events that wait to be sent, about 1 KiB each, beside as many that are being sent; while they wait for a place, the watch is read no
/// further.
pub(crate) const QUEUE: usize = 1_000;
/// Events of one request: far below the 1 MiB and 500 alerts of api-gateway's limits.
const BATCH: usize = 50;
/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The pauses after failures in a row. A request is sent again until it is kept: meanwhile the queue fills, and the
/// watch is read no further.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_mins(1));
/// The most characters of a problem in a log line.
const MAX_PROBLEM: usize = 300;

/// Where events or changes are sent, and as whose.
#[derive(Clone)]
pub(crate) struct Destination {
    pub(crate) url: Url,
    pub(crate) secret: SecretString,
    pub(crate) cluster: Option<String>,
    /// The kind of a list of them.
    pub(crate) list: &'static str,
}

/// Sends what is queued for one destination.
pub(crate) struct Delivery {
    http: reqwest::Client,
    to: Destination,
    health: Health,
    stopping: CancellationToken,
}

/// The end of sending one request.
enum Sent {
    Kept,
    Refused(String),
    Stopped,
}

impl Delivery {
    pub(crate) fn new(
        to: Destination,
        health: Health,
        stopping: CancellationToken,
    ) -> anyhow::Result<Self> {
        let http =
            Proxies::of_environment().apply(reqwest::Client::builder()).timeout(TIMEOUT).build()?;
        Ok(Self { http, to, health, stopping })
    }

    /// Sends what is queued until the stop. `encode` empties all that waits, and may leave out what is replaced by something later.
    pub(crate) async fn run<T>(
        self,
        mut queue: mpsc::Receiver<T>,
        encode: fn(&mut Vec<T>) -> Vec<Value>,
    ) {
        let mut waiting = Vec::new();
        loop {
            let received = tokio::select! {
                () = self.stopping.cancelled() => return,
                received = queue.recv_many(&mut waiting, QUEUE) => received,
            };
            if received == 0 {
                return;
            }
            let mut events = encode(&mut waiting);
            while !events.is_empty() && !self.stopping.is_cancelled() {
                let later = events.split_off(events.len().min(BATCH));
                self.deliver(events).await;
                events = later;
            }
        }
    }

    /// Sends events; of a request that is refused, each half is sent by itself, down to the event that is at fault.
    async fn deliver(&self, events: Vec<Value>) {
        let mut parts = vec![events];
        while let Some(mut part) = parts.pop() {
            match self.send(&part).await {
                Sent::Kept => metrics::delivered(part.len(), "kept"),
                Sent::Refused(_) if part.len() > 1 => {
                    parts.push(part.split_off(part.len() / 2));
                    parts.push(part);
                }
                Sent::Refused(problem) => {
                    let name = part.first().and_then(|event| {
                        event.pointer("/metadata/name").or_else(|| event.get("object"))
                    });
                    let name = name.and_then(Value::as_str);
                    tracing::error!(event = name, problem, "an event is refused, and left out");
                    metrics::delivered(1, "refused");
                }
                Sent::Stopped => return,
            }
        }
    }

    /// Sends a request until it is kept or refused, or until the stop.
    async fn send(&self, events: &[Value]) -> Sent {
        let Destination { cluster, list, .. } = &self.to;
        let body = json!({"apiVersion": "v1", "kind": list, "cluster": cluster, "items": events});
        let mut failures = 0;
        loop {
            let (outcome, problem) = self.post(&body).await;
            let pause = match outcome {
                Outcome::Kept => {
                    self.health.set("intake", true, Ok(()));
                    return Sent::Kept;
                }
                Outcome::Refused => return Sent::Refused(problem),
                Outcome::Later(pause) => pause,
            };
            failures += 1;
            metrics::postponed();
            tracing::warn!(problem, failures, "events are not kept yet; they are sent again");
            self.health.set("intake", true, Err(problem));
            let pause = pause.unwrap_or_else(|| BACKOFF.pause(failures));
            tokio::select! {
                () = self.stopping.cancelled() => return Sent::Stopped,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    async fn post(&self, body: &Value) -> (Outcome, String) {
        let Destination { url, secret, .. } = &self.to;
        let request = self.http.post(url.clone()).bearer_auth(secret.expose_secret());
        let answer = match request.json(body).send().await {
            Ok(answer) => answer,
            Err(error) => {
                let problem = describe(&error, AUTHORITIES);
                return (Outcome::Later(None), format!("api-gateway cannot be asked: {problem}"));
            }
        };
        let status = answer.status();
        let seconds = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let outcome = outcome::of(status.as_u16(), seconds.and_then(|text| text.parse().ok()));
        let text = answer.text().await.unwrap_or_default();
        let text: String = text.chars().take(MAX_PROBLEM).collect();
        (outcome, format!("api-gateway answered {status}: {text}"))
    }
}

/// The newest version of each event, as JSON, in the order in which they were first queued; empties the queue.
pub(crate) fn newest(queue: &mut Vec<Event>) -> Vec<Value> {
    let mut places = BTreeMap::new();
    let mut events: Vec<Value> = Vec::new();
    for mut event in queue.drain(..) {
        // Who wrote which field is of no use to an investigation.
        event.metadata.managed_fields = None;
        let Ok(json) = serde_json::to_value(&event) else { continue };
        let key = (event.metadata.namespace, event.metadata.name);
        let place = *places.entry(key).or_insert(events.len());
        match events.get_mut(place) {
            Some(earlier) => *earlier = json,
            None => events.push(json),
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_event_that_was_queued_again_the_newest_version_is_sent() {
        let event = |name: &str, count: i32| -> Event {
            serde_json::from_value(json!({
                "metadata": {"name": name, "managedFields": [{"manager": "kubelet"}]},
                "involvedObject": {},
                "count": count,
            }))
            .unwrap()
        };
        let mut queue = vec![event("a", 1), event("b", 1), event("a", 2)];
        let events = newest(&mut queue);
        let counts: Vec<_> =
            events.iter().map(|one| (one["metadata"]["name"].as_str(), &one["count"])).collect();
        assert_eq!(counts, [(Some("a"), &json!(2)), (Some("b"), &json!(1))]);
        assert!(queue.is_empty() && events[0]["metadata"]["managedFields"].is_null());
    }
}
