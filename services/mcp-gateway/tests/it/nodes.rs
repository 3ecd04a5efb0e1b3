//! The built-in `host` server where each node of a cluster has an inspector.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use tarsy_contracts::mcp::Caller;
use tarsy_testkit::{eventually, free_port};
use tokio::process::{Child, Command};

use crate::stack::{GatewayOptions, Stack, ask};

const TOKEN: &str = "a-token-of-the-inspectors-that-is-long-enough";

/// The program that is built beside the gateway.
fn host_inspector() -> PathBuf {
    let gateway = PathBuf::from(env!("CARGO_BIN_EXE_tarsy-mcp-gateway"));
    let program = gateway.with_file_name("tarsy-host-inspector");
    assert!(program.exists(), "build it first: cargo build --workspace");
    program
}

async fn inspector(address: &str, name: &str) -> Child {
    let process = Command::new(env!("CARGO_BIN_EXE_tarsy-mcp-gateway"))
        .args(["serve", "host"])
        .current_dir(std::env::temp_dir())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("TARSY_HTTP_ADDR", address)
        .env("TARSY_MCP_SERVER_TOKEN", TOKEN)
        .env("TARSY_HOST_INSPECTOR", host_inspector())
        .env("HOST_INSPECTOR_NODE_NAME", name)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let place = format!("http://{address}/node");
    eventually("the inspector", async || reqwest::get(&place).await.is_ok()).await;
    process
}

#[tokio::test]
async fn a_call_about_an_alert_goes_to_the_inspector_of_its_node() {
    let (one, two) = (
        format!("127.0.0.1:{}", free_port().unwrap()),
        format!("127.0.0.2:{}", free_port().unwrap()),
    );
    let _inspectors =
        tokio::join!(inspector(&one, "web-1.example.com"), inspector(&two, "db-1.example.com"));
    let stack = Stack::with(GatewayOptions {
        builtin_host: true,
        host_inspector: vec![host_inspector().display().to_string()],
        environment: vec![
            ("HOST_INSPECTOR_NODES", format!("http://{one}/mcp, http://{two}/mcp")),
            ("HOST_INSPECTOR_NODES_TOKEN", TOKEN.to_owned()),
        ],
        ..GatewayOptions::default()
    })
    .await;
    let of_db = Caller::Model { alert_hosts: vec!["db-1.example.com".to_owned()] };
    let lease = stack.lease_for(&["host"], of_db).await;
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    for (tool, arguments, node) in [
        ("host.uptime", json!({}), "db-1.example.com"),
        ("host.uptime", json!({"node": "web-1.example.com"}), "web-1.example.com"),
        // The node is no host that the probe reaches.
        (
            "host.dns_lookup",
            json!({"node": "web-1.example.com", "name": "db-1.example.com"}),
            "web-1.example.com",
        ),
    ] {
        let result = ask(&*lease, tool, arguments).await;
        assert!(!result.is_error, "{}", result.content);
        let content: Value = serde_json::from_str(&result.content).unwrap();
        assert_eq!(content["inspected_node"], node, "{}", result.content);
    }
    let evil = json!({"node": "web-1.example.com", "name": "evil.example"});
    assert!(ask(&*lease, "host.dns_lookup", evil).await.refused_by_policy);
    lease.close().await;

    let by_person = stack.lease_for(&["host"], Caller::Person).await;
    let result = ask(&*by_person, "host.uptime", json!({})).await;
    assert!(result.is_error && result.content.contains("argument node"), "{}", result.content);
    by_person.close().await;
    stack.drain().await;
}
