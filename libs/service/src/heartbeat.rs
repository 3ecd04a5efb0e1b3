//! Heartbeats: the entry of this process in the bucket of instances, with its capacity and load.

use std::sync::Arc;
use std::time::Duration;

use tarsy_bus::{Bus, Kv};
use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;
use tarsy_domain::backoff::Backoff;
use tarsy_domain::clock::Clock;
use tarsy_store::Store;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock::ClockCheck;
use crate::context::ServiceContext;
use crate::version::VERSION;

/// A third of the time to live of an entry in the bucket.
const INTERVAL: Duration = Duration::from_secs(20);
/// A server that lost its store has no bucket until the provisioner made it again.
const RETRY: Backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(5));

/// Writes the entry of this process again and again.
pub struct Heartbeat {
    bus: Bus,
    clock: Arc<dyn Clock>,
    entry: Instance,
    load: Box<dyn Fn() -> u32 + Send + Sync>,
    interval: Duration,
    clock_check: ClockCheck,
}

impl Heartbeat {
    /// An empty `config_hash` means that the service reads no configuration.
    pub fn new(bus: &Bus, clock: Arc<dyn Clock>, service: &str, config_hash: &str) -> Self {
        let entry = Instance {
            service: service.to_owned(),
            instance: bus.instance().to_owned(),
            version: VERSION.to_owned(),
            config_hash: config_hash.to_owned(),
            capacity: 0,
            load: 0,
            seen_at: clock.now(),
            clock_offset_ms: None,
        };
        Self {
            bus: bus.clone(),
            clock_check: ClockCheck::new(Arc::clone(&clock)),
            clock,
            entry,
            load: Box::new(|| 0),
            interval: INTERVAL,
        }
    }

    /// Compares the clock of this process with PostgreSQL's instead of the NATS server's.
    #[must_use]
    pub fn with_store(mut self, store: &Store) -> Self {
        self.clock_check = self.clock_check.with_store(store.clone());
        self
    }

    /// Adds how many work items the process takes at once, and how many it runs at each heartbeat.
    #[must_use]
    pub fn with_capacity(
        mut self,
        capacity: u32,
        load: impl Fn() -> u32 + Send + Sync + 'static,
    ) -> Self {
        self.entry.capacity = capacity;
        self.load = Box::new(load);
        self
    }

    /// Sets the interval; the default is 20 s.
    #[must_use]
    pub fn with_interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Runs until the service stops.
    pub fn start(self, context: &ServiceContext) {
        context.spawn_aux("heartbeat", self.run(context.stopping()));
    }

    /// Runs until `until`, then deletes the entry.
    pub async fn run(mut self, until: CancellationToken) {
        let key = format!("{}.{}", self.entry.service, self.entry.instance);
        let instances = self.bus.kv(&topology::INSTANCES);
        let mut connection = self.bus.connection();
        let (mut due, mut failures) = (Instant::now(), 0);
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(due) => {}
                changed = connection.changed() => if changed.is_err() { break },
                () = until.cancelled() => break,
            }
            due = Instant::now() + self.interval;
            if !self.bus.is_connected() {
                continue;
            }
            self.entry.load = (self.load)();
            let written = tokio::select! {
                written = self.beat(&instances, &key) => written,
                () = until.cancelled() => break,
            };
            match written {
                Ok(()) => failures = 0,
                Err(error) => {
                    tracing::debug!(%error, "could not write the heartbeat");
                    failures += 1;
                    due = due.min(Instant::now() + RETRY.pause(failures));
                }
            }
        }
        if self.bus.is_connected()
            && let Err(error) = instances.delete(&key).await
        {
            tracing::debug!(%error, "could not delete the heartbeat; it expires");
        }
    }

    /// Writes the entry and compares the clocks; a change of the result is written at once.
    async fn beat(&mut self, instances: &Kv, key: &str) -> Result<(), tarsy_bus::Error> {
        self.write(instances, key).await?;
        let Some(offset) = self.clock_check.measure(instances, key, self.entry.seen_at).await
        else {
            return Ok(());
        };
        let before = self.entry.clock_error_ms().is_some();
        self.entry.clock_offset_ms = Some(offset);
        if self.entry.clock_error_ms().is_some() == before {
            return Ok(());
        }
        if before {
            tracing::info!("the clock of this machine is right again");
        } else {
            tracing::warn!(offset, "the clock of this machine is wrong; synchronize it (NTP)");
        }
        self.write(instances, key).await
    }

    async fn write(&mut self, instances: &Kv, key: &str) -> Result<(), tarsy_bus::Error> {
        self.entry.seen_at = self.clock.now();
        instances.put(key, &self.entry).await
    }
}
