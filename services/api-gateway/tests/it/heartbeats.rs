//! Heartbeats that stop, and sessions that several sources join by labels.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_testkit::{Seen, TestStack, eventually};
use tempfile::TempDir;

use crate::stack::{Stack, send};

const SECRET: &str = "a-secret-of-every-source";
const CONFIGURATION: &str = "intake:
  policy: {group_labels: [service, namespace]}
  sources:
    prometheus: {kind: alertmanager, verification: bearer, secret_env: SOURCE_SECRET, alert_type: host, heartbeat_within: 3s}
    other: {kind: alertmanager, verification: bearer, secret_env: SOURCE_SECRET, alert_type: host}
";
const STOPS: &str =
    "select count(*) from intake_alerts where title = 'Heartbeat stopped: Watchdog'";

fn settings(folder: &str) -> [(&str, &str); 2] {
    [("TARSY_CONFIG_DIR", folder), ("SOURCE_SECRET", SECRET)]
}

async fn gateway() -> (Stack, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), CONFIGURATION).unwrap();
    let settings = settings(folder.path().to_str().unwrap());
    let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
    (stack, folder)
}

async fn deliver(stack: &Stack, source: &str, body: &Value) -> Value {
    let request = stack.request(Method::POST, &format!("/api/v1/intake/{source}")).json(body);
    let answer = send(request.bearer_auth(SECRET)).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    answer.body["alerts"][0].clone()
}

async fn alert(stack: &Stack, source: &str, labels: Value) -> Value {
    let alert = json!({"status": "firing", "labels": labels, "startsAt": "2026-11-24T00:00:00Z"});
    let body = json!({"version": "4", "groupKey": "g", "status": "firing", "alerts": [alert]});
    deliver(stack, source, &body).await
}

async fn heartbeat(stack: &Stack, source: &str) {
    let labels = json!({"alertname": "Watchdog", "severity": "none", "cluster": "north"});
    let decided = alert(stack, source, labels).await;
    assert_eq!((&decided["action"], &decided["reason"]), (&json!("ignore"), &json!("heartbeat")));
}

async fn count(stack: &Stack, sql: &'static str, count: i64) {
    let what = format!("{count} of: {sql}");
    eventually(&what, async || Seen::equal(stack.count(sql).await.unwrap(), count)).await;
}

#[tokio::test]
async fn a_heartbeat_that_stops_begins_one_session_and_is_resolved_when_it_comes_again() {
    let (stack, _folder) = gateway().await;
    heartbeat(&stack, "other").await;
    heartbeat(&stack, "prometheus").await;
    assert_eq!(stack.count("select count(*) from alert_sessions").await.unwrap(), 0);
    count(&stack, "select count(*) from alert_sessions", 1).await;
    let sessions = stack.get("/api/v1/sessions").await.body;
    let session = &sessions["sessions"][0];
    assert_eq!(session["title"], "Heartbeat stopped: Watchdog", "{session}");
    assert_eq!(session["cluster"], "north", "{session}");

    heartbeat(&stack, "prometheus").await;
    count(&stack, "select count(*) from intake_alerts where status = 'resolved'", 1).await;
    // Then it stays away again: the policy keeps that in the session, and this is the third row.
    count(&stack, STOPS, 3).await;
    count(&stack, "select count(*) from alert_sessions", 1).await;
    let repeated =
        "select sum(repeats)::bigint from intake_alerts where title like 'Heartbeat stopped%'";
    assert_eq!(stack.count(repeated).await.unwrap(), 0, "a stop is one alert");
}

#[tokio::test]
async fn a_heartbeat_that_is_due_while_no_gateway_runs_is_missed_once_when_two_run_again() {
    let (mut stack, folder) = gateway().await;
    heartbeat(&stack, "prometheus").await;
    stack.service.stop();
    stack.service.drain(Duration::from_secs(30)).await.unwrap();
    let overdue =
        "select count(*) from intake_alerts where received_at < now() - interval '4 seconds'";
    count(&stack, overdue, 1).await;
    assert_eq!(stack.count(STOPS).await.unwrap(), 0, "nobody looked");

    let settings = settings(folder.path().to_str().unwrap());
    stack.address = stack.another_gateway(&settings).await;
    stack.another_gateway(&settings).await;
    count(&stack, STOPS, 1).await;
    heartbeat(&stack, "prometheus").await;
    count(&stack, "select count(*) from intake_alerts where status = 'resolved'", 1).await;
    count(&stack, "select count(*) from alert_sessions", 1).await;
}

#[tokio::test]
async fn alerts_of_several_sources_join_by_the_listed_labels_and_the_reason_names_them() {
    let (stack, _folder) = gateway().await;
    let labels = |name: &str, namespace: &str| json!({"alertname": name, "service": "checkout", "namespace": namespace, "pod": name});
    let first = alert(&stack, "prometheus", labels("Slow", "shop")).await;
    assert_eq!(first["action"], "open");
    let second = alert(&stack, "other", labels("Down", "shop")).await;
    assert_eq!(
        (&second["reason"], &second["session_id"]),
        (&json!("same_labels"), &first["session_id"])
    );
    let elsewhere = alert(&stack, "other", labels("Down", "lab")).await;
    assert_eq!(elsewhere["action"], "open");
    let part = json!({"alertname": "Down", "service": "checkout"});
    assert_ne!(alert(&stack, "other", part).await["session_id"], first["session_id"]);
    let listed = stack.get("/api/v1/intake/alerts?source=other").await.body;
    let decision =
        listed["alerts"].as_array().unwrap().iter().find(|one| one["reason"] == "same_labels");
    let text = decision.unwrap().to_string();
    assert!(text.contains("namespace") && text.contains("checkout"), "{text}");
}
