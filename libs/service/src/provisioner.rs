//! The provisioner: creates streams, consumers and buckets, creates again what NATS has lost, and streams that failed
//! on a full disk without a restart of nats-server. The only process that may.

use std::time::Duration;

use anyhow::Context as _;
use tarsy_bus::{Bus, Error, FailedStream};
use tarsy_contracts::permissions::PROVISIONER;
use tarsy_contracts::status::STORAGE_WARNING;
use tarsy_contracts::topology;
use tokio_util::sync::CancellationToken;

use crate::context::ServiceContext;
use crate::run::{BusNeed, open_bus, wait_for_bus, watch_bus};
use crate::settings::Settings;
use crate::warning::set_warning;

/// The name of the leadership: two that create a stream again at once could delete what the other one has created.
const JOB: &str = "provisioner";
const INTERVAL: Duration = Duration::from_secs(10);
/// Checks in a row after which a failure counts as over: on a disk that is still full a stream that was created again
/// fails at its next message.
const CLEAN_CHECKS: u32 = 3;
/// How long `tarsy migrate` waits for NATS.
const CONNECT: Duration = Duration::from_secs(30);

/// Creates or updates everything, once.
pub async fn provision(settings: &Settings) -> anyhow::Result<()> {
    let bus = open_bus(settings, PROVISIONER.name).await?;
    let mut connection = bus.connection();
    let connected = connection.wait_for(|state| state.connected);
    let connected = tokio::time::timeout(CONNECT, connected).await;
    if !connected.is_ok_and(|state| state.is_ok()) {
        let problem = bus.find_obstacle().await.map(|problem| format!(": {problem}"));
        anyhow::bail!("NATS cannot be reached{}", problem.unwrap_or_default());
    }
    bus.provision().await.with_context(|| {
        format!("only the user {} may create streams; see docs/operating.md", PROVISIONER.name)
    })
}

/// Creates or updates everything now and after each reconnect, and checks and repairs streams every 10 s until the service stops.
pub async fn start_provisioner(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    start_provisioner_with(settings, service, INTERVAL).await
}

/// The same with another time between two checks.
pub async fn start_provisioner_with(
    settings: Settings,
    service: ServiceContext,
    interval: Duration,
) -> anyhow::Result<()> {
    let bus = open_bus(&settings, PROVISIONER.name).await?;
    watch_bus(&bus, &service, BusNeed::Required);
    let (provisioning, stopping) = (bus.clone(), service.stopping());
    service.spawn_aux("provision", async move {
        provisioning.provision_on_reconnect(stopping).await;
    });
    wait_for_bus(&bus).await;
    let repairs = Repairs { bus, service: service.clone(), storage: Storage::default(), interval };
    service.spawn_aux("provision.repair", repairs.run(service.stopping()));
    Ok(())
}

struct Repairs {
    bus: Bus,
    service: ServiceContext,
    storage: Storage,
    interval: Duration,
}

impl Repairs {
    async fn run(mut self, stopping: CancellationToken) {
        let mut tick = tokio::time::interval(self.interval);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = tick.tick() => {}
            }
            if !self.bus.is_connected() {
                continue;
            }
            if let Err(error) = Box::pin(self.check()).await {
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "could not check the streams");
            }
        }
    }

    async fn check(&mut self) -> Result<(), Error> {
        if let Err(Error::Missing { what }) = self.bus.check(&PROVISIONER).await {
            tracing::warn!(what, "something is missing and is created again");
            self.bus.provision().await?;
        }
        if !self.bus.kv(&topology::LEADERS).acquire_leadership(JOB).await? {
            return Ok(());
        }
        let failed = self.bus.failed_streams().await?;
        self.storage.note(failed);
        for stream in &self.storage.failed {
            self.recreate(stream).await;
        }
        let problem = self.storage.problem.clone();
        let problem = problem.map(|details| ("NATS cannot store messages.", details));
        set_warning(&self.bus, self.service.clock().as_ref(), STORAGE_WARNING, problem).await
    }

    async fn recreate(&self, stream: &FailedStream) {
        match Box::pin(self.bus.recreate_stream(stream)).await {
            Ok(true) => {
                tracing::warn!(
                    stream = stream.name,
                    stream.error,
                    "a stream failed and was created again"
                );
            }
            Ok(false) => tracing::warn!(
                stream = stream.name,
                stream.error,
                "a stream failed, and waits for PostgreSQL to receive its alerts before it is created again"
            ),
            Err(error) => {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(stream = stream.name, %error, "a stream could not be created again");
            }
        }
    }
}

/// What is known of the storage of streams.
#[derive(Debug, Default)]
struct Storage {
    failed: Vec<FailedStream>,
    /// The last failure, while it does not count as over.
    problem: Option<String>,
    clean: u32,
}

impl Storage {
    fn note(&mut self, failed: Vec<FailedStream>) {
        self.failed = failed;
        if !self.failed.is_empty() {
            self.problem = Some(describe(&self.failed));
            self.clean = 0;
            return;
        }
        self.clean += 1;
        if self.clean >= CLEAN_CHECKS {
            self.problem = None;
        }
    }
}

fn describe(failed: &[FailedStream]) -> String {
    let streams: Vec<String> =
        failed.iter().map(|stream| format!("{}: {}", stream.name, stream.error)).collect();
    format!(
        "{}. Free space on the disk of nats-server's store. The streams are then created again without a restart; what \
         they held is in PostgreSQL. Alerts are accepted meanwhile, as long as PostgreSQL is available; live views \
         are late.",
        streams.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_over_after_three_clean_checks() {
        let mut storage = Storage::default();
        let name = "TARSY_EVENTS".to_owned();
        let failed = FailedStream { name, error: "no space left on device".to_owned() };
        storage.note(vec![failed]);
        for _ in 0..CLEAN_CHECKS {
            let text = storage.problem.clone().unwrap();
            assert!(
                text.starts_with("TARSY_EVENTS: no space left on device. Free space"),
                "{text}"
            );
            storage.note(Vec::new());
        }
        assert_eq!(storage.problem, None);
    }
}
