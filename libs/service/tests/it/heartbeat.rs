//! Heartbeats in the bucket of instances.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;
use tarsy_domain::clock::SystemClock;
use tarsy_service::{Heartbeat, VERSION};
use tarsy_testkit::{TestNats, eventually};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_process_reports_its_load_until_it_stops() {
    let nats = TestNats::start().await.unwrap();
    let bus = nats.connect("service", "one").await.unwrap();
    bus.provision().await.unwrap();
    let (load, over) = (Arc::new(AtomicU32::new(3)), CancellationToken::new());
    let busy = Arc::clone(&load);
    let heartbeat = Heartbeat::new(&bus, Arc::new(SystemClock), "worker", "cafe")
        .with_capacity(5, move || busy.load(Ordering::Relaxed))
        .with_interval(Duration::from_millis(100));
    let entry = async || bus.kv(&topology::INSTANCES).get::<Instance>("worker.one").await.unwrap();
    let looking = async {
        eventually("the announcement", async || entry().await.is_some()).await;
        let first = entry().await.unwrap();
        assert_eq!((first.service.as_str(), first.version.as_str()), ("worker", VERSION));
        assert_eq!((first.config_hash.as_str(), first.capacity, first.load), ("cafe", 5, 3));
        load.store(4, Ordering::Relaxed);
        eventually("the new load", async || entry().await.is_some_and(|entry| entry.load == 4))
            .await;
        over.cancel();
    };
    tokio::join!(heartbeat.run(over.clone()), looking);
    assert_eq!(entry().await, None);
}
