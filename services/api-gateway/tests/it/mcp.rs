//! TARSy as a server of the Model Context Protocol, called by clients of the official SDKs in Rust and in Python.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use reqwest::Method;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientConfig, ErrorCode, ReadResourceRequestParams,
    ResourceContents,
};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::{Value, json};
use tarsy_domain::access::{Grant, Role};
use tarsy_domain::status::SessionStatus;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

use crate::chat::over;
use crate::matrix::api_token;
use crate::stack::{LOCAL_TOKEN, Stack, send};

type Client = RunningService<RoleClient, ClientConfig>;

async fn connect(stack: &Stack, token: &str) -> Client {
    let config =
        StreamableHttpClientTransportConfig::with_uri(format!("http://{}/mcp", stack.address))
            .auth_header(token);
    let transport = StreamableHttpClientTransport::from_config(config);
    ClientConfig::default().serve(transport).await.unwrap()
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
}

async fn done(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let result = call(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(false), "{tool}: {result:?}");
    result.structured_content.unwrap()
}

async fn refused(client: &Client, tool: &'static str, arguments: Value) -> String {
    let result = call(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
    result.content[0].as_text().unwrap().text.clone()
}

async fn names(client: &Client) -> BTreeSet<String> {
    let tools = client.list_all_tools().await.unwrap();
    tools.into_iter().map(|tool| tool.name.into_owned()).collect()
}

#[tokio::test]
async fn an_agent_starts_an_investigation_reads_it_and_asks_about_it() {
    let stack = Stack::start().await;
    let client = connect(&stack, LOCAL_TOKEN).await;
    let alert = json!({
        "data": "Disk of db-7 is full, password=hunter2-and-more", "title": "Disk full",
        "severity": "critical", "service": "payments", "idempotency_key": "key-1",
    });
    let started = done(&client, "investigate", alert.clone()).await;
    let id = started["session_id"].as_str().unwrap();
    assert_eq!(started["status"], "queued");
    let page = format!("http://localhost:{}/sessions/{id}", stack.address.port());
    assert_eq!(started["page"], page, "{started}");
    let again = done(&client, "investigate", alert).await;
    assert_eq!(again["session_id"], id, "the same key starts no second one");

    let status = done(&client, "get_status", json!({ "session_id": id })).await;
    assert_eq!((&status["status"], &status["ended"]), (&json!("pending"), &json!(false)));
    let early = refused(&client, "ask", json!({ "session_id": id, "question": "Why?" })).await;
    assert!(early.contains("ask again when it is over"), "{early}");
    crate::chat::end(&stack, SessionStatus::Completed).await;
    let found = done(&client, "get_findings", json!({ "session_id": id })).await;
    assert_eq!((&found["status"], &found["severity"]), (&json!("completed"), &json!("critical")));
    assert!(!found.to_string().contains("hunter2"), "{found}");

    let asked = done(&client, "ask", json!({ "session_id": id, "question": "Since when?" })).await;
    let stage = asked["stage_id"].clone();
    let answer = json!({ "session_id": id, "stage_id": stage });
    let pending = done(&client, "get_answer", answer).await;
    assert_eq!((&pending["status"], &pending["answer"]), (&json!("pending"), &Value::Null));
    let of_nobody = json!({ "session_id": id, "stage_id": id });
    let why = refused(&client, "get_answer", of_nobody).await;
    assert!(why.contains("answers no question"), "{why}");

    let listed = done(&client, "list_investigations", json!({ "service": "payments" })).await;
    assert_eq!(
        (&listed["total"], &listed["investigations"][0]["title"]),
        (&json!(1), &json!("Disk full"))
    );
    stack.can_be_searched(id).await;
    let known = done(&client, "search_investigations", json!({ "query": "db-7" })).await;
    assert_eq!(known["investigations"][0]["session_id"], id, "{known}");
    assert!(known["investigations"][0]["matches"][0]["text"].as_str().unwrap().contains("db-7"));
    let types = done(&client, "list_alert_types", json!({})).await;
    assert!(types.to_string().contains("host"), "{types}");
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_client_of_the_sdk_in_python_begins_an_investigation_and_reads_it() {
    let stack = Stack::start().await;
    let folder = tarsy_testkit::workspace();
    let python = folder.join(".tarsy/venv-mcp/bin/python");
    assert!(python.is_file(), "{} is missing: make setup-test", python.display());
    let mut client = Command::new(python)
        .arg(folder.join("tests/servers/client.py"))
        .args([&format!("http://{}/mcp", stack.address), LOCAL_TOKEN])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
    let mut next = async || -> Value {
        let line = lines.next_line().await.unwrap().expect("it ended");
        serde_json::from_str(&line).unwrap()
    };
    let begun = next().await;
    assert!(begun["tools"].to_string().contains("get_findings"), "{begun}");
    assert_eq!(begun["started"]["status"], "queued", "{begun}");
    crate::chat::end(&stack, SessionStatus::Completed).await;
    client.stdin.take().unwrap().write_all(b"\n").await.unwrap();
    let read = next().await;
    assert_eq!(read["found"]["status"], "completed", "{read}");
    assert!(read["report"].as_str().unwrap().starts_with("# Disk full\n"), "{read}");
}

#[tokio::test]
async fn a_report_is_a_resource() {
    let stack = Stack::start().await;
    let client = connect(&stack, LOCAL_TOKEN).await;
    let id = over(&stack, SessionStatus::Completed).await;
    let listed = client.list_all_resources().await.unwrap();
    assert_eq!(listed[0].uri, format!("tarsy://sessions/{id}/report"));
    let request = ReadResourceRequestParams::new(listed[0].uri.clone());
    let read = client.read_resource(request).await.unwrap();
    let ResourceContents::TextResourceContents { text, mime_type, .. } = &read.contents[0] else {
        panic!("{read:?}")
    };
    assert_eq!(mime_type.as_deref(), Some("text/markdown"));
    assert!(text.starts_with("# the disk is full\n\n- Status: completed\n"), "{text}");
    let templates = client.list_all_resource_templates().await.unwrap();
    assert_eq!(templates[0].uri_template, "tarsy://sessions/{session_id}/report");
    let address = format!("tarsy://sessions/{id}/postmortem");
    let read = client.read_resource(ReadResourceRequestParams::new(address)).await.unwrap();
    let ResourceContents::TextResourceContents { text, .. } = &read.contents[0] else {
        panic!("{read:?}")
    };
    assert!(text.starts_with("# Postmortem: the disk is full\n"), "{text}");
    assert_eq!(templates[1].uri_template, "tarsy://sessions/{session_id}/postmortem");
    let made = done(&client, "postmortem", json!({ "session_id": id })).await;
    assert_eq!(made["cause"]["state"], "not_found", "{made}");
    let week = done(&client, "prevention", json!({})).await;
    assert_eq!(week["sessions"], 1, "{week}");
    for other in ["tarsy://sessions/x/report", "file:///etc/passwd"] {
        let error = client.read_resource(ReadResourceRequestParams::new(other)).await.unwrap_err();
        assert!(error.to_string().contains("is no report"), "{error}");
    }
    let unknown = "tarsy://sessions/0198f2a0-0000-7000-8000-00000000a11a/report";
    assert_eq!(not_read(&client, unknown).await, ErrorCode::RESOURCE_NOT_FOUND);
    let early = format!("tarsy://sessions/{}/postmortem", stack.pending().await);
    assert_eq!(not_read(&client, &early).await, ErrorCode::INVALID_REQUEST, "it has not ended");
    client.cancel().await.unwrap();
    let source = Grant::Source { alert_types: vec!["kubernetes".to_owned()] };
    let client = connect(&stack, &api_token(&stack, "source", &source).await).await;
    let address = format!("tarsy://sessions/{id}/report");
    assert_eq!(not_read(&client, &address).await, ErrorCode::INVALID_REQUEST, "it may not read");
    client.cancel().await.unwrap();
}

/// Why a resource is not read.
async fn not_read(client: &Client, address: &str) -> ErrorCode {
    let request = ReadResourceRequestParams::new(address);
    let error = match client.read_resource(request).await.unwrap_err() {
        ServiceError::McpError(error) => Ok(error),
        other => Err(other),
    };
    error.unwrap().code
}

/// Each tool with valid arguments, and whether it changes something.
fn tools() -> [(&'static str, Value, bool); 12] {
    let of_session = || json!({ "session_id": "0198f2a0-0000-7000-8000-00000000a11a" });
    let with = |name: &str, value: &str| {
        let mut given = of_session();
        given[name] = json!(value);
        given
    };
    [
        ("investigate", json!({ "data": "x", "alert_type": "kubernetes" }), true),
        ("ask", with("question", "why?"), true),
        ("get_status", of_session(), false),
        ("get_findings", of_session(), false),
        ("get_answer", with("stage_id", "0198f2a0-0000-7000-8000-00000000a11b"), false),
        ("list_investigations", json!({}), false),
        ("search_investigations", json!({ "query": "disk" }), false),
        ("changes", json!({}), false),
        ("dependencies", json!({ "of": "web" }), false),
        ("postmortem", of_session(), false),
        ("prevention", json!({}), false),
        ("list_alert_types", json!({}), false),
    ]
}

#[tokio::test]
async fn a_role_has_the_tools_that_it_may_use_and_the_audit_log_has_what_they_did() {
    let stack = Stack::start().await;
    let source = Grant::Source { alert_types: vec!["kubernetes".to_owned()] };
    let roles = Role::ALL.map(|role| (role.as_str(), Grant::Role(role)));
    for (name, grant) in roles.into_iter().chain([("source", source.clone())]) {
        let client = connect(&stack, &api_token(&stack, name, &grant).await).await;
        let may = |tool: &str, changes: bool| match grant {
            Grant::Role(Role::Viewer) => !changes,
            Grant::Role(_) => true,
            Grant::Source { .. } => tool == "investigate",
        };
        let all = tools();
        let allowed = all.iter().filter(|(tool, _, changes)| may(tool, *changes));
        let allowed: BTreeSet<_> = allowed.map(|(tool, ..)| (*tool).to_owned()).collect();
        assert_eq!(names(&client).await, allowed, "{name}");
        for (tool, arguments, changes) in all {
            let answer = call(&client, tool, arguments).await;
            let text = answer.content[0].as_text().map_or("", |text| text.text.as_str());
            let is_denied = answer.is_error == Some(true) && text.contains("403");
            assert_eq!(!is_denied, may(tool, changes), "{name}: {tool}: {text}");
        }
        client.cancel().await.unwrap();
    }
    let client = connect(&stack, &api_token(&stack, "other", &source).await).await;
    let other = json!({ "data": "x", "alert_type": "host" });
    let why = refused(&client, "investigate", other).await;
    assert!(why.contains("alert_type"), "{why}");
    client.cancel().await.unwrap();

    let logged = async {
        loop {
            let entries = stack.get("/api/v1/audit-log?principal=viewer&outcome=denied").await.body;
            let mut all = entries["entries"].as_array().into_iter().flatten();
            if let Some(entry) = all.find(|entry| entry["action"] == "submit_alert") {
                return entry.clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let entry = tokio::time::timeout(tarsy_testkit::WAIT, logged).await.unwrap();
    assert_eq!(entry["status"], json!(403), "{entry}");
}

#[tokio::test]
async fn wrong_arguments_are_explained_and_strangers_get_nothing() {
    let stack = Stack::start().await;
    let client = connect(&stack, LOCAL_TOKEN).await;
    for (tool, arguments, expected) in [
        ("investigate", json!({}), "data"),
        ("investigate", json!({ "data": "x", "alert_type": "nothing" }), "alert_type"),
        ("investigate", json!({ "data": "x", "text": "y" }), "text"),
        ("get_status", json!({ "session_id": "7" }), "session_id"),
        ("get_status", json!({ "session_id": "0198f2a0-0000-7000-8000-00000000a11a" }), "404"),
        ("list_investigations", json!({ "status": "broken" }), "status"),
        ("list_investigations", json!({ "limit": 51 }), "limit"),
        ("search_investigations", json!({ "query": "x" }), "2 to 200"),
        ("list_alert_types", json!({ "all": true }), "all"),
    ] {
        let why = refused(&client, tool, arguments.clone()).await;
        assert!(why.contains(expected), "{tool} {arguments}: {why}");
    }
    let request = CallToolRequestParams::new("delete_everything");
    let why = client.call_tool(request).await.unwrap_err().to_string();
    assert!(why.contains("the tools are: investigate, "), "{why}");
    client.cancel().await.unwrap();

    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let request = stack.anonymous(Method::POST, "/mcp").bearer_auth("tarsy_of_nobody");
    assert_eq!(send(request.json(&initialize)).await.status, 401);
    let request = stack.request(Method::POST, "/mcp").header("origin", "http://evil.example");
    assert_eq!(send(request.json(&initialize)).await.status, 403);

    // There are no sessions to resume or to end; a revision that nobody knows is refused.
    for method in [Method::GET, Method::DELETE] {
        let request = stack.request(method.clone(), "/mcp").header("mcp-session-id", "1");
        let answer = send(request.header("accept", "text/event-stream")).await;
        assert_eq!(answer.status, 405, "{method}: {answer:?}");
    }
    let request = stack.request(Method::POST, "/mcp").header("mcp-protocol-version", "1999-01-01");
    let request = request.header("accept", "application/json, text/event-stream");
    let answer = send(request.json(&initialize)).await;
    assert_eq!(answer.status, 400, "{answer:?}");

    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":
        {"name":"investigate","arguments":{"data":"a","d\u0061ta":"b"}}}"#;
    let request = stack.request(Method::POST, "/mcp").header("content-type", "application/json");
    let request = request.header("accept", "application/json, text/event-stream");
    let answer = send(request.body(twice)).await;
    assert_eq!(answer.status, 400, "a key that stands twice: {answer:?}");
    assert_eq!(answer.fields(), ["params.arguments.data"]);
}
