//! Tells the others that this process lives.

use std::time::Duration;

use tarsy_bus::Bus;
use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;

use crate::Shell;

/// A third of how long an announcement lives.
const EVERY: Duration = Duration::from_secs(20);

/// Says until the shell stops that this process runs, in this version and with this configuration (an
/// empty hash means that it reads none), and takes it back then. For services that have no capacity.
pub fn announce(shell: &Shell, bus: &Bus, service: &'static str, version: &str, config_hash: &str) {
    let (bus, clock, stopping) = (bus.clone(), shell.clock(), shell.stopping());
    let mut me = Instance {
        service: service.to_owned(),
        instance: bus.instance().to_owned(),
        version: version.to_owned(),
        config_hash: config_hash.to_owned(),
        capacity: 0,
        load: 0,
        seen_at: clock.now(),
    };
    shell.spawn_aux("announce", async move {
        let key = format!("{service}.{}", bus.instance());
        let instances = bus.kv(&topology::INSTANCES);
        let mut tick = tokio::time::interval(EVERY);
        // It may be connected only after the start.
        let mut link = bus.link();
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                changed = link.changed() => if changed.is_err() { break },
                () = stopping.cancelled() => break,
            }
            if !bus.connected() {
                continue;
            }
            me.seen_at = clock.now();
            if let Err(error) = instances.put(&key, &me).await {
                tracing::debug!(%error, "could not announce this instance");
            }
        }
        if bus.connected()
            && let Err(error) = instances.delete(&key).await
        {
            tracing::debug!(%error, "could not take the announcement back; it will expire");
        }
    });
}
