//! Several gateways: how they share leases, and what becomes of many when one is killed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::future::join_all;
use futures::{StreamExt as _, stream};
use nix::sys::signal::Signal;
use serde_json::json;
use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;
use tarsy_testkit::{TestNats, WAIT, eventually};
use tarsy_tools::{BusToolbox, Outcome, ToolLease, Toolbox as _};

use crate::http::{entry, serve};
use crate::process::{signal, start_as};
use crate::stack::{
    GatewayOptions, Stack, ask, call, connect, counts_until, launch, lines, open, processes,
};

/// Many processes on a busy machine take their time.
const LONG: Duration = Duration::from_secs(90);
const AGENTS: usize = 60;

#[tokio::test]
async fn two_gateways_share_leases_evenly() {
    let remote = serve().await;
    let servers = entry(remote.address, "the-bearer-token").replace("30s", "60s");
    let options =
        || GatewayOptions { servers: servers.clone(), capacity: 200, ..GatewayOptions::default() };
    let stack = Stack::with(options()).await;
    let bus = connect(stack.nats.url(), "mcp-gateway", "gateway-2").await;
    let second = launch(&bus, &stack.folder, &options());
    let opened: Vec<Box<dyn ToolLease>> = stream::iter(0..200)
        .map(|_| async { open(&stack.toolbox, &["remote"], LONG).await.unwrap() })
        .buffer_unordered(8)
        .collect()
        .await;
    let mut shares: BTreeMap<&str, usize> = BTreeMap::new();
    for lease in &opened {
        *shares.entry(lease.instance()).or_default() += 1;
    }
    let (least, most) = (shares.values().min().unwrap(), shares.values().max().unwrap());
    assert_eq!(shares.len(), 2, "{shares:?}");
    assert!((most - least) * 5 <= *most, "{shares:?}");
    join_all(opened.iter().map(|lease| lease.close())).await;
    second.drain(Duration::ZERO, tokio_util::sync::CancellationToken::new()).await;
    stack.drain().await;
}

/// What an agent goes through: a call that must not be made twice, and then one that may.
async fn agent(
    toolbox: &BusToolbox,
    lease: Box<dyn ToolLease>,
    file: PathBuf,
    end: &Path,
) -> usize {
    let mut lease = lease;
    let mut retries = 0;
    let request = call("peer.counter", counts_until(&file, end));
    let call_id = request.call_id;
    match lease.call(request, WAIT).await {
        Ok(result) => assert_eq!(result.content, "counted"),
        Err(error) => {
            assert!(error.is_lease_lost(), "{error}");
            let outcome = toolbox.outcome(lease.instance(), call_id, LONG).await.unwrap();
            assert_eq!(outcome, Outcome::Unknown);
            retries += 1;
            lease = open(toolbox, &["peer"], LONG).await.unwrap();
        }
    }
    let next = ask(&*lease, "peer.echo", json!({"and": "on"})).await;
    assert_eq!(next.content, r#"{"and":"on"}"#);
    lease.close().await;
    retries
}

#[tokio::test]
async fn every_agent_goes_on_when_one_of_three_gateways_is_killed() {
    let (nats, folder) = (TestNats::start().await.unwrap(), tempfile::tempdir().unwrap());
    let names = ["gateway-a", "gateway-b", "gateway-c"];
    let mut gateways: Vec<_> = names.iter().map(|name| start_as(&nats, &folder, name)).collect();
    let bus = connect(nats.url(), "orchestrator", "orchestrator-1").await;
    bus.provision().await.unwrap();
    let toolbox = BusToolbox::new(bus.clone());
    // Who comes when all leases are given has none.
    eventually("all gateways", async || {
        for name in names {
            let key = format!("mcp-gateway.{name}");
            let instance = bus.kv(&topology::INSTANCES).get::<Instance>(&key).await;
            if !matches!(instance, Ok(Some(_))) {
                return false;
            }
        }
        true
    })
    .await;
    let leases: Vec<Box<dyn ToolLease>> = stream::iter(0..AGENTS)
        .map(|_| async { open(&toolbox, &["peer"], LONG).await.unwrap() })
        .buffer_unordered(6)
        .collect()
        .await;
    let at = |name: &str| leases.iter().filter(|lease| lease.instance() == name).count();
    let lost = at("gateway-b");
    assert!(names.iter().all(|name| at(name) > 0), "all have some of the leases");
    let files: Vec<PathBuf> =
        (0..AGENTS).map(|number| folder.path().join(format!("calls-{number}"))).collect();
    let agents = leases.into_iter().zip(&files);
    let end = folder.path().join("end");
    let agents = agents.map(|(lease, file)| agent(&toolbox, lease, file.clone(), &end));
    let killing = async {
        eventually("all calls", async || files.iter().all(|file| lines(file) > 0)).await;
        signal(&gateways[1], Signal::SIGKILL);
        gateways[1].wait().await.unwrap();
        // No call was answered before, and those of the others are now.
        std::fs::write(&end, "").unwrap();
    };
    let (retries, ()) = tokio::join!(join_all(agents), killing);
    assert_eq!(retries.iter().filter(|tries| **tries == 1).count(), lost, "{retries:?}");
    assert!(retries.iter().all(|tries| *tries <= 1), "{retries:?}");
    let made: Vec<usize> = files.iter().map(|file| lines(file)).collect();
    assert_eq!(made, vec![1; AGENTS], "each call with an effect was made once");
    for gateway in [0, 2] {
        signal(&gateways[gateway], Signal::SIGTERM);
        assert!(gateways[gateway].wait().await.unwrap().success());
    }
    eventually("the end of all processes", async || processes(&folder) == 0).await;
}

#[tokio::test]
async fn a_spare_session_is_handed_out_once_and_not_kept_without_end() {
    let stack = Stack::with(GatewayOptions { spares: 1, ..GatewayOptions::default() }).await;
    let first = stack.lease(&["peer"]).await;
    let one = ask(&*first, "peer.pid", json!({})).await.content;
    eventually("the spare", async || processes(&stack.folder) == 2).await;
    let second = stack.lease(&["peer"]).await;
    let other = ask(&*second, "peer.pid", json!({})).await.content;
    assert_ne!(one, other);
    first.close().await;
    second.close().await;
    eventually("only a new spare", async || {
        processes(&stack.folder) == 1
            && !crate::stack::is_running(&one)
            && !crate::stack::is_running(&other)
    })
    .await;
    // One that was killed is not handed out.
    let spare = crate::stack::pids(&stack.folder);
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(spare[0]), Signal::SIGKILL).unwrap();
    let third = stack.lease(&["peer"]).await;
    assert_eq!(ask(&*third, "peer.echo", json!({})).await.content, "{}");
    stack.drain().await;
    eventually("the end of the spare", async || processes(&stack.folder) == 0).await;
}
