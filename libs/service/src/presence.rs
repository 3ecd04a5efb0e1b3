//! Tells the others that this process lives, and how busy it is.

use std::sync::Arc;
use std::time::Duration;

use tarsy_bus::Bus;
use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;
use tokio_util::sync::CancellationToken;

use crate::Shell;

/// A third of how long an announcement lives.
const EVERY: Duration = Duration::from_secs(20);

/// Says until the shell stops that this process runs, in this version and with this configuration (an
/// empty hash means that it reads none), and takes it back then. For services that have no capacity.
pub fn announce(shell: &Shell, bus: &Bus, service: &'static str, version: &str, config_hash: &str) {
    let presence = Presence::new(bus, shell.clock(), service, version, config_hash);
    shell.spawn_aux("announce", presence.tell(shell.stopping()));
}

/// What a process tells of itself.
pub struct Presence {
    bus: Bus,
    clock: Arc<dyn Clock>,
    me: Instance,
    load: Box<dyn Fn() -> u32 + Send + Sync>,
    every: Duration,
}

impl Presence {
    /// A process of this service in this version and with this configuration; an empty hash means
    /// that it reads none.
    pub fn new(
        bus: &Bus,
        clock: Arc<dyn Clock>,
        service: &str,
        version: &str,
        config_hash: &str,
    ) -> Self {
        let me = Instance {
            service: service.to_owned(),
            instance: bus.instance().to_owned(),
            version: version.to_owned(),
            config_hash: config_hash.to_owned(),
            capacity: 0,
            load: 0,
            seen_at: clock.now(),
        };
        Self { bus: bus.clone(), clock, me, load: Box::new(|| 0), every: EVERY }
    }

    /// It can take so much, and has taken what `load` says whenever it is asked.
    #[must_use]
    pub fn with_room(
        mut self,
        capacity: u32,
        load: impl Fn() -> u32 + Send + Sync + 'static,
    ) -> Self {
        self.me.capacity = capacity;
        self.load = Box::new(load);
        self
    }

    /// It says so this often.
    #[must_use]
    pub fn every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// Says so, and takes it back at the end.
    pub async fn tell(mut self, until: CancellationToken) {
        let key = format!("{}.{}", self.me.service, self.me.instance);
        let instances = self.bus.kv(&topology::INSTANCES);
        let mut tick = tokio::time::interval(self.every);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // It may be connected only after the start.
        let mut link = self.bus.link();
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                changed = link.changed() => if changed.is_err() { break },
                () = until.cancelled() => break,
            }
            if !self.bus.connected() {
                continue;
            }
            self.me.load = (self.load)();
            self.me.seen_at = self.clock.now();
            let told = tokio::select! {
                told = instances.put(&key, &self.me) => told,
                () = until.cancelled() => break,
            };
            if let Err(error) = told {
                tracing::debug!(%error, "could not announce this instance");
            }
        }
        if self.bus.connected()
            && let Err(error) = instances.delete(&key).await
        {
            tracing::debug!(%error, "could not take the announcement back; it will expire");
        }
    }
}
