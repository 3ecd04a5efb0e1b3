//! The gateway as a process of its own: started by its settings, stopped by signals, killed.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use serde_json::json;
use tarsy_testkit::{TestNats, WAIT, eventually};
use tarsy_tools::{BusToolbox, Outcome, ToolError, Toolbox as _};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::stack::{ask, call, connect, example, is_running, open, peer, processes};

const INSTANCE: &str = "gateway-process";

fn start(nats: &TestNats, folder: &TempDir) -> Child {
    start_as(nats, folder, INSTANCE)
}

pub(crate) fn start_as(nats: &TestNats, folder: &TempDir, instance: &str) -> Child {
    let servers = format!(
        r#"
mcp_servers:
  kubernetes-server:
    transport: {{type: stdio, command: "/bin/false"}}
  peer:
    transport: {{type: stdio, command: "{}", args: ["{}"]}}
    policy: {{mode: allow_all}}
  odd:
    transport: {{type: stdio, command: "{}", args: ["{}", orphan, escape, lingers]}}
    policy: {{mode: allow_all}}
"#,
        peer().display(),
        folder.path().join("server").display(),
        example("odd").display(),
        folder.path().join("odd").display(),
    );
    // The same for all gateways of a test, and those that have begun may be reading it.
    let config = folder.path().join("tarsy.yaml");
    if !config.exists() {
        std::fs::write(config, servers).unwrap();
    }
    Command::new(env!("CARGO_BIN_EXE_tarsy-mcp-gateway"))
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("NATS_URL", nats.url())
        .env("TARSY_CONFIG_DIR", folder.path())
        .env("TARSY_INSTANCE", instance)
        .env("TARSY_GRACE_SECONDS", "30")
        .env("NOT_FOR_SERVERS", "known to the gateway alone")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

pub(crate) fn signal(gateway: &Child, signal: Signal) {
    let pid = i32::try_from(gateway.id().unwrap()).unwrap();
    kill(Pid::from_raw(pid), signal).unwrap();
}

/// Stops all threads of a gateway. `kill` returns while they may still run and accept a call.
async fn freeze(gateway: &Child) {
    signal(gateway, Signal::SIGSTOP);
    let pid = Id::Pid(Pid::from_raw(i32::try_from(gateway.id().unwrap()).unwrap()));
    let either = WaitPidFlag::WSTOPPED | WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
    tokio::task::spawn_blocking(move || waitid(pid, either)).await.unwrap().unwrap();
}

fn written(path: &Path) -> bool {
    path.exists()
}

#[tokio::test]
async fn a_killed_gateway_is_noticed_soon_and_its_servers_leave() {
    let (nats, folder) = (TestNats::start().await.unwrap(), tempfile::tempdir().unwrap());
    let mut gateway = start(&nats, &folder);
    let toolbox = BusToolbox::new(connect(nats.url(), "orchestrator", "orchestrator-1").await);
    let lease = open(&toolbox, &["peer"], WAIT).await.unwrap();
    assert_eq!(lease.instance(), INSTANCE);
    let file = folder.path().join("counter");
    let request = call("peer.counter", json!({"file": file, "ms": 300_000}));
    let call_id = request.call_id;
    let killing = async {
        eventually("the call", async || written(&file)).await;
        signal(&gateway, Signal::SIGKILL);
        Instant::now()
    };
    let (answer, killed) = tokio::join!(lease.call(request, WAIT), killing);
    assert!(answer.is_err_and(|error| error.is_lease_lost()));
    // Well before the call's time is over.
    assert!(killed.elapsed() < WAIT / 2, "{:?}", killed.elapsed());
    let outcome = toolbox.outcome(INSTANCE, call_id, WAIT).await.unwrap();
    assert_eq!(outcome, Outcome::Unknown);
    gateway.wait().await.unwrap();
    eventually("the end of its servers", async || processes(&folder) == 0).await;
}

#[tokio::test]
async fn a_gateway_that_is_asked_to_stop_ends_well_and_leaves_no_process() {
    let (nats, folder) = (TestNats::start().await.unwrap(), tempfile::tempdir().unwrap());
    let mut gateway = start(&nats, &folder);
    let toolbox = BusToolbox::new(connect(nats.url(), "orchestrator", "orchestrator-1").await);
    let lease = open(&toolbox, &["peer"], WAIT).await.unwrap();
    assert_eq!(ask(&*lease, "peer.echo", json!({})).await.content, "{}");
    signal(&gateway, Signal::SIGTERM);
    let still = ask(&*lease, "peer.echo", json!({"still": true})).await;
    assert_eq!(still.content, r#"{"still":true}"#, "a stopping gateway finishes its leases");
    lease.close().await;
    let ended = tokio::time::timeout(WAIT, gateway.wait()).await.unwrap().unwrap();
    assert!(ended.success(), "{ended}");
    eventually("the end of its servers", async || processes(&folder) == 0).await;
}

#[tokio::test]
async fn a_tool_server_cannot_read_the_environment_of_its_gateway() {
    let (nats, folder) = (TestNats::start().await.unwrap(), tempfile::tempdir().unwrap());
    let _gateway = start(&nats, &folder);
    let toolbox = BusToolbox::new(connect(nats.url(), "orchestrator", "orchestrator-1").await);
    let lease = open(&toolbox, &["peer"], WAIT).await.unwrap();
    let own = ask(&*lease, "peer.read_file", json!({"path": "/proc/self/environ"})).await;
    assert!(own.content.contains("TARSY_TOOL_SERVER"), "{own:?}");
    let read = ask(&*lease, "peer.read_file", json!({"path": "/proc/{parent}/environ"})).await;
    assert!(!read.content.contains("known to the gateway alone"), "{}", read.content);
    assert!(read.is_error && read.content.contains("denied"), "{read:?}");
}

/// The shells that guard what a gateway started.
fn guards_of(gateway: &Child) -> Vec<Pid> {
    let parent = gateway.id().unwrap().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let guards = entries.filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let child = stat.rsplit_once(") ")?.1.split(' ').nth(1) == Some(&parent);
        let guard = child && String::from_utf8_lossy(&line).contains("tarsy-guard");
        let id = entry.file_name().to_str()?.parse().ok()?;
        guard.then(|| Pid::from_raw(id))
    });
    guards.collect()
}

#[tokio::test]
async fn nothing_that_servers_started_outlives_a_killed_gateway() {
    let (nats, folder) = (TestNats::start().await.unwrap(), tempfile::tempdir().unwrap());
    let mut gateway = start(&nats, &folder);
    let toolbox = BusToolbox::new(connect(nats.url(), "orchestrator", "orchestrator-1").await);
    let lease = open(&toolbox, &["odd", "peer"], WAIT).await.unwrap();
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    eventually("what the server started", async || processes(&folder) >= 4).await;
    // A guard that is killed is followed by another.
    eventually("a guard", async || guards_of(&gateway).len() == 1).await;
    let [guard] = guards_of(&gateway)[..] else { panic!("no guard") };
    kill(guard, Signal::SIGKILL).unwrap();
    let another = async || matches!(guards_of(&gateway)[..], [now] if now != guard);
    eventually("another guard", another).await;
    let [guard] = guards_of(&gateway)[..] else { panic!("no guard") };
    signal(&gateway, Signal::SIGKILL);
    gateway.wait().await.unwrap();
    eventually("the end of all", async || processes(&folder) == 0).await;
    eventually("the end of the guard", async || !is_running(&guard.to_string())).await;
}

#[tokio::test]
async fn a_frozen_gateway_counts_as_lost_and_executes_nothing_that_waited_for_it() {
    let (nats, folder) = (TestNats::start().await.unwrap(), tempfile::tempdir().unwrap());
    let gateways = ["gateway-a", "gateway-b"].map(|name| (name, start_as(&nats, &folder, name)));
    let toolbox = BusToolbox::new(connect(nats.url(), "orchestrator", "orchestrator-1").await);
    let lease = open(&toolbox, &["peer"], WAIT).await.unwrap();
    let frozen = gateways.iter().find(|(name, _)| *name == lease.instance()).unwrap();
    freeze(&frozen.1).await;
    let file = folder.path().join("counter");
    let request = call("peer.counter", json!({"file": file, "ms": 0}));
    let call_id = request.call_id;
    // The request for the outcome arrives behind the call. Each finds out by itself that the gateway is lost.
    let answer = lease.call(request, WAIT * 10);
    let outcome = toolbox.outcome(lease.instance(), call_id, WAIT * 10);
    let (answer, outcome) = tokio::join!(answer, outcome);
    assert!(matches!(answer, Err(ToolError::GatewayLost)), "{answer:?}");
    assert_eq!(outcome.unwrap(), Outcome::Unknown);
    let other = open(&toolbox, &["peer"], WAIT).await.unwrap();
    assert_ne!(other.instance(), lease.instance());
    assert_eq!(ask(&*other, "peer.echo", json!({})).await.content, "{}");

    signal(&frozen.1, Signal::SIGCONT);
    let late = lease.call(call("peer.echo", json!({})), WAIT).await;
    assert!(late.is_err_and(|error| error.is_lease_lost()));
    let outcome = toolbox.outcome(lease.instance(), call_id, WAIT).await.unwrap();
    assert_eq!(outcome, Outcome::Unknown, "the call that waited was refused");
    assert!(!written(&file));
}
