//! What becomes of calls: executed once, and known for a while.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::id::CallId;
use tarsy_tools::{BusToolbox, Outcome, Toolbox as _};

use crate::world::{SOON, World, ask, call, connect, counts_until, lines, processes, until};

#[tokio::test]
async fn the_same_call_id_is_executed_once() {
    let world = World::start().await;
    let lease = world.lease(&["peer"]).await;
    let file = world.file("counter");
    let request = call("peer.counter", json!({"file": file, "ms": 400}));
    let (first, joined) =
        tokio::join!(lease.call(request.clone(), SOON), lease.call(request.clone(), SOON));
    let repeated = lease.call(request, SOON).await.unwrap();
    assert_eq!(first.unwrap().content, "counted");
    assert_eq!(joined.unwrap().content, "counted");
    assert_eq!(repeated.content, "counted");
    assert_eq!(lines(&file), 1);
    world.drain().await;
}

#[tokio::test]
async fn an_outcome_is_known_after_the_lease_is_closed() {
    let world = World::start().await;
    let lease = world.lease(&["peer"]).await;
    let request = call("peer.echo", json!({"a": 1}));
    let call_id = request.call_id;
    let result = lease.call(request, SOON).await.unwrap();
    let instance = lease.instance().to_owned();
    lease.close().await;
    let outcome = world.toolbox.outcome(&instance, call_id, Duration::ZERO).await.unwrap();
    assert_eq!(outcome, Outcome::Result { result });
    world.drain().await;
}

#[tokio::test]
async fn a_large_outcome_comes_whole() {
    let world = World::start().await;
    let lease = world.lease(&["peer"]).await;
    let request = call("peer.big", json!({"bytes": 700_000}));
    let call_id = request.call_id;
    lease.call(request, SOON).await.unwrap();
    let outcome = world.toolbox.outcome(lease.instance(), call_id, Duration::ZERO).await.unwrap();
    assert!(matches!(outcome, Outcome::Result { result } if result.content.len() == 700_000));
    world.drain().await;
}

#[tokio::test]
async fn who_asks_for_a_running_call_waits_for_its_end() {
    let world = World::start().await;
    let lease = world.lease(&["peer"]).await;
    let (file, end) = (world.file("counter"), world.file("end"));
    let request = call("peer.counter", counts_until(&file, &end));
    let call_id = request.call_id;
    let asking = async {
        until("the call", async || {
            let outcome = world.toolbox.outcome("gateway-1", call_id, Duration::ZERO).await;
            outcome.unwrap() == Outcome::Running
        })
        .await;
        let ending = async { std::fs::write(&end, "").unwrap() };
        let asked = world.toolbox.outcome("gateway-1", call_id, SOON);
        let (outcome, ()) = tokio::join!(asked, ending);
        outcome.unwrap()
    };
    let (result, outcome) = tokio::join!(lease.call(request, SOON), asking);
    assert_eq!(outcome, Outcome::Result { result: result.unwrap() });
    world.drain().await;
}

#[tokio::test]
async fn a_call_goes_on_when_who_asked_is_gone() {
    let world = World::start().await;
    let (file, end) = (world.file("counter"), world.file("end"));
    let request = call("peer.counter", counts_until(&file, &end));
    let call_id = request.call_id;
    let other = BusToolbox::new(connect(world.nats.url(), "orchestrator", "orchestrator-2").await);
    let lease = crate::world::open(&other, &["peer"], SOON).await.unwrap();
    tokio::select! {
        _ = lease.call(request, SOON) => panic!("the call was too quick"),
        () = until("the call", async || lines(&file) == 1) => {}
    }
    // The lease is given back while the call runs, as a fenced owner does.
    drop(lease);
    std::fs::write(&end, "").unwrap();
    let outcome = world.toolbox.outcome("gateway-1", call_id, SOON).await.unwrap();
    assert!(matches!(outcome, Outcome::Result { result } if result.content == "counted"));
    assert_eq!(lines(&file), 1);
    until("the end of the process", async || processes(&world.folder) == 0).await;
    world.drain().await;
}

#[tokio::test]
async fn the_outcome_of_an_unknown_call_is_unknown() {
    let world = World::start().await;
    let call_id = CallId::new();
    for instance in ["gateway-1", "gateway-of-yesterday"] {
        let outcome = world.toolbox.outcome(instance, call_id, Duration::ZERO).await.unwrap();
        assert_eq!(outcome, Outcome::Unknown);
    }
    world.drain().await;
}

#[tokio::test]
async fn a_call_survives_a_lost_connection_to_the_bus() {
    let mut world = World::start().await;
    let lease = world.lease(&["peer"]).await;
    let file = world.file("counter");
    let request = call("peer.counter", json!({"file": file, "ms": 300}));
    ask(&*lease, "peer.echo", json!({})).await;
    world.nats.server().unwrap().kill().await;
    let restarting = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.nats.server().unwrap().launch().await.unwrap();
    };
    let (result, ()) = tokio::join!(lease.call(request, SOON), restarting);
    assert_eq!(result.unwrap().content, "counted");
    assert_eq!(lines(&file), 1);
    world.drain().await;
}
