use std::time::Duration;

use async_nats::jetstream::stream::{self, StorageType};
use futures::StreamExt as _;
use tarsy_bus::WakeUp;
use tarsy_contracts::event::Committed;
use tarsy_contracts::status::ToolBrief;
use tarsy_contracts::{subject, topology};
use tarsy_domain::id::SessionId;
use tarsy_testkit::{TestNats, connected};
use tokio_util::sync::CancellationToken;

fn event(session_id: SessionId, seq: i64) -> Committed {
    Committed {
        session_id,
        seq,
        kind: "session.status".to_owned(),
        payload: format!("{{\"n\":{seq}}}"),
    }
}

#[tokio::test]
async fn an_event_reaches_plain_subscribers_as_the_bytes_it_was() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let bus = nats.connect("test", "one").await?;
    bus.provision().await?;
    let session = SessionId::new();
    let mut subscription = bus.subscribe(subject::events_of(session)).await?;
    bus.publish_event(&event(session, 1)).await?;
    let came = tokio::time::timeout(Duration::from_mins(1), subscription.next()).await?;
    assert_eq!(came.map(|message| message.payload), Some(b"{\"n\":1}".to_vec().into()));
    Ok(())
}

#[tokio::test]
async fn one_wake_up_is_received_once() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let bus = nats.connect("test", "one").await?;
    bus.provision().await?;
    let wake_ups = bus.wake_ups(&topology::SESSION_WORK);
    bus.wake_session_workers(SessionId::new()).await?;
    assert_eq!(wake_ups.wait(Duration::from_mins(1)).await, WakeUp::Received);
    assert_eq!(wake_ups.wait(Duration::from_millis(300)).await, WakeUp::TimedOut);
    Ok(())
}

#[tokio::test]
async fn wake_ups_move_from_disk_to_memory_when_a_server_of_an_older_version_is_provisioned()
-> anyhow::Result<()> {
    let nats = TestNats::dedicated().await?;
    let bus = nats.connect("test", "one").await?;
    let address: async_nats::ServerAddr = nats.url().parse()?;
    let name = |part: Option<&str>| part.unwrap_or_default().to_owned();
    let user = async_nats::ConnectOptions::with_user_and_password(
        name(address.username()),
        name(address.password()),
    );
    let jetstream = async_nats::jetstream::new(user.connect(nats.url()).await?);
    let storage_of = async |name: &str| {
        let stream = jetstream.get_stream(name).await?;
        anyhow::Ok(stream.cached_info().config.storage)
    };
    jetstream
        .create_stream(stream::Config {
            name: topology::WORK.name.to_owned(),
            subjects: topology::WORK.subjects.iter().map(|&subject| subject.to_owned()).collect(),
            retention: stream::RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            ..stream::Config::default()
        })
        .await?;
    bus.provision().await?;
    assert_eq!(storage_of(topology::WORK.name).await?, StorageType::Memory);
    assert_eq!(storage_of(topology::INTAKE.name).await?, StorageType::File);
    let wake_ups = bus.wake_ups(&topology::SESSION_WORK);
    bus.wake_session_workers(SessionId::new()).await?;
    assert_eq!(wake_ups.wait(Duration::from_mins(1)).await, WakeUp::Received);
    Ok(())
}

#[tokio::test]
async fn several_instances_provision_an_empty_server_at_once() -> anyhow::Result<()> {
    let nats = TestNats::dedicated().await?;
    let bus = nats.connect("test", "one").await?;
    let instances = futures::future::join_all((0..4).map(|_| bus.provision())).await;
    for result in instances {
        result?;
    }
    Ok(())
}

#[tokio::test]
async fn wake_ups_are_received_again_after_the_server_lost_its_store() -> anyhow::Result<()> {
    let mut nats = TestNats::dedicated().await?;
    let bus = nats.connect("test", "one").await?;
    let guard = {
        let bus = bus.clone();
        async move { bus.provision_on_reconnect(CancellationToken::new()).await }
    };
    let scenario = async {
        bus.provision().await?;
        let wake_ups = bus.wake_ups(&topology::SESSION_WORK);
        bus.wake_session_workers(SessionId::new()).await?;
        assert_eq!(wake_ups.wait(Duration::from_mins(1)).await, WakeUp::Received);

        let server = nats.server()?;
        server.kill().await;
        server.wipe()?;
        server.launch().await?;
        connected(&bus).await?;
        // Refused until the guard has made the stream again.
        let woken = async {
            while bus.wake_session_workers(SessionId::new()).await.is_err()
                || wake_ups.wait(Duration::from_secs(1)).await == WakeUp::TimedOut
            {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), woken).await?;
        anyhow::Ok(())
    };
    // Whichever way the scenario ends, the guard is not waited for.
    tokio::select! {
        () = guard => anyhow::bail!("the guard stopped by itself"),
        result = scenario => result,
    }
}

#[tokio::test]
async fn one_instance_acquires_and_renews_the_leadership() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let first = nats.connect("test", "one").await?;
    first.provision().await?;
    let second = nats.connect("test", "two").await?;
    let (one, two) = (first.kv(&topology::LEADERS), second.kv(&topology::LEADERS));
    assert!(one.acquire_leadership("probe").await?);
    assert!(!two.acquire_leadership("probe").await?);
    assert!(one.acquire_leadership("probe").await?);
    Ok(())
}

#[tokio::test]
async fn entries_and_blobs_come_back_as_they_were() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let bus = nats.connect("test", "one").await?;
    bus.provision().await?;
    let kv = bus.kv(&topology::MCP_STATUS);
    let tool = ToolBrief {
        name: "uptime".to_owned(),
        description: "since when".to_owned(),
        input_schema: None,
        read_only: true,
        idempotent: true,
        terms: tarsy_contracts::mcp::ToolTerms::default(),
    };
    kv.put("host", &tool).await?;
    assert_eq!(kv.get::<ToolBrief>("host").await?, Some(tool.clone()));
    assert_eq!(kv.entries::<ToolBrief>().await?, vec![tool]);
    kv.delete("host").await?;
    assert_eq!(kv.get::<ToolBrief>("host").await?, None);

    let payload = bytes::Bytes::from(vec![7_u8; 900_000]);
    let name = bus.blobs(&topology::BLOBS).put(None, payload.clone()).await?;
    assert_eq!(bus.blobs(&topology::BLOBS).get(&name).await?, payload);
    Ok(())
}

#[tokio::test]
async fn publishing_while_disconnected_is_an_error_and_reconnects_are_counted() -> anyhow::Result<()>
{
    let mut nats = TestNats::dedicated().await?;
    let bus = nats.connect("test", "one").await?;
    let before = bus.connection().borrow().generation;
    nats.server()?.kill().await;
    let mut connection = bus.connection();
    tokio::time::timeout(Duration::from_mins(1), connection.wait_for(|state| !state.connected))
        .await??;
    assert!(bus.publish(subject::LIVE_SESSIONS.to_owned(), &1).await.is_err());
    nats.server()?.launch().await?;
    connected(&bus).await?;
    assert!(bus.connection().borrow().generation > before);
    Ok(())
}

#[tokio::test]
async fn a_consumer_that_waited_long_still_receives_a_wake_up() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let bus = nats.connect("test", "one").await?;
    bus.provision().await?;
    let wake_ups = bus.wake_ups(&topology::SESSION_WORK);
    // In a task of its own: only the wake-up ends the wait.
    let mut waiting = tokio::task::JoinSet::new();
    waiting.spawn(async move { wake_ups.wait(Duration::from_mins(2)).await });
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    bus.wake_session_workers(SessionId::new()).await?;
    let received = tokio::time::timeout(Duration::from_mins(1), waiting.join_next()).await?;
    assert_eq!(received.transpose()?, Some(WakeUp::Received));
    Ok(())
}
