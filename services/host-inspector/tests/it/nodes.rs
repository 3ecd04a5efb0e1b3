//! Calls that are forwarded to the inspector of the node that the alert, or an argument, names.

use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::client::{Answer, Inspector};
use crate::cluster::{NodeInspector, TOKEN, free, router, url};

/// Two nodes, at two addresses of this machine.
async fn two() -> (NodeInspector, NodeInspector) {
    let (web, db) = (free("127.0.0.1"), free("127.0.0.2"));
    tokio::join!(
        NodeInspector::start(&web, "web-1.example.com", "10.0.0.1"),
        NodeInspector::start(&db, "db-1", "10.0.0.2"),
    )
}

async fn for_alert(router: &Inspector, hosts: &[&str]) -> anyhow::Result<Answer> {
    router.call_meta("uptime", json!({}), "tarsy/alert_hosts", json!(hosts)).await
}

fn node(answer: &Answer) -> &str {
    assert!(!answer.is_error, "{}", answer.text);
    answer.json["inspected_node"].as_str().unwrap_or_default()
}

fn message(answer: &Answer) -> &str {
    assert!(answer.is_error, "{}", answer.text);
    answer.json["error"]["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_call_goes_to_the_node_of_its_argument_or_to_that_of_the_alert() -> anyhow::Result<()> {
    let (web, db) = two().await;
    let router = router(&[web.url(), db.url()], TOKEN).await?;
    for (hosts, name) in [
        (&["db-1"][..], "db-1"),
        (&["web-1", "shop.example"], "web-1.example.com"),
        (&["10.0.0.2"], "db-1"),
    ] {
        assert_eq!(node(&for_alert(&router, hosts).await?), name, "{hosts:?}");
    }
    for (text, name) in
        [("DB-1", "db-1"), ("web-1", "web-1.example.com"), ("10.0.0.1:9100", "web-1.example.com")]
    {
        let args = json!({ "node": text });
        let answer = router.call_meta("uptime", args, "tarsy/alert_hosts", json!(["db-1"])).await?;
        assert_eq!(node(&answer), name, "{text}");
        assert!(answer.json["uptime_seconds"].is_number(), "{}", answer.text);
        assert!(answer.text.starts_with("{\n  \"inspected_node\": "), "{}", answer.text);
    }
    router.stop().await
}

#[tokio::test]
async fn the_tools_are_the_same_with_a_node_and_their_errors_name_it() -> anyhow::Result<()> {
    let (web, db) = two().await;
    let logs = tempfile::tempdir()?;
    let (router, alone) =
        (router(&[web.url(), db.url()], TOKEN).await?, Inspector::start(logs.path()).await?);
    let (tools, own) = (router.tools().await?, alone.tools().await?);
    assert_eq!(tools.len(), own.len());
    for (tool, own) in tools.iter().zip(&own) {
        assert_eq!((&tool.name, &tool.annotations), (&own.name, &own.annotations));
        assert_eq!(tool.input_schema["properties"]["node"]["type"], "string", "{}", tool.name);
        assert_eq!(tool.input_schema.get("required"), own.input_schema.get("required"));
    }
    let args = json!({"node": "db-1", "path": "/etc/passwd"});
    let refused = router.call("tail_log", args).await?;
    assert_eq!((refused.json["inspected_node"].as_str(), refused.is_error), (Some("db-1"), true));
    assert_eq!(refused.json["error"]["kind"], "refused", "{}", refused.text);
    let unknown = router.call("reboot", json!({})).await.err().expect("an error").to_string();
    assert!(unknown.contains("system_overview"), "{unknown}");
    // What a call may reach comes along.
    let args = json!({"node": "db-1", "name": "localhost"});
    let looked_up = router.call_for("dns_lookup", args.clone(), &["localhost"]).await?;
    assert_eq!(node(&looked_up), "db-1");
    let refused = router.call("dns_lookup", args).await?;
    assert!(refused.is_error && refused.text.contains("allowed hosts"), "{}", refused.text);
    router.stop().await?;
    alone.stop().await
}

#[tokio::test]
async fn without_one_node_the_error_names_those_that_there_are() -> anyhow::Result<()> {
    let (web, db) = two().await;
    let router = router(&[web.url(), db.url()], TOKEN).await?;
    for (answer, words) in [
        (for_alert(&router, &[]).await?, "names no node"),
        (for_alert(&router, &["shop.example"]).await?, "names no node"),
        (for_alert(&router, &["db-1", "10.0.0.1"]).await?, "several nodes"),
        (router.call("uptime", json!({"node": "db-11"})).await?, "no inspector runs on a node"),
    ] {
        let message = message(&answer);
        assert!(message.contains(words), "{message}");
        assert!(message.contains("db-1, web-1.example.com"), "{message}");
    }
    let unknown = router.call("uptime", json!({"node": "bd-1"})).await?;
    assert!(unknown.text.contains("did you mean db-1?"), "{}", unknown.text);
    router.stop().await
}

#[tokio::test]
async fn an_inspector_that_died_is_reported_and_found_again_elsewhere() -> anyhow::Result<()> {
    let (web, db) = two().await;
    let elsewhere = free("127.0.0.3");
    let router = router(&[web.url(), db.url(), url(&elsewhere)], TOKEN).await?;
    assert_eq!(node(&for_alert(&router, &["db-1"]).await?), "db-1");
    db.end().await;
    let gone = for_alert(&router, &["db-1"]).await?;
    assert!(message(&gone).contains("the inspector of node db-1 does not answer"), "{}", gone.text);
    let gone = for_alert(&router, &["db-1"]).await?;
    assert!(message(&gone).contains("names no node"), "{}", gone.text);
    assert!(gone.text.contains("2 inspectors did not answer"), "{}", gone.text);
    assert_eq!(node(&for_alert(&router, &["web-1"]).await?), "web-1.example.com");
    let _db = NodeInspector::start(&elsewhere, "db-1", "10.0.0.2").await;
    let back = async || {
        let answer = for_alert(&router, &["db-1"]).await.expect("an answer");
        !answer.is_error && node(&answer) == "db-1"
    };
    tarsy_testkit::eventually("the node is found again", back).await;
    router.stop().await
}

#[tokio::test]
async fn an_address_that_another_node_has_by_now_is_not_taken_for_the_old_one() -> anyhow::Result<()>
{
    let (web, db) = two().await;
    let (web_url, db_url) = (web.url(), db.url());
    let router = router(&[web_url, db_url.clone()], TOKEN).await?;
    assert_eq!(node(&for_alert(&router, &["db-1"]).await?), "db-1");
    db.end().await;
    let address = db_url.trim_start_matches("http://").trim_end_matches("/mcp");
    let _other = NodeInspector::start(address, "db-2", "10.0.0.3").await;
    let moved = router.call("uptime", json!({"node": "db-1"})).await?;
    assert!(message(&moved).contains("that of another node"), "{}", moved.text);
    assert_eq!(node(&for_alert(&router, &["db-2"]).await?), "db-2");
    router.stop().await
}

#[tokio::test]
async fn a_wrong_token_is_named_with_its_variables_and_not_shown() -> anyhow::Result<()> {
    let (web, db) = two().await;
    let wrong = "another-token-that-is-not-the-right-one";
    let router = router(&[web.url(), db.url()], wrong).await?;
    let answer = for_alert(&router, &["db-1"]).await?;
    let message = message(&answer);
    assert!(message.contains("2 inspectors refused the token"), "{message}");
    assert!(message.contains("HOST_INSPECTOR_NODES_TOKEN"), "{message}");
    assert!(!answer.text.contains(wrong), "{}", answer.text);
    let (status, body) = db.status(wrong).await?;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert!(!body.contains("db-1"), "{body}");
    let (status, body) = db.status(TOKEN).await?;
    let described: Value = serde_json::from_str(&body)?;
    assert_eq!(
        (status, described),
        (StatusCode::OK, json!({"node": "db-1", "address": "10.0.0.2"}))
    );
    router.stop().await
}

#[tokio::test]
async fn an_inspector_that_hangs_holds_up_no_other_and_its_own_calls_for_a_bounded_time()
-> anyhow::Result<()> {
    let (web, db) = two().await;
    // Connections are accepted by the system, and nobody reads them.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let hanging_url = url(&listener.local_addr()?.to_string());
    let router = router(&[web.url(), hanging_url, db.url()], TOKEN).await?;
    assert_eq!(node(&for_alert(&router, &["db-1"]).await?), "db-1");
    let missing = for_alert(&router, &["db-9"]).await?;
    assert!(message(&missing).contains("1 inspector did not answer"), "{}", missing.text);

    db.signal(Signal::SIGSTOP);
    let began = Instant::now();
    let hanging = for_alert(&router, &["db-1"]).await?;
    let other = for_alert(&router, &["web-1"]).await?;
    assert!(began.elapsed() < Duration::from_mins(1), "it is bounded");
    assert!(message(&hanging).contains("node db-1 does not answer"), "{}", hanging.text);
    assert_eq!(node(&other), "web-1.example.com");
    db.signal(Signal::SIGCONT);
    router.stop().await
}

#[tokio::test]
async fn the_token_does_not_follow_a_redirect() -> anyhow::Result<()> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let (evil, redirecting) =
        (TcpListener::bind("127.0.0.1:0").await?, TcpListener::bind("127.0.0.1:0").await?);
    let target = evil.local_addr()?;
    let router = router(&[url(&redirecting.local_addr()?.to_string())], TOKEN).await?;
    let answering = async {
        let (mut stream, _) = redirecting.accept().await?;
        let mut request = vec![0; 2048];
        let read = stream.read(&mut request).await?;
        assert!(String::from_utf8_lossy(&request[..read]).contains(TOKEN));
        let answer = format!(
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{target}/node\r\nContent-Length: 0\r\n\r\n"
        );
        stream.write_all(answer.as_bytes()).await?;
        anyhow::Ok(())
    };
    let (answer, answered) = tokio::join!(for_alert(&router, &["evil.example"]), answering);
    answered?;
    assert!(message(&answer?).contains("1 inspector did not answer"));
    let reached = tokio::time::timeout(Duration::from_millis(200), evil.accept()).await;
    assert!(reached.is_err(), "nothing was sent on");
    router.stop().await
}

#[tokio::test]
async fn a_session_at_a_node_ends_with_its_call() -> anyhow::Result<()> {
    let (web, db) = two().await;
    let router = router(&[web.url(), db.url()], TOKEN).await?;
    // It measures for a while.
    let call = router.call("top_processes", json!({"node": "db-1"}));
    let begun = tarsy_testkit::eventually("a session", async || db.sessions() > 0);
    let (answer, ()) = tokio::join!(call, begun);
    assert_eq!(node(&answer?), "db-1");
    tarsy_testkit::eventually("the end of all sessions", async || db.sessions() == 0).await;
    router.stop().await
}

#[tokio::test]
async fn addresses_that_cannot_be_used_end_the_start_with_what_to_write() -> anyhow::Result<()> {
    let output = Command::new(env!("CARGO_BIN_EXE_tarsy-host-inspector"))
        .env("HOST_INSPECTOR_NODES", "inspectors:18080")
        .env("HOST_INSPECTOR_NODES_TOKEN", TOKEN)
        .stdin(Stdio::null())
        .output()
        .await?;
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(text.contains("HOST_INSPECTOR_NODES") && text.contains("write URLs"), "{text}");
    assert!(!text.contains(TOKEN), "{text}");
    Ok(())
}
