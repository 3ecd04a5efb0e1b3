//! A stdio server behind HTTP: `tarsy-mcp-gateway serve`, as a process of its own, called by a gateway and by hand.

use std::path::Path;
use std::process::{Output, Stdio};

use futures::StreamExt as _;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use tarsy_contracts::subject;
use tarsy_domain::id::{ExecutionId, SessionId, StageId, TimelineEventId};
use tarsy_mcp_gateway::StdioHost;
use tarsy_testkit::{WAIT, eventually, free_port};
use tarsy_tools::{DisplayTarget, ToolCallRequest, ToolLease};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::process::signal;
use crate::server::COUNT;
use crate::stack::{
    GatewayOptions, Stack, ask, call, example, is_running, lines, peer, pids, processes,
};

const TOKEN: &str = "a-token-of-the-gateway-that-is-long-enough";
/// The test server holds it; the gateway does not know it.
const CREDENTIAL: &str = "own-token-of-the-served-server";

/// A served server; its processes name the folder.
struct Serving {
    process: Child,
    folder: TempDir,
    address: String,
}

/// Servers over standard streams, of which `refusing` and `missing` do not start and `silent` never answers, and one that
/// has none.
fn write_configuration(folder: &Path) {
    let servers = format!(
        "mcp_servers:\n\
         \x20 peer:\n    transport: {{type: stdio, command: \"{}\", args: [\"{at}\"], env: {{PEER_TOKEN: {CREDENTIAL}}}}}\n\
         \x20 odd:\n    transport: {{type: stdio, command: \"{}\", args: [\"{at}\"]}}\n\
         \x20 refusing:\n    transport: {{type: stdio, command: \"{}\", args: [\"{at}\", refuse]}}\n\
         \x20 missing:\n    transport: {{type: stdio, command: no-such-program}}\n\
         \x20 silent:\n    transport: {{type: stdio, init_timeout: 10m, command: sh, args: [-c, \"while read line; do :; done\", \"{at}\"]}}\n\
         \x20 remote:\n    transport: {{type: http, url: \"http://127.0.0.1:9/mcp\"}}\n",
        peer().display(),
        example("odd").display(),
        peer().display(),
        at = folder.join("servers").display(),
    );
    std::fs::write(folder.join("tarsy.yaml"), servers).unwrap();
}

fn command(folder: &Path, server: &str, address: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tarsy-mcp-gateway"));
    command
        .args(["serve", server])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("TARSY_CONFIG_DIR", folder)
        .env("TARSY_HTTP_ADDR", address)
        .env("TARSY_MCP_SERVER_TOKEN", TOKEN)
        .env("TARSY_GRACE_SECONDS", "10")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

async fn serve(server: &str, capacity: usize) -> Serving {
    let folder = tempfile::tempdir().unwrap();
    write_configuration(folder.path());
    let address = format!("127.0.0.1:{}", free_port().unwrap());
    let process = command(folder.path(), server, &address)
        .env("TARSY_MCP_CAPACITY", capacity.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let serving = Serving { process, folder, address };
    eventually("the server", async || serving.post("", None, &json!({})).await.is_ok()).await;
    serving
}

/// The end of a process that could not serve.
async fn failed(server: &str, change: impl FnOnce(&mut Command)) -> String {
    let folder = tempfile::tempdir().unwrap();
    write_configuration(folder.path());
    let mut command = command(folder.path(), server, "127.0.0.1:0");
    change(&mut command);
    let ended = tokio::time::timeout(WAIT, command.output()).await.unwrap();
    let Output { status, stderr, .. } = ended.unwrap();
    assert!(!status.success());
    String::from_utf8_lossy(&stderr).into_owned()
}

impl Serving {
    /// A stack whose server `served` is this one.
    async fn stack(&self) -> Stack {
        self.stack_with(TOKEN).await
    }

    async fn stack_with(&self, token: &str) -> Stack {
        let servers = format!(
            "  served:\n    transport: {{type: http, url: \"http://{}/mcp\", bearer_token: \"{token}\", lifecycle: initialize}}\n",
            self.address
        );
        Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await
    }

    async fn post(
        &self,
        token: &str,
        session: Option<&str>,
        body: &Value,
    ) -> reqwest::Result<Response> {
        let request = reqwest::Client::new()
            .post(format!("http://{}/mcp", self.address))
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {token}"))
            .body(body.to_string());
        match session {
            Some(session) => request.header("mcp-session-id", session).send().await,
            None => request.send().await,
        }
    }

    async fn open(&self) -> Response {
        self.post(TOKEN, None, &initialize()).await.unwrap()
    }

    async fn close(&self, session: &str) -> StatusCode {
        let request = reqwest::Client::new()
            .delete(format!("http://{}/mcp", self.address))
            .header("authorization", format!("Bearer {TOKEN}"))
            .header("mcp-session-id", session);
        request.send().await.unwrap().status()
    }

    async fn stops(self) {
        signal(&self.process, Signal::SIGTERM);
        self.ends().await;
    }

    async fn ends(mut self) {
        let ended = tokio::time::timeout(WAIT, self.process.wait()).await.unwrap().unwrap();
        assert!(ended.success(), "{ended}");
        eventually("the end of its processes", async || processes(&self.folder) == 0).await;
    }
}

fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": "first",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "a test", "version": "1"},
        },
    })
}

fn session_of(response: &Response) -> String {
    response.headers()["mcp-session-id"].to_str().unwrap().to_owned()
}

/// The messages of an event stream that ends.
async fn messages(response: Response) -> Vec<String> {
    let text = response.text().await.unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.map(|data| data.trim().to_owned()).filter(|data| !data.is_empty()).collect()
}

#[tokio::test]
async fn a_served_server_lists_and_calls_as_one_over_standard_streams() {
    let serving = serve("peer", 8).await;
    let stack = serving.stack().await;
    let lease = stack.lease(&["served", "peer"]).await;
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    assert_eq!(lease.tools().len(), 2 * COUNT);
    for (tool, arguments) in [
        ("echo", json!({"a": [1, 2.50, "ä", null]})),
        ("fail", json!({})),
        ("refuse", json!({})),
        ("image", json!({})),
        ("structured", json!({})),
        ("big", json!({"bytes": 3_000_000})),
    ] {
        let served = ask(&*lease, &format!("served.{tool}"), arguments.clone()).await;
        let direct = ask(&*lease, &format!("peer.{tool}"), arguments).await;
        // An error names the tool.
        let content = served.content.replace("served.", "peer.");
        assert_eq!((served.is_error, content), (direct.is_error, direct.content), "{tool}");
    }
    let environment = ask(&*lease, "served.env", json!({})).await.content;
    assert!(environment.contains("TARSY_TOOL_SERVER"), "{environment}");
    assert!(!environment.contains(TOKEN) && !environment.contains("TARSY_CONFIG_DIR"));
    stack.drain().await;
    eventually("the end of its sessions", async || processes(&serving.folder) == 0).await;
}

/// The process beside a gateway that starts its stdio servers.
fn host_of(serving: &Serving, token: &str) -> StdioHost {
    let url = format!("http://{}", serving.address).parse().unwrap();
    StdioHost { url, token: Some(token.to_owned().into()) }
}

#[tokio::test]
async fn a_gateway_with_a_host_for_stdio_servers_starts_none_where_the_bus_is_reached() {
    let serving = serve("--all", 8).await;
    let servers = "  missing:\n    transport: {type: stdio, command: no-such-program}\n".to_owned();
    let stdio_host = Some(host_of(&serving, TOKEN));
    let options = GatewayOptions { servers, stdio_host, spares: 1, ..GatewayOptions::default() };
    let stack = Stack::with(options).await;
    let lease = stack.lease(&["peer", "missing"]).await;
    assert_eq!(lease.tools().len(), COUNT);
    let failed = format!("{:?}", lease.failed());
    assert!(failed.contains("no-such-program"), "{failed}");
    let answer = ask(&*lease, "peer.echo", json!({"a": 1})).await;
    assert!(!answer.is_error, "{answer:?}");
    assert_eq!(processes(&stack.folder), 0);
    assert!(processes(&serving.folder) > 0);
    drop(lease);
    stack.drain().await;
    eventually("the end of its sessions", async || processes(&serving.folder) == 0).await;
    serving.stops().await;
}

#[tokio::test]
async fn a_client_that_is_gone_before_the_handshake_was_answered_leaves_no_process() {
    let serving = serve("silent", 8).await;
    let opening = serving.open();
    let started = eventually("its process", async || processes(&serving.folder) > 0);
    tokio::select! {
        opened = opening => panic!("{opened:?}"),
        () = started => {}
    }
    eventually("the end of its process", async || processes(&serving.folder) == 0).await;
    serving.stops().await;
}

#[tokio::test]
async fn a_gateway_whose_token_the_host_does_not_know_starts_nothing_either() {
    let serving = serve("--all", 8).await;
    let stdio_host = Some(host_of(&serving, "a-token-of-somebody-else-that-is-long"));
    let stack = Stack::with(GatewayOptions { stdio_host, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["peer"]).await;
    assert!(lease.tools().is_empty());
    assert_eq!(processes(&stack.folder) + processes(&serving.folder), 0);
}

#[tokio::test]
async fn messages_are_carried_as_they_are() {
    let serving = serve("odd", 8).await;
    let opened = serving.open().await;
    assert_eq!(opened.status(), StatusCode::OK);
    let session = session_of(&opened);
    let answer = messages(opened).await;
    assert_eq!(
        answer,
        [
            r#"{"jsonrpc":"2.0","id":"first","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}}"#
        ]
    );
    let steps = json!({
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"name": "steps", "arguments": {"steps": 2}, "_meta": {"progressToken": "p-1"}},
    });
    let answers = messages(serving.post(TOKEN, Some(&session), &steps).await.unwrap()).await;
    let parsed: Vec<Value> =
        answers.iter().map(|answer| serde_json::from_str(answer).unwrap()).collect();
    let steps: Vec<&Value> =
        parsed.iter().filter_map(|message| message.pointer("/params/progress")).collect();
    assert_eq!(json!(steps), json!([1.0, 2.0]), "{answers:?}");
    assert_eq!(parsed[0]["params"]["progressToken"], "p-1");
    assert_eq!(
        answers.last().unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}]}}"#
    );
}

#[tokio::test]
async fn progress_and_questions_of_a_served_server_reach_the_gateway() {
    let serving = serve("odd", 8).await;
    let stack = serving.stack().await;
    let lease = stack.lease(&["served"]).await;
    let display = DisplayTarget {
        session_id: SessionId::new(),
        stage_id: StageId::new(),
        execution_id: ExecutionId::new(),
        event_id: TimelineEventId::new(),
    };
    let mut viewer = stack.bus.subscribe(subject::live_session(display.session_id)).await.unwrap();
    let request =
        ToolCallRequest { display: Some(display), ..call("served.steps", json!({"steps": 3})) };
    assert_eq!(lease.call(request, WAIT).await.unwrap().content, "done");
    let first = tokio::time::timeout(WAIT, viewer.next()).await.unwrap().unwrap();
    let progress: Value = serde_json::from_slice(&first.payload).unwrap();
    assert!(progress["message"].as_str().unwrap().contains("of 3"), "{progress}");
    let asked = ask(&*lease, "served.ask", json!({"method": "elicitation/create"})).await;
    assert!(asked.content.contains("decline"), "{}", asked.content);
    stack.drain().await;
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_at_the_served_server() {
    let serving = serve("peer", 8).await;
    let stack = serving.stack().await;
    let lease = stack.lease(&["served"]).await;
    let file = stack.file("slow");
    let slow = call("served.slow", json!({"ms": 60_000, "file": file}));
    let result = lease.call(slow, std::time::Duration::from_secs(2)).await.unwrap();
    assert!(result.is_error && result.content.contains("timed out"), "{}", result.content);
    eventually("the cancellation", async || lines(&file) == 2).await;
    let after = ask(&*lease, "served.echo", json!({})).await;
    assert_eq!(after.content, "{}");
    stack.drain().await;
}

#[tokio::test]
async fn changed_tools_of_a_served_server_are_listed_again() {
    let serving = serve("peer", 8).await;
    let stack = serving.stack().await;
    let lease = stack.lease(&["served"]).await;
    ask(&*lease, "served.grow", json!({})).await;
    let has_grown = async |lease: &dyn ToolLease| {
        lease.list_tools().await.unwrap().iter().any(|tool| tool.name == "grown")
    };
    eventually("the new tool", async || has_grown(&*lease).await).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_served_server_that_dies_is_reported_and_started_again() {
    let serving = serve("peer", 8).await;
    let stack = serving.stack().await;
    let lease = stack.lease(&["served"]).await;
    let file = stack.file("die");
    let died = ask(&*lease, "served.die", json!({"file": file})).await;
    assert!(died.is_error && died.content.contains("not known"), "{}", died.content);
    assert!(died.content.contains("the server ended"), "{}", died.content);
    assert_eq!(lines(&file), 1, "what may have changed something is not repeated");
    assert_eq!(ask(&*lease, "served.echo", json!({})).await.content, "{}");
    let once_more = ask(&*lease, "served.die_safe", json!({"file": stack.file("safe")})).await;
    assert_eq!((once_more.is_error, once_more.content.as_str()), (false, "alive"));

    let pid = ask(&*lease, "served.pid", json!({})).await.content;
    let slow = ask(&*lease, "served.counter", json!({"file": stack.file("c"), "ms": 60_000}));
    let (killed, ()) = tokio::join!(slow, async {
        eventually("the call", async || lines(&stack.file("c")) == 1).await;
        kill(Pid::from_raw(pid.parse().unwrap()), Signal::SIGKILL).unwrap();
    });
    assert!(killed.is_error && killed.content.contains("not known"), "{}", killed.content);
    let next = ask(&*lease, "served.pid", json!({})).await.content;
    assert_ne!(next, pid);
    stack.drain().await;
}

#[tokio::test]
async fn why_a_served_server_does_not_start_is_reported_without_its_credentials() {
    let serving = serve("refusing", 8).await;
    let stack = serving.stack().await;
    let lease = stack.lease(&["served"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("cannot reach the database"), "{}", failed.error);
    assert!(!failed.error.contains("hunter2secret"), "{}", failed.error);
    stack.drain().await;
    let answer = messages(serving.open().await).await.concat();
    assert!(answer.contains("cannot reach the database"), "{answer}");
    assert!(!answer.contains("hunter2secret"), "{answer}");
}

#[tokio::test]
async fn without_the_token_nothing_is_answered() {
    let serving = serve("peer", 8).await;
    for token in ["", "wrong", &TOKEN[1..]] {
        let refused = serving.post(token, None, &initialize()).await.unwrap();
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
        assert_eq!(refused.headers()["www-authenticate"], "Bearer");
        assert!(!refused.text().await.unwrap().contains(TOKEN));
    }
    assert_eq!(processes(&serving.folder), 0, "nothing was started");
    let stack = serving.stack_with("another-token-that-is-not-the-right-one").await;
    let lease = stack.lease(&["served"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("401"), "{}", failed.error);
    stack.drain().await;
}

#[tokio::test]
async fn more_sessions_than_allowed_are_refused_until_one_is_closed() {
    let serving = serve("peer", 2).await;
    let opened = [serving.open().await, serving.open().await];
    let sessions = opened.each_ref().map(session_of);
    let refused = serving.open().await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(refused.headers().contains_key("retry-after"));
    assert!(refused.text().await.unwrap().contains("TARSY_MCP_CAPACITY"));
    assert!(serving.close(&sessions[0]).await.is_success());
    eventually("a free session", async || serving.open().await.status() == StatusCode::OK).await;
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    let gone = serving.post(TOKEN, Some(&sessions[0]), &ping).await.unwrap();
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    let other = serving.post(TOKEN, Some(&sessions[1]), &ping).await.unwrap();
    assert_eq!(messages(other).await, [r#"{"jsonrpc":"2.0","id":3,"result":{}}"#]);
}

#[tokio::test]
async fn what_is_no_request_of_a_session_is_refused() {
    let serving = serve("peer", 1).await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let refused = serving.post(TOKEN, None, &list).await.unwrap();
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    // The dialect without sessions would need one server for everybody.
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    for method in ["server/discover", "tools/list"] {
        let request =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}});
        let answer = reqwest::Client::new()
            .post(format!("http://{}/mcp", serving.address))
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {TOKEN}"))
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method)
            .body(request.to_string());
        let answer = answer.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{method}");
        assert!(!answer.text().await.unwrap().contains("\"result\""), "{method}");
    }
    let page = reqwest::Client::new()
        .post(format!("http://{}/mcp", serving.address))
        .header("authorization", format!("Bearer {TOKEN}"))
        .header("origin", "https://attacker.example")
        .send();
    assert_eq!(page.await.unwrap().status(), StatusCode::FORBIDDEN);
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x".repeat(4 << 20)});
    let refused = serving.post(TOKEN, None, &long).await.unwrap();
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(serving.open().await.status(), StatusCode::OK, "none of them kept the session");
}

#[tokio::test]
async fn a_stop_lets_running_calls_finish_and_ends_all_processes() {
    let serving = serve("peer", 8).await;
    let stack = serving.stack().await;
    let lease = stack.lease(&["served"]).await;
    let (file, end) = (stack.file("counter"), stack.file("end"));
    let child = ask(&*lease, "served.child", json!({})).await.content;
    let running = ask(&*lease, "served.counter", json!({"file": file, "ms": 60_000, "until": end}));
    let stopping = async {
        eventually("the call", async || lines(&file) == 1).await;
        signal(&serving.process, Signal::SIGTERM);
        eventually("the stop", async || serving.post(TOKEN, None, &initialize()).await.is_err())
            .await;
        std::fs::write(&end, "").unwrap();
    };
    let (result, ()) = tokio::join!(running, stopping);
    assert_eq!((result.is_error, result.content.as_str()), (false, "counted"));
    serving.ends().await;
    eventually("the end of a grandchild", async || !is_running(&child)).await;
    stack.drain().await;
}

#[tokio::test]
async fn no_process_outlives_a_killed_process() {
    let mut serving = serve("peer", 8).await;
    let opened = serving.open().await;
    assert_eq!(opened.status(), StatusCode::OK);
    eventually("the server", async || !pids(&serving.folder).is_empty()).await;
    signal(&serving.process, Signal::SIGKILL);
    serving.process.wait().await.unwrap();
    eventually("the end of its processes", async || processes(&serving.folder) == 0).await;
}

#[tokio::test]
async fn what_cannot_be_served_is_refused_at_the_start_with_what_to_do() {
    let unchanged = |_: &mut Command| {};
    let error = failed("nothing", unchanged).await;
    assert!(error.contains("'nothing' is no MCP server") && error.contains("peer"), "{error}");
    let error = failed("remote", unchanged).await;
    assert!(error.contains("mcp_servers.remote.transport.type"), "{error}");
    let error = failed("missing", unchanged).await;
    assert!(error.contains("no-such-program"), "{error}");
    let error = failed("peer", |command| {
        command.env_remove("TARSY_MCP_SERVER_TOKEN").env("TARSY_HTTP_ADDR", "0.0.0.0:0");
    });
    let error = error.await;
    assert!(error.contains("TARSY_MCP_SERVER_TOKEN") && error.contains("openssl"), "{error}");
    let error = failed("peer", |command| {
        command.env("TARSY_MCP_SERVER_TOKEN", "short");
    });
    let error = error.await;
    assert!(error.contains("32 or more") && !error.contains("short"), "{error}");
}
