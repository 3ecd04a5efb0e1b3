//! What the inspector must not do, whoever asks.

use std::net::TcpListener;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::client::Inspector;

async fn refused(
    inspector: &Inspector,
    name: &'static str,
    args: Value,
    kind: &str,
    word: &str,
) -> anyhow::Result<()> {
    let answer = inspector.call(name, args.clone()).await?;
    assert!(answer.is_error, "{name} {args} was not refused: {}", answer.text);
    assert_eq!(answer.json.pointer("/error/kind"), Some(&json!(kind)), "{}", answer.text);
    assert!(answer.text.contains(word), "{word:?} is missing: {}", answer.text);
    let fix = answer.json.pointer("/error/fix").and_then(Value::as_str).unwrap_or("");
    assert!(!fix.is_empty(), "no fix: {}", answer.text);
    Ok(())
}

#[tokio::test]
async fn files_outside_the_readable_logs_are_refused_with_the_list() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    symlink("/etc/passwd", logs.path().join("escape.log"))?;
    symlink("/", logs.path().join("root"))?;
    let inspector = Inspector::start(logs.path()).await?;
    let list = format!("{}/**", logs.path().display());
    for path in [
        "/etc/passwd".to_owned(),
        "/proc/self/environ".to_owned(),
        "/no/such/file".to_owned(),
        format!("{}/../../etc/passwd", logs.path().display()),
        format!("{}/escape.log", logs.path().display()),
        format!("{}/root/etc/passwd", logs.path().display()),
    ] {
        refused(&inspector, "tail_log", json!({ "path": path }), "refused", &list).await?;
    }
    refused(&inspector, "tail_log", json!({"path": "app.log"}), "invalid_arguments", "absolute")
        .await?;
    inspector.stop().await
}

#[tokio::test]
async fn bad_arguments_are_named() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    let inspector = Inspector::start(logs.path()).await?;
    for (name, args, word) in [
        ("service_log", json!({"unit": "nginx; rm -rf /"}), "unit"),
        ("service_log", json!({"unit": "--root=/"}), "unit"),
        ("top_processes", json!({"limit": 500}), "from 1 to 50"),
        ("top_processes", json!({"sort_by": "colour"}), "colour"),
        ("kernel_log", json!({"min_level": "loud"}), "emerg"),
        ("uptime", json!({"since": "boot"}), "since"),
        ("tail_log", json!({}), "path"),
        ("dns_lookup", json!({"name": "http://x/"}), "host name"),
        ("http_probe", json!({"url": "http://localhost/", "method": "POST"}), "POST"),
        ("http_probe", json!({"url": "http://localhost/", "timeout_ms": 5}), "from 100 to 10000"),
        ("disk_usage", json!({"path": "var"}), "absolute"),
    ] {
        refused(&inspector, name, args, "invalid_arguments", word).await?;
    }
    inspector.stop().await
}

#[tokio::test]
async fn metadata_addresses_and_other_schemes_are_refused() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    let inspector = Inspector::start(logs.path()).await?;
    for url in ["http://169.254.169.254/latest/", "http://[fe80::1]/", "http://0xa9fea9fe/"] {
        let answer = inspector.call_for("http_probe", json!({ "url": url }), &["*"]).await?;
        assert!(answer.is_error && answer.text.contains("refused"), "{url}: {}", answer.text);
    }
    refused(
        &inspector,
        "http_probe",
        json!({"url": "file:///etc/passwd"}),
        "refused",
        "http or https",
    )
    .await?;
    inspector.stop().await
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_that_lists_the_tools() -> anyhow::Result<()> {
    let logs = tempfile::tempdir()?;
    let inspector = Inspector::start(logs.path()).await?;
    let error = inspector.call("reboot", json!({})).await.err().expect("an error").to_string();
    assert!(error.contains("system_overview"), "{error}");
    inspector.stop().await
}

#[tokio::test]
async fn probes_reach_listed_hosts_and_those_of_the_call_only() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let logs = tempfile::tempdir()?;
    let inspector = Inspector::start(logs.path()).await?;
    for host in
        ["127.0.0.2", "0x7f000002", "[::1]", "secret.evil.example", "localhost.evil.example"]
    {
        let url = json!({"url": format!("http://{host}:{port}/?log=secret")});
        refused(&inspector, "http_probe", url, "refused", "allowed hosts").await?;
        let name = json!({"name": host.trim_matches(['[', ']'])});
        refused(&inspector, "dns_lookup", name, "refused", "allowed hosts").await?;
    }
    assert!(listener.accept().is_err(), "nothing was sent");
    let args = json!({"name": "LOCALHOST."});
    assert!(!inspector.call("dns_lookup", args).await?.is_error, "it is listed");
    let args = json!({"name": "127.0.0.2"});
    assert!(!inspector.call_for("dns_lookup", args, &["127.0.0.2"]).await?.is_error);
    inspector.stop().await
}
