//! Streams on a full disk.

use bytes::Bytes;
use tarsy_bus::{Bus, DurableMessage, FailedStream, Handled};
use tarsy_contracts::event::Committed;
use tarsy_contracts::{subject, topology};
use tarsy_domain::id::SessionId;
use tarsy_testkit::{TestNats, eventually};
use tokio_util::sync::CancellationToken;

fn event(seq: i64) -> Committed {
    let kind = "session.status".to_owned();
    Committed { session_id: SessionId::new(), seq, kind, payload: "{}".to_owned() }
}

fn alert(id: &str) -> DurableMessage {
    DurableMessage {
        subject: subject::INTAKE_ALERT.to_owned(),
        message_id: id.to_owned(),
        // A disk that counts as full may still take what goes into an open file.
        payload: Bytes::from(vec![b'a'; 200_000]),
    }
}

/// The failed stream of this name, once there is one.
async fn failed(bus: &Bus, name: &str) -> anyhow::Result<FailedStream> {
    let found = async || {
        let failed = bus.failed_streams().await.unwrap_or_default();
        failed.into_iter().find(|stream| stream.name == name)
    };
    eventually(&format!("{name} has failed"), async || found().await.is_some()).await;
    found().await.ok_or_else(|| anyhow::anyhow!("{name} works again"))
}

#[tokio::test]
async fn a_stream_that_failed_on_a_full_disk_stores_again_without_a_restart() -> anyhow::Result<()>
{
    let nats = TestNats::on_small_disk().await?;
    let bus = nats.connect("test", "one").await?;
    bus.provision().await?;
    assert_eq!(bus.failed_streams().await?, []);
    nats.fill_disk()?;
    assert!(bus.publish_event(&event(1)).await.is_err(), "nothing can be stored");
    let events = failed(&bus, topology::EVENTS.name).await?;
    assert!(!events.error.contains('/'), "no path of the server: {}", events.error);
    nats.free_disk()?;
    assert!(bus.recreate_stream(&events).await?);
    bus.publish_event(&event(2)).await?;
    assert_eq!(bus.failed_streams().await?, []);
    Ok(())
}

#[tokio::test]
async fn queued_alerts_are_not_deleted_with_their_failed_stream() -> anyhow::Result<()> {
    let nats = TestNats::on_small_disk().await?;
    let bus = nats.connect("test", "one").await?;
    bus.provision().await?;
    bus.publish_durable(alert("first")).await?;
    nats.fill_disk()?;
    let mut number = 0;
    while bus.publish_durable(alert(&number.to_string())).await.is_ok() {
        number += 1;
    }
    let intake = failed(&bus, topology::INTAKE.name).await?;
    assert!(!bus.recreate_stream(&intake).await?, "the first alert waits for its delivery");
    let stop = CancellationToken::new();
    let consumed = bus.consume(&topology::INTAKE_ALERTS, stop.clone(), async |_| Handled::Done);
    let recreated = async {
        // Every alert is handled when none is delivered any more.
        let done = async || matches!(bus.recreate_stream(&intake).await, Ok(true));
        eventually("no alert waits", done).await;
        stop.cancel();
    };
    tokio::join!(consumed, recreated);
    nats.free_disk()?;
    eventually("it stores again", async || bus.publish_durable(alert("last")).await.is_ok()).await;
    Ok(())
}
