//! The bus against a real nats-server.

mod delivery;
mod requests;

use std::time::Duration;

use tarsy_bus::{Bus, BusOptions};
use tarsy_testkit::TestNats;

pub(crate) async fn bus(nats: &TestNats) -> anyhow::Result<Bus> {
    let bus = Bus::connect(BusOptions {
        url: nats.url().to_owned(),
        service: "test",
        instance: "one".to_owned(),
        credentials: None,
    })
    .await?;
    up(&bus).await?;
    Ok(bus)
}

/// Waits until the connection stands.
pub(crate) async fn up(bus: &Bus) -> anyhow::Result<()> {
    let mut connection = bus.connection();
    tokio::time::timeout(Duration::from_mins(1), connection.wait_for(|state| state.connected))
        .await??;
    Ok(())
}
