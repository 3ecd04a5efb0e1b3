//! What is told of servers and instances, and questions outside of any session.

use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use tarsy_contracts::mcp::{ProbeRequest, ToolList};
use tarsy_contracts::status::{Instance, McpServerStatus, Warning};
use tarsy_contracts::{subject, topology};
use tarsy_mcp_gateway::Timing;

use crate::http::{entry, serve};
use crate::server::COUNT;
use tarsy_testkit::{WAIT, eventually};

use crate::stack::{GatewayOptions, Stack, ask, pids};

/// A gateway that checks its servers.
async fn checked() -> Stack {
    let timing = Timing::default();
    Stack::with(GatewayOptions { timing, ..GatewayOptions::default() }).await
}

async fn status(stack: &Stack, server: &str) -> Option<McpServerStatus> {
    stack.bus.kv(&topology::MCP_STATUS).get(server).await.unwrap()
}

async fn warning(stack: &Stack, server: &str) -> Option<Warning> {
    stack.bus.kv(&topology::WARNINGS).get(&format!("mcp_health.{server}")).await.unwrap()
}

#[tokio::test]
async fn a_warning_lasts_as_long_as_its_server_is_unhealthy() {
    let remote = serve().await;
    let timing = Timing { check_http: Duration::from_millis(200), ..Timing::default() };
    let servers = entry(remote.address, "the-bearer-token");
    let stack = Stack::with(GatewayOptions { servers, timing, ..GatewayOptions::default() }).await;
    let healthy = async || status(&stack, "remote").await.is_some_and(|status| status.healthy);
    eventually("health", healthy).await;
    let reported = status(&stack, "remote").await.unwrap();
    assert_eq!(reported.tools.len(), COUNT);
    assert_eq!(reported.error, None);
    assert!(reported.tools.iter().all(|tool| tool.input_schema.is_some()), "schemas are reported");
    remote.down.store(true, Ordering::Relaxed);
    eventually("the warning", async || warning(&stack, "remote").await.is_some()).await;
    let raised = warning(&stack, "remote").await.unwrap();
    assert_eq!(
        (raised.category.as_str(), raised.server_id.as_deref()),
        ("mcp_health", Some("remote"))
    );
    let reported = status(&stack, "remote").await.unwrap();
    assert!(!reported.healthy && reported.error.is_some());
    remote.down.store(false, Ordering::Relaxed);
    eventually("recovery", async || healthy().await && warning(&stack, "remote").await.is_none())
        .await;
    stack.drain().await;
}

#[tokio::test]
async fn a_wrong_status_of_another_gateway_is_corrected_by_a_lease_on_the_server() {
    let remote = serve().await;
    let timing = Timing { check_http: Duration::from_millis(500), ..Timing::default() };
    let servers = entry(remote.address, "the-bearer-token");
    let stack = Stack::with(GatewayOptions { servers, timing, ..GatewayOptions::default() }).await;
    let healthy = async || status(&stack, "remote").await.is_some_and(|status| status.healthy);
    eventually("health", healthy).await;
    let reported = status(&stack, "remote").await.unwrap();
    let wrong = McpServerStatus { healthy: false, error: Some("no route".to_owned()), ..reported };
    stack.bus.kv(&topology::MCP_STATUS).put("remote", &wrong).await.unwrap();
    // Each lease shows that the server is well, and none is left time to be checked.
    eventually("health again", async || {
        stack.lease(&["remote"]).await.close().await;
        healthy().await
    })
    .await;
    stack.drain().await;
}

#[tokio::test]
async fn servers_in_subprocesses_are_checked_too() {
    let stack = checked().await;
    eventually("health", async || {
        status(&stack, "peer").await.is_some_and(|status| status.healthy)
    })
    .await;
    eventually("the failure", async || {
        status(&stack, "host").await.is_some_and(|status| !status.healthy)
    })
    .await;
    eventually("the warning", async || warning(&stack, "host").await.is_some()).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_server_that_nobody_set_up_is_not_configured_and_no_reason_for_a_warning() {
    let timing = Timing::default();
    let stack = Stack::with(GatewayOptions {
        builtin: &["kubernetes-server"],
        builtin_host: true,
        host_inspector: vec!["no-such-program".to_owned()],
        timing,
        ..GatewayOptions::default()
    })
    .await;
    let known = async || status(&stack, "kubernetes-server").await;
    eventually("the failure", async || known().await.is_some_and(|status| !status.healthy)).await;
    let shown = known().await.unwrap();
    assert!(shown.not_configured && shown.error.is_some(), "{shown:?}");
    eventually("the warning of another", async || warning(&stack, "host").await.is_some()).await;
    assert!(!status(&stack, "host").await.unwrap().not_configured);
    assert_eq!(warning(&stack, "kubernetes-server").await, None);
    stack.drain().await;
}

#[tokio::test]
async fn a_subprocess_is_watched_in_a_session_that_lasts() {
    let every = Duration::from_millis(200);
    let timing = Timing { check_http: every, check_stdio: every, ..Timing::default() };
    let stack = Stack::with(GatewayOptions { timing, ..GatewayOptions::default() }).await;
    let healthy = async || status(&stack, "peer").await.is_some_and(|status| status.healthy);
    eventually("health", healthy).await;
    let first = status(&stack, "peer").await.unwrap().last_check;
    eventually("further checks", async || {
        status(&stack, "peer").await.unwrap().last_check > first + Duration::from_secs(1)
    })
    .await;
    let servers = pids(&stack.folder);
    assert_eq!(servers.len(), 1, "every check asked the same process");
    kill(Pid::from_raw(servers[0]), Signal::SIGSTOP).unwrap();
    eventually("silence is noticed", async || !healthy().await).await;
    let reported = status(&stack, "peer").await.unwrap();
    assert!(reported.error.is_some_and(|error| error.contains("5s")), "the time limit is named");
    eventually("another process answers", healthy).await;
    assert_ne!(pids(&stack.folder), servers);
    stack.drain().await;
    eventually("no process is left", async || pids(&stack.folder).is_empty()).await;
}

/// The entry of a server at this address that opens connections and answers nothing.
fn hanging(id: &str, listener: &TcpListener) -> String {
    let address = listener.local_addr().unwrap();
    format!("  {id}:\n    transport: {{type: http, url: 'http://{address}/mcp'}}\n")
}

#[tokio::test]
async fn servers_that_hang_are_flagged_side_by_side_and_asked_one_probe_at_a_time() {
    const SERVERS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
    let timing = Timing {
        check_http: Duration::from_millis(600),
        probe: Duration::from_millis(400),
        ..Timing::default()
    };
    let listeners: Vec<TcpListener> =
        SERVERS.iter().map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let entries = SERVERS.iter().zip(&listeners).map(|(id, listener)| hanging(id, listener));
    let servers = entries.collect::<String>();
    let started = Instant::now();
    let stack = Stack::with(GatewayOptions { servers, timing, ..GatewayOptions::default() }).await;
    eventually("the warnings", async || {
        for server in SERVERS {
            if warning(&stack, server).await.is_none() {
                return false;
            }
        }
        true
    })
    .await;
    for server in SERVERS {
        let reported = status(&stack, server).await.unwrap();
        assert!(reported.error.is_some_and(|error| error.contains("400ms")), "{server}");
    }
    // One probe takes 400 ms, and 600 ms pass before the next.
    let most = started.elapsed().as_millis() / 1_000 + 1;
    for listener in &listeners {
        listener.set_nonblocking(true).unwrap();
        let asked = std::iter::from_fn(|| listener.accept().ok()).count();
        assert!((1..=usize::try_from(most).unwrap()).contains(&asked), "{asked} of {most}");
    }
    stack.drain().await;
}

#[tokio::test]
async fn a_subprocess_that_never_answers_is_flagged_before_its_start_has_timed_out() {
    let every = Duration::from_millis(400);
    let timing = Timing { check_stdio: every, check_http: every, ..Timing::default() };
    let servers =
        "  silent:\n    transport: {type: stdio, command: sleep, args: ['60'], init_timeout: 3s}\n";
    let servers = servers.to_owned();
    let stack = Stack::with(GatewayOptions { servers, timing, ..GatewayOptions::default() }).await;
    let reason = async || status(&stack, "silent").await.and_then(|status| status.error);
    eventually("the warning", async || warning(&stack, "silent").await.is_some()).await;
    assert!(reason().await.is_some_and(|reason| reason.contains("400ms")), "{:?}", reason().await);
    eventually("the end of its start", async || {
        reason().await.is_some_and(|reason| reason.contains("3s"))
    })
    .await;
    eventually("the next start", async || {
        reason().await.is_some_and(|reason| reason.contains("400ms"))
    })
    .await;
    stack.drain().await;
}

/// A server without sessions, in `sh`: it lists one tool, of the name that is in a file.
const RENAMING: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"'$(cat "$1")'","inputSchema":{"type":"object"}}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[tokio::test]
async fn tools_that_change_without_an_announcement_are_shown_after_the_next_probe() {
    let folder = tempfile::tempdir().unwrap();
    let (script, name) = (folder.path().join("server.sh"), folder.path().join("name"));
    std::fs::write(&script, RENAMING).unwrap();
    std::fs::write(&name, "get_pods").unwrap();
    let servers = format!(
        "  renaming:\n    transport: {{type: stdio, command: sh, args: ['{}', '{}']}}\n    \
         policy: {{mode: allow_all}}\n",
        script.display(),
        name.display()
    );
    let every = Duration::from_millis(200);
    let timing = Timing { check_http: every, check_stdio: every, ..Timing::default() };
    let stack = Stack::with(GatewayOptions { servers, timing, ..GatewayOptions::default() }).await;
    let shown = async |name: &str| {
        let reported = status(&stack, "renaming").await;
        reported.is_some_and(|status| status.tools.iter().any(|tool| tool.name == name))
    };
    eventually("the first tool", async || shown("get_pods").await).await;
    std::fs::write(&name, "get_nodes").unwrap();
    eventually("the other tool", async || shown("get_nodes").await && !shown("get_pods").await)
        .await;
    stack.drain().await;
}

#[tokio::test]
async fn tools_are_listed_without_a_lease() {
    let stack = checked().await;
    let request = ProbeRequest { server: Some("peer".to_owned()), timeout_ms: 60_000 };
    let ask = async |request: &ProbeRequest| {
        stack.bus.request::<_, ToolList>(subject::MCP_PROBE.to_owned(), request, WAIT).await
    };
    let list = ask(&request).await.unwrap();
    assert_eq!((list.tools.len(), list.failed.len()), (COUNT, 0));
    let all = ask(&ProbeRequest { server: None, ..request.clone() }).await.unwrap();
    assert_eq!((all.tools.len(), all.failed.len()), (COUNT, 2));
    let unknown = ProbeRequest { server: Some("pear".to_owned()), ..request };
    assert!(ask(&unknown).await.unwrap_err().to_string().contains("pear"));
    stack.drain().await;
}

#[tokio::test]
async fn an_instance_has_a_heartbeat_until_it_stops() {
    let timing = Timing { heartbeat: Duration::from_millis(100), ..Timing::default() };
    let stack = Stack::with(GatewayOptions { timing, ..GatewayOptions::default() }).await;
    let announced = async || {
        let instances = stack.bus.kv(&topology::INSTANCES);
        instances.get::<Instance>("mcp-gateway.gateway-1").await.unwrap()
    };
    let lease = stack.lease(&["peer"]).await;
    eventually("the announcement", async || {
        announced().await.is_some_and(|instance| (instance.capacity, instance.load) == (8, 1))
    })
    .await;
    lease.close().await;
    stack.drain().await;
    assert_eq!(announced().await, None);
}

#[tokio::test]
async fn a_forbidden_tool_is_neither_listed_nor_called() {
    let program = crate::stack::peer();
    let servers = format!(
        "  guarded:\n    transport:\n      type: stdio\n      command: \"{}\"\n      args: [here]\n    \
         policy:\n      mode: allow_all\n      allow: [\"e*\", \"pid\", \"counter\"]\n      deny: [env]\n      \
         require_read_only: true\n",
        program.display()
    );
    let timing = Timing::default();
    let stack = Stack::with(GatewayOptions { servers, timing, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["guarded"]).await;
    let names: Vec<&str> = lease.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["echo", "pid"]);
    for (tool, why) in [
        ("guarded.env", "denies 'env'"),
        ("guarded__slow", "not list it among the allowed"),
        ("guarded.counter", "annotated as read-only"),
    ] {
        let refused = ask(&*lease, tool, json!({"file": stack.file("called")})).await;
        assert!(refused.is_error && refused.refused_by_policy, "{}", refused.content);
        assert!(refused.content.contains(why), "{}", refused.content);
    }
    assert!(!stack.file("called").exists(), "the server was not asked");
    let made = ask(&*lease, "guarded.echo", json!({})).await;
    assert!(!made.is_error && !made.refused_by_policy, "{}", made.content);
    let missing = ask(&*lease, "guarded.nothing", json!({})).await;
    assert!(missing.is_error && !missing.refused_by_policy, "{}", missing.content);
    eventually("health", async || status(&stack, "guarded").await.is_some()).await;
    let reported = status(&stack, "guarded").await.unwrap();
    let tools: Vec<&str> = reported.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["echo", "pid"], "people are shown what may be called");
    stack.drain().await;
}
