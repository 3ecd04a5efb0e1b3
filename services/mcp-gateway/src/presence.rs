//! Tells the others that this instance lives, and how busy it is.

use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;

use crate::hub::Hub;

const SERVICE: &str = "mcp-gateway";

/// Says so until the gateway is over, and takes it back then.
pub(crate) async fn announce(hub: Hub) {
    let instances = hub.bus.kv(&topology::INSTANCES);
    let key = format!("{SERVICE}.{}", hub.bus.instance());
    let mut tick = tokio::time::interval(hub.timing.heartbeat);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = hub.over.cancelled() => break,
        }
        let now = Instance {
            service: SERVICE.to_owned(),
            instance: hub.bus.instance().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            config_hash: hub.config_hash.clone(),
            capacity: number(hub.room.capacity()),
            load: number(hub.room.taken()),
            seen_at: hub.clock.now(),
        };
        if let Err(error) = instances.put(&key, &now).await {
            tracing::debug!(%error, "could not announce this instance");
        }
    }
    if let Err(error) = instances.delete(&key).await {
        tracing::debug!(%error, "could not take the announcement back; it will expire");
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
