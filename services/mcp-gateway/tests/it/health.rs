//! What is told of servers and instances, and questions outside of any session.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tarsy_contracts::mcp::{ProbeRequest, ToolList};
use tarsy_contracts::status::{Instance, McpServerStatus, Warning};
use tarsy_contracts::{subject, topology};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_mcp_gateway::Timing;

use crate::http::{entry, serve};
use crate::world::{SOON, Wish, World, until};

async fn status(world: &World, server: &str) -> Option<McpServerStatus> {
    world.bus.kv(&topology::MCP_STATUS).get(server).await.unwrap()
}

async fn warning(world: &World, server: &str) -> Option<Warning> {
    world.bus.kv(&topology::WARNINGS).get(&format!("mcp_health.{server}")).await.unwrap()
}

#[tokio::test]
async fn a_warning_comes_with_an_illness_and_goes_with_it() {
    let remote = serve().await;
    let timing = Timing { check_http: Duration::from_millis(200), ..Timing::default() };
    let servers = entry(remote.address, "the-bearer-token");
    let world = World::with(Wish { servers, timing, ..Wish::default() }).await;
    let healthy = async || status(&world, "remote").await.is_some_and(|status| status.healthy);
    until("health", healthy).await;
    let told = status(&world, "remote").await.unwrap();
    assert_eq!(told.tools.len(), 16);
    assert_eq!(told.error, None);
    remote.down.store(true, Ordering::Relaxed);
    until("the warning", async || warning(&world, "remote").await.is_some()).await;
    let raised = warning(&world, "remote").await.unwrap();
    assert_eq!(
        (raised.category.as_str(), raised.server_id.as_deref()),
        ("mcp_health", Some("remote"))
    );
    let told = status(&world, "remote").await.unwrap();
    assert!(!told.healthy && told.error.is_some());
    remote.down.store(false, Ordering::Relaxed);
    until("recovery", async || healthy().await && warning(&world, "remote").await.is_none()).await;
    world.drain().await;
}

#[tokio::test]
async fn servers_in_subprocesses_are_checked_too() {
    let world = World::start().await;
    until("health", async || status(&world, "peer").await.is_some_and(|told| told.healthy)).await;
    until("illness", async || status(&world, "host").await.is_some_and(|told| !told.healthy)).await;
    assert!(warning(&world, "host").await.is_some());
    world.drain().await;
}

#[tokio::test]
async fn tools_are_told_outside_of_any_session() {
    let world = World::start().await;
    let request = ProbeRequest {
        server: Some("peer".to_owned()),
        deadline_ms: SystemClock.now().as_millisecond() + 20_000,
    };
    let ask = async |request: &ProbeRequest| {
        world.bus.request::<_, ToolList>(subject::MCP_PROBE.to_owned(), request, SOON).await
    };
    let list = ask(&request).await.unwrap();
    assert_eq!((list.tools.len(), list.failed.len()), (16, 0));
    let all = ask(&ProbeRequest { server: None, ..request.clone() }).await.unwrap();
    assert_eq!((all.tools.len(), all.failed.len()), (16, 2));
    let unknown = ProbeRequest { server: Some("pear".to_owned()), ..request };
    assert!(ask(&unknown).await.unwrap_err().to_string().contains("pear"));
    world.drain().await;
}

#[tokio::test]
async fn an_instance_tells_that_it_lives_until_it_stops() {
    let timing = Timing { heartbeat: Duration::from_millis(100), ..Timing::default() };
    let world = World::with(Wish { timing, ..Wish::default() }).await;
    let told = async || {
        let instances = world.bus.kv(&topology::INSTANCES);
        instances.get::<Instance>("mcp-gateway.gateway-1").await.unwrap()
    };
    let lease = world.lease(&["peer"]).await;
    until("the announcement", async || {
        told().await.is_some_and(|told| (told.capacity, told.load) == (8, 1))
    })
    .await;
    lease.close().await;
    world.drain().await;
    assert_eq!(told().await, None);
}
