//! What the tools say of the machine the test runs on.

use std::io::{Read, Write};
use std::net::TcpListener;

use rmcp::model::ProtocolVersion;
use rmcp::service::ClientLifecycleMode;
use serde_json::{Value, json};

use crate::client::Inspector;

#[tokio::test]
async fn all_tools_are_read_only_and_have_an_object_schema() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    let inspector = Inspector::start(logs.path()).await?;
    let tools = inspector.tools().await?;
    assert_eq!(tools.len(), 15);
    for tool in tools {
        let hints = tool.annotations.clone().expect("annotations");
        assert_eq!(
            (hints.read_only_hint, hints.destructive_hint),
            (Some(true), Some(false)),
            "{}",
            tool.name
        );
        let outward = matches!(tool.name.as_ref(), "dns_lookup" | "http_probe");
        assert_eq!(hints.open_world_hint, Some(outward), "{}", tool.name);
        assert_eq!(tool.input_schema.get("type"), Some(&json!("object")), "{}", tool.name);
        assert!(tool.description.is_some_and(|text| text.len() > 60), "{}", tool.name);
    }
    inspector.stop().await
}

#[tokio::test]
async fn every_tool_answers() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    std::fs::write(logs.path().join("app.log"), "first\nan ERROR here\nlast\n")?;
    let log = logs.path().join("app.log");
    let inspector = Inspector::start(logs.path()).await?;
    let calls = [
        (
            "system_overview",
            json!({}),
            vec!["hostname", "cpu", "load", "memory_used_percent", "disks"],
        ),
        ("uptime", json!({}), vec!["uptime_seconds", "booted_at"]),
        ("load_average", json!({}), vec!["load", "cores"]),
        (
            "memory_usage",
            json!({"top": 3}),
            vec!["used_percent", "swap_used_percent", "top_consumers"],
        ),
        ("disk_usage", json!({"path": logs.path()}), vec!["file_systems"]),
        ("disk_usage", json!({"path": null}), vec!["file_systems"]),
        (
            "top_processes",
            json!({"sort_by": "cpu", "limit": 4}),
            vec!["machine_cpu_percent", "processes", "measured_ms"],
        ),
        ("top_processes", json!({"sort_by": "memory"}), vec!["processes"]),
        ("listening_ports", json!({}), vec!["sockets"]),
        ("network_counters", json!({}), vec!["interfaces"]),
        ("kernel_log", json!({"lines": 5, "min_level": "info"}), vec!["available"]),
        ("service_log", json!({"unit": "nginx.service", "lines": 5}), vec!["available", "unit"]),
        ("failed_services", json!({}), vec!["available"]),
        ("list_logs", json!({}), vec!["files", "readable"]),
        ("tail_log", json!({"path": log, "contains": "error"}), vec!["lines"]),
        ("dns_lookup", json!({"name": "localhost"}), vec!["resolved", "latency_ms"]),
        (
            "http_probe",
            json!({"url": "http://127.0.0.1:1/", "timeout_ms": 1000}),
            vec!["reachable", "error"],
        ),
    ];
    for (name, args, keys) in calls {
        let answer = inspector.call(name, args).await?;
        assert!(!answer.is_error, "{name}: {}", answer.text);
        for key in keys {
            assert!(
                answer.json.get(key).is_some_and(|value| !value.is_null()),
                "{name} has no {key}: {}",
                answer.text
            );
        }
    }
    let names: Vec<String> =
        inspector.tools().await?.iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names.first().map(String::as_str), Some("system_overview"));
    inspector.stop().await
}

#[tokio::test]
async fn the_overview_contains_the_root_disk_and_the_memory() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    let inspector = Inspector::start(logs.path()).await?;
    let answer = inspector.call("system_overview", json!({})).await?;
    let disks = answer.json.get("disks").and_then(Value::as_array).cloned().unwrap_or_default();
    assert!(disks.iter().any(|disk| disk.get("mount") == Some(&json!("/"))), "{}", answer.text);
    let used = answer.json.get("memory_used_percent").and_then(Value::as_f64).unwrap_or(-1.0);
    assert!((0.1..=100.0).contains(&used), "{used}");
    assert!(answer.text.lines().count() > 10, "an answer has lines to quote");
    inspector.stop().await
}

#[tokio::test]
async fn a_log_is_listed_and_read() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    std::fs::write(logs.path().join("app.log"), "first\nan ERROR here\nlast\n")?;
    let inspector = Inspector::start(logs.path()).await?;
    let listed = inspector.call("list_logs", json!({"contains": "app"})).await?;
    let path = listed.json.pointer("/files/0/path").cloned().expect("a file");
    let tail = inspector.call("tail_log", json!({"path": path, "lines": 2})).await?;
    assert_eq!(tail.json.get("lines"), Some(&json!(["an ERROR here", "last"])));
    inspector.stop().await
}

#[tokio::test]
async fn a_probe_reports_status_and_size_and_follows_no_redirect() -> anyhow::Result<()> {
    let server = TcpListener::bind("127.0.0.1:0")?;
    let port = server.local_addr()?.port();
    let serving = std::thread::spawn(move || -> std::io::Result<()> {
        let (mut stream, _) = server.accept()?;
        let mut request = [0; 1024];
        let count = stream.read(&mut request)?;
        assert!(request[..count].starts_with(b"GET /go HTTP/1.1"));
        stream.write_all(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 5\r\nConnection: close\r\n\r\nmoved")
    });
    let logs = tempfile::tempdir()?;
    let inspector = Inspector::start(logs.path()).await?;
    let answer =
        inspector.call("http_probe", json!({"url": format!("http://127.0.0.1:{port}/go")})).await?;
    assert_eq!(answer.json.get("status"), Some(&json!(302)));
    assert_eq!(answer.json.get("redirects_to"), Some(&json!("http://169.254.169.254/")));
    assert_eq!(answer.json.get("body_bytes_read"), Some(&json!(5)));
    assert!(!answer.text.contains("moved"), "the body itself is not shown");
    serving.join().expect("the server ends")?;
    inspector.stop().await
}

#[tokio::test]
async fn both_dialects_are_supported() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    let mode =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let inspector = Inspector::start_in(logs.path(), mode).await?;
    let answer = inspector.call("uptime", json!({})).await?;
    assert!(!answer.is_error);
    inspector.stop().await
}
