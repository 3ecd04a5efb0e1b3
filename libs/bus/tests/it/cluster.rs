//! Three servers, of which each fails in turn.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::jetstream::stream::ClusterInfo;
use tarsy_bus::{Bus, WakeUp};
use tarsy_contracts::event::Committed;
use tarsy_contracts::topology;
use tarsy_domain::id::SessionId;
use tarsy_testkit::{TestNatsCluster, eventually};

/// How long a worker waits before it looks into the table; a request that was lost with its server is sent again then.
const PULL: Duration = Duration::from_secs(3);

async fn provision(bus: &Bus) {
    // Until the members have elected a leader, JetStream refuses.
    eventually("the cluster is provisioned", async || bus.provision().await.is_ok()).await;
}

async fn client(cluster: &TestNatsCluster) -> anyhow::Result<async_nats::jetstream::Context> {
    let url = cluster.url();
    let first = url.split(',').next().unwrap_or_default();
    let address: async_nats::ServerAddr = first.parse()?;
    let name = |part: Option<&str>| part.unwrap_or_default().to_owned();
    let user = async_nats::ConnectOptions::with_user_and_password(
        name(address.username()),
        name(address.password()),
    );
    Ok(async_nats::jetstream::new(user.connect(first).await?))
}

/// How many servers keep each stream, those of buckets and object stores included.
async fn replicas(cluster: &TestNatsCluster) -> anyhow::Result<BTreeSet<usize>> {
    let jetstream = client(cluster).await?;
    let streams = topology::STREAMS.iter().map(|stream| stream.name.to_owned());
    let buckets = topology::BUCKETS.iter().map(topology::Bucket::stream);
    let objects = topology::OBJECT_STORES.iter().map(topology::Bucket::object_stream);
    let mut found = BTreeSet::new();
    for name in streams.chain(buckets).chain(objects) {
        let stream = jetstream.get_stream(&name).await?;
        found.insert(stream.cached_info().config.num_replicas);
    }
    Ok(found)
}

/// Whether every server has what the others have, so that another one may fail: in memory, one that was killed has nothing.
async fn is_whole(cluster: &TestNatsCluster) -> anyhow::Result<bool> {
    let jetstream = client(cluster).await?;
    let is_current = |info: Option<&ClusterInfo>| {
        let replicas = info.map(|info| info.replicas.as_slice()).unwrap_or_default();
        replicas.len() + 1 == TestNatsCluster::MEMBERS
            && replicas.iter().all(|peer| peer.current && !peer.offline)
    };
    for definition in topology::STREAMS {
        let stream = jetstream.get_stream(definition.name).await?;
        if !is_current(stream.cached_info().cluster.as_ref()) {
            return Ok(false);
        }
    }
    for definition in topology::CONSUMERS {
        let stream = jetstream.get_stream(definition.stream).await?;
        let consumer = stream.consumer_info(definition.name).await?;
        if !is_current(consumer.cluster.as_ref()) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[tokio::test]
async fn what_one_server_keeps_is_kept_by_three_once_that_is_configured() -> anyhow::Result<()> {
    let cluster = TestNatsCluster::start().await?;
    let alone = cluster.connect("test", "one", 1).await?;
    provision(&alone).await;
    assert_eq!(replicas(&cluster).await?, BTreeSet::from([1]));
    let replicated = cluster.connect("test", "two", TestNatsCluster::MEMBERS).await?;
    provision(&replicated).await;
    assert_eq!(replicas(&cluster).await?, BTreeSet::from([3]));
    Ok(())
}

#[tokio::test]
async fn events_and_wake_ups_go_on_while_each_server_is_killed_in_turn() -> anyhow::Result<()> {
    let mut cluster = TestNatsCluster::start().await?;
    let bus = cluster.connect("test", "one", TestNatsCluster::MEMBERS).await?;
    provision(&bus).await;
    let session = SessionId::new();
    let wake_ups = bus.wake_ups(&topology::SESSION_WORK);
    for (place, seq) in (0..TestNatsCluster::MEMBERS).zip(1..) {
        eventually("the cluster is whole", async || is_whole(&cluster).await.is_ok_and(|is| is))
            .await;
        cluster.server(place)?.kill().await;
        eventually("the event is stored", async || {
            bus.publish_event(&event(session, seq)).await.is_ok()
        })
        .await;
        eventually("the wake-up is sent", async || bus.wake_session_workers(session).await.is_ok())
            .await;
        let woken = async || wake_ups.wait(PULL).await == WakeUp::Received;
        eventually("a worker is woken", woken).await;
        cluster.server(place)?.launch().await?;
    }
    let stored = client(&cluster).await?.get_stream(topology::EVENTS.name).await?;
    let count = stored.cached_info().state.messages;
    assert_eq!(count, 3, "each event is stored, and none twice");
    Ok(())
}

fn event(session_id: SessionId, seq: i64) -> Committed {
    let kind = "session.status".to_owned();
    Committed { session_id, seq, kind, payload: format!("{{\"n\":{seq}}}") }
}
