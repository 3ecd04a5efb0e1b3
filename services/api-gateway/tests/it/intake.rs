//! Alert sources, through HTTP.

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tarsy_testkit::TestStack;
use tempfile::TempDir;

use crate::stack::{Answer, Stack, send};

const SECRET: &str = "a-secret-of-every-source";
const SOURCES: &str = "intake:
  sources:
    prometheus: {kind: alertmanager, verification: bearer, secret_env: SOURCE_SECRET, alert_type: host}
    pages: {kind: pagerduty, verification: hmac, secret_env: SOURCE_SECRET, alert_type: host}
    unset: {kind: datadog, verification: bearer, secret_env: NOT_SET, alert_type: host}
";

async fn gateway(more: &str) -> (Stack, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tarsy.yaml"), format!("{SOURCES}{more}")).unwrap();
    let path = folder.path().display().to_string();
    let settings = [("TARSY_CONFIG_DIR", path.as_str()), ("SOURCE_SECRET", SECRET)];
    (Stack::with_settings(TestStack::start().await.unwrap(), &settings).await, folder)
}

/// A group of Alertmanager; each alert is its name and its status.
fn group(key: &str, alerts: &[(&str, &str)]) -> Value {
    let alerts = alerts.iter().map(|(name, status)| {
        json!({
            "status": status,
            "labels": {"alertname": name, "instance": "db-1"},
            "annotations": {"summary": format!("{name} on db-1"), "note": "password: hunter2hunter2"},
            "startsAt": "2026-11-24T00:00:00Z",
            "endsAt": if *status == "resolved" { "2026-11-24T01:00:00Z" } else { "0001-01-01T00:00:00Z" },
            "fingerprint": format!("{key}-{name}"),
        })
    });
    json!({"version": "4", "groupKey": key, "status": "firing", "alerts": alerts.collect::<Vec<_>>()})
}

async fn deliver(stack: &Stack, body: &Value) -> Answer {
    let request = stack.request(Method::POST, "/api/v1/intake/prometheus").json(body);
    send(request.bearer_auth(SECRET)).await
}

/// The same as a source does it: what was not kept, because the machine is busy, is sent again.
async fn deliver_until_kept(stack: &Stack, body: &Value) -> Answer {
    let mut answer = deliver(stack, body).await;
    for _ in 0..50 {
        if answer.status != 503 {
            break;
        }
        assert!(answer.headers.contains_key("retry-after"), "{answer:?}");
        answer = deliver(stack, body).await;
    }
    answer
}

/// Action, reason and session of each alert.
fn decided(answer: &Answer) -> Vec<(&str, &str, &str)> {
    assert_eq!(answer.status, 202, "{answer:?}");
    let alerts = answer.body["alerts"].as_array().unwrap();
    alerts
        .iter()
        .map(|alert| {
            let part = |key: &str| alert[key].as_str().unwrap_or_default();
            (part("action"), part("reason"), part("session_id"))
        })
        .collect()
}

#[tokio::test]
async fn a_group_has_one_session_and_later_alerts_of_it_are_shown_there() {
    let (stack, _folder) = gateway("").await;
    let first = deliver(&stack, &group("g", &[("DiskFull", "firing"), ("Slow", "firing")])).await;
    let opened = decided(&first);
    let session = opened[0].2.to_owned();
    assert_eq!(opened[0].0, "open");
    assert_eq!(opened[1], ("attach", "same_group", session.as_str()));
    // Sent again: nothing changes.
    for _ in 0..2 {
        let again =
            deliver(&stack, &group("g", &[("DiskFull", "firing"), ("Slow", "firing")])).await;
        let again = decided(&again);
        assert!(
            again.iter().all(|(_, reason, of)| (*reason, *of) == ("same_alert", &*session)),
            "{again:?}"
        );
    }
    let later = deliver(&stack, &group("g", &[("Errors", "firing")])).await;
    assert_eq!(decided(&later), [("attach", "same_group", session.as_str())]);
    let timeline =
        stack.get(&format!("/api/v1/sessions/{session}/timeline")).await.body.to_string();
    assert_eq!(timeline.matches("alert_received").count(), 1, "{timeline}");
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await.body;
    let data = detail["alert_data"].as_str().unwrap_or_default();
    assert!(data.contains("DiskFull on db-1") && data.contains("- Slow on db-1"), "{detail}");
    assert!(!detail.to_string().contains("hunter2"), "{detail}");
    let rows = stack.count("select count(*) from intake_alerts").await.unwrap();
    let repeats = stack.count("select sum(repeats)::bigint from intake_alerts").await.unwrap();
    assert_eq!((rows, repeats), (3, 4));
    let kept =
        "select count(*) from intake_alerts where raw::text || annotations::text like '%hunter2%'";
    assert_eq!(stack.count(kept).await.unwrap(), 0);
}

#[tokio::test]
async fn a_session_that_has_not_begun_is_stopped_when_its_last_alert_is_resolved() {
    let (stack, _folder) = gateway("").await;
    let first = deliver(&stack, &group("g", &[("DiskFull", "firing"), ("Slow", "firing")])).await;
    let session = decided(&first)[0].2.to_owned();
    let one = deliver(&stack, &group("g", &[("Slow", "resolved")])).await;
    assert_eq!(decided(&one), [("resolve", "resolved_others_firing", session.as_str())]);
    let last = deliver(&stack, &group("g", &[("DiskFull", "resolved")])).await;
    assert_eq!(decided(&last), [("stop", "resolved", session.as_str())]);
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await.body;
    assert_eq!(detail["status"], "cancelled");
    let unknown = deliver(&stack, &group("h", &[("Other", "resolved")])).await;
    assert_eq!(decided(&unknown), [("ignore", "no_session", "")]);
}

#[tokio::test]
async fn requests_of_one_group_at_the_same_time_have_one_session() {
    let (stack, _folder) = gateway("").await;
    let names: Vec<String> = (0..20).map(|number| format!("Alert{number}")).collect();
    let bodies: Vec<Value> = names.iter().map(|name| group("g", &[(name, "firing")])).collect();
    let answers = join_all(bodies.iter().map(|body| deliver_until_kept(&stack, body))).await;
    let sessions: std::collections::BTreeSet<_> =
        answers.iter().flat_map(decided).map(|(_, _, session)| session.to_owned()).collect();
    assert_eq!(sessions.len(), 1, "{answers:?}");
    assert_eq!(stack.count("select count(*) from alert_sessions").await.unwrap(), 1);
}

#[tokio::test]
async fn only_alerts_that_would_begin_a_session_are_refused_while_too_many_wait() {
    let (stack, _folder) = gateway("system:\n  limits: {pending_sessions: 1}\n").await;
    let first = deliver(&stack, &group("g", &[("DiskFull", "firing")])).await;
    let session = decided(&first)[0].2.to_owned();
    let other = deliver(&stack, &group("h", &[("Other", "firing")])).await;
    assert_eq!(other.status, 503, "{other:?}");
    assert!(other.headers.contains_key("retry-after"), "{other:?}");
    let same = deliver(&stack, &group("g", &[("Errors", "firing")])).await;
    assert_eq!(decided(&same), [("attach", "same_group", session.as_str())]);
}

#[tokio::test]
async fn who_is_not_verified_and_what_is_too_large_is_refused() {
    let (stack, _folder) = gateway("").await;
    let post = |path: &str| stack.request(Method::POST, &format!("/api/v1/intake/{path}"));
    let body = group("g", &[("DiskFull", "firing")]);
    for (request, status) in [
        (post("prometheus").json(&body), 401),
        (post("prometheus").bearer_auth("another").json(&body), 401),
        (post("unset").bearer_auth("").json(&json!({})), 401),
        (post("pages").header("x-pagerduty-signature", "v1=00").json(&json!({})), 401),
        (post("nagios").bearer_auth(SECRET).json(&body), 401),
        (post("prometheus").bearer_auth(SECRET).body("x".repeat((32 << 20) + 1)), 413),
    ] {
        let answer = send(request).await;
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(!answer.body.to_string().contains(SECRET));
    }
    assert_eq!(stack.count("select count(*) from intake_alerts").await.unwrap(), 0);
    let empty = deliver(&stack, &json!({"version": "4", "groupKey": "g", "alerts": []})).await;
    assert_eq!((empty.status.as_u16(), &empty.body["alerts"]), (200, &json!([])));
}

#[tokio::test]
async fn every_alert_is_listed_with_what_was_decided_about_it() {
    let (stack, _folder) = gateway("").await;
    let first = deliver(&stack, &group("g", &[("DiskFull", "firing"), ("Slow", "firing")])).await;
    let session = decided(&first)[0].2.to_owned();
    deliver(&stack, &group("g", &[("DiskFull", "firing")])).await;
    deliver(&stack, &group("h", &[("Other", "resolved")])).await;

    let all = stack.get("/api/v1/intake/alerts").await.body;
    let titles = |body: &Value| {
        let alerts = body["alerts"].as_array().unwrap();
        alerts.iter().map(|alert| alert["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(titles(&all), ["Other on db-1", "Slow on db-1", "DiskFull on db-1"]);
    assert_eq!(all["next_before"], Value::Null);
    let oldest = &all["alerts"][2];
    for (key, value) in [
        ("source", json!("prometheus")),
        ("fingerprint", json!("g-DiskFull")),
        ("status", json!("firing")),
        ("labels", json!({"alertname": "DiskFull", "instance": "db-1"})),
        ("alert_type", json!("host")),
        ("action", json!("open")),
        ("reason", json!("new")),
        ("explanation", json!("no session covers it yet")),
        ("session_id", json!(session)),
        ("in_session_text", json!(true)),
        ("repeats", json!(1)),
        ("starts_at", json!("2026-11-24T00:00:00Z")),
    ] {
        assert_eq!(oldest[key], value, "{key}: {oldest}");
    }
    assert!(!all.to_string().contains("hunter2"), "{all}");

    let of_session = stack.get(&format!("/api/v1/sessions/{session}/alerts")).await.body;
    assert_eq!(titles(&of_session), ["Slow on db-1", "DiskFull on db-1"]);
    let ignored = stack.get("/api/v1/intake/alerts?action=ignore&source=prometheus").await.body;
    assert_eq!(titles(&ignored), ["Other on db-1"]);
    assert_eq!(titles(&stack.get("/api/v1/intake/alerts?source=pages").await.body).len(), 0);
    let part = stack.get("/api/v1/intake/alerts?limit=2").await.body;
    let next = stack.get(&format!("/api/v1/intake/alerts?before={}", part["next_before"])).await;
    assert_eq!((titles(&part).len(), titles(&next.body)), (2, vec!["DiskFull on db-1".to_owned()]));
}

#[tokio::test]
async fn a_bad_value_of_a_list_of_alerts_is_named() {
    let (stack, _folder) = gateway("").await;
    for (query, field) in [
        ("intake/alerts?action=drop", "action"),
        ("intake/alerts?before=-1", "before"),
        ("intake/alerts?limit=101", "limit"),
    ] {
        let answer = stack.get(&format!("/api/v1/{query}")).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body["errors"][0]["field"]),
            (400, &json!(field))
        );
    }
    let unknown = "/api/v1/sessions/01936d0e-1111-7111-8111-111111111111/alerts";
    assert_eq!(stack.get(unknown).await.status, 404);
}
