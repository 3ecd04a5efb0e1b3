//! Processes: what they see, that each lease has its own, and that none is left.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use tarsy_testkit::{WAIT, eventually};
use tarsy_tools::{Outcome, Toolbox as _};
use tokio_util::sync::CancellationToken;

use crate::stack::{GatewayOptions, Stack, ask, call, is_running, peer, processes};

/// What was killed may take a moment to die.
async fn none_is_left(stack: &Stack) {
    eventually("the end of all processes", async || processes(&stack.folder) == 0).await;
}

#[tokio::test]
async fn a_server_sees_nothing_of_our_environment_but_what_it_needs_and_is_given() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let seen = ask(&*lease, "peer.env", json!({})).await.content;
    let names: BTreeSet<&str> = seen.lines().filter_map(|line| line.split(' ').next()).collect();
    let given = ["HOME", "LC_ALL", "NAMED", "PATH", "PEER_HOME", "PEER_TOKEN"];
    // The mark by which all that it starts is found again.
    let expected = given.into_iter().chain(["TARSY_TOOL_SERVER"]).collect::<BTreeSet<_>>();
    assert_eq!(names, expected);
    assert!(seen.contains("PEER_HOME is /srv/peer"), "{seen}");
    assert!(!seen.contains("own-token-of-the-peer"), "its own credentials are masked: {seen}");
    stack.drain().await;
}

#[tokio::test]
async fn every_lease_has_a_process_of_its_own() {
    let stack = Stack::start().await;
    let (first, second) = (stack.lease(&["peer"]).await, stack.lease(&["peer"]).await);
    let one = ask(&*first, "peer.pid", json!({})).await.content;
    let other = ask(&*second, "peer.pid", json!({})).await.content;
    assert_ne!(one, other);
    assert_eq!(ask(&*first, "peer.pid", json!({})).await.content, one);
    stack.drain().await;
}

#[tokio::test]
async fn a_shared_server_has_one_process_for_all() {
    let servers = format!(
        "  common:\n    transport: {{type: stdio, command: \"{}\", isolation: shared}}\n",
        peer().display()
    );
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let (first, second) = (stack.lease(&["common"]).await, stack.lease(&["common"]).await);
    let one = ask(&*first, "common.pid", json!({})).await.content;
    first.close().await;
    assert_eq!(ask(&*second, "common.pid", json!({})).await.content, one);
    stack.drain().await;
    assert!(!is_running(&one));
}

#[tokio::test]
async fn no_process_outlives_its_lease_not_even_one_that_a_server_started() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let server = ask(&*lease, "peer.pid", json!({})).await.content;
    let child = ask(&*lease, "peer.child", json!({})).await.content;
    assert!(is_running(&server) && is_running(&child));
    lease.close().await;
    eventually("the end of both", async || !is_running(&server) && !is_running(&child)).await;
    stack.drain().await;
    none_is_left(&stack).await;
}

#[tokio::test]
async fn a_dropped_lease_is_given_back() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let server = ask(&*lease, "peer.pid", json!({})).await.content;
    drop(lease);
    eventually("the end of the process", async || !is_running(&server)).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_drained_gateway_finishes_what_runs_and_leaves_no_process() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let running = async {
        let result = ask(&*lease, "peer.slow", json!({"ms": 1500})).await;
        lease.close().await;
        result
    };
    let draining = async {
        eventually("the call", async || processes(&stack.folder) > 0).await;
        stack.gateway.drain(WAIT, CancellationToken::new()).await;
    };
    let (result, ()) = tokio::join!(running, draining);
    assert_eq!(result.content, "awake");
    none_is_left(&stack).await;
}

#[tokio::test]
async fn a_drain_whose_time_is_over_cuts_calls_off() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let request = call("peer.slow", json!({"ms": 60_000}));
    let call_id = request.call_id;
    let running = lease.call(request, WAIT);
    let draining = async {
        eventually("the call", async || {
            let outcome = stack.toolbox.outcome("gateway-1", call_id, Duration::ZERO).await;
            outcome.unwrap() == Outcome::Running
        })
        .await;
        stack.gateway.drain(Duration::from_millis(200), CancellationToken::new()).await;
    };
    let (result, ()) = tokio::join!(running, draining);
    assert!(result.unwrap().is_error);
    none_is_left(&stack).await;
}
