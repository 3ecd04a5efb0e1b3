//! Starting again with changed configuration: the successor starts first, then the predecessor is drained, as with two
//! replicas. Who cannot start changes nothing.

use std::fs::File;
use std::time::Duration;

use nix::sys::signal::{Signal, raise};
use tarsy_bus::Bus;
use tarsy_contracts::subject;
use tarsy_contracts::work::Reload;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::context::ServiceContext;
use crate::control;

/// The terminal that controls the process, if one does.
const TERMINAL: &str = "/dev/tty";

/// Passes the requests on the bus on, until the service stops.
pub(crate) fn receive_reloads(bus: &Bus, service: &ServiceContext) {
    let (bus, stopping) = (bus.clone(), service.stopping());
    let requests = service.reloads().clone();
    service.spawn_aux("reload.requests", async move {
        control::receive(&bus, subject::CONTROL_RELOAD, stopping, |message| {
            match serde_json::from_slice::<Reload>(&message.payload) {
                Ok(reload) => requests.request(&reload.id),
                Err(error) => tracing::warn!(%error, "a request to reload cannot be read"),
            }
        })
        .await;
    });
}

/// SIGHUP, by which administrators ask a daemon to read its configuration again.
#[derive(Debug)]
pub struct Hangups {
    signal: tokio::signal::unix::Signal,
    /// A terminal that closes sends the signal, too, and means that the process shall end.
    has_terminal: bool,
}

impl Hangups {
    /// From then on the signal does not end the process by itself.
    pub fn new() -> std::io::Result<Self> {
        let has_terminal = File::open(TERMINAL).is_ok();
        Ok(Self { signal: signal(SignalKind::hangup())?, has_terminal })
    }

    async fn next(&mut self) {
        if self.signal.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
        if self.has_terminal && File::open(TERMINAL).is_err() {
            tracing::info!("the terminal is closed");
            self.has_terminal = false;
            if let Err(error) = raise(Signal::SIGTERM) {
                tracing::warn!(%error, "could not ask for a stop");
            }
            std::future::pending::<()>().await;
        }
    }
}

/// Who asked to start again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requester {
    /// A person or a program on this machine, by SIGHUP.
    Signal,
    /// A person at the API, by the bus, where every service hears it.
    Bus,
}

/// Waits for SIGHUP, or for a request on the bus.
pub async fn requested(hangups: &mut Hangups, requests: &mut watch::Receiver<String>) -> Requester {
    let asked = async {
        if requests.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = asked => Requester::Bus,
        () = hangups.next() => Requester::Signal,
    }
}

/// Starts a service in the place of another one, which goes on if this one cannot start. [`retire`] the other one then.
pub async fn succeed<F>(
    predecessor: &ServiceContext,
    start: impl FnOnce(ServiceContext) -> F,
) -> anyhow::Result<ServiceContext>
where
    F: Future<Output = anyhow::Result<()>>,
{
    let successor = predecessor.successor();
    // In a box: the future of a start is large.
    match Box::pin(start(successor.clone())).await {
        Ok(()) => Ok(successor),
        Err(error) => {
            // What had begun ends; it has had no time to take work that would need a grace period.
            if let Err(drained) = successor.drain_beside_successor(Duration::ZERO).await {
                tracing::warn!(error = format!("{drained:#}"), "what had started did not stop");
            }
            Err(error)
        }
    }
}

/// Lets a predecessor end its work, for at most `grace`, then runs `after`. Its successor waits for that when it is stopped.
pub fn retire<F>(predecessor: ServiceContext, successor: &ServiceContext, grace: Duration, after: F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let hard_stop = successor.hard_stop();
    successor.spawn_aux("reload.retire", async move {
        let drained = tokio::select! {
            drained = predecessor.drain_beside_successor(grace) => drained,
            () = hard_stop.cancelled() => predecessor.drain_beside_successor(Duration::ZERO).await,
        };
        after.await;
        match drained {
            Ok(()) => tracing::info!("the service of before has ended"),
            Err(error) => {
                let error = format!("{error:#}");
                tracing::warn!(error, "the service of before did not end as it should");
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::reload_requests::ReloadRequests;

    #[tokio::test]
    async fn who_cannot_start_changes_nothing_and_leaves_no_task() {
        let service = ServiceContext::default();
        let stopping = CancellationToken::new();
        let seen = stopping.clone();
        let succeeded = succeed(&service, |next| async move {
            let stop = next.stopping();
            next.spawn_aux("part", async move {
                stop.cancelled().await;
                seen.cancel();
            });
            anyhow::bail!("the port is taken")
        });
        assert!(succeeded.await.is_err());
        assert!(stopping.is_cancelled(), "what had begun has ended");
        assert!(!service.stopping().is_cancelled());
    }

    #[tokio::test]
    async fn a_predecessor_may_end_its_work_until_its_successor_has_to_stop() {
        let service = ServiceContext::default();
        let hard_stop = service.hard_stop();
        service.spawn_aux("work", async move { hard_stop.cancelled().await });
        let successor = succeed(&service, async |_next| Ok(())).await.unwrap();
        assert_eq!((service.instance("a"), successor.instance("a")), ("a".into(), "a-r1".into()));
        let after = CancellationToken::new();
        let ended = after.clone();
        let minute = Duration::from_mins(1);
        retire(service, &successor, minute, async move { ended.cancel() });
        assert!(!after.is_cancelled());
        successor.drain(Duration::ZERO).await.unwrap();
        assert!(after.is_cancelled(), "nothing outlives the stop");
    }

    #[tokio::test]
    async fn services_of_a_process_take_a_request_once() {
        let requests = ReloadRequests::default();
        let mut hangups = Hangups::new().unwrap();
        let mut received = requests.subscribe();
        requests.request("1");
        assert_eq!(requested(&mut hangups, &mut received).await, Requester::Bus);
        requests.request("1");
        assert!(!received.has_changed().unwrap());
        raise(Signal::SIGHUP).unwrap();
        assert_eq!(requested(&mut hangups, &mut received).await, Requester::Signal);
    }
}
