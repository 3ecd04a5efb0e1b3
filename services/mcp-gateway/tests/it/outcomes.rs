//! What becomes of calls: executed once, and known for a while.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::id::CallId;
use tarsy_testkit::{WAIT, eventually};
use tarsy_tools::{BusToolbox, Outcome, Toolbox as _};

use crate::stack::{Stack, ask, call, connect, counts_until, lines, processes};

#[tokio::test]
async fn the_same_call_id_is_executed_once() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let file = stack.file("counter");
    let request = call("peer.counter", json!({"file": file, "ms": 400}));
    let (first, joined) =
        tokio::join!(lease.call(request.clone(), WAIT), lease.call(request.clone(), WAIT));
    let repeated = lease.call(request, WAIT).await.unwrap();
    assert_eq!(first.unwrap().content, "counted");
    assert_eq!(joined.unwrap().content, "counted");
    assert_eq!(repeated.content, "counted");
    assert_eq!(lines(&file), 1);
    stack.drain().await;
}

#[tokio::test]
async fn an_outcome_is_known_after_the_lease_is_closed() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let request = call("peer.echo", json!({"a": 1}));
    let call_id = request.call_id;
    let result = lease.call(request, WAIT).await.unwrap();
    let instance = lease.instance().to_owned();
    lease.close().await;
    let outcome = stack.toolbox.outcome(&instance, call_id, Duration::ZERO).await.unwrap();
    assert_eq!(outcome, Outcome::Result { result });
    stack.drain().await;
}

#[tokio::test]
async fn a_large_outcome_comes_whole() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let request = call("peer.big", json!({"bytes": 700_000}));
    let call_id = request.call_id;
    lease.call(request, WAIT).await.unwrap();
    let outcome = stack.toolbox.outcome(lease.instance(), call_id, Duration::ZERO).await.unwrap();
    assert!(matches!(outcome, Outcome::Result { result } if result.content.len() == 700_000));
    stack.drain().await;
}

#[tokio::test]
async fn who_asks_for_a_running_call_waits_for_its_end() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let (file, end) = (stack.file("counter"), stack.file("end"));
    let request = call("peer.counter", counts_until(&file, &end));
    let call_id = request.call_id;
    let asking = async {
        eventually("the call", async || {
            let outcome = stack.toolbox.outcome("gateway-1", call_id, Duration::ZERO).await;
            outcome.unwrap() == Outcome::Running
        })
        .await;
        let ending = async { std::fs::write(&end, "").unwrap() };
        let asked = stack.toolbox.outcome("gateway-1", call_id, WAIT);
        let (outcome, ()) = tokio::join!(asked, ending);
        outcome.unwrap()
    };
    let (result, outcome) = tokio::join!(lease.call(request, WAIT), asking);
    assert_eq!(outcome, Outcome::Result { result: result.unwrap() });
    stack.drain().await;
}

#[tokio::test]
async fn a_call_goes_on_when_who_asked_is_gone() {
    let stack = Stack::start().await;
    let (file, end) = (stack.file("counter"), stack.file("end"));
    let request = call("peer.counter", counts_until(&file, &end));
    let call_id = request.call_id;
    let other = BusToolbox::new(connect(stack.nats.url(), "orchestrator", "orchestrator-2").await);
    let lease = crate::stack::open(&other, &["peer"], WAIT).await.unwrap();
    tokio::select! {
        _ = lease.call(request, WAIT) => panic!("the call was too quick"),
        () = eventually("the call", async || lines(&file) == 1) => {}
    }
    // The lease is given back while the call runs, as a fenced owner does.
    drop(lease);
    std::fs::write(&end, "").unwrap();
    let outcome = stack.toolbox.outcome("gateway-1", call_id, WAIT).await.unwrap();
    assert!(matches!(outcome, Outcome::Result { result } if result.content == "counted"));
    assert_eq!(lines(&file), 1);
    eventually("the end of the process", async || processes(&stack.folder) == 0).await;
    stack.drain().await;
}

#[tokio::test]
async fn the_outcome_of_an_unknown_call_is_unknown() {
    let stack = Stack::start().await;
    let call_id = CallId::new();
    for instance in ["gateway-1", "gateway-of-yesterday"] {
        let outcome = stack.toolbox.outcome(instance, call_id, Duration::ZERO).await.unwrap();
        assert_eq!(outcome, Outcome::Unknown);
    }
    stack.drain().await;
}

#[tokio::test]
async fn a_call_survives_a_lost_connection_to_the_bus() {
    let mut stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let file = stack.file("counter");
    let request = call("peer.counter", json!({"file": file, "ms": 300}));
    ask(&*lease, "peer.echo", json!({})).await;
    stack.nats.server().unwrap().kill().await;
    let restarting = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        stack.nats.server().unwrap().launch().await.unwrap();
    };
    let (result, ()) = tokio::join!(lease.call(request, WAIT), restarting);
    assert_eq!(result.unwrap().content, "counted");
    assert_eq!(lines(&file), 1);
    stack.drain().await;
}
