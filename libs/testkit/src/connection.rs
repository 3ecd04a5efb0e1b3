//! Connections to the bus.

use anyhow::Context as _;
use tarsy_bus::{Bus, BusOptions, BusSecurity};
use tokio::time::timeout;

use crate::wait::WAIT;

/// Connects to a nats-server, and waits until the connection is open.
pub async fn connect_bus(url: &str, service: &'static str, instance: &str) -> anyhow::Result<Bus> {
    connect_replicated(url, service, instance, 1).await
}

/// The same, of which so many servers keep what it provisions.
pub(crate) async fn connect_replicated(
    url: &str,
    service: &'static str,
    instance: &str,
    replicas: usize,
) -> anyhow::Result<Bus> {
    let options = BusOptions {
        url: url.to_owned(),
        service,
        instance: instance.to_owned(),
        security: BusSecurity::default(),
        replicas,
    };
    let bus = Bus::connect(options).await?;
    connected(&bus).await?;
    Ok(bus)
}

/// Waits until a connection to the bus is open.
pub async fn connected(bus: &Bus) -> anyhow::Result<()> {
    let mut connection = bus.connection();
    let open = connection.wait_for(|state| state.connected);
    let _state = timeout(WAIT, open).await.context("NATS is unavailable")??;
    Ok(())
}
