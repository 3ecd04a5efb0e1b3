//! Heartbeats in the bucket of instances.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;
use tarsy_domain::clock::{Clock, SystemClock};
use tarsy_service::{Heartbeat, VERSION};
use tarsy_testkit::{TestNats, TestStack, eventually};
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

#[tokio::test]
async fn a_process_reports_itself_as_soon_as_a_server_that_lost_its_store_has_its_bucket_again() {
    let mut nats = TestNats::dedicated().await.unwrap();
    let bus = nats.connect("service", "one").await.unwrap();
    bus.provision().await.unwrap();
    let over = CancellationToken::new();
    let heartbeat = Heartbeat::new(&bus, Arc::new(SystemClock), "worker", "cafe")
        .with_interval(Duration::from_hours(1));
    let entries = async || bus.kv(&topology::INSTANCES).entries::<Instance>().await;
    let looking = async {
        eventually("it is seen", async || entries().await.is_ok_and(|all| all.len() == 1)).await;
        let server = nats.server().unwrap();
        server.kill().await;
        server.wipe().unwrap();
        server.launch().await.unwrap();
        eventually("there is no bucket", async || bus.is_connected() && entries().await.is_err())
            .await;
        bus.provision().await.unwrap();
        eventually("it is seen again", async || entries().await.is_ok_and(|all| all.len() == 1))
            .await;
        over.cancel();
    };
    tokio::join!(heartbeat.run(over.clone()), looking);
}

/// The system's clock, so many minutes ahead.
struct WrongClock(i64);

impl Clock for WrongClock {
    fn now(&self) -> Timestamp {
        SystemClock.now() + SignedDuration::from_mins(self.0)
    }
}

/// What the heartbeat of a process with this clock says about it.
async fn reported_offset(minutes: i64, with_store: bool) -> Instance {
    let stack = TestStack::start().await.unwrap();
    let bus = &stack.bus;
    bus.provision().await.unwrap();
    let mut heartbeat = Heartbeat::new(bus, Arc::new(WrongClock(minutes)), "worker", "cafe")
        .with_interval(Duration::from_millis(100));
    if with_store {
        heartbeat = heartbeat.with_store(&stack.store);
    }
    let over = CancellationToken::new();
    let key = format!("worker.{}", bus.instance());
    let looking = async {
        let entry = async || bus.kv(&topology::INSTANCES).get::<Instance>(&key).await.unwrap();
        eventually("its clock is compared", async || {
            entry().await.is_some_and(|entry| entry.clock_offset_ms.is_some())
        })
        .await;
        let entry = entry().await.unwrap();
        over.cancel();
        entry
    };
    tokio::join!(heartbeat.run(over.clone()), looking).1
}

#[tokio::test]
async fn a_clock_that_differs_from_the_databases_is_reported() {
    for (minutes, wrong) in [(60, true), (-60, true), (0, false)] {
        let entry = reported_offset(minutes, true).await;
        let offset = entry.clock_offset_ms.unwrap();
        assert!((offset - minutes * 60_000).abs() < 20_000, "{offset} ms");
        assert_eq!(entry.clock_error_ms().is_some(), wrong, "{offset} ms");
    }
}

#[tokio::test]
async fn a_process_without_a_database_compares_its_clock_with_the_servers() {
    let entry = reported_offset(-60, false).await;
    let offset = entry.clock_offset_ms.unwrap();
    assert!((offset + 3_600_000).abs() < 20_000, "{offset} ms");
}
