//! A nats-server, and a look that is taken again and again.

use std::time::Duration;

use tarsy_bus::{Bus, BusOptions};
use tarsy_testkit::TestNats;

/// Longer than anything here takes.
const TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) async fn connect(nats: &TestNats, instance: &str) -> Bus {
    let options = BusOptions {
        url: nats.url().to_owned(),
        service: "service",
        instance: instance.to_owned(),
        credentials: None,
    };
    let bus = Bus::connect(options).await.unwrap();
    let mut connection = bus.connection();
    tokio::time::timeout(TIMEOUT, connection.wait_for(|state| state.connected))
        .await
        .unwrap()
        .unwrap();
    bus
}

/// Waits for what nobody announces.
pub(crate) async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let look = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, look).await.expect(what);
}
